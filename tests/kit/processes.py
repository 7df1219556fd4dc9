"""Processes of the installed commands, on pipes or on a pseudo-terminal.

Every wait times out after `PATIENCE`, and a failed wait shows the output.
"""

from __future__ import annotations

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
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from random import SystemRandom
from types import MappingProxyType
from typing import Final, NoReturn, TypeVar

BIN: Final = Path(sys.executable).parent  # the console scripts of this environment
PATIENCE: Final = 30.0  # seconds to wait for an answer, far more than any needs
SCREEN: Final = (24, 80)  # rows and columns of the terminals
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


class Program:
    """A running command with its input and output.

    `shown` is the standard output read so far, with line ends as `\\n`. On a terminal it includes
    standard error and the echo of the input. `find` and `expect` search after the last text found.
    """

    def __init__(
        self, command: list[str], errors: Path, environment: dict[str, str], *, terminal: bool
    ) -> None:
        self.command = " ".join([Path(command[0]).name, *command[1:]])
        self.shown = ""
        self._found = 0
        self._errors = errors
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._terminal = terminal
        with errors.open("wb") as error_file:
            if terminal:
                self._output, slave = pty.openpty()
                termios.tcsetwinsize(slave, SCREEN)
                self._input = os.dup(self._output)
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, *command],
                    stdin=slave, stdout=slave, stderr=slave,
                    env=environment, start_new_session=True,
                )  # fmt: skip
                os.close(slave)
            else:
                theirs, self._input = os.pipe()
                self._output, ours = os.pipe()
                self._process = subprocess.Popen(
                    command,
                    stdin=theirs, stdout=ours, stderr=error_file,
                    env=environment, start_new_session=True,
                )  # fmt: skip
                os.close(theirs)
                os.close(ours)
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

        Standard error must equal `errors`, unless `errors` is None. A terminal adds it to `shown`.
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
        if errors is not None and self.errors != errors:
            self.fail(f"standard error is not {errors!r}")
        return self.shown

    @property
    def running(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    @property
    def errors(self) -> str:
        """The standard error so far; on a terminal it is in `shown` instead."""
        return self._errors.read_text()

    def reap(self) -> None:
        """Kill the process if it is running, and close its descriptors."""
        if self.running:
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

    @cached_property
    def address(self) -> str:
        """Wait until the server listens, and return its URL."""
        return self.find(r"listening on (ws://[^\s,]+).*\n")[1]

    @property
    def port(self) -> int:
        """The port of the server."""
        return int(self.address.rpartition(":")[2])

    def kill(self) -> None:
        """Send SIGKILL, which ends the server as abruptly as a power failure."""
        self.signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Send SIGTERM; the server must exit with status 0."""
        self.signal(signal.SIGTERM)
        self.finish(errors=None)


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
        server = self.start_server(f"--port={port}", f"--database={self.database}", *options)
        assert server.address
        return server

    def start_server(self, *options: str) -> Server:
        """Start `mastermind-server` with `options`."""
        return self.run(Server, [str(BIN / "mastermind-server"), *options], "server")

    def home(self, user: str) -> Path:
        """Return a user's home directory, creating it if necessary."""
        home = self.folder / user
        (home / "tmp").mkdir(parents=True, exist_ok=True)
        return home

    def close(self) -> None:
        """End all programs; fail if any of them printed a traceback or logged an error."""
        for program in self._programs:
            program.reap()
        for program in self._programs:
            for sign in ("Traceback", "Exception ignored", " ERROR ", " CRITICAL "):
                if sign in program.errors or sign in program.shown:
                    program.fail(f"there is {sign!r}")
        for log in self.folder.rglob("mastermind.log"):
            assert " CRITICAL " not in (logged := log.read_text()), logged

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
        self._programs.append(program)
        return program
