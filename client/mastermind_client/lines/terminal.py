"""Standard input and output as lines, whatever they are: pipes, or a terminal of any kind."""

from __future__ import annotations

import asyncio
import codecs
import os
import threading
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from mastermind_client.context import ClientContext

_CHUNK = 4096
LINES_AHEAD = 64  # read before they are asked for
MAX_LINE = 1000  # characters; the rest of a longer line is dropped, for nobody types that
ONLY_PRINT = ("", "dumb")  # terminals, by TERM, that can do nothing but print


class InputEnded(Exception):
    """There is no more input: the player has closed it."""


class LineTerminal:
    """Lines in and text out, on a running event loop, while the block lasts.

    Text goes to the output of the player's `context`. `activity` is set whenever a line, or the end
    of the input, has arrived. `interactive` tells whether a person types the lines, one at a time.
    """

    def __init__(self, context: ClientContext, *, interactive: bool) -> None:
        self.context = context
        self._output = context.output
        self.interactive = interactive
        self.activity = asyncio.Event()
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
        """Leave the terminal as it was, when the files of its player are written."""
        await self.context.writer.flush()

    @property
    def has_line(self) -> bool:
        """Whether `take_line` will not have to wait."""
        return bool(self._lines) or self._ended

    def take_line(self) -> str:
        """Return the next line, without its end. Raises InputEnded."""
        if not self._lines:
            raise InputEnded
        self._prompting = False
        return self._lines.popleft()

    async def read_line(self) -> str:
        """Wait for a line. Raises InputEnded."""
        while not self.has_line:
            self.activity.clear()
            await self.activity.wait()
        return self.take_line()

    def write(self, text: str = "") -> None:
        """Print a line; an unanswered prompt is left on its own line above it."""
        if self._prompting:
            self._prompting = False
            text = "\n" + text
        print(text, file=self._output, flush=True)

    def prompt(self, text: str) -> None:
        """Print a prompt, once, until something else is printed or a line is taken."""
        if not self._prompting:
            self._prompting = True
            print(text, end="", file=self._output, flush=True)

    def echo(self, line: str) -> None:
        """Print a taken line where a person's terminal would show it: for piped input."""
        if not self.interactive:
            print(line, file=self._output, flush=True)

    def complain(self, text: str) -> None:
        """Say what must be seen even where standard output is somebody's data."""
        print(text, file=self.context.errors, flush=True)

    def _arrive(self, lines: list[str], *, ended: bool) -> None:
        self._lines.extend(line.rstrip("\r")[:MAX_LINE] for line in lines)
        self._ended = ended
        self.activity.set()


class StreamTerminal(LineTerminal):
    """Lines from a file descriptor, read in a thread of its own, as they come from there whole.

    The thread reads the descriptor itself: a buffered reader's lock, held by a thread that is still
    waiting for input, would stop the interpreter from ending.
    """

    def __init__(self, context: ClientContext, descriptor: int = 0) -> None:
        super().__init__(context, interactive=os.isatty(descriptor))
        self._descriptor = descriptor
        self._room = threading.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def take_line(self) -> str:
        """Return the next line, without its end. Raises InputEnded."""
        line = super().take_line()
        if len(self._lines) < LINES_AHEAD:
            self._room.set()
        return line

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        unfinished = ""
        while True:
            try:
                chunk = os.read(self._descriptor, _CHUNK)
            except OSError:  # the terminal is gone
                chunk = b""
            *lines, unfinished = (unfinished + decoder.decode(chunk)).split("\n")
            unfinished = unfinished[:MAX_LINE]
            if not chunk and unfinished:
                lines.append(unfinished)
            if chunk and not lines:
                continue
            self._room.clear()
            try:
                self._loop.call_soon_threadsafe(self._take_in, lines, not chunk)
            except RuntimeError:  # the game is over and its loop closed
                return
            if not chunk:
                return
            self._room.wait()  # a program that writes without end is not to fill the memory

    def _take_in(self, lines: list[str], ended: bool) -> None:
        self._arrive(lines, ended=ended)
        if len(self._lines) < LINES_AHEAD:
            self._room.set()


def open_terminal(context: ClientContext) -> LineTerminal:
    """Return standard input and the context's output, with line editing if both are a terminal."""
    can_edit = context.environ.get("TERM", "") not in ONLY_PRINT
    if can_edit and os.isatty(0) and context.output.isatty():
        from mastermind_client.lines.editing import EditingTerminal  # a pipe need not wait for it

        return EditingTerminal(context)
    return StreamTerminal(context)
