"""Standard input and output as lines, at a terminal or in pipes."""

from __future__ import annotations

import asyncio
import codecs
import os
import threading
from collections import deque
from typing import TYPE_CHECKING

from mastermind_client.messages.codes import ASCII_MARKS, MARKS, Marks

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self, TextIO

    from mastermind_client.context import ClientContext


_CHUNK_BYTES = 4096
MAX_QUEUED_LINES = 64  # read ahead of `take_line`
MAX_LINE_CHARACTERS = 1000  # characters; the rest of a line is dropped
DUMB_TERMINALS = ("", "dumb")  # values of TERM for terminals that can only print


class InputEnded(Exception):
    """The end of the input."""


class NegativeResult(Exception):
    """The end of a command whose printed result is negative, as its exit status shows."""


class LineTerminal:
    """A source of lines and an output for text, used as a context manager.

    Text is printed to the output of `context`. The event `activity` is set after each line and at
    the end of the input. `interactive` is whether a person types the lines at a terminal.
    `find_end_warning` is called when a key would end the client. It returns "" to let the client
    end, or a warning to print instead. After the warning, the key ends the client.
    """

    def __init__(self, context: ClientContext, *, interactive: bool) -> None:
        self.context = context
        self._output = context.output
        self.interactive = interactive
        self.activity = asyncio.Event()
        self.find_end_warning: Callable[[], str] = lambda: ""
        self._lines: deque[str] = deque()
        self._ended = False
        self._prompting = False

    async def __aenter__(self) -> Self:
        """Return the terminal."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait until the context's `writer` has written all files."""
        await self.context.writer.flush()

    @property
    def has_line(self) -> bool:
        """Whether a line has arrived or the input has ended."""
        return bool(self._lines) or self._ended

    def take_line(self) -> str:
        """Return the next queued line, without waiting. Raises InputEnded if there is none."""
        if not self._lines:
            raise InputEnded
        self._prompting = False
        return self._lines.popleft()

    async def read_line(self) -> str:
        """Wait for the next line and return it. Raises InputEnded."""
        while not self.has_line:
            self.activity.clear()
            await self.activity.wait()
        return self.take_line()

    def write(self, text: str = "") -> None:
        """Print a line. If a prompt is unanswered, its line is ended first."""
        if self._prompting:
            self._prompting = False
            text = "\n" + text
        print(text, file=self._output, flush=True)

    def ring(self) -> None:
        """Ring the terminal's bell if the terminal is interactive."""
        if self.interactive:
            print(end="\a", file=self._output, flush=True)

    def prompt(self, text: str) -> None:
        """Print a prompt, unless the same prompt was printed last and is unanswered."""
        if not self._prompting:
            self._prompting = True
            print(text, end="", file=self._output, flush=True)

    def echo(self, line: str) -> None:
        """Print a line of piped input, because no terminal displays it."""
        if not self.interactive:
            print(line, file=self._output, flush=True)

    def write_error(self, text: str) -> None:
        """Print a line to the context's `errors`, so that it does not mix with the results."""
        print(text, file=self.context.errors, flush=True)

    def announce_if_slow(self, text: str) -> AbstractContextManager[None]:
        """Return a context manager that prints a line if its block takes long, as `write_error`."""
        return self.context.announce_if_slow(text, self.write_error)

    def _add_lines(self, lines: list[str], *, ended: bool) -> None:
        self._lines.extend(line.rstrip("\r")[:MAX_LINE_CHARACTERS] for line in lines)
        self._ended = ended
        self.activity.set()


class StreamTerminal(LineTerminal):
    """Reads lines from a file descriptor in a thread.

    The thread calls `os.read`. A buffered reader would hold a lock, and the interpreter would wait
    for this lock at exit.
    """

    def __init__(self, context: ClientContext, descriptor: int = 0) -> None:
        super().__init__(context, interactive=os.isatty(descriptor))
        self._descriptor = descriptor
        self._room = threading.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def take_line(self) -> str:
        """Return the next queued line, without waiting. Raises InputEnded if there is none."""
        line = super().take_line()
        if len(self._lines) < MAX_QUEUED_LINES:
            self._room.set()
        return line

    def _read(self) -> None:
        # some programs begin a text with a byte order mark
        decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        unfinished = ""
        while True:
            try:
                chunk = os.read(self._descriptor, _CHUNK_BYTES)
            except OSError:  # the terminal has been closed
                chunk = b""
            *lines, unfinished = (unfinished + decoder.decode(chunk)).split("\n")
            unfinished = unfinished[:MAX_LINE_CHARACTERS]
            if not chunk and unfinished:
                lines.append(unfinished)
            if chunk and not lines:
                continue
            self._room.clear()
            try:
                self._loop.call_soon_threadsafe(self._receive, lines, not chunk)
            except RuntimeError:  # the event loop is closed
                return
            if not chunk:
                return
            self._room.wait()  # bounds the memory for endless input

    def _receive(self, lines: list[str], ended: bool) -> None:
        self._add_lines(lines, ended=ended)
        if len(self._lines) < MAX_QUEUED_LINES:
            self._room.set()


BAR_SIGN, ASCII_BAR_SIGN = "▆", "#"


def choose_bar(output: TextIO) -> str:
    """Return the character for the bars of a chart that the output can encode."""
    return BAR_SIGN if can_write(BAR_SIGN, output) else ASCII_BAR_SIGN


def choose_marks(output: TextIO) -> Marks:
    """Return the marks of a shared result that the output can encode."""
    return MARKS if can_write("".join(MARKS), output) else ASCII_MARKS


def can_write(signs: str, output: TextIO) -> bool:
    """Return whether the output can encode these characters."""
    try:
        signs.encode(output.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
