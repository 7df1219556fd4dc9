"""Real processes for tests: the commands as installed, on pipes or on a terminal of their own.

Whatever waits is bounded by `PATIENCE`, and a wait that fails says what was on the screen.
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

BIN: Final = Path(sys.executable).parent  # where the console scripts of this environment are
PATIENCE: Final = 30.0  # seconds for one answer: far more than any takes
SCREEN: Final = (24, 80)  # rows and columns of the terminals
CTRL_C: Final = "\x03"
CTRL_D: Final = "\x04"
PRINTER: Final = MappingProxyType({"TERM": "dumb"})  # a terminal on which nothing can be drawn
# Makes standard input the controlling terminal, so that Ctrl-C typed there is a signal here, and
# becomes the command. It is a program and not a preexec_fn, which would be unsafe beside threads.
_TAKE_TERMINAL: Final = (
    "import fcntl, os, signal, sys, termios;"
    "signal.signal(signal.SIGINT, signal.SIG_DFL);"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
UNDER_EPHEMERAL: Final = range(20000, 32000)  # no client's own: it could connect to itself there
_P = TypeVar("_P", bound="Program")


def free_port() -> int:
    """Return a port to come back to, which nobody is given by chance meanwhile."""
    candidates = list(UNDER_EPHEMERAL)
    SystemRandom().shuffle(candidates)
    for port in candidates:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError("no free port")


class Program:
    """One running command, at which a test types and whose output it reads.

    `shown` is all of standard output that was read so far (on a terminal all that was on the
    screen, standard error and the echo too), with ends of lines as `\\n`. `find` and `expect`
    look behind what they found before.
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
        """Wait until something new fits the regular expression."""
        deadline = time.monotonic() + PATIENCE
        while (match := re.compile(pattern).search(self.shown, self._found)) is None:
            if not self._read(deadline):
                self.fail(f"ended without {pattern!r}")
        self._found = match.end()
        return match

    def expect(self, *texts: str) -> None:
        """Wait until these texts have been printed, in this order."""
        for text in texts:
            self.find(re.escape(text))

    def see(self, text: str, times: int = 1) -> None:
        """Wait until this has been printed so many times, wherever others looked."""
        deadline = time.monotonic() + PATIENCE
        while self.shown.count(text) < times:
            if not self._read(deadline):
                self.fail(f"ended without {text!r}")

    def send(self, *lines: str) -> None:
        """Type lines, all at once."""
        self.type("".join(f"{line}\n" for line in lines))

    def answer(self, question: str, line: str) -> None:
        """Type a line as soon as it is asked for."""
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
        """Let standard input end."""
        if self._terminal:
            self.type(CTRL_D)
        else:
            self._close(self._input)

    def close_output(self) -> None:
        """Go away as a reader of standard output, as `head` does."""
        self._close(self._output)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this process alone."""
        self._process.send_signal(number)

    def finish(self, status: int = 0, errors: str | None = "") -> str:
        """Wait until it has ended by itself, in just this way; return all that was printed.

        `errors` is what standard error must be, None for whatever it is (a terminal shows it in
        `shown`).
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
        """Whether it has not ended yet."""
        return self._process.poll() is None

    @property
    def errors(self) -> str:
        """What standard error was sent."""
        return self._errors.read_text()

    def reap(self) -> None:
        """End it, if it has not ended, and let go of it."""
        if self.running:
            self._process.kill()
        self._process.wait()
        for descriptor in list(self._open):
            self._close(descriptor)

    def fail(self, what: str) -> NoReturn:
        """Fail the test, saying what this process has said."""
        raise AssertionError(
            f"{self.command}: {what}\n--- shown, {self._found} characters of it were expected:\n"
            f"{self.shown}\n--- standard error:\n{self.errors}"
        )

    def _read(self, deadline: float) -> bool:
        """Take in some more output; False at its end."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._output], [], [], left)[0]:
            self.fail(f"said no more for {PATIENCE:.0f} s")
        try:
            data = os.read(self._output, 65536)
        except OSError:  # how Linux reports that a terminal's last user has gone
            data = b""
        self.shown += self._decoder.decode(data, final=not data).replace("\r\n", "\n")
        return bool(data)

    def _close(self, descriptor: int) -> None:
        os.close(descriptor)
        self._open.remove(descriptor)


class Server(Program):
    """A `mastermind-server`; what it logs is in `errors`."""

    @cached_property
    def address(self) -> str:
        """Wait until it listens, and return where."""
        return self.find(r"listening on (ws://[^\s,]+).*\n")[1]

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.address.rpartition(":")[2])

    def kill(self) -> None:
        """End it without a warning, as a loss of power does."""
        self.signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """End it as a service manager does; it must end well."""
        self.signal(signal.SIGTERM)
        self.finish(errors=None)


class Machine:
    """A machine with users, each with a home of their own, and one server at a time.

    It ends what it started, and nothing else.
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
        """Start `mastermind` as a user, with these arguments."""
        command = [str(BIN / "mastermind"), *arguments]
        return self.run(Program, command, user, environment, terminal=terminal)

    def serve(self, *options: str, port: int = 0) -> Server:
        """Start the server, always on the same file, and wait until it listens."""
        self.database.parent.mkdir(exist_ok=True)
        server = self.start_server(f"--port={port}", f"--database={self.database}", *options)
        assert server.address
        return server

    def start_server(self, *options: str) -> Server:
        """Start `mastermind-server` with these options."""
        return self.run(Server, [str(BIN / "mastermind-server"), *options], "server")

    def home(self, user: str) -> Path:
        """Return where a user's files are."""
        home = self.folder / user
        (home / "tmp").mkdir(parents=True, exist_ok=True)
        return home

    def close(self) -> None:
        """End whatever still runs; nothing that ran here may have failed in a way unforeseen."""
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
        """Start a command of any kind as a user, with its surroundings changed so."""
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
