"""The app of one player: a stack of screens, and a stack of overlays over the top screen."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import structs
from prompt_toolkit.utils import get_cwidth

from mastermind_client.clock import GuardedClock
from mastermind_client.config import settings as stored
from mastermind_client.language import find_language
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import describe_refusal, explain_failure
from mastermind_client.messages.players import describe_announcement, describe_challenge
from mastermind_client.network.failures import ServerUnreachable, UnknownHere
from mastermind_client.network.opening import LEAVE_SECONDS
from mastermind_client.network.updates import Announced, ChallengeReceived
from mastermind_client.screen.challenges import make_challenge_card
from mastermind_client.screen.introduction import draw_help
from mastermind_client.screen.screen import draw_trouble
from mastermind_client.screen.stack import ScreenStack
from mastermind_client.screen.theme import Look
from mastermind_client.screen.toolkit.help import Help
from mastermind_client.screen.toolkit.keys import Key, bind, split_keys
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    fit,
    indent,
    make_inert,
    text,
    width,
)
from mastermind_client.screen.toolkit.overlays import (
    Answer,
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
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine, Sequence

    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.output import Output

    from mastermind_client.config.settings import Settings
    from mastermind_client.context import ClientContext
    from mastermind_client.network.updates import Update
    from mastermind_client.screen.screen import Destination, Screen, Trouble
    from mastermind_client.screen.servers.running import Running
    from mastermind_client.screen.servers.servers import Server, Servers
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_protocol.messages import Challenged

_Overlay = TypeVar("_Overlay", bound=Overlay)

SMALLEST = Extent(60, 20)  # the smallest window of a screen
END_KEYS = ("f10", "c-c", "c-q")  # end the program
TITLE = "Mastermind"  # of the window, unless a screen sets another one
HINT_ROWS = 1  # the last row names keys
NOTICE_ROWS = 1  # the row above is for notices, unless a screen has its own


class App(ScreenStack):
    """The screens of one player, their overlays and their background tasks.

    `make_screen` makes the screen of a destination, so that pages do not import each other.
    `source` and `target` are the terminal, by default the terminal of prompt_toolkit's session. If
    a callback of the `clock` fails, only this app ends.
    """

    def __init__(
        self,
        context: ClientContext,
        settings: Settings,
        make_screen: Callable[[App, Destination], Screen],
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        super().__init__()
        self.context, self.settings = context, settings
        self._make_screen = make_screen
        self._overlays: list[Overlay] = []  # the last one has the keys
        self.farewell: list[str] = []  # printed in the terminal when the program has ended
        self._notice = Notice(self.redraw)
        self._unkept: Server | None = None
        self._leaving: Card | None = None  # the last question before the end of the program
        self._bindings: tuple[Sequence[Binding], KeyBindings] | None = None
        self.terminal = Terminal(
            self.draw, self.scroll, self.bindings, self._before_key, context.report, source, target
        )
        self.terminal.mouse = settings.mouse_plays(context.environ)
        self.clock = GuardedClock(context.clock, self.terminal.fail)
        self.look = self._choose_look()
        self._tasks = BackgroundTasks(self._report, self.terminal.fail, self.redraw)
        self._global = self._global_keys()  # the last two work everywhere

    @cached_property
    def servers(self) -> Servers:
        """The servers in use.

        Their module is imported at the first use, so home is drawn sooner.
        """
        from mastermind_client.screen.servers.servers import Servers

        return Servers(self.context, self._on_update, self.terminal.fail)

    @cached_property
    def running(self) -> Running:
        """Our unfinished matches on all servers."""
        from mastermind_client.screen.servers.running import Running

        return Running(self)

    @property
    def open_servers(self) -> list[Server]:
        """The servers with an open session."""
        return self.servers.open if "servers" in self.__dict__ else []

    def go(self, destination: Destination, *, instead_of: Screen | None = None) -> None:
        """Show the page of a destination on top, or replace the screen `instead_of`.

        If that screen has been closed already, the page is not shown.
        """
        screen = self._make_screen(self, destination)
        if instead_of is None:
            self.open(screen)
        else:
            self.replace(screen, instead_of)

    def on_gone(self, screen: Screen) -> None:
        """Close a removed screen in the background."""
        self._tasks.spawn(screen.on_close(), keep=True)

    def on_top(self) -> None:
        """Show a new top screen, and close the overlays of the previous one."""
        for overlay in [*self._overlays]:
            self._uncover(overlay)
        self.set_title(TITLE)
        self.screen.on_show()
        self.redraw()

    # Services for screens.

    def redraw(self) -> None:
        """Schedule a drawing. Several calls cause one drawing."""
        self.terminal.redraw()

    def set_title(self, title: str, *, ring: bool = False) -> None:
        """Set the title of the window, and ring the bell if `ring`, where the settings allow it."""
        if self.settings.title:
            self.terminal.set_title(title)
        if ring:
            self.ring()

    def ring(self) -> None:
        """Ring the bell if the settings allow it."""
        if self.settings.bell:
            self.terminal.ring()

    def notify(self, words: str) -> None:
        """Show a notice for its reading time. Keys do not remove it."""
        self._notice.show(words, self.clock)

    def show_error(self, words: str) -> None:
        """Show the reason of a failed action until the next key."""
        self._notice.show_error(words)

    def ask(self, card: Card) -> None:
        """Show a question over the screen."""
        self._cover(card)

    def prompt(self, prompt: LinePrompt) -> None:
        """Open a line prompt. Enter submits the line, Esc cancels."""

        def end() -> None:
            self.end_line()
            self.leave_program()

        self._cover(prompt)
        prompt.begin(self.terminal, self.show_error, end)

    def end_line(self) -> None:
        """Close the line prompt if one is open."""
        if (prompt := self.find_overlay(LinePrompt)) is not None:
            self._uncover(prompt)

    @property
    def covered(self) -> bool:
        """Whether the screen has an overlay."""
        return bool(self._overlays)

    def find_overlay(self, kind: type[_Overlay]) -> _Overlay | None:
        """Return the open overlay of this class, or None."""
        return next((each for each in self._overlays if isinstance(each, kind)), None)

    def _cover(self, overlay: Overlay) -> None:
        """Show an overlay over the screen, instead of an overlay of the same class."""
        overlay.close = partial(self._uncover, overlay)
        kept = [each for each in self._overlays if type(each) is not type(overlay)]
        self._overlays = sorted([*kept, overlay], key=lambda each: each.rank)
        self.redraw()

    def _uncover(self, overlay: Overlay) -> None:
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
        """Run `work` in the background, with the notice `doing`, and show an expected error.

        The returned task can be cancelled. If `keep`, the end of the program waits a moment for the
        task.
        """
        return self._tasks.spawn(work, doing, keep=keep)

    def locate(self, address: str) -> str:
        """Return the address.

        For OFFLINE, return the settings' server if this process cannot start a server.
        """
        return address or ("" if self.context.local else self.settings.server)

    async def connect(
        self, address: str, name: str | None = None, match: str | None = None
    ) -> Server:
        """Return the connected server at the address, which can be OFFLINE.

        `name` overrides the name of the settings. With a `match`, the session is that of our player
        with a seat in the match. Raises the errors of `Servers.connect`.
        """
        server = await self.servers.connect(self.locate(address), name or self.settings.name, match)
        if not server.kept and server is not self._unkept:
            self._unkept = server  # notified once
            self.notify(_("You play offline in another terminal too: no game of this one is kept."))
        return server

    def change(self, **changes: object) -> None:
        """Change settings, apply them, and write them to their file."""
        self.settings = structs.replace(self.settings, **changes)
        if "language" in changes:
            wanted = self.settings.language or None
            self.context.language.use(find_language(wanted, self.context.environ))
        if "mouse" in changes:
            self.terminal.mouse = self.settings.mouse_plays(self.context.environ)
        self.look = self._choose_look()
        save = partial(stored.save, changes, self.context.settings_file)
        self.context.writer.put(save, self._explain_unsaved)
        self.redraw()

    def _explain_unsaved(self, error: OSError) -> None:
        told = _("The settings cannot be kept: {reason}.")
        self.show_error(told.format(reason=error.strerror))
        self.redraw()

    def leave_program(self) -> None:
        """End the program. Ask first if a friend is playing on the server in this process."""
        asked = self.find_overlay(Card)
        if not (about := self.describe_hosted()) or (asked is not None and asked is self._leaving):
            self.quit()
            return
        self._leaving = Card(
            _("End the program?"),
            Answer(_("Stay"), _("Your friend goes on playing."), self.redraw),
            Answer(_("End it"), about, self.quit),
        )
        self.ask(self._leaving)

    def describe_hosted(self) -> str:
        """Return a text about a friend's match on the server in this process, which would end.

        The text is empty without such a match.
        """
        friend = self.running.hosted_friend if self.open_servers else ""
        told = _("The match with {name} is saved for later.")
        return told.format(name=friend) if friend else ""

    def quit(self) -> None:
        """End the program."""
        self.terminal.exit()

    async def run(self) -> None:
        """Show the screens until the player ends the program. Raises the failure that ended it."""
        self.set_title(TITLE)
        try:
            await self.terminal.run(self._close)
        finally:
            self.set_title("")  # the last: screens that are left set it, too

    async def _close(self) -> None:
        """Close every screen and every session.

        Seats are kept unless the player has left the match.
        """
        for screen in self.empty():
            if self.terminal.left:
                self.on_gone(screen)
        self._notice.clear()
        await self.running.close()
        await self._tasks.close(LEAVE_SECONDS)
        self.farewell = self.running.describe_kept()
        if "servers" in self.__dict__:  # no server was connected otherwise
            await self.servers.close()
        await self.context.writer.flush()

    # Drawing.

    def draw(self, extent: Extent) -> list[Line]:
        """Return all lines of the window."""
        for overlay in [*self._overlays]:
            if overlay.is_obsolete():
                self._uncover(overlay)
        if extent.columns >= SMALLEST.columns and extent.rows >= SMALLEST.rows:
            return self._draw_screen(extent)
        small = TooSmall(SMALLEST, self._global[-2:], self.find_overlay(Card))
        self._overlays.append(small)
        self.terminal.place_line(extent.rows - 1, 0, extent.columns)
        return small.lay([], OverlayAreas(extent), self.look.glyphs)

    def _draw_screen(self, extent: Extent) -> list[Line]:
        """Return the lines of the top screen, of its overlays, and of the notice and hints."""
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
            lines[screen.title_row] = indent([banner], screen.inset)[0]
        if self._overlays:  # they have the mouse, too
            lines = [make_inert(line) for line in lines]
        lines = indent(lines, left)
        if not own:
            lines.append([])
        beside = left + screen.inset
        end = screen.notice_row + 1 if own else above.rows
        shown = self._draw_notice(columns - screen.inset, trouble)
        if self._overlays:
            row, card = screen.find_line_row(above), screen.card_room(stage)
            if self.find_overlay(LinePrompt) is not None:
                end -= row == end - 1  # a reason is above the line that it refuses
            room = OverlayAreas(
                Extent(extent.columns, stage.rows), card._replace(left=left + card.left),
                row, beside, columns - screen.inset,
                min(row, end - len(shown)) if shown else row, screen.explains_line,
            )  # fmt: skip
            for overlay in self._overlays:
                lines = overlay.lay(lines, room, glyphs)
        lines[max(0, end - len(shown)) : end] = indent(shown, beside)
        keys = split_keys(self._table(), self._global)
        hints = draw_hints(*keys, extent.columns - 1, glyphs)
        beside = max(0, min(beside, extent.columns - 1 - width(hints)))
        return [*lines, *indent([hints], beside)]

    def _draw_notice(self, columns: int, trouble: Trouble | None) -> list[Line]:
        """Return the notice in the rows above and including the row for notices."""
        glyphs = self.look.glyphs
        if words := self._notice.text:
            return draw_notice(words, self._notice.style, columns, glyphs)
        if words := self._tasks.label or self.screen.hint:
            return draw_notice(words, "", columns, glyphs)
        if trouble is not None and get_cwidth(trouble.reason) <= columns:
            return [text(trouble.reason)]
        return []

    def scroll(self, rows: int) -> None:
        """Scroll the help if it is open, otherwise the screen."""
        (self.find_overlay(Help) or self.screen).scroll(rows)

    # Keys.

    def bindings(self) -> KeyBindings:
        """Return the key bindings of the current screen and overlays."""
        table = self._table()
        if self._bindings is None or self._bindings[0] != table:
            self._bindings = (table, bind(table))
        return self._bindings[1]

    def _table(self) -> Sequence[Binding]:
        """Return the active keys, from which the bindings and the hints are made."""
        if not self._overlays:
            return self._screen_table()
        top = self._overlays[-1]
        return (*top.keys, *self._global[top.shared])

    def _screen_table(self) -> Sequence[Binding]:
        return (*self.screen.keys, *self._global)

    def _before_key(self) -> None:
        """Remove a displayed error, and call the screen's `on_key`."""
        self._notice.clear_error()
        for screen in self._screens[-1:]:
            screen.on_key()

    def _global_keys(self) -> tuple[Key, ...]:
        def draw(help_: Help, extent: Extent) -> list[Line]:
            return draw_help(help_, self._screen_table(), self.screen.rules, self.look, extent)

        def explain() -> None:
            self._cover(Help(draw, lesson=self.screen.rules is not None))

        return (
            Key(("?", "f1"), N_("this help"), explain, short=N_("help")),
            Key(("f5",), N_("mouse on or off; off, text can be selected"), self._toggle_mouse),
            Key(("c-l",), N_("draw the screen anew"), self.terminal.repaint),
            Key(END_KEYS, N_("end the program"), self.leave_program, short=N_("quit")),
        )

    def _toggle_mouse(self) -> None:
        self.terminal.mouse = not self.terminal.mouse
        plays = _("The mouse plays. To select text, hold Shift, or press F5 again.")
        selects = _("The mouse selects text again. F5 lets it play.")
        self.notify(plays if self.terminal.mouse else selects)

    def _choose_look(self) -> Look:
        chosen, environ, encoding = self.settings, self.context.environ, self.context.encoding
        look = Look.choose(chosen.palette, chosen.color, chosen.glyphs, environ, encoding)
        self.terminal.restyle(look.style(), look.depth)
        return look

    # Updates and failures.

    def _report(self, error: Exception) -> bool:
        """Show an expected error of a task. Returns False for a fault of the program."""
        match error:
            case MastermindError():
                words = describe_refusal(error)
            case OSError() | ServerUnreachable() | UnknownHere():
                words = explain_failure(error)
            case _:
                return False
        self.show_error(words[:1].upper() + words[1:])
        return True

    def _show_challenge(self, server: Server, challenge: Challenged) -> None:
        """Ring, and ask whether to accept. A match or another question is not covered."""
        self.ring()
        if self.covered or self.screen.match_code:
            self.notify(describe_challenge(challenge))
        else:
            self.ask(make_challenge_card(self, server, challenge))

    def _on_update(self, server: Server, update: Update | None) -> None:
        if update is not None:
            for screen in self._screens:
                screen.on_update(server, update)
            if isinstance(update, Announced):  # on every page
                self.notify(describe_announcement(update))
            if isinstance(update, ChallengeReceived):
                self._show_challenge(server, update.challenge)
            self.running.take_up()
        self.redraw()
