"""Servers as separate processes, which tests kill, stop and restart."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from kit.processes import BIN, free_port
from mastermind_server.tuning import EXIT_SECONDS

START_SECONDS = 60.0  # enough for a server to start on a busy machine
CRASH = 4000  # characters of a log in a failure message
SERVER = (str(BIN / "mastermind-server"),)
_CPU_CLOCK = 2  # CPUCLOCK_SCHED: all threads of a process, including finished ones
_ERROR = re.compile(
    r" (ERROR|CRITICAL) |^Traceback|^Exception ignored|never retrieved|Warning: "
    r"|lines of the log were dropped"  # a dropped line may have been an error
)


def read_cpu(pid: int) -> float:
    """Return the CPU seconds of a process, user and system."""
    return time.clock_gettime((~pid << 3) | _CPU_CLOCK)


class Node:
    """A `mastermind-server` with a fixed port and store, which each `start` runs in a new process.

    Its log is appended to the file `errors`.
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
        """Run a node with `options` within the block; `program` replaces the server's command."""
        node = cls(store, errors, *options, program=program)
        try:
            await node.start()
            yield node
        finally:
            await node.kill()

    @property
    def address(self) -> str:
        """The URL of the server."""
        return f"ws://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The id of the current process."""
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Start the process, and wait until it listens."""
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
        """Send SIGTERM; the process must exit in time, with status 0 and without a traceback."""
        status = await self.terminate()
        logged = self.errors.read_text()
        assert status == 0, logged
        assert "Traceback" not in logged, logged

    async def terminate(self) -> int | None:
        """Send SIGTERM and return the exit status, whatever the process logs."""
        assert self._process is not None
        self._process.terminate()
        return await self.wait()

    async def wait(self) -> int | None:
        """Wait until the process ends; return its exit status."""
        assert self._process is not None
        async with asyncio.timeout(EXIT_SECONDS):
            await self._process.communicate()
        return self._process.returncode

    def find_crash(self) -> str | None:
        """Return the log from the first traceback on, shortened; None without a traceback."""
        _, sign, crash = self.errors.read_text().partition("Traceback")
        return sign + crash[:CRASH] if sign else None

    def find_errors(self) -> list[str]:
        """Return the first lines of logged errors, of tracebacks and of Python's warnings.

        Event loops report exceptions that were never retrieved when the process ends, or earlier.
        """
        return [line for line in self.errors.read_text().splitlines() if _ERROR.search(line)]

    def read_memory(self, *, peak: bool = False) -> int:
        """Return the resident memory of the process in bytes, or its maximum if `peak`.

        Raises ChildProcessError if the process has ended.
        """
        try:
            status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        except (FileNotFoundError, ProcessLookupError):
            raise ChildProcessError from None
        kilobytes = re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+) kB", status)
        if kilobytes is None:  # a zombie: the process has ended but has not been waited for
            raise ChildProcessError
        return 1024 * int(kilobytes[1])

    async def kill(self) -> None:
        """Send SIGKILL, which ends the process as abruptly as a power failure."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.communicate()
