"""The terminal: a prompt_toolkit Application that draws lines."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, ClassVar

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding.key_bindings import DynamicKeyBindings, merge_key_bindings
from prompt_toolkit.key_binding.key_processor import KeyProcessor
from prompt_toolkit.layout.containers import (
    ConditionalContainer,
    Float,
    FloatContainer,
    HSplit,
    VSplit,
    Window,
)
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.layout import Layout
from prompt_toolkit.selection import SelectionState
from prompt_toolkit.styles import DummyStyle, DynamicStyle

from mastermind_client.screen.toolkit.canvas import Canvas
from mastermind_client.screen.toolkit.keys import bind_line_keys
from mastermind_client.tty.job_control import JobControl, TerminalApplication
from mastermind_client.tty.sequences import discard_unbound_sequences

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_bindings import KeyBindingsBase
    from prompt_toolkit.output import ColorDepth, Output
    from prompt_toolkit.styles import BaseStyle

    from mastermind_client.clock import TimerClock
    from mastermind_client.screen.toolkit.lines import Extent, Line

REDRAW_SECONDS = 0.02  # minimum between two drawings; a burst of events causes one
ESCAPE_SECONDS = 0.05  # wait after Esc for the rest of an escape sequence or key chord
SAVE_TITLE, RESTORE_TITLE = "\x1b[22;2t", "\x1b[23;2t"  # xterm's stack of window titles


class Terminal:
    """Draws lines, reads keys and the mouse, and edits one line.

    `draw` returns the lines for a size. `scroll` receives 1 for a step of the mouse wheel down, and
    -1 for a step up. `bindings` returns the current key bindings, and `before_key` is called before
    each key. If `mouse`, the app handles the mouse, otherwise the terminal emulator does. If
    `is_xterm`, the terminal has a title and a clipboard, as xterm has. The first failure while
    drawing or handling a key ends `run`. Later failures are passed to `report`. `clock` times the
    end of a paste. `source` and `target` are the input and output, by default those of
    prompt_toolkit's session. While another program has the terminal, nothing is written.
    """

    def __init__(
        self,
        draw: Callable[[Extent], Sequence[Line]],
        scroll: Callable[[int], None],
        bindings: Callable[[], KeyBindings],
        before_key: Callable[[], None],
        report: Callable[[BaseException], object],
        clock: TimerClock,
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        self.mouse = self.is_xterm = False
        self._title = ""
        self._is_title_saved = False  # on the terminal's stack
        self.closed_by_player = False  # closed by the player, not by a signal or a failure
        self._failure: BaseException | None = None
        self._report = report
        self._style: BaseStyle = DummyStyle()
        self._depth: ColorDepth | None = None
        self._prompt = ""  # not empty while a line is edited
        self._buffer = Buffer(multiline=False)
        self._idle = Window(FormattedTextControl("", focusable=True, show_cursor=False), height=0)
        self._line = Window(BufferControl(self._buffer, focusable=True), height=1)
        typing = Condition(lambda: bool(self._prompt))
        prompt = Window(
            FormattedTextControl(lambda: [("class:heading", f"{self._prompt} ")]),
            height=1,
            dont_extend_width=True,
        )
        self._float = Float(
            ConditionalContainer(VSplit([prompt, self._line]), typing), left=0, top=0, height=1
        )
        below = HSplit([Canvas(draw, scroll), self._idle])
        layout = FloatContainer(below, [self._float])
        self.application = _GuardedApplication(
            self.fail,
            layout=Layout(layout, focused_element=self._idle),
            full_screen=True,
            erase_when_done=True,  # avoids a last drawing that the normal screen hides
            key_bindings=merge_key_bindings([bind_line_keys(typing), DynamicKeyBindings(bindings)]),
            mouse_support=Condition(lambda: self.mouse),
            style=DynamicStyle(lambda: self._style),
            color_depth=lambda: self._depth,
            min_redraw_interval=REDRAW_SECONDS,
            max_render_postpone_time=None,  # the default spins for 10 ms before drawing
            terminal_size_polling_interval=None,
            include_default_pygments_style=False,  # no code is shown
            input=source,
            output=target,
        )
        self._jobs = JobControl(self.application, self.restore_title, self._show_title)
        discard_unbound_sequences(self.application, clock, typing)
        self.application.ttimeoutlen = self.application.timeoutlen = ESCAPE_SECONDS
        self.application.key_processor.before_key_press += lambda _keys: before_key()

    async def run(self, close: Callable[[], Awaitable[None]]) -> None:
        """Draw the lines until `exit` or `fail` is called, then await `close`.

        Restores the terminal, and then raises the error that was passed to `fail`, if any.
        """
        try:
            with self._jobs:
                await self.application.run_async(set_exception_handler=False, handle_sigint=False)
            self.closed_by_player = self._failure is None
        finally:
            self.application.renderer.reset()  # prompt_toolkit omits it if the first drawing fails
            await close()
        if self._failure is not None:
            raise self._failure

    def redraw(self) -> None:
        """Schedule a drawing. Several calls in a short time cause one drawing."""
        self.application.invalidate()

    def repaint(self) -> None:
        """Clear the terminal and draw everything again."""
        if self.application.is_running and not self.application.is_away:
            self.application.renderer.clear()  # otherwise the shell has the screen

    def restyle(self, style: BaseStyle, depth: ColorDepth) -> None:
        """Draw everything again with this style and this colour depth."""
        self._style, self._depth = style, depth
        self.repaint()

    def begin_line(self, prompt: str, text: str, *, begun: bool = False) -> None:
        """Show a prompt and a line to edit, which contains `text` at first.

        The text is selected, so typing replaces it. If `begun`, the user has typed the text, and
        typing continues it.
        """
        self._prompt, self._buffer.text = prompt, text
        self._buffer.cursor_position = 0
        if text and not begun:
            selected = SelectionState(original_cursor_position=0)
            selected.enter_shift_mode()
            self._buffer.selection_state = selected
        self._buffer.cursor_position = len(text)
        self.application.layout.focus(self._line)

    def place_line(self, row: int, left: int, columns: int) -> None:
        """Set the position and the width of the edited line, which is drawn over the canvas."""
        self._float.top, self._float.left, self._float.width = row, left, columns

    def read_line(self) -> str:
        """Return the text of the edited line."""
        return self._buffer.text

    def end_line(self) -> None:
        """Stop editing the line, and discard the typed text."""
        self._prompt = ""
        self._buffer.reset()
        self.application.layout.focus(self._idle)

    def set_title(self, title: str) -> None:
        """Set the window's title. The first call saves the earlier title."""
        self._title = title
        self._show_title()

    def restore_title(self) -> None:
        """Restore the title that `set_title` has saved."""
        if self._is_title_saved:  # also at the end in the background, after SIGSTOP
            self._is_title_saved = False
            self.application.output.write_raw(RESTORE_TITLE)
            self.application.output.flush()

    def _show_title(self) -> None:
        if self._title and self.is_xterm and not self.application.is_away:
            if not self._is_title_saved:
                self._is_title_saved = True
                self._write(SAVE_TITLE)
            self.application.output.set_title(self._title)
            self.application.output.flush()

    def ring(self) -> None:
        """Ring the bell."""
        self._write("\a")

    def copy(self, text: str) -> None:
        """Copy a text to the clipboard with xterm's OSC 52, if the terminal allows it."""
        if self.is_xterm:
            self._write(f"\x1b]52;c;{b64encode(text.encode()).decode()}\x07")

    def _write(self, sequence: str) -> None:
        if not self.application.is_away:
            self.application.output.write_raw(sequence)
            self.application.output.flush()

    @property
    def can_suspend(self) -> bool:
        """Whether `suspend` does anything: the process has its own terminal."""
        return self._jobs.is_active

    def suspend(self) -> None:
        """Stop the process until the shell continues it."""
        self._jobs.suspend()

    def fail(self, error: BaseException) -> None:
        """End `run`, which raises the first error that `fail` received.

        Later errors are passed to `report`. Repetitions of the first error are ignored, because
        each drawing on a lost terminal fails.
        """
        if self._failure is None:
            self._failure = error
        elif error is not self._failure and not _is_same_os_error(error, self._failure):
            self._report(error)
        self.exit()

    def exit(self) -> None:
        """End `run`. Does nothing if it has not started or is ending."""
        if self.application.is_running and not self.application.is_done:
            self.application.exit()


