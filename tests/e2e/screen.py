"""A person's terminal: a real pseudo-terminal with the real program on it, looked at through pyte.

The program is started from a shell, as people do: it tells the terminal's settings before and
after, and how the program ended. It outlives its window, so that only the test's own signals come.
"""

from __future__ import annotations

import os
import re
import select
import signal
import termios
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final, NoReturn

import pyte
import pyte.modes
from prompt_toolkit.input.ansi_escape_sequences import REVERSE_ANSI_SEQUENCES
from prompt_toolkit.keys import Keys

from kit.processes import BIN, PATIENCE, Machine, Program
from kit.terminal import CellStream, DimScreen, read_rows

SHELL: Final = (
    'trap "" HUP; echo "settings $(stty -g) before"; '
    'sh -c \'echo "process $$"; exec "$@"\' sh "$@"; '
    'echo "ended with $?"; echo "settings $(stty -g) after"'
)
QUIET_SECONDS: Final = 0.25  # a drawing is written at once, and read in pieces
LARGE: Final = (120, 40)
USUAL: Final = (80, 24)
SMALL: Final = (60, 20)
COLOURED: Final = re.compile(r"\x1b\[(?:[\d:]*;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:][\d:;]*)?m")
_TYPED: Final = {"enter": "\r", "tab": "\t", "escape": "\x1b", "space": " ", "backspace": "\x7f"}
_ALTERNATE, _MOUSE, _PASTE = (1049,), (1000, 1002, 1003, 1006, 1015), (2004,)
_PRIVATE = 5  # bits by which pyte shifts the numbers of private modes
_TITLE: Final = re.compile(r"\x1b\](?:0|2);([^\x07\x1b]*)(?:\x07|\x1b\\)")


