"""Start, kill, restart and remove the services of a compose file, and run an operator's recipes."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from websockets.exceptions import WebSocketException

from kit.client import RawClient
from kit.processes import free_port
from mastermind_protocol.messages import Welcome
from mastermind_protocol.requests import Hello

ROOT = Path(__file__).parents[3]
PROJECT = "mastermind-test"  # reserved for these trials, which remove its containers and volumes
BUILD_SECONDS = 1800.0  # to build and download images on a slow network
RECIPE_SECONDS = 300.0  # for the commands of a recipe, with a cached build
COMMAND_SECONDS = 120.0  # for other commands: stopping PostgreSQL may take a minute
PROBE_SECONDS = 0.5  # between two readiness checks


# Of the tree, what no image contains.
_UNUSED = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "tests", "dist")


class Stack:
    """The services of one compose file, published on a free local port.

    They run in a copy of the source tree, which `running` makes: recipes create and change files.
    `command` is the compose command. `listens` names the file's variable for the published address;
    `variables` sets others. Commands raise CommandFailed or TimeoutError.
    """

    def __init__(self, command: list[str], file: str, listens: str, **variables: str) -> None:
        address = f"127.0.0.1:{free_port()}"
        self.address = f"ws://{address}"
        self._command = [shutil.which(command[0]) or command[0], *command[1:]]
        self.folder = ROOT
        self._environment = {
            **os.environ,
            "COMPOSE_PROJECT_NAME": PROJECT,
            "COMPOSE_FILE": file,
            "MASTERMIND_HTTPS": f"127.0.0.1:{free_port()}",
            listens: address,
            **variables,
        }

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the services during the block, then remove them.

        If the block fails, their logs are printed on standard error.
        """
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder, "checkout")
            await asyncio.to_thread(shutil.copytree, ROOT, self.folder, ignore=_UNUSED)
            async with self._started():
                yield

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[None]:
        await self.remove()  # an earlier run may have been killed
        try:
            await self.run("up", "--detach", "--build", seconds=BUILD_SECONDS)
            await self.wait_until_served()
            yield
        except BaseException:
            print(await self.run("logs"), file=sys.stderr)
            raise
        finally:
            await self.remove()

    async def remove(self) -> None:
        """Remove containers, networks and volumes."""
        await self.run("down", "--volumes")

    async def execute(self, service: str, *command: str) -> str:
        """Run a command in a service and return its output."""
        return await self.run("exec", "-T", service, *command)

    async def follow_recipe(self, recipe: str) -> None:
        """Run the lines of a recipe in a shell, until one fails."""
        programs = self.folder.parent / "bin"
        programs.mkdir(exist_ok=True)
        docker = programs / "docker"  # its first argument is "compose"
        docker.write_text(f'#!/bin/sh\nshift\nexec {shlex.join(self._command)} "$@"\n')
        docker.chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        await self._execute(["bash", "-ec", recipe], RECIPE_SECONDS, PATH=path)

    async def wait_until_served(self) -> None:
        """Wait until the published address accepts players. Raises TimeoutError.

        A server that has just started may have no database yet, and the proxy no server.
        """
        await wait_for(self._accepts_players)

    async def wait_until_ready(self, service: str, *probe: str) -> None:
        """Wait until a command in a service succeeds. Raises TimeoutError."""

        async def succeeds() -> bool:
            try:
                await self.execute(service, *probe)
            except CommandFailed:
                return False
            return True

        await wait_for(succeeds)

    async def _accepts_players(self) -> bool:
        try:
            wire = await RawClient.connect(self.address)
            answer = await wire.ask(wire.new(Hello, name="Probe"))
            await wire.close()
        except (OSError, WebSocketException):
            return False
        return isinstance(answer, Welcome)

    async def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> str:
        """Run a compose subcommand and return its standard output."""
        return await self._execute([*self._command, *arguments], seconds)

    async def _execute(self, command: list[str], seconds: float, **variables: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self.folder,
            env=self._environment | variables,
        )
        try:
            async with asyncio.timeout(seconds):
                output, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
        if process.returncode:
            printed = (output + errors).decode(errors="replace")
            raise CommandFailed(
                f"{shlex.join(command)} ended with status {process.returncode}:\n{printed}"
            )
        return output.decode()


class CommandFailed(Exception):
    """A compose command ended with a status other than 0."""


async def wait_for(holds: Callable[[], Awaitable[bool]]) -> None:
    """Poll until `holds` returns True. Raises TimeoutError."""
    async with asyncio.timeout(COMMAND_SECONDS):
        while not await holds():  # noqa: ASYNC110 - other processes change it
            await asyncio.sleep(PROBE_SECONDS)