def _is_same_os_error(one: BaseException, other: BaseException) -> bool:
    return isinstance(one, OSError) and isinstance(other, OSError) and one.errno == other.errno


class _GuardedApplication(TerminalApplication):
    """An application that passes its failures to `fail` instead of the event loop.

    All players of the process share the event loop. All applications share one set of
    prompt_toolkit's default key bindings, which take 230 KiB.
    """

    _shared: ClassVar[KeyBindingsBase | None] = None

    def __init__(self, fail: Callable[[BaseException], None], **options: Any) -> None:
        super().__init__(**options)
        self._fail = fail
        _GuardedApplication._shared = _GuardedApplication._shared or self._default_bindings
        self._default_bindings = _GuardedApplication._shared
        self.key_processor = _ErrorReportingKeys(self.key_processor._bindings, fail)

    def _redraw(self, render_as_done: bool = False) -> None:
        try:
            super()._redraw(render_as_done)
        except Exception as error:
            self._fail(error)

    def _on_resize(self) -> None:
        try:
            super()._on_resize()
        except Exception as error:
            self._fail(error)


class _ErrorReportingKeys(KeyProcessor):
    """Handles keys and mouse reports, and passes failures to `fail`."""

    def __init__(self, bindings: KeyBindingsBase, fail: Callable[[BaseException], None]) -> None:
        super().__init__(bindings)
        self._fail = fail

    def process_keys(self) -> None:
        try:
            super().process_keys()
        except Exception as error:
            self._fail(error)