class Terminal(Program):
    """The program on a terminal of a size (columns and rows), and what is on its screen."""

    def __init__(
        self, command: list[str], errors: Path, environment: dict[str, str], *, terminal: bool
    ) -> None:
        columns, rows = int(environment["COLUMNS"]), int(environment["LINES"])
        self.screen = DimScreen(columns, rows)
        self.screen.set_mode(pyte.modes.LNM)  # a Program's ends of lines are one character
        self._stream = CellStream(self.screen)
        self._fed = 0
        self._lines: list[str] | None = None
        super().__init__(command, errors, environment, terminal=terminal)
        termios.tcsetwinsize(self._output, (rows, columns))  # long before Python has started

    # What a person does.

    def press(self, *keys: str) -> None:
        """Press keys by prompt_toolkit's names, or type a character."""
        for key in keys:
            self.type(
                _TYPED.get(key) or (key if len(key) == 1 else REVERSE_ANSI_SEQUENCES[Keys(key)])
            )

    def press_until(self, key: str, *texts: str) -> None:
        """Press a key until all these texts are there: the end of a match is deaf for a while."""
        deadline = time.monotonic() + PATIENCE
        while not all(text in self.text for text in texts):
            if time.monotonic() > deadline:
                self.fail(f"{key} was pressed, and not all of {texts} came")
            self.press(key)
            self.until_quiet()

    def click(self, column: int, row: int) -> None:
        """Click with the left button, both counted from 0."""
        for end in "Mm":
            self.type(f"\x1b[<0;{column + 1};{row + 1}{end}")

    def click_on(self, text: str, *, offset: int = 0) -> None:
        """Wait until a text is there and click on it; `offset` columns right of its beginning."""
        self.until(text)
        row, line = next((row, line) for row, line in enumerate(self.lines) if text in line)
        self.click(line.index(text) + offset, row)

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size."""
        self.screen.resize(rows, columns)
        self._lines = None
        termios.tcsetwinsize(self._output, (rows, columns))  # the system tells the program

    def close_window(self) -> None:
        """Take the terminal away from the program, which gets no signal while the shell lives."""
        for descriptor in tuple(self._open):
            self._close(descriptor)

    def end(self, number: signal.Signals) -> None:
        """Send a signal to the program, not to the shell that it was started from."""
        os.kill(self.pid, number)

    # What is to be seen.

    @cached_property
    def pid(self) -> int:
        """The program's process id."""
        return int(self.find(r"process (\d+)\n")[1])

    @property
    def lines(self) -> list[str]:
        """What is on the screen."""
        if self._lines is None:
            self._lines = read_rows(self.screen)
        return self._lines

    @property
    def text(self) -> str:
        """What is on the screen, as one text."""
        return "\n".join(self.lines)

    @property
    def titles(self) -> list[str]:
        """Every title that the window was given, in order."""
        return _TITLE.findall(self.shown)

    def until(self, *texts: str) -> None:
        """Wait until all these texts are on the screen."""
        self.wait(lambda: all(text in self.text for text in texts), f"not all of {texts} came")

    def until_gone(self, *texts: str) -> None:
        """Wait until none of these texts is on the screen."""
        self.wait(lambda: not any(text in self.text for text in texts), f"{texts} stayed")

    def until_fits(self, pattern: str) -> re.Match[str]:
        """Wait until the screen fits a regular expression."""
        self.wait(lambda: re.search(pattern, self.text) is not None, f"{pattern!r} did not come")
        found = re.search(pattern, self.text)
        assert found is not None
        return found

    def until_quiet(self) -> None:
        """Wait until nothing has been drawn for a while, so that no drawing is half there."""
        while select.select([self._output], [], [], QUIET_SECONDS)[0]:
            if not self._read(time.monotonic() + PATIENCE):
                self.fail("ended")

    def wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        """Wait until a condition of the screen holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            try:
                going_on = self._read(deadline)
            except AssertionError as error:
                raise AssertionError(f"{otherwise}: {error}") from error
            if not going_on:
                self.fail(f"ended, and {otherwise}")

    def end_sanely(self, status: int) -> str:
        """Wait until it has ended with a status; the terminal must be as it was before.

        Returns what was printed after the screen was given back.
        """
        shown = self.finish()
        told = re.findall(r"settings (\S+) (before|after)\n", shown)
        assert [when for _settings, when in told] == ["before", "after"], shown
        assert told[0][0] == told[1][0], "the terminal's settings were not restored"
        for modes in (_ALTERNATE, _MOUSE, _PASTE):
            left_on = [mode for mode in modes if mode << _PRIVATE in self.screen.mode]
            assert not left_on, f"private modes {left_on} were left on"
        assert not self.screen.cursor.hidden, "the cursor was left hidden"
        assert self.titles[-1] == "", f"the title was left as {self.titles[-1]!r}"
        after = shown.rpartition("\x1b[?1049l")[2]
        assert "\x1b[?1049h" in shown, "there never was a screen of its own"
        ended = re.search(r"ended with (\d+)\n", after)
        assert ended is not None, shown
        assert int(ended[1]) == status, f"it ended with {ended[1]}: {after}"
        return after

    def fail(self, what: str) -> NoReturn:
        """Fail the test, saying what is on the screen and not all that was ever sent there."""
        raise AssertionError(f"{self.command}: {what}\n--- on the screen:\n{self.text}")

    def _read(self, deadline: float) -> bool:
        going_on = super()._read(deadline)
        self._stream.feed(self.shown[self._fed :])
        self._fed = len(self.shown)
        self._lines = None
        return going_on


def start(
    machine: Machine,
    *arguments: str,
    user: str = "ada",
    size: tuple[int, int] = USUAL,
    environment: Mapping[str, str] = MappingProxyType({}),
    moving: bool = False,
) -> Terminal:
    """Start `mastermind` on a terminal, as a user of this machine.

    Nothing moves unless it is to: a user who has no settings yet gets some which say so.
    """
    settings = machine.home(user) / "config" / "mastermind" / "settings.toml"
    if not moving and not settings.exists():
        settings.parent.mkdir(parents=True)
        settings.write_text("motion = false\n")
    columns, rows = size
    surroundings = {
        "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": str(columns), "LINES": str(rows),
    } | dict(environment)  # fmt: skip
    command = ["/bin/sh", "-c", SHELL, "sh", str(BIN / "mastermind"), *arguments]
    return machine.run(Terminal, command, user, surroundings, terminal=True)
