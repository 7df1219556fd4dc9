"""Start, kill, restart and remove the services of a compose file."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.request import urlopen

from kit.processes import free_port

ROOT = Path(__file__).parents[3]
PROJECT = "mastermind-test"  # reserved for these trials, which remove its containers and volumes
BUILD_SECONDS = 1800.0  # to build and download images on a slow network
COMMAND_SECONDS = 120.0  # for other commands: stopping PostgreSQL may take a minute
PROBE_SECONDS = 0.5  # between two readiness checks


class Stack:
    """The services of one compose file, published on a free local port.

    `command` is the compose command. `listens` names the file's variable for the published address;
    `variables` sets others. Commands raise CommandFailed or TimeoutError.
    """

    def __init__(self, command: list[str], file: str, listens: str, **variables: str) -> None:
        address = f"127.0.0.1:{free_port()}"
        self.address = f"ws://{address}"
        self._command = command
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
        await self.remove()  # an earlier run may have been killed
        try:
            await self.run("up", "--detach", "--build", seconds=BUILD_SECONDS)
            await wait_for(self._answers)
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

    async def wait_until_ready(self, service: str, *probe: str) -> None:
        """Wait until a command in a service succeeds. Raises TimeoutError."""

        async def succeeds() -> bool:
            try:
                await self.execute(service, *probe)
            except CommandFailed:
                return False
            return True

        await wait_for(succeeds)

    async def _answers(self) -> bool:
        health = f"http{self.address.removeprefix('ws')}/healthz"
        try:
            with await asyncio.to_thread(urlopen, health, timeout=PROBE_SECONDS):
                return True
        except OSError:
            return False

    async def run(self, *arguments: str, seconds: float = COMMAND_SECONDS) -> str:
        """Run a compose subcommand and return its standard output."""
        command = [*self._command, *arguments]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=ROOT,
            env=self._environment,
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
