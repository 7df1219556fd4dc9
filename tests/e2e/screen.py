"""The installed program on a pseudo-terminal, with its screen emulated by pyte.

A shell starts the program. The shell prints the terminal's settings before and after, and the exit
status. It ignores SIGHUP, so the program receives only the signals of the test.
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
from types import MappingProxyType
from typing import Final, NoReturn

import pyte
import pyte.modes
from prompt_toolkit.input.ansi_escape_sequences import REVERSE_ANSI_SEQUENCES
from prompt_toolkit.keys import Keys

from kit.processes import BIN, PATIENCE, Machine, Program
from kit.screen.stage import FOCUSED
from kit.terminal import CellStream, DimScreen, read_rows
from mastermind_client.screen.toolkit.terminal import RESTORE_TITLE, SAVE_TITLE

SHELL: Final = (
    'trap "" HUP; echo "settings $(stty -g) before"; '
    'sh -c \'echo "process $$"; exec "$@"\' sh "$@"; '
    'echo "ended with $?"; echo "settings $(stty -g) after"'
)
JOB_SHELL: Final = (  # with job control; it executes typed lines after the program has stopped
    'set -m; sh -c \'echo "process $$"; exec "$@"\' sh "$@"; echo "left with $?"; '
    'while read -r line; do eval "$line"; echo "left with $?"; done'
)
QUIET_SECONDS: Final = 0.25  # the program writes a frame at once, but reads may split it
LARGE: Final = (120, 40)
DEFAULT_LIMITS: Final = (80, 24)
SMALL: Final = (60, 20)
COLOURED: Final = re.compile(r"\x1b\[(?:[\d:]*;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:][\d:;]*)?m")
_TYPED: Final = {
    "enter": "\r",
    "tab": "\t",
    "escape": f"\x1b{FOCUSED}",
    "space": " ",
    "backspace": "\x7f",
}
_ALTERNATE, _MOUSE, _PASTE = (1049,), (1000, 1002, 1003, 1006, 1015), (2004,)
_PRIVATE = 5  # pyte shifts the numbers of private modes left by this many bits
_TITLE: Final = re.compile(r"\x1b\](?:0|2);([^\x07\x1b]*)(?:\x07|\x1b\\)")


class Terminal(Program):
    """The program on a terminal, with the contents of its screen."""

    def start(self) -> None:
        """Run the program on an empty screen."""
        self.screen = DimScreen(int(self._environment["COLUMNS"]), int(self._environment["LINES"]))
        self.screen.set_mode(pyte.modes.LNM)  # Program converts line ends to \n
        self._stream = CellStream(self.screen)
        self._fed = 0
        self._lines: list[str] | None = None
        super().start()

    # User actions.

    def press(self, *keys: str) -> None:
        """Press keys by prompt_toolkit's names, or type a character."""
        for key in keys:
            self.type(
                _TYPED.get(key) or (key if len(key) == 1 else REVERSE_ANSI_SEQUENCES[Keys(key)])
            )

    def press_until(self, key: str, *texts: str) -> None:
        """Press a key repeatedly until the screen shows all `texts`.

        The screen at the end of a match ignores keys for a moment.
        """
        deadline = time.monotonic() + PATIENCE
        while not all(text in self.text for text in texts):
            if time.monotonic() > deadline:
                self.fail(f"{key} was pressed, and not all of {texts} came")
            self.press(key)
            self.until_quiet()

    def click(self, column: int, row: int) -> None:
        """Click with the left button; `column` and `row` start at 0."""
        for end in "Mm":
            self.type(f"\x1b[<0;{column + 1};{row + 1}{end}")

    def click_on(self, text: str, *, offset: int = 0) -> None:
        """Wait for a text and click `offset` columns to the right of its start."""
        self.until(text)
        row, line = next((row, line) for row, line in enumerate(self.lines) if text in line)
        self.click(line.index(text) + offset, row)

    def resize(self, columns: int, rows: int) -> None:
        """Resize the window."""
        self.screen.resize(rows, columns)
        self._lines = None
        termios.tcsetwinsize(self._output, (rows, columns))  # sends SIGWINCH to the program

    def close_window(self) -> None:
        """Close the terminal. The program receives no signal as long as the shell runs."""
        for descriptor in tuple(self._open):
            self._close(descriptor)

    def end(self, number: signal.Signals) -> None:
        """Send a signal to the program, not to its shell."""
        os.kill(self.pid, number)

    # Screen contents.

    @cached_property
    def pid(self) -> int:
        """The program's process id, not its shell's."""
        return int(self.find(r"process (\d+)\n")[1])

    @property
    def lines(self) -> list[str]:
        """The rows of the screen."""
        if self._lines is None:
            self._lines = read_rows(self.screen)
        return self._lines

    @property
    def text(self) -> str:
        """The rows of the screen, joined by newlines."""
        return "\n".join(self.lines)

    @property
    def titles(self) -> list[str]:
        """All window titles set by the program, in order."""
        return _TITLE.findall(self.shown)

    def until(self, *texts: str) -> None:
        """Wait until the screen shows all `texts`."""
        self.wait(lambda: all(text in self.text for text in texts), f"not all of {texts} came")

    def until_gone(self, *texts: str) -> None:
        """Wait until the screen shows none of `texts`."""
        self.wait(lambda: not any(text in self.text for text in texts), f"{texts} stayed")

    def until_fits(self, pattern: str) -> re.Match[str]:
        """Wait until the screen matches a regular expression, and return the match."""
        self.wait(lambda: re.search(pattern, self.text) is not None, f"{pattern!r} did not come")
        found = re.search(pattern, self.text)
        assert found is not None
        return found

    def until_quiet(self) -> None:
        """Wait until the program has written nothing for `QUIET_SECONDS`.

        The screen then shows a complete frame.
        """
        while select.select([self._output], [], [], QUIET_SECONDS)[0]:
            if not self._read(time.monotonic() + PATIENCE):
                self.fail("ended")

    def wait(self, condition: Callable[[], bool], otherwise: str) -> None:
        """Wait until `condition` holds; `otherwise` describes the failure."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            try:
                going_on = self._read(deadline)
            except AssertionError as error:
                raise AssertionError(f"{otherwise}: {error}") from error
            if not going_on:
                self.fail(f"ended, and {otherwise}")

    def end_sanely(self, status: int) -> str:
        """Wait for the exit status, and check that the program has restored the terminal.

        Returns the text printed after the program left the alternate screen.
        """
        shown = self.finish()
        told = re.findall(r"settings (\S+) (before|after)\n", shown)
        assert [when for _settings, when in told] == ["before", "after"], shown
        assert told[0][0] == told[1][0], "the terminal's settings were not restored"
        self.check_restored()
        after = shown.rpartition("\x1b[?1049l")[2]
        assert "\x1b[?1049h" in shown, "there never was a screen of its own"
        ended = re.search(r"ended with (\d+)\n", after)
        assert ended is not None, shown
        assert int(ended[1]) == status, f"it ended with {ended[1]}: {after}"
        return after

    def check_restored(self) -> None:
        """Check that the program has left the terminal's modes and title as they were."""
        for modes in (_ALTERNATE, _MOUSE, _PASTE):
            left_on = [mode for mode in modes if mode << _PRIVATE in self.screen.mode]
            assert not left_on, f"private modes {left_on} were left on"
        assert not self.screen.cursor.hidden, "the cursor was left hidden"
        titled = self.shown.count(SAVE_TITLE) - self.shown.count(RESTORE_TITLE)
        assert titled == 0, "the title was not restored"

    def fail(self, what: str) -> NoReturn:
        """Fail the test with the current screen instead of the whole output."""
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
    size: tuple[int, int] = DEFAULT_LIMITS,
    environment: Mapping[str, str] = MappingProxyType({}),
    moving: bool = False,
    shell: str = SHELL,
) -> Terminal:
    """Start `mastermind` on a terminal, as a user of the machine, from `shell`.

    Unless `moving` is true, a new user gets a settings file that turns animation off.
    """
    settings = machine.home(user) / "config" / "mastermind" / "settings.toml"
    if not moving and not settings.exists():
        settings.parent.mkdir(parents=True)
        settings.write_text("motion = false\n")
    columns, rows = size
    surroundings = {
        "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLUMNS": str(columns), "LINES": str(rows),
    } | dict(environment)  # fmt: skip
    command = ["/bin/sh", "-c", shell, "sh", str(BIN / "mastermind"), *arguments]
    return machine.run(Terminal, command, user, surroundings, terminal=True)
