"""The full-screen app on a real terminal: prompt_toolkit's Application around a App."""

from __future__ import annotations

import asyncio
import sys
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding.key_bindings import DynamicKeyBindings, merge_key_bindings
from prompt_toolkit.layout.containers import ConditionalContainer, HSplit, VSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.layout import Layout
from prompt_toolkit.styles import DynamicStyle

from mastermind_client.language import read_surroundings
from mastermind_client.screen.app import TITLE, App
from mastermind_client.screen.kit.canvas import Canvas
from mastermind_client.screen.kit.keys import bind_chords
from mastermind_client.screen.kit.mouse import bind_mouse
from mastermind_client.screen.kit.output import open_output
from mastermind_client.screen.look import Look
from mastermind_client.screen.navigation import make_screen
from mastermind_client.screen.screen import MenuPage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.config.settings import Settings

REDRAW_SECONDS = 0.02  # between two drawings at least: a burst of events is one
ESCAPE_SECONDS = 0.05  # how long Esc waits to be the beginning of another key, or of a chord


async def run(options: MatchOptions | None, settings: Settings, problems: tuple[str, ...]) -> None:
    """Run the app on this terminal until it is left: at home, or with what was asked for.

    `problems` are told first. Raises what made it fail; the terminal has been restored by then.
    """
    terminal = FullScreen(settings, read_surroundings(), target=open_output())
    app = terminal.app
    app.go(MenuPage.HOME)
    if problems:
        app.complain(" ".join(problems))
    if options is not None:
        app.go(options)
    await terminal.run()
    if app.farewell:
        print(app.farewell)


class FullScreen:
    """A app and the Application that shows it. `source` and `target` are the terminal."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        self._environ = environ
        self._encoding = getattr(sys.stdout, "encoding", None) or "ascii"
        self._mouse = settings.mouse_plays(environ)
        self._failing: BaseException | None = None
        self.app = App(settings, self._choose_look, self, environ, make_screen)
        self._buffer = Buffer(multiline=False)
        self._resting = Window(
            FormattedTextControl("", focusable=True, show_cursor=False), height=0
        )
        self._line = Window(BufferControl(self._buffer, focusable=True), height=1)
        self._style = self.app.look.style()
        self.canvas = Canvas(self.app.draw, self.app.scroll)
        editing = Condition(lambda: self.app.asked is not None)
        prompt = Window(
            FormattedTextControl(
                lambda: [("class:heading", f"{self.app.asked.prompt} ")] if self.app.asked else []
            ),
            height=1,
            dont_extend_width=True,
        )
        layout = HSplit(
            [
                self.canvas,
                ConditionalContainer(VSplit([prompt, self._line]), editing),
                self._resting,
            ]
        )
        self.application: Application[None] = Application(
            Layout(layout, focused_element=self._resting),
            full_screen=True,
            key_bindings=merge_key_bindings(
                [bind_mouse(), bind_chords(editing), DynamicKeyBindings(self.app.bindings)]
            ),
            mouse_support=Condition(lambda: self._mouse),
            style=DynamicStyle(lambda: self._style),
            color_depth=lambda: self.app.look.depth,
            min_redraw_interval=REDRAW_SECONDS,
            terminal_size_polling_interval=None,
            input=source,
            output=target,
        )
        self.application.ttimeoutlen = self.application.timeoutlen = ESCAPE_SECONDS
        self.application.key_processor.before_key_press += lambda _keys: self.app.forget_notice()

    async def run(self) -> None:
        """Show the app until it is left. Raises what made it fail."""
        loop = asyncio.get_running_loop()
        handler = loop.get_exception_handler()
        loop.set_exception_handler(self._on_stray)
        self.call(TITLE, ring=False)
        left = False  # by the player, and not by a signal or a failure: those forfeit nothing
        try:
            await self.application.run_async(set_exception_handler=False)
            left = self._failing is None
        finally:
            self.application.renderer.reset()  # left out where the first drawing has failed
            try:
                await self.app.close(parting=left)
            finally:
                self.call("", ring=False)  # the last: screens that are left set it, too
                loop.set_exception_handler(handler)
        if self._failing is not None:
            raise self._failing

    # What the app asks of its terminal.

    def redraw(self) -> None:
        """Draw anew soon."""
        self.application.invalidate()

    def repaint(self) -> None:
        """Clear the terminal and draw everything again."""
        if self.application.is_running:  # otherwise what is there is the shell's
            self.application.renderer.clear()

    def restyle(self) -> None:
        """Take up the look's style and colours."""
        self._style = self.app.look.style()
        self.repaint()

    def begin_line(self, text: str) -> None:
        """Let a line be typed, beginning with `text`."""
        self._buffer.text = text
        self._buffer.cursor_position = len(text)
        self.application.layout.focus(self._line)

    def read_line(self) -> str:
        """Return what has been typed of the line."""
        return self._buffer.text

    def end_line(self) -> None:
        """Let keys be keys again."""
        self._buffer.reset()
        self.application.layout.focus(self._resting)

    def toggle_mouse(self) -> bool:
        """Take the mouse, or give it back; return whether we have it now."""
        self._mouse = not self._mouse
        return self._mouse

    def call(self, title: str, *, ring: bool) -> None:
        """Put this into the window's title and, if asked to, ring the bell."""
        settings, output = self.app.settings, self.application.output
        if settings.title:
            output.set_title(title)
        if ring and settings.bell:
            output.bell()
        output.flush()

    def copy(self, text: str) -> None:
        """Put a text into the clipboard, if the terminal allows that: by xterm's OSC 52."""
        output = self.application.output
        output.write_raw(f"\x1b]52;c;{b64encode(text.encode()).decode()}\x07")
        output.flush()

    def fail(self, error: BaseException) -> None:
        """End the program with this error."""
        if self._failing is None:
            self._failing = error
        self.exit()

    def exit(self) -> None:
        """End the program."""
        if self.application.is_running and not self.application.is_done:
            self.application.exit()

    def _choose_look(self, settings: Settings) -> Look:
        return Look.choose(
            settings.palette, settings.color, settings.glyphs, self._environ, self._encoding
        )

    def _on_stray(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Let what nobody awaits end the program, rather than be printed over the screen."""
        self.fail(context.get("exception") or RuntimeError(context["message"]))
