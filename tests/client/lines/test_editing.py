import asyncio
import os
import signal
import sys
import termios
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import TextIO

import pyte
import pytest
from prompt_toolkit.input import create_input

from kit.people import PATIENCE
from kit.terminal import read_rows
from mastermind_client import context as client_context
from mastermind_client.cli.process import make_context
from mastermind_client.lines.app import open_terminal
from mastermind_client.lines.editing import EditingTerminal
from mastermind_client.lines.terminal import InputEnded, StreamTerminal

UP, LEFT, BACKSPACE, ENTER, CTRL_D = "\x1b[A", "\x1b[D", "\x7f", "\r", "\x04"
COLUMNS, ROWS = 40, 12


class Window:
    """A window of a real terminal, with keyboard and screen."""

    def __init__(self) -> None:
        self._keyboard, self._slave = os.openpty()
        termios.tcsetwinsize(self._slave, (ROWS, COLUMNS))
        self.settings = termios.tcgetattr(self._slave)
        self._files = [os.fdopen(os.dup(self._slave), mode) for mode in ("r", "w")]
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._keyboard, self._draw)

    @property
    def input(self) -> TextIO:
        """The program's standard input."""
        return self._files[0]

    @property
    def output(self) -> TextIO:
        """The program's standard output."""
        return self._files[1]

    @property
    def settings_now(self) -> list[object]:
        """The terminal's current settings."""
        return termios.tcgetattr(self._slave)

    @property
    def rows(self) -> list[str]:
        """The screen's rows, up to the cursor's."""
        return read_rows(self._screen)[: self._screen.cursor.y + 1]

    def type(self, *keys: str) -> None:
        """Type characters and keys."""
        os.write(self._keyboard, "".join(keys).encode())

    async def until(self, *rows: str) -> None:
        """Wait until the screen shows exactly these rows."""
        await self.wait(lambda: self.rows == list(rows))

    async def wait(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"on the screen: {self.rows}") from None

    def close(self) -> None:
        """Close the window if it is open."""
        if self._keyboard >= 0:
            asyncio.get_running_loop().remove_reader(self._keyboard)
            os.close(self._keyboard)
            self._keyboard = -1

    def put_away(self) -> None:
        """Close the window and its files."""
        self.close()
        for file in self._files:
            with suppress(OSError):  # a closed window drops its output
                file.close()
        os.close(self._slave)

    def _draw(self) -> None:
        self._stream.feed(os.read(self._keyboard, 65536))
        self._changed.set()


@pytest.fixture
async def window():
    """An open window."""
    window = Window()
    yield window
    window.put_away()


@asynccontextmanager
async def editing(window: Window) -> AsyncIterator[EditingTerminal]:
    """An editing terminal in a window."""
    async with EditingTerminal(
        replace(make_context(), output=window.output), create_input(window.input)
    ) as terminal:
        yield terminal


async def test_output_is_printed_above_a_half_typed_line(window):
    async with editing(window) as terminal:
        terminal.prompt("Guess 1: ")
        window.type("11")
        await window.until("Guess 1: 11")
        terminal.write("Ada says: hello")
        terminal.prompt("Guess 1: ")
        await window.until("Ada says: hello", "Guess 1: 11")
        window.type(BACKSPACE, "22", ENTER)
        assert await terminal.read_line() == "122"
        await window.until("Ada says: hello", "Guess 1: 122", "")


async def test_a_line_longer_than_the_window_is_redrawn_whole(window):
    async with editing(window) as terminal:
        terminal.prompt("> ")
        window.type("x" * COLUMNS)
        await window.until("> " + "x" * (COLUMNS - 2), "xx")
        terminal.write("Ada says: hello")
        terminal.prompt("> ")
        await window.until("Ada says: hello", "> " + "x" * (COLUMNS - 2), "xx")


async def test_text_typed_early_is_shown_after_the_next_prompt(window):
    async with editing(window) as terminal:
        window.type("11")
        await window.until("11")
        terminal.prompt("Guess 1: ")
        await window.until("Guess 1: 11")


async def test_a_line_can_be_edited_and_recalled(window):
    async with editing(window) as terminal:
        window.type("12", LEFT, "3", ENTER)
        assert await terminal.read_line() == "132"
        terminal.prompt("Guess 2: ")
        await window.until("132", "Guess 2:")
        window.type(UP, "4", ENTER)
        assert await terminal.read_line() == "1324"


async def test_sequences_and_keys_without_a_function_are_ignored(window):
    """In this order: focus, a colour, the cursor, Ctrl-F1, Alt-Z, a mouse report, and Alt-B."""
    async with editing(window) as terminal:
        window.type("11", "\x1b[I\x1b]11;rgb:0/0/0\x07\x1b[5;1R\x1b[1;5P\x1bz\x1b[<0;1;1M", "2")
        window.type("\x1bb", "4", ENTER)
        assert await terminal.read_line() == "4112"


