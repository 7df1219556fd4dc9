"""A compose file brought up as an operator does, whose services are killed and started again."""

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
PROJECT = "mastermind-test"  # nobody else's: its containers and volumes are removed
BUILD_SECONDS = 1800.0  # for images, the first time, by a slow network
COMMAND_SECONDS = 120.0  # for all other commands: to stop PostgreSQL may take a minute
PROBE_SECONDS = 0.5  # between two looks at whether a service is ready


class Stack:
    """The services of one compose file, which listen on a free port of this machine.

    `command` is what understands compose files. `listens` is the variable of the file that says
    where clients come in; others of its `variables` can be given. Commands raise CommandFailed, or
    TimeoutError.
    """

    def __init__(self, command: list[str], file: str, listens: str, **variables: str) -> None:
        place = f"127.0.0.1:{free_port()}"
        self.address = f"ws://{place}"
        self._command = command
        self._environment = {
            **os.environ,
            "COMPOSE_PROJECT_NAME": PROJECT,
            "COMPOSE_FILE": file,
            "MASTERMIND_HTTPS": f"127.0.0.1:{free_port()}",
            listens: place,
            **variables,
        }

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the services while the block lasts, and leave nothing of them.

        If it fails, what they have logged is printed, on standard error.
        """
        await self.remove()  # what is left of a run that was killed
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
        """Run a command within a service; return what it prints."""
        return await self.run("exec", "-T", service, *command)

    async def become_ready(self, service: str, *probe: str) -> None:
        """Return when a command within a service succeeds."""

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
        """Run a command of compose; return what it prints on standard output."""
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
                said, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
        if process.returncode:
            told = (said + errors).decode(errors="replace")
            raise CommandFailed(f"{shlex.join(command)} ended with {process.returncode}:\n{told}")
        return said.decode()


class CommandFailed(Exception):
    """A command of compose ended with another status than 0."""


async def wait_for(holds: Callable[[], Awaitable[bool]]) -> None:
    """Return when something holds. Raises TimeoutError."""
    async with asyncio.timeout(COMMAND_SECONDS):
        while not await holds():  # noqa: ASYNC110 - it is others who change that
            await asyncio.sleep(PROBE_SECONDS)
