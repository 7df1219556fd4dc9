"""Processes of the installed commands, on pipes or on a pseudo-terminal.

Every wait times out after `PATIENCE`, and a failed wait shows the output.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import termios
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from random import SystemRandom
from types import MappingProxyType
from typing import Final, NoReturn, Self, TypeVar

from mastermind_server.commands.serve import SECONDS_UNTIL_KILLED

BIN: Final = Path(sys.executable).parent  # the console scripts of this environment
PATIENCE: Final = 30.0  # seconds to wait for an answer, far more than any needs
SERVER: Final = (str(BIN / "mastermind-server"),)
CTRL_C: Final = "\x03"
CTRL_D: Final = "\x04"
PRINTER: Final = MappingProxyType({"TERM": "dumb"})  # a terminal without cursor movement
# Makes standard input the controlling terminal, so that Ctrl-C sends SIGINT, and executes the
# command. This is a program because a preexec_fn is unsafe in a process with threads.
_TAKE_TERMINAL: Final = (
    "import fcntl, os, signal, sys, termios;"
    "signal.signal(signal.SIGINT, signal.SIG_DFL);"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
_ERROR: Final = re.compile(
    r" (ERROR|CRITICAL) |^Traceback|^Exception ignored|never retrieved|Warning: "
    r"|lines of the log were dropped"  # a dropped line may have been an error
)
# What a client says of a connection that takes longer than a second, as on a busy machine.
_SLOW: Final = re.compile(r"^(?:One moment|Connecting to \S+) \.\.\.\n", re.MULTILINE)
_CRASH: Final = 4000  # characters of a log in a failure message
_CPU_CLOCK: Final = 2  # CPUCLOCK_SCHED: all threads of a process, including finished ones
UNDER_EPHEMERAL: Final = range(20000, 32000)  # excludes client ports, which could self-connect
_P = TypeVar("_P", bound="Program")


def free_port() -> int:
    """Return a free port that the system never assigns to clients, so a restart can reuse it."""
    candidates = list(UNDER_EPHEMERAL)
    SystemRandom().shuffle(candidates)
    for port in candidates:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("no free port")


def read_cpu(*pids: int) -> float:
    """Return the CPU seconds of processes, user and system."""
    return sum(time.clock_gettime((~pid << 3) | _CPU_CLOCK) for pid in pids)


def read_memory(pid: int, *, peak: bool = False) -> int:
    """Return the resident memory of a process in bytes, or its maximum if `peak`.

    Raises ChildProcessError if the process has ended.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii")
    except (FileNotFoundError, ProcessLookupError):
        raise ChildProcessError from None
    kilobytes = re.search(rf"{'VmHWM' if peak else 'VmRSS'}:\s+(\d+) kB", status)
    if kilobytes is None:  # a zombie: the process has ended but has not been waited for
        raise ChildProcessError
    return 1024 * int(kilobytes[1])


