"""The terminal: a prompt_toolkit Application that shows lines."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any, ClassVar

from prompt_toolkit.application import Application
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

from mastermind_client.screen.kit.canvas import Canvas
from mastermind_client.screen.kit.keys import bind_chords
from mastermind_client.screen.kit.mouse import bind_mouse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_bindings import KeyBindingsBase
    from prompt_toolkit.output import ColorDepth, Output
    from prompt_toolkit.styles import BaseStyle

    from mastermind_client.screen.kit.lines import Extent, Line

REDRAW_SECONDS = 0.02  # between two drawings at least: a burst of events is one
ESCAPE_SECONDS = 0.05  # after Esc, for the rest of an escape sequence or a chord


class Terminal:
    """Shows lines, reads keys and the mouse, and edits a line over the lines.

    `draw` and `scroll` are passed to a `Canvas`; `bindings` returns the present key bindings, and
    `before_key` is called for each that is pressed. The `mouse` is ours, or left to the terminal.
    A failure in drawing or in a key ends this terminal alone; further ones are passed to `report`.
    `source` and `target` are the terminal, by default that of prompt_toolkit's session.
    """

    def __init__(
        self,
        draw: Callable[[Extent], Sequence[Line]],
        scroll: Callable[[int], None],
        bindings: Callable[[], KeyBindings],
        before_key: Callable[[], None],
        report: Callable[[BaseException], object],
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        self.mouse = False
        self.left = False  # by the player, and not by a signal or a failure
        self._failure: BaseException | None = None
        self._report = report
        self._style: BaseStyle = DummyStyle()
        self._depth: ColorDepth | None = None
        self._prompt = ""  # of the line that is typed, if one is
        self._buffer = Buffer(multiline=False)
        self._resting = Window(
            FormattedTextControl("", focusable=True, show_cursor=False), height=0
        )
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
        below = HSplit([Canvas(draw, scroll), self._resting])
        layout = FloatContainer(below, [self._float])
        self.application = _GuardedApplication(
            self.fail,
            layout=Layout(layout, focused_element=self._resting),
            full_screen=True,
            erase_when_done=True,  # avoids a last drawing that the normal screen hides
            key_bindings=merge_key_bindings(
                [bind_mouse(), bind_chords(typing), DynamicKeyBindings(bindings)]
            ),
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
        self.application.ttimeoutlen = self.application.timeoutlen = ESCAPE_SECONDS
        self.application.key_processor.before_key_press += lambda _keys: before_key()

    async def run(self, close: Callable[[], Awaitable[None]]) -> None:
        """Show the lines until `exit` or `fail`, and `close` what is behind them.

        Raises what made it fail; the terminal has been restored by then.
        """
        try:
            await self.application.run_async(set_exception_handler=False, handle_sigint=False)
            self.left = self._failure is None
        finally:
            self.application.renderer.reset()  # left out where the first drawing has failed
            await close()
        if self._failure is not None:
            raise self._failure

    def redraw(self) -> None:
        """Draw anew soon; any number of times is one drawing."""
        self.application.invalidate()

    def repaint(self) -> None:
        """Clear the terminal and draw everything again."""
        if self.application.is_running:  # otherwise the shell has the screen
            self.application.renderer.clear()

    def restyle(self, style: BaseStyle, depth: ColorDepth) -> None:
        """Draw everything with these styles and this colour depth."""
        self._style, self._depth = style, depth
        self.repaint()

    def begin_line(self, prompt: str, text: str, *, begun: bool = False) -> None:
        """Start editing a line, with `text` in it, after a prompt that is not empty.

        The text is selected, so that what is typed takes its place, unless it was `begun` already.
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
        """Set the position of the edited line, which covers the lines below."""
        self._float.top, self._float.left, self._float.width = row, left, columns

    def read_line(self) -> str:
        """Return the text of the edited line."""
        return self._buffer.text

    def end_line(self) -> None:
        """Stop editing the line."""
        self._prompt = ""
        self._buffer.reset()
        self.application.layout.focus(self._resting)

    def set_title(self, title: str) -> None:
        """Put this into the window's title."""
        self.application.output.set_title(title)
        self.application.output.flush()

    def ring(self) -> None:
        """Ring the bell."""
        self.application.output.bell()
        self.application.output.flush()

    def copy(self, text: str) -> None:
        """Put a text into the clipboard, if the terminal allows that: by xterm's OSC 52."""
        output = self.application.output
        output.write_raw(f"\x1b]52;c;{b64encode(text.encode()).decode()}\x07")
        output.flush()

    def fail(self, error: BaseException) -> None:
        """End the program with this error; if another one ends it already, report it only."""
        if self._failure is None:
            self._failure = error
        elif error is not self._failure:
            self._report(error)
        self.exit()

    def exit(self) -> None:
        """End the program."""
        if self.application.is_running and not self.application.is_done:
            self.application.exit()


class _GuardedApplication(Application[None]):
    """An application that passes its failures to `fail`, and none to the event loop.

    The loop belongs to all players of the process. All applications share prompt_toolkit's own key
    bindings, which take 230 KiB.
    """

    _shared: ClassVar[KeyBindingsBase | None] = None

    def __init__(self, fail: Callable[[BaseException], None], **options: Any) -> None:
        super().__init__(**options)
        self._fail = fail
        _GuardedApplication._shared = _GuardedApplication._shared or self._default_bindings
        self._default_bindings = _GuardedApplication._shared
        self.key_processor = _GuardedKeys(self.key_processor._bindings, fail)

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


class _GuardedKeys(KeyProcessor):
    """Processes keys, and the mouse, and passes failures to `fail`."""

    def __init__(self, bindings: KeyBindingsBase, fail: Callable[[BaseException], None]) -> None:
        super().__init__(bindings)
        self._fail = fail

    def process_keys(self) -> None:
        try:
            super().process_keys()
        except Exception as error:
            self._fail(error)
