"""Servers as processes of their own, which are killed or stopped, and started again."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from kit.processes import BIN, free_port
from mastermind_server.tuning import EXIT_SECONDS

START_SECONDS = 60.0  # far more than a server takes to listen, on a machine that does much else
CRASH = 4000  # characters of a log that are told
SERVER = (str(BIN / "mastermind-server"),)
_CPU_CLOCK = 2  # nanoseconds of all threads of a process, finished threads included
_ERROR = re.compile(
    r" (ERROR|CRITICAL) |^Traceback|^Exception ignored|never retrieved|Warning: "
    r"|lines of the log were dropped"  # one of them may have been an error
)


def read_cpu(pid: int) -> float:
    """Return the CPU seconds of a process, user and system."""
    return time.clock_gettime((~pid << 3) | _CPU_CLOCK)


class Node:
    """A `mastermind-server` on one port, with one store, whichever process that is at the time.

    What it logs is added to `errors`.
    """

    def __init__(
        self, store: str, errors: Path, *options: str, program: tuple[str, ...] = SERVER
    ) -> None:
        self.port, self.errors = free_port(), errors
        self._command = [*program, f"--port={self.port}", store, *options]
        self._process: asyncio.subprocess.Process | None = None

    @classmethod
    @asynccontextmanager
    async def running(
        cls, store: str, errors: Path, *options: str, program: tuple[str, ...] = SERVER
    ) -> AsyncIterator[Node]:
        """Run a node with these options while the block lasts; a test may give another program."""
        node = cls(store, errors, *options, program=program)
        try:
            await node.start()
            yield node
        finally:
            await node.kill()

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"ws://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The id of its process."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start its process, and return when it listens."""
        with self.errors.open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdout=asyncio.subprocess.PIPE, stderr=errors
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            said = await self._process.stdout.readline()
        if not re.match(rb"listening on ws://", said):
            raise AssertionError(f"{self._command} does not listen:\n{self.errors.read_text()}")

    async def stop(self) -> None:
        """End its process as a service manager does: in time, and well."""
        status = await self.terminate()
        logged = self.errors.read_text()
        assert status == 0, logged
        assert "Traceback" not in logged, logged

    async def terminate(self) -> int | None:
        """End its process as a service manager does, and let it log; return its status."""
        assert self._process is not None
        self._process.terminate()
        return await self.wait()

    async def wait(self) -> int | None:
        """Let its process end, which it does; return its status."""
        assert self._process is not None
        async with asyncio.timeout(EXIT_SECONDS):
            await self._process.communicate()
        return self._process.returncode

    def find_crash(self) -> str | None:
        """Return what has been logged from the first exception on that nobody has foreseen."""
        _, sign, crash = self.errors.read_text().partition("Traceback")
        return sign + crash[:CRASH] if sign else None

    def find_errors(self) -> list[str]:
        """Return the first lines of all that has been logged as an error, or that Python tells of.

        An event loop tells of what nobody has awaited at the latest when the process ends.
        """
        return [line for line in self.errors.read_text().splitlines() if _ERROR.search(line)]

    def read_memory(self, *, peak: bool = False) -> int:
        """Return the bytes of memory that its process has, or has had at most.

        Raises ChildProcessError if it has ended.
        """
        try:
            status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        except (FileNotFoundError, ProcessLookupError):
            raise ChildProcessError from None
        kilobytes = re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+) kB", status)
        if kilobytes is None:  # it has ended, and nobody has asked for its status yet
            raise ChildProcessError
        return 1024 * int(kilobytes[1])

    async def kill(self) -> None:
        """End its process without a warning, as a loss of power does."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.communicate()