class Program:
    """A command that `start` runs, with its input and output.

    `shown` is the standard output read so far, with line ends as `\\n`. On a terminal it includes
    standard error and the echo of the input. `find` and `expect` search after the last text found.
    COLUMNS and LINES in `environment` set the size of the terminal.
    """

    _process: subprocess.Popen[bytes]

    def __init__(
        self,
        command: list[str],
        errors: Path,
        environment: Mapping[str, str] = os.environ,
        *,
        terminal: bool = False,
    ) -> None:
        self.command = " ".join([Path(command[0]).name, *command[1:]])
        self._command, self._errors, self._environment = command, errors, environment
        self._terminal = terminal
        self._open: set[int] = set()

    def start(self) -> None:
        """Run the command. After its end it can be started again, with the same log."""
        self.shown, self._found = "", 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        with self._errors.open("ab") as error_file:
            if self._terminal:
                self._output, theirs = pty.openpty()
                sides = self._environment
                size = int(sides.get("LINES", 24)), int(sides.get("COLUMNS", 80))
                termios.tcsetwinsize(theirs, size)
                self._input = os.dup(self._output)
                command = [sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, *self._command]
                ends = [theirs, theirs, theirs]
            else:
                theirs, self._input = os.pipe()
                self._output, ours = os.pipe()
                command, ends = self._command, [theirs, ours, error_file.fileno()]
            self._process = subprocess.Popen(
                command,
                stdin=ends[0], stdout=ends[1], stderr=ends[2],
                env=self._environment, start_new_session=True,
            )  # fmt: skip
        for descriptor in {*ends[:2]}:
            os.close(descriptor)
        self._open = {self._input, self._output}

    def find(self, pattern: str) -> re.Match[str]:
        """Wait until the output after the last text found matches, and return the match."""
        deadline = time.monotonic() + PATIENCE
        while (match := re.compile(pattern).search(self.shown, self._found)) is None:
            if not self._read(deadline):
                self.fail(f"ended without {pattern!r}")
        self._found = match.end()
        return match

    def expect(self, *texts: str) -> None:
        """Wait until the command has printed `texts`, in this order."""
        for text in texts:
            self.find(re.escape(text))

    def see(self, text: str, times: int = 1) -> None:
        """Wait until the whole output contains `text` at least `times` times."""
        deadline = time.monotonic() + PATIENCE
        while self.shown.count(text) < times:
            if not self._read(deadline):
                self.fail(f"ended without {text!r}")

    def send(self, *lines: str) -> None:
        """Type lines, each followed by Enter, in one write."""
        self.type("".join(f"{line}\n" for line in lines))

    def answer(self, question: str, line: str) -> None:
        """Wait for `question` and type `line`."""
        self.expect(question)
        self.send(line)

    def type(self, text: str) -> None:
        """Type characters."""
        data = text.encode()
        try:
            while data:
                data = data[os.write(self._input, data) :]
        except BrokenPipeError:
            self.fail(f"reads no more, and {text!r} was typed")

    def end_input(self) -> None:
        """End standard input."""
        if self._terminal:
            self.type(CTRL_D)
        else:
            self._close(self._input)

    def close_output(self) -> None:
        """Close the reading end of standard output, as `head` does."""
        self._close(self._output)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this process only."""
        self._process.send_signal(number)

    def finish(self, status: int = 0, errors: str | None = "") -> str:
        """Wait until the process ends with exit status `status`; return the whole output.

        Standard error must equal `errors`, unless `errors` is None. Lines about a slow connection
        do not count. A terminal adds standard error to `shown`.
        """
        deadline = time.monotonic() + PATIENCE
        while self._output in self._open and self._read(deadline):
            pass
        try:
            ended = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.fail("did not end")
        if ended != status:
            self.fail(f"ended with {ended}, not {status}")
        if errors is not None and _SLOW.sub("", self.errors) != errors:
            self.fail(f"standard error is not {errors!r}")
        return self.shown

    @property
    def running(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def errors(self) -> str:
        """The standard error so far; on a terminal it is in `shown` instead."""
        return self._errors.read_text()

    def kill(self) -> None:
        """Send SIGKILL, which ends the process as abruptly as a power failure; close its pipes."""
        if hasattr(self, "_process"):
            self._process.kill()
            self._process.wait()
        for descriptor in list(self._open):
            self._close(descriptor)

    def fail(self, what: str) -> NoReturn:
        """Fail the test with the output and the standard error of the process."""
        raise AssertionError(
            f"{self.command}: {what}\n--- shown, {self._found} characters of it were expected:\n"
            f"{self.shown}\n--- standard error:\n{self.errors}"
        )

    def _read(self, deadline: float) -> bool:
        """Read more output into `shown`; return False at its end."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._output], [], [], left)[0]:
            self.fail(f"said no more for {PATIENCE:.0f} s")
        try:
            data = os.read(self._output, 65536)
        except OSError:  # Linux raises EIO after the last process has closed the terminal
            data = b""
        self.shown += self._decoder.decode(data, final=not data).replace("\r\n", "\n")
        return bool(data)

    def _close(self, descriptor: int) -> None:
        os.close(descriptor)
        self._open.remove(descriptor)


