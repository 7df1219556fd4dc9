"""A terminal with line editing: text is printed above the line that the player types.

Only the typed line is redrawn.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from typing import TYPE_CHECKING

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import BufferControl, Layout, Window
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from mastermind_client.lines.terminal import LineTerminal
from mastermind_client.tty.job_control import JobControl, TerminalApplication, TerminalInput
from mastermind_client.tty.sequences import discard_unbound_sequences

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self, TextIO

    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPressEvent

    from mastermind_client.context import ClientContext

MAX_HELD_TEXTS = 1000  # printed after a time in the background, or the newest: a screen has fewer
_KEY_SIGNALS = {"c-c": signal.SIGINT, "c-\\": signal.SIGQUIT}  # as a terminal in cooked mode


class EditingTerminal(LineTerminal):
    """A terminal with line editing. It reads keys while it is entered as a context manager."""

    def __init__(self, context: ClientContext, keyboard: Input | None = None) -> None:
        super().__init__(context, interactive=True)
        self._question = ""
        self._screen = Vt100_Output.from_pty(
            self._output, context.environ.get("TERM"), ColorDepth.DEPTH_1_BIT
        )
        self._screen.enable_cpr = False  # the terminal's answer would mix with typed keys
        self._buffer = Buffer(
            multiline=False, history=InMemoryHistory(), accept_handler=self._accept
        )
        line = BufferControl(self._buffer, [BeforeInput(lambda: self._question)])
        self._editor = TerminalApplication(
            Layout(Window(line, wrap_lines=True, dont_extend_height=True)),
            key_bindings=self._bind_keys(),
            erase_when_done=True,
            input=keyboard or TerminalInput(),
            output=self._screen,
        )
        self._jobs = JobControl(self._editor, leave=lambda: None, enter=self._print_held)
        self._held: deque[tuple[str, TextIO]] = deque(maxlen=MAX_HELD_TEXTS)
        discard_unbound_sequences(self._editor, context.clock, lambda: True)
        self._editing: asyncio.Task[None] | None = None
        self._warned = False  # whether the warning was printed since the last typed line
        self._started = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Start reading keys. The terminal does not echo them."""
        self._editing = asyncio.create_task(self._edit(), name="line editor")
        await self._started.wait()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restore the terminal and discard the typed line.

        Raises OSError if the terminal was closed.
        """
        await super().__aexit__(kind, error, traceback)
        if self._editing is not None:
            self._editing.cancel()
            (failure,) = await asyncio.gather(self._editing, return_exceptions=True)
            if isinstance(failure, Exception):
                raise failure

    def write(self, text: str = "") -> None:
        """Print a line above the typed line, and remove the prompt."""
        self._question = ""
        self._print(text, self._output)

    def prompt(self, text: str) -> None:
        """Show a prompt in front of the typed line until the next `write` or `take_line`."""
        self._question = text
        self._editor.invalidate()

    def write_error(self, text: str) -> None:
        """Print a line to the context's `errors`, above the typed line."""
        self._print(text, self.context.errors)

    async def _edit(self) -> None:
        try:
            with self._jobs:
                await self._editor.run_async(
                    pre_run=self._started.set, set_exception_handler=False, handle_sigint=False
                )
        except EOFError:  # the terminal has been closed
            pass
        finally:
            self._editor.is_away = False  # the process ends, so its last words are printed
            self._print_held()
            self._started.set()
            self._add_lines([], ended=True)

    def ring(self) -> None:
        """Ring the terminal's bell, unless another program has the terminal."""
        if not self._editor.is_away:
            super().ring()

    def _print_held(self) -> None:
        while self._held:
            self._print(*self._held.popleft())

    def _print(self, text: str, stream: TextIO) -> None:
        """Print a text, or hold it while another program has the terminal."""
        if self._editor.is_away:
            self._held.append((text, stream))
            return
        if self._editor.renderer.last_rendered_screen is not None:
            self._editor.renderer.erase()
        print(text, file=stream, flush=True)
        self._editor.invalidate()

    def _warn_before_end(self) -> bool:
        """Print the warning of `find_end_warning`, if any, and return whether it is printed.

        It is printed at most once before the next typed line.
        """
        warning = "" if self._warned else self.find_end_warning()
        if warning:
            self._warned = True
            self.write(warning)
        return bool(warning)

    def _accept(self, buffer: Buffer) -> bool:
        """Queue the typed line, or each of several pasted lines.

        Returns False, which clears the buffer.
        """
        self._warned = False
        self.write(f"{self._question}{buffer.text}")
        self._add_lines(buffer.text.split("\n"), ended=self._ended)
        return False

    def _bind_keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-d", filter=Condition(lambda: not self._buffer.text))
        def _(_event: KeyPressEvent) -> None:
            if not self._warn_before_end():
                self._add_lines([], ended=True)

        @keys.add("c-z")
        def _(_event: KeyPressEvent) -> None:
            self._jobs.suspend()

        @keys.add(Keys.Any)
        def _(event: KeyPressEvent) -> None:
            if event.data.isprintable():  # otherwise a key without a function
                event.current_buffer.insert_text(event.data * event.arg)

        @keys.add(Keys.Escape, Keys.Any)
        def _(_event: KeyPressEvent) -> None:
            pass  # Alt with a key without a function

        for key, number in _KEY_SIGNALS.items():

            @keys.add(key)
            def _(_event: KeyPressEvent, number: signal.Signals = number) -> None:
                if not self._warn_before_end():
                    signal.raise_signal(number)

        return keys