async def test_pasted_lines_are_read_one_by_one(window):
    async with editing(window) as terminal:
        window.type("\x1b[200~1122\n3344\x1b[201~", ENTER)
        assert [await terminal.read_line() for _ in range(2)] == ["1122", "3344"]


async def test_a_warning_is_printed_above_a_half_typed_line(window, monkeypatch):
    monkeypatch.setattr(sys, "stderr", window.output)
    async with editing(window) as terminal:
        terminal.prompt("Guess color: ")
        window.type("1")
        await window.until("Guess color: 1")
        terminal.write_error("*** CONNECTED AGAIN. ***")
        await window.until("*** CONNECTED AGAIN. ***", "Guess color: 1")


async def test_a_slow_connection_is_announced_above_a_half_typed_line(window, monkeypatch):
    monkeypatch.setattr(sys, "stderr", window.output)
    monkeypatch.setattr(client_context, "ANNOUNCE_SECONDS", 0.0)
    async with editing(window) as terminal:
        window.type("1")
        await window.until("1")
        with terminal.announce_if_slow("One moment ..."):
            await window.until("One moment ...", "1")


async def test_output_is_held_while_another_program_has_the_terminal(window):
    async with editing(window) as terminal:
        terminal.prompt("> ")
        await window.until(">")
        terminal._editor.is_away = True
        terminal.write("Ada says: hello")
        terminal.ring()
        terminal.prompt("Guess 1: ")
        print("the other program", end="", file=window.output, flush=True)
        await window.until("> the other program")
    await window.wait(lambda: "Ada says: hello" in "".join(window.rows))


async def test_ctrl_d_on_an_empty_line_ends_the_input(window):
    async with editing(window) as terminal:
        window.type("1", CTRL_D, BACKSPACE, "2", ENTER, CTRL_D)
        assert await terminal.read_line() == "2"
        with pytest.raises(InputEnded):
            await terminal.read_line()


async def test_a_closed_window_ends_the_input(window):
    async def close_and_read() -> None:
        async with editing(window) as terminal:
            window.close()
            with pytest.raises(InputEnded):
                await terminal.read_line()

    with pytest.raises(OSError, match="Input/output error"):
        await close_and_read()


async def test_ctrl_c_sends_the_interrupt_signal(window):
    interrupted = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted.set)
    try:
        async with editing(window):
            window.type("11\x03")
            async with asyncio.timeout(PATIENCE):
                await interrupted.wait()
    finally:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)


async def test_a_key_that_ends_the_program_is_pressed_twice_after_a_warning(window):
    async with editing(window) as terminal:
        warning = "A friend plays here."
        terminal.find_end_warning = lambda: warning
        for number, line in enumerate(("1122", "3344"), start=1):
            window.type(CTRL_D)
            await window.wait(lambda number=number: window.rows.count(warning) == number)
            assert not terminal.has_line
            window.type(line, ENTER)
            assert await terminal.read_line() == line
        window.type("\x03", CTRL_D)
        with pytest.raises(InputEnded):
            await terminal.read_line()


async def test_the_terminal_is_restored_without_the_half_typed_line(window):
    async with editing(window) as terminal:
        terminal.write("Good-bye!")
        terminal.prompt("Guess 1: ")
        window.type("11")
        await window.until("Good-bye!", "Guess 1: 11")
        assert window.settings_now != window.settings
    assert window.settings_now == window.settings
    await window.until("Good-bye!", "")


@contextmanager
def standard_streams(window: Window) -> Iterator[None]:
    """Use the window as standard input and output."""
    theirs = sys.stdin, sys.stdout
    number = os.dup(0)
    os.dup2(window.input.fileno(), 0)
    sys.stdin, sys.stdout = window.input, window.output
    try:
        yield
    finally:
        sys.stdin, sys.stdout = theirs
        os.dup2(number, 0)
        os.close(number)


@pytest.mark.parametrize(
    ("term", "kind"), [("xterm", EditingTerminal), ("dumb", StreamTerminal), ("", StreamTerminal)]
)
async def test_a_dumb_terminal_is_read_without_editing(term, kind, monkeypatch, window):
    monkeypatch.setenv("TERM", term)
    with standard_streams(window):
        async with open_terminal(make_context()) as terminal:
            assert type(terminal) is kind
            assert terminal.interactive
            window.type("1122\n", CTRL_D)
            assert await terminal.read_line() == "1122"
            with pytest.raises(InputEnded):
                await terminal.read_line()