class Server(Program):
    """A `mastermind-server`; its log is in `errors`."""

    @classmethod
    def on(cls, store: str, errors: Path, *options: str, program: tuple[str, ...] = SERVER) -> Self:
        """Return a server with a fixed port, the option `store` and more options.

        `program` replaces the server's command.
        """
        return cls([*program, f"--port={free_port()}", store, *options], errors)

    def start(self) -> None:
        """Run the server, again on the same store if it has ended."""
        self.__dict__.pop("address", None)
        super().start()

    @cached_property
    def address(self) -> str:
        """Wait until the server listens, and return its URL."""
        return self.find(r"listening on (ws://[^\s,]+).*\n")[1]

    @property
    def port(self) -> int:
        """The port of the server."""
        return int(self.address.rpartition(":")[2])

    async def listening(self) -> None:
        """Wait until the server listens, without blocking the event loop."""
        await asyncio.to_thread(getattr, self, "address")

    def terminate(self) -> int:
        """Send SIGTERM, wait for the end, and return the exit status."""
        self.signal(signal.SIGTERM)
        return self._process.wait(SECONDS_UNTIL_KILLED)

    def stop(self) -> None:
        """Send SIGTERM; the server must exit with status 0."""
        self.signal(signal.SIGTERM)
        self.finish(errors=None)
        self.kill()

    def find_crash(self) -> str | None:
        """Return the log from the first traceback on, shortened; None without a traceback."""
        _, sign, crash = self.errors.partition("Traceback")
        return sign + crash[:_CRASH] if sign else None

    def find_errors(self) -> list[str]:
        """Return the first lines of logged errors, of tracebacks and of Python's warnings.

        Event loops report exceptions that were never retrieved when the process ends, or earlier.
        """
        return [line for line in self.errors.splitlines() if _ERROR.search(line)]


@asynccontextmanager
async def serving(server: Server) -> AsyncIterator[Server]:
    """Run a server within the block."""
    try:
        server.start()
        await server.listening()
        yield server
    finally:
        server.kill()


class Machine:
    """A machine with users, each with a separate home, and one server at a time.

    `close` ends the programs that it started, and no others.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "server" / "matches.sqlite3"
        self._programs: list[Program] = []

    def start(
        self,
        *arguments: str,
        user: str = "ada",
        terminal: bool = False,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Program:
        """Start `mastermind` with `arguments` as a user."""
        command = [str(BIN / "mastermind"), *arguments]
        return self.run(Program, command, user, environment, terminal=terminal)

    def serve(self, *options: str, port: int = 0) -> Server:
        """Start a server on the machine's database file, and wait until it listens."""
        self.database.parent.mkdir(exist_ok=True)
        command = [*SERVER, f"--port={port}", f"--database={self.database}", *options]
        server = self.run(Server, command, "server")
        assert server.address
        return server

    def home(self, user: str) -> Path:
        """Return a user's home directory, creating it if necessary."""
        home = self.folder / user
        (home / "tmp").mkdir(parents=True, exist_ok=True)
        return home

    def close(self) -> None:
        """End all programs; fail if any of them printed a traceback or logged an error."""
        for program in self._programs:
            program.kill()
        for program in self._programs:
            for sign in ("Traceback", "Exception ignored", " ERROR ", " CRITICAL "):
                if sign in program.errors or sign in program.shown:
                    program.fail(f"there is {sign!r}")
        self.check_client_logs()

    def check_client_logs(self) -> None:
        """Fail with the text of a client's log that has a crash or another traceback.

        Other lines are allowed: an embedded server logs that a slow disk delayed its end.
        """
        for log in self.folder.rglob("mastermind.log"):
            logged = log.read_text()
            assert " CRITICAL " not in logged, logged
            assert "Traceback" not in logged, logged

    def run(
        self,
        kind: type[_P],
        command: list[str],
        user: str,
        environment: Mapping[str, str] = MappingProxyType({}),
        *,
        terminal: bool = False,
    ) -> _P:
        """Start a command as a user, with `environment` added to the environment variables."""
        home = self.home(user)
        errors = self.folder / f"{len(self._programs)}-{user}.stderr"
        folders = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_STATE_HOME": str(home / "state"),
            "TMPDIR": str(home / "tmp"),
        }
        surroundings = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **folders, **environment}
        program = kind(command, errors, surroundings, terminal=terminal)
        program.start()
        self._programs.append(program)
        return program
