"""The window: a stack of screens, and a stack of overlays over the top screen.

Esc goes back to the screen below.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from prompt_toolkit.utils import get_cwidth

from mastermind_client.clock import GuardedClock
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.introduction import draw_help
from mastermind_client.screen.screen import STAGE_COLUMNS, draw_trouble
from mastermind_client.screen.screen_stack import ScreenStack
from mastermind_client.screen.toolkit.help import Help
from mastermind_client.screen.toolkit.keys import Key, bind
from mastermind_client.screen.toolkit.lines import Extent, Line, fit, indent, make_inert, text
from mastermind_client.screen.toolkit.overlays import (
    Card,
    LinePrompt,
    Overlay,
    OverlayAreas,
    TooSmall,
)
from mastermind_client.screen.toolkit.status_bar import (
    BackgroundTasks,
    Notice,
    draw_hints,
    draw_notice,
)
from mastermind_client.screen.toolkit.terminal import Terminal

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Coroutine, Sequence

    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import Output

    from mastermind_client.context import ClientContext
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.keys import Binding

_Overlay = TypeVar("_Overlay", bound=Overlay)

SMALLEST_WINDOW = Extent(60, 20)  # the smallest window of a screen
END_KEYS = ("f10", "c-c", "c-q")  # end the client
HINT_ROWS = 1  # the last row names keys
NOTICE_ROWS = 1  # the row above is for notices, unless a screen has its own


class Window(ScreenStack):
    """Draws the top screen with its overlays, notices and key hints, and runs background tasks.

    `source` and `target` are the input and output, by default those of prompt_toolkit's session. If
    a callback of the `clock` fails, only this window ends. A subclass sets the `look`.
    """

    look: Look

    def __init__(
        self, context: ClientContext, source: Input | None = None, target: Output | None = None
    ) -> None:
        super().__init__()
        self._overlays: list[Overlay] = []  # the last one has the keys
        self._notice = Notice(self.redraw)
        self._bindings: tuple[Sequence[Binding], KeyBindings] | None = None
        self.terminal = Terminal(
            self.draw, self.scroll, self.bindings, self._before_key, context.report, context.clock,
            source, target,
        )  # fmt: skip
        self.clock = GuardedClock(context.clock, self.terminal.fail)
        self._tasks = BackgroundTasks(self.report, self.terminal.fail, self.redraw)
        self._global_keys = self._make_global_keys()  # the last two work in a too small window, too
        self._suspend_key = Key(
            ("c-z",), N_("go to the shell; its command fg returns here"), self.terminal.suspend,
            when=lambda: self.terminal.can_suspend,
        )  # fmt: skip

    def report(self, error: Exception) -> bool:
        """Show an expected error and return True. For a bug, only return False."""
        raise NotImplementedError

    def leave_app(self) -> None:
        """End the client, perhaps after a question."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Schedule a drawing. Several calls in a short time cause one drawing."""
        self.terminal.redraw()

    def notify(self, words: str, *, important: bool = False) -> None:
        """Show a notice while it is read, or a minute if `important`. Keys do not remove it."""
        self._notice.show(words, self.clock, important=important)

    def show_error(self, words: str) -> None:
        """Show why an action failed, until the next key."""
        self._notice.show_error(words)

    def ask(self, card: Card) -> None:
        """Show a question over the screen."""
        self._open_overlay(card)

    def prompt(self, prompt: LinePrompt) -> None:
        """Open a line prompt. Enter submits the line, Esc cancels."""

        def end() -> None:
            self.end_line()
            self.leave_app()

        self._open_overlay(prompt)
        prompt.begin(self.terminal, self.show_error, end)

    def end_line(self) -> None:
        """Close the line prompt if one is open."""
        if (prompt := self.find_overlay(LinePrompt)) is not None:
            self._close_overlay(prompt)

    @property
    def has_overlay(self) -> bool:
        """Whether the screen has an overlay."""
        return bool(self._overlays)

    def find_overlay(self, kind: type[_Overlay]) -> _Overlay | None:
        """Return the open overlay of this class, or None."""
        return next((each for each in self._overlays if isinstance(each, kind)), None)

    def _open_overlay(self, overlay: Overlay) -> None:
        """Show an overlay over the screen. It replaces an overlay of the same class."""
        overlay.close = partial(self._close_overlay, overlay)
        kept = [each for each in self._overlays if type(each) is not type(overlay)]
        self._overlays = sorted([*kept, overlay], key=lambda each: each.rank)
        self.redraw()

    def _close_overlay(self, overlay: Overlay) -> None:
        if overlay in self._overlays:
            self._overlays.remove(overlay)
            overlay.on_close()

    @property
    def busy(self) -> bool:
        """Whether a background task is running."""
        return self._tasks.busy

    def spawn(
        self, work: Coroutine[object, object, None], doing: str = "", *, keep: bool = False
    ) -> asyncio.Task[None]:
        """Run `work` in the background, with the notice `doing`, and show its expected errors.

        The caller can cancel the returned task. If `keep`, the end of the client waits a moment
        for the task.
        """
        return self._tasks.spawn(work, doing, keep=keep)

    # Drawing.

    def draw(self, extent: Extent) -> list[Line]:
        """Return all lines of the window."""
        for overlay in [*self._overlays]:
            if overlay.is_obsolete():
                self._close_overlay(overlay)
        if extent.columns >= SMALLEST_WINDOW.columns and extent.rows >= SMALLEST_WINDOW.rows:
            return self._draw_screen(extent)
        small = TooSmall(SMALLEST_WINDOW, self._global_keys[-2:], self.find_overlay(Card))
        self._overlays.append(small)
        self.terminal.place_line(extent.rows - 1, 0, extent.columns)
        return small.draw_over([], OverlayAreas(extent), self.look.glyphs)

    def _draw_screen(self, extent: Extent) -> list[Line]:
        """Return the lines of the top screen with its overlays, the notice and the key hints."""
        screen, glyphs = self.screen, self.look.glyphs
        columns = min(extent.columns - 2 * screen.margin, screen.max_columns)
        left = (extent.columns - columns) // 2
        above = Extent(columns, extent.rows - HINT_ROWS)
        own = screen.has_notice_row
        stage = above if own else Extent(columns, above.rows - NOTICE_ROWS)
        lines = fit(screen.draw(stage), stage)
        trouble = screen.trouble
        reason = ""
        if trouble is not None:
            banner = draw_trouble(trouble, columns - screen.inset, glyphs)
            reason = "" if trouble.reason in banner[0][1] else trouble.reason
            lines[screen.title_row] = indent([banner], screen.inset)[0]
        if self._overlays:  # they have the mouse, too
            lines = [make_inert(line) for line in lines]
        lines = indent(lines, left)
        if not own:
            lines.append([])
        beside = left + screen.inset
        end = screen.notice_row + 1 if own else above.rows
        shown = self._draw_notice(columns - screen.inset, reason)
        if self._overlays:
            row, card = screen.find_line_row(lines, above), screen.find_card_room(stage)
            if self.find_overlay(LinePrompt) is not None and (not own or row == end - 1):
                end = row  # a reason is above the line that it refuses
            room = OverlayAreas(
                Extent(extent.columns, stage.rows), card._replace(left=left + card.left),
                row, beside, columns - screen.inset,
                min(row, end - len(shown)) if shown else row, screen.explains_line,
            )  # fmt: skip
            for overlay in self._overlays:
                lines = overlay.draw_over(lines, room, glyphs)
        lines[max(0, end - len(shown)) : end] = indent(shown, beside)
        bar = min(extent.columns - 1, STAGE_COLUMNS)  # the same on screens of any width
        hints = draw_hints(self._list_active_keys(), self._global_keys, bar, glyphs)
        return [*lines, *indent([hints], (extent.columns - bar) // 2)]

    def _draw_notice(self, columns: int, reason: str) -> list[Line]:
        """Return the rows of a notice, or of a hint, or the `reason` of a lost connection."""
        glyphs = self.look.glyphs
        if words := self._notice.text:
            return draw_notice(words, self._notice.style, columns, glyphs)
        if words := self._tasks.label or self.screen.hint:
            return draw_notice(words, "", columns, glyphs)
        if reason and get_cwidth(reason) <= columns:
            return [text(reason)]
        return []

    def scroll(self, rows: int) -> None:
        """Scroll the help if it is open, otherwise the screen."""
        (self.find_overlay(Help) or self.screen).scroll(rows)

    # Keys.

    def bindings(self) -> KeyBindings:
        """Return the key bindings of the current screen and overlays."""
        table = self._list_active_keys()
        if self._bindings is None or self._bindings[0] != table:
            self._bindings = (table, bind(table))
        return self._bindings[1]

    def _list_active_keys(self) -> Sequence[Binding]:
        """Return the keys that work now. An open overlay replaces the keys of the screen."""
        if not self._overlays:
            return self._list_screen_keys()
        top = self._overlays[-1]
        return (*top.keys, *self._global_keys[top.shared], self._suspend_key)

    def _list_screen_keys(self) -> Sequence[Binding]:
        return (*self.screen.keys, *self._global_keys, self._suspend_key)

    def _before_key(self) -> None:
        """Remove a displayed error, and call the screen's `on_key`."""
        self._notice.clear_error()
        for screen in self._screens[-1:]:
            screen.on_key()

    def _make_global_keys(self) -> tuple[Key, ...]:
        def draw(help_: Help, extent: Extent) -> list[Line]:
            return draw_help(help_, self._list_screen_keys(), self.screen.rules, self.look, extent)

        def explain() -> None:
            self._open_overlay(Help(draw, teaches=self.screen.rules is not None))

        return (
            Key(("?", "f1"), N_("this help"), explain, short=N_("help")),
            Key(("f5",), N_("mouse on or off; off, text can be selected"), self._toggle_mouse),
            Key(("c-l",), N_("draw the screen anew"), self.terminal.repaint),
            Key(END_KEYS, N_("end the program"), self.leave_app, short=N_("quit")),
        )

    def _toggle_mouse(self) -> None:
        self.terminal.mouse = not self.terminal.mouse
        plays = _("The mouse plays. To select text, hold Shift, or press F5 again.")
        selects = _("The mouse selects text again. F5 lets it play.")
        self.notify(plays if self.terminal.mouse else selects)
