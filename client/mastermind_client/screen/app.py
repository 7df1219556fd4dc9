"""The app: a stack of screens, and what lies over them - help, a question, a line being typed."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs
from prompt_toolkit.utils import get_cwidth

from mastermind_client.clock import LoopClock
from mastermind_client.config import settings as stored
from mastermind_client.language import find_language, use_language
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.net.failures import ServerUnreachable, UnknownHere
from mastermind_client.net.matchmaking import LEAVE_SECONDS
from mastermind_client.net.updates import Announced
from mastermind_client.screen.connection_banner import draw_trouble
from mastermind_client.screen.how_to_play import draw_help
from mastermind_client.screen.kit.background import BackgroundTasks
from mastermind_client.screen.kit.cards import lay_card
from mastermind_client.screen.kit.help import Help
from mastermind_client.screen.kit.keys import Key, bind, sort_keys
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    fit,
    indent,
    lay_over,
    make_inert,
    text,
    width,
)
from mastermind_client.screen.kit.notices import Notice
from mastermind_client.screen.kit.status_bar import (
    draw_hints,
    draw_notice,
    draw_too_small,
)
from mastermind_client.screen.kit.terminal import Terminal
from mastermind_client.screen.look import Look
from mastermind_client.screen.stack import ScreenStack
from mastermind_client.words.failures import explain_failure
from mastermind_client.words.presence import describe_announcement
from mastermind_client.words.refusals import describe_refusal
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import Output

    from mastermind_client.clock import TimerClock
    from mastermind_client.config.settings import Settings
    from mastermind_client.net.updates import Update
    from mastermind_client.screen.connection_banner import Trouble
    from mastermind_client.screen.kit.cards import Card
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.overlays import LinePrompt
    from mastermind_client.screen.places.places import Place, Places
    from mastermind_client.screen.places.running import Running
    from mastermind_client.screen.screen import Destination, Screen

SMALLEST = Extent(60, 20)  # what the screens are drawn for at least
END_KEYS = ("f10", "c-c", "c-q")  # end the program
TITLE = "Mastermind"  # of the window, where no screen says more
HINT_ROWS = 1  # what the keys do, the last row
NOTICE_ROWS = 1  # what passes, above it, unless a screen has a row for that itself


class App(ScreenStack):
    """The screens, what lies over them, and the tasks behind them.

    `environ` is looked at for colours and languages. `make_screen` knows all pages, which know none
    of each other. `source` and `target` are the terminal; None is the one of this process. What is
    shown for a time goes by the `clock`.
    """

    clock: TimerClock = LoopClock()

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        make_screen: Callable[[App, Destination], Screen],
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings
        self._environ = environ
        self._encoding = getattr(sys.stdout, "encoding", None) or "ascii"
        self._make_screen = make_screen
        self.line_prompt: LinePrompt | None = None
        self.card: Card | None = None  # the question that is to be answered
        self.help = Help()
        self.farewell: list[str] = []  # to be said in the terminal when the program has ended
        self._notice = Notice(self.redraw)
        self._too_small = False  # the window
        self._answerable = False  # a card in such a window
        self._unkept: Place | None = None
        self._bindings: tuple[Sequence[Binding], KeyBindings] | None = None
        self.terminal = Terminal(
            self.draw, self.scroll, self.bindings, self._before_key, source, target
        )
        self.terminal.mouse = settings.mouse_plays(environ)
        self.look = self._choose_look()
        self._tasks = BackgroundTasks(self._report, self.terminal.fail, self.redraw)
        self._global = self._global_keys()  # the last two work everywhere
        self._help_keys = (*self.help.keys, *self._global[1:])
        self._too_small_keys: tuple[Binding, ...] = (
            *(replace(key, first=True) for key in self._global[-2:]),
            Key(("<any>",), "", lambda: None, first=True),
        )
        self._line_keys: tuple[Binding, ...] = ()
        self._card_keys: tuple[Binding, ...] = ()

    @cached_property
    def places(self) -> Places:
        """Where is played; loaded when it is first needed, so that home is painted sooner."""
        from mastermind_client.screen.places.places import Places

        return Places(self._on_update, self.terminal.fail)

    @cached_property
    def running(self) -> Running:
        """Our own matches that are not over."""
        from mastermind_client.screen.places.running import Running

        return Running(self)

    @property
    def open_places(self) -> list[Place]:
        """Where there is a session now."""
        return self.places.open if "places" in self.__dict__ else []

    def go(self, destination: Destination, *, instead_of: Screen | None = None) -> None:
        """Show a page on top, or in place of a screen, which may be gone already."""
        screen = self._make_screen(self, destination)
        if instead_of is None:
            self.open(screen)
        else:
            self.replace(screen, instead_of)

    def on_gone(self, screen: Screen) -> None:
        """Let a screen say good-bye."""
        self._tasks.spawn(screen.on_close(), keep=True)

    def on_top(self) -> None:
        """Show another screen, with nothing over it."""
        self.card = None
        self.help.end()
        self.end_line()
        self.set_title(TITLE)
        self.screen.on_show()
        self.redraw()

    # What a screen may ask for.

    def redraw(self) -> None:
        """Draw anew soon; any number of times is one drawing."""
        self.terminal.redraw()

    def set_title(self, title: str, *, ring: bool = False) -> None:
        """Put this into the window's title, and ring the bell, as far as the settings allow it."""
        if self.settings.title:
            self.terminal.set_title(title)
        if ring and self.settings.bell:
            self.terminal.ring()

    def notify(self, words: str) -> None:
        """Show a notice for some seconds, whatever is typed meanwhile."""
        self._notice.tell(words, self.clock)

    def show_error(self, words: str) -> None:
        """Show why something could not be done, until something is typed."""
        self._notice.tell_mistake(words)

    def ask(self, card: Card) -> None:
        """Ask what a card asks, over the screen, while that is still a question."""

        def end() -> None:
            self.card = None

        self.card = card
        nothing = Key(("<any>",), "", lambda: None)
        self._card_keys = (*card.begin(end), self._global[-1], nothing)
        self.redraw()

    def prompt(self, prompt: LinePrompt) -> None:
        """Let a line be typed: Enter gives it, Esc gives it up."""

        def accept() -> None:
            if reason := prompt.take(self.terminal.read_line()):
                self.show_error(reason)
            elif self.line_prompt is prompt:  # and not the next one
                self.end_line()

        def decline() -> None:
            self.end_line()
            prompt.decline()

        def end() -> None:
            self.end_line()
            self.quit()

        self.line_prompt = prompt
        self._line_keys = (
            Key(("enter",), N_("give this line"), accept, short=N_("done")),
            Key(("escape", "c-c"), N_("type no more"), decline, short=N_("cancel")),
            Key(("f10", "c-q"), N_("end the program"), end),
        )
        self.terminal.begin_line(prompt.label, prompt.text, begun=prompt.begun)
        self.redraw()

    def end_line(self) -> None:
        """Stop typing."""
        self.line_prompt = None
        self.terminal.end_line()

    @property
    def busy(self) -> bool:
        """Whether something that was begun by `spawn` goes on."""
        return self._tasks.busy

    def spawn(
        self, work: Coroutine[object, object, None], doing: str = "", *, keep: bool = False
    ) -> asyncio.Task[None]:
        """Do what takes time; what is `doing` is shown meanwhile, a refusal afterwards.

        It may be cancelled. What is to be kept has a moment to end by itself when the program ends.
        """
        return self._tasks.spawn(work, doing, keep=keep)

    async def connect(
        self, address: str, name: str | None = None, match: str | None = None
    ) -> Place:
        """Return the place with this address, or OFFLINE; we are called what is settled there.

        A `name` is what we are called instead; who has a seat in a `match` comes as who that is
        there. Raises what `Places.connect` does.
        """
        place = await self.places.connect(address, name or self.settings.name, match)
        if not place.kept and place is not self._unkept:
            self._unkept = place  # said once
            self.notify(_("You play offline in another terminal too: no game of this one is kept."))
        return place

    def change(self, **changes: object) -> None:
        """Change settings, keep them in their file, and let them hold at once."""
        self.settings = structs.replace(self.settings, **changes)
        if "language" in changes:
            use_language(find_language(self.settings.language or None, self._environ))
        if "mouse" in changes:
            self.terminal.mouse = self.settings.mouse_plays(self._environ)
        self.look = self._choose_look()
        try:
            stored.save(changes)
        except OSError as error:
            told = _("The settings cannot be kept: {reason}.")
            self.show_error(told.format(reason=error.strerror))
        self.redraw()

    def quit(self) -> None:
        """End the program."""
        self.terminal.exit()

    async def run(self) -> None:
        """Show the screens until the program is left. Raises what made it fail."""
        self.set_title(TITLE)
        try:
            await self.terminal.run(self._close)
        finally:
            self.set_title("")  # the last: screens that are left set it, too

    async def _close(self) -> None:
        """Close every screen and every place; seats are kept unless the player has left."""
        for screen in self.empty():
            if self.terminal.left:
                self.on_gone(screen)
        self._notice.end()
        await self.running.close()
        await self._tasks.close(LEAVE_SECONDS)
        self.farewell = self.running.describe_kept()
        if "places" in self.__dict__:  # else nothing was ever reached
            await self.places.close()

    # Drawing.

    def draw(self, extent: Extent) -> list[Line]:
        """Return all lines of the terminal; the one that is typed lies over them."""
        if self.card is not None and not self.card.when():
            self.card = None
        self._too_small = extent.columns < SMALLEST.columns or extent.rows < SMALLEST.rows
        if self._too_small:
            card = self.card
            asked = card.draw_plain(self.look.glyphs, extent.columns) if card is not None else []
            lines = draw_too_small(extent, SMALLEST, asked)
            self.terminal.place_line(extent.rows - 1, 0, extent.columns)
            self._answerable = self.card is not None and len(lines) <= extent.rows
            return lines
        return self._draw_screen(extent)

    def _draw_screen(self, extent: Extent) -> list[Line]:
        """Return the screen on top, with all that lies over it, and the lines of the app."""
        screen, glyphs = self.screen, self.look.glyphs
        columns = min(extent.columns - 2 * screen.margin, screen.widest)
        left = (extent.columns - columns) // 2
        above = Extent(columns, extent.rows - HINT_ROWS)
        own = screen.has_notice_row
        stage = above if own else Extent(columns, above.rows - NOTICE_ROWS)
        lines = fit(screen.draw(stage), stage)
        trouble = screen.trouble
        if trouble is not None:
            banner = draw_trouble(trouble, columns - screen.inset, glyphs)
            lines[:1] = indent([banner], screen.inset)
        if self._table() != self._screen_table():  # what lies over the screen has the mouse, too
            lines = [make_inert(line) for line in lines]
        if self.card is not None:
            lines = lay_card(lines, self.card, screen.card_room(stage), glyphs)
        lines = indent(lines, left)
        if self.help.shown:
            room = Extent(extent.columns, stage.rows)
            helped = draw_help(self.help, self._screen_table(), screen.rules, self.look, room)
            lines = lay_over(lines, helped, room)
        if not own:
            lines.append([])
        beside = left + screen.inset
        end = screen.notice_row + 1 if own else above.rows
        said = self._draw_notice(columns - screen.inset, trouble)
        if (prompt := self.line_prompt) is not None:
            row = screen.find_line_row(above)
            self.terminal.place_line(row, beside, columns - screen.inset)
            lines[row] = []
            end -= row == end - 1  # what is wrong with the line is told above it then
            told = [] if screen.explains_line else prompt.explain(columns - screen.inset)
            last = min(row, end - len(said)) if said else row
            lines[max(0, last - len(told)) : last] = indent(told, beside)
        lines[max(0, end - len(said)) : end] = indent(said, beside)
        keys = sort_keys(self._table(), self._global)
        hints = draw_hints(*keys, extent.columns - 1, glyphs)
        beside = max(0, min(beside, extent.columns - 1 - width(hints)))
        return [*lines, *indent([hints], beside)]

    def _draw_notice(self, columns: int, trouble: Trouble | None) -> list[Line]:
        """Return what is told now, as rows that end at the row for notices."""
        glyphs = self.look.glyphs
        if words := self._notice.words:
            return draw_notice(words, self._notice.style, columns, glyphs)
        if words := self._tasks.doing or self.screen.hint:
            return draw_notice(words, "", columns, glyphs)
        if trouble is not None and get_cwidth(trouble.reason) <= columns:
            return [text(trouble.reason)]
        return []

    def scroll(self, rows: int) -> None:
        """Scroll what is on top."""
        (self.help if self.help.shown else self.screen).scroll(rows)

    # Keys.

    def bindings(self) -> KeyBindings:
        """Return the key bindings that hold now."""
        table = self._table()
        if self._bindings is None or self._bindings[0] != table:
            self._bindings = (table, bind(table))
        return self._bindings[1]

    def _table(self) -> Sequence[Binding]:
        """Return the keys that hold now: these are bound, and hinted at."""
        if self._too_small:
            return self._card_keys if self._answerable else self._too_small_keys
        if self.line_prompt is not None:
            return self._line_keys
        if self.card is not None:
            return self._card_keys
        return self._help_keys if self.help.shown else self._screen_table()

    def _screen_table(self) -> Sequence[Binding]:
        return (*self.screen.keys, *self._global)

    def _before_key(self) -> None:
        """Take a mistake that was told as read, and let the screen know."""
        self._notice.read()
        for screen in self._screens[-1:]:
            screen.on_key()

    def _global_keys(self) -> tuple[Key, ...]:
        def explain() -> None:
            self.help.begin(lesson=self.screen.rules is not None)

        return (
            Key(("?", "f1"), N_("this help"), explain, short=N_("help")),
            Key(("f5",), N_("mouse on or off; off, text can be selected"), self._toggle_mouse),
            Key(("c-l",), N_("draw the screen anew"), self.terminal.repaint),
            Key(END_KEYS, N_("end the program"), self.quit, short=N_("quit")),
        )

    def _toggle_mouse(self) -> None:
        self.terminal.mouse = not self.terminal.mouse
        plays = _("The mouse plays. To select text, hold Shift, or press F5 again.")
        selects = _("The mouse selects text again. F5 lets it play.")
        self.notify(plays if self.terminal.mouse else selects)

    def _choose_look(self) -> Look:
        chosen, environ = self.settings, self._environ
        look = Look.choose(chosen.palette, chosen.color, chosen.glyphs, environ, self._encoding)
        self.terminal.restyle(look.style(), look.depth)
        return look

    # What happens elsewhere.

    def _report(self, error: Exception) -> bool:
        """Say why something could not be done; False if it is a fault of the program."""
        match error:
            case MastermindError():
                words = describe_refusal(error)
            case OSError() | ServerUnreachable() | UnknownHere():
                words = explain_failure(error)
            case _:
                return False
        self.show_error(words[:1].upper() + words[1:])
        return True

    def _on_update(self, place: Place, update: Update | None) -> None:
        if update is not None:
            for screen in self._screens:
                screen.on_update(place, update)
            if isinstance(update, Announced):  # on whatever page
                self.notify(describe_announcement(update))
            self.running.take_up()
        self.redraw()
