"""The app of one player: the window with its screens, the settings, and the servers in use."""

from __future__ import annotations

import asyncio
import importlib
import logging
from functools import cached_property, partial
from typing import TYPE_CHECKING

from msgspec import structs

from mastermind_client.clock import LEAVE_SECONDS
from mastermind_client.config import settings as stored
from mastermind_client.language import find_language
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import describe_refusal, explain_failure
from mastermind_client.messages.listings import describe_unfinished
from mastermind_client.messages.players import format_name
from mastermind_client.messages.updates import (
    describe_challenge_by,
    describe_challenge_end,
    describe_session_update,
)
from mastermind_client.network.failures import ServerUnreachable, UnknownHere
from mastermind_client.network.players.identities import Identities
from mastermind_client.network.updates import (
    Announced,
    ChallengeClosed,
    ChallengeReceived,
    MatchKept,
    MatchLost,
    Moved,
)
from mastermind_client.screen.servers.challenge_card import make_challenge_card
from mastermind_client.screen.theme import Look
from mastermind_client.screen.toolkit.overlays import Answer, Card, Overlay
from mastermind_client.screen.window import Window
from mastermind_client.tty.terminfo import find_capabilities
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.events import Guessed

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from mastermind_client.config.settings import Settings
    from mastermind_client.context import ClientContext
    from mastermind_client.network.running import UnfinishedMatch
    from mastermind_client.network.updates import Update
    from mastermind_client.screen.screen import Destination, Screen
    from mastermind_client.screen.servers.running import RunningMatches
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.servers.servers import Servers
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.messages import Challenged

_LOG = logging.getLogger(__name__)
TITLE = "Mastermind"  # of the window, unless a screen sets another one
_SERVERS_MODULE = "mastermind_client.screen.servers.servers"


class App(Window):
    """The screens of one player, their overlays and their background tasks.

    `make_screen` makes the screen of a destination, so that pages do not import each other.
    `source` and `target` are the input and output, by default of prompt_toolkit's session. If a
    callback of the `clock` fails, only this app ends.
    """

    def __init__(
        self,
        context: ClientContext,
        settings: Settings,
        make_screen: Callable[[App, Destination], Screen],
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        super().__init__(context, source, target)
        self.context, self.settings = context, settings
        self._make_screen = make_screen
        self.farewell: list[str] = []  # printed in the terminal when the screens have ended
        self.chosen_rules = ""  # those of the last form; they are saved with the first guess
        self._unsaved_server: Server | None = None  # the user knows that it keeps no game
        self._leave_question: Card | None = None  # the last question whether to end the client
        self.terminal.mouse = settings.handles_mouse(context.environ)
        self.terminal.is_xterm = find_capabilities(context.environ).is_xterm
        self.look = self._choose_look()

    @cached_property
    def servers(self) -> Servers:
        """The servers in use.

        Their module is imported at the first use of this property, so that the home page is drawn
        sooner.
        """
        from mastermind_client.screen.servers.servers import Servers

        return Servers(self.context, self._on_update, self.terminal.fail, self._report_rejection)

    @cached_property
    def running_matches(self) -> RunningMatches:
        """Our unfinished matches on all servers."""
        from mastermind_client.screen.servers.running import RunningMatches

        return RunningMatches(
            self.context,
            lambda: self.open_servers,
            self._keep_home_open,
            lambda: self.servers.home.identity if "servers" in self.__dict__ else None,
            self._notify_of_turn,
            self.redraw,
            self.terminal.fail,
        )

    @property
    def open_servers(self) -> list[Server]:
        """The servers with an open session."""
        return self.servers.open if "servers" in self.__dict__ else []

    def go(self, destination: Destination, *, instead_of: Screen | None = None) -> None:
        """Show the page of a destination on top, or in place of the screen `instead_of`.

        If `instead_of` has been closed already, the page is not shown.
        """
        screen = self._make_screen(self, destination)
        if instead_of is None:
            self.open(screen)
        else:
            self.replace(screen, instead_of)

    def on_removed(self, screen: Screen) -> None:
        """Close a removed screen in the background."""
        self._tasks.spawn(screen.on_close(), keep=True)

    def on_top_screen_changed(self) -> None:
        """Show a new top screen, and close the overlays of the previous one."""
        for overlay in [*self._overlays]:
            self._close_overlay(overlay)
        self.set_title(TITLE)
        self.screen.on_show()
        self.ask_about_challenge()
        self.redraw()

    # Services for screens.

    def set_title(self, title: str, *, ring: bool = False) -> None:
        """Set the window's title. If `ring`, also ring the bell. Settings can switch off either."""
        if self.settings.title:
            self.terminal.set_title(title)
        if ring:
            self.ring()

    def ring(self) -> None:
        """Ring the bell if the settings allow it."""
        if self.settings.bell:
            self.terminal.ring()

    def resolve_address(self, address: str) -> str:
        """Return the address of the server to connect to.

        It is `address`. If that is OFFLINE and this process may not start a server, it is the
        server of the settings.
        """
        return address or ("" if self.context.local else self.settings.server)

    async def connect(
        self, address: str, name: str | None = None, match: str | None = None, host: str = ""
    ) -> Server:
        """Return the connected server at the address, which can be OFFLINE.

        `name` overrides the player's name of the settings. If `match` is the code of a match, the
        session belongs to the player of this computer who has a seat in it. `host` and the
        exceptions are those of `Servers.connect`.
        """
        server = await self.servers.connect(
            self.resolve_address(address), name or self.settings.name, match, host
        )
        if not server.kept and server is not self._unsaved_server:
            self._unsaved_server = server  # so the user is notified once
            self.notify(_("You play offline in another terminal too: no game of this one is kept."))
        return server

    def change_settings(self, **changes: object) -> None:
        """Change settings, apply them, and write them to their file."""
        self.settings = structs.replace(self.settings, **changes)
        if "language" in changes:
            wanted = self.settings.language or None
            self.context.language.use(find_language(wanted, self.context.environ))
        if "mouse" in changes:
            self.terminal.mouse = self.settings.handles_mouse(self.context.environ)
        self.look = self._choose_look()
        save = partial(stored.save, changes, self.context.settings_file)
        self.context.writer.put(save, self._explain_unsaved)
        self.redraw()

    def _explain_unsaved(self, error: OSError) -> None:
        told = _("The settings cannot be kept: {reason}.")
        self.show_error(told.format(reason=error.strerror))
        self.redraw()

    def leave_app(self) -> None:
        """End the client. Ask first if a friend is playing on the server in this process."""
        asked = self.find_overlay(Card)
        about = self.running_matches.describe_hosted_match()
        if not about or (asked is not None and asked is self._leave_question):
            self.quit()
            return
        self._leave_question = Card(
            _("End the program?"),
            Answer(_("Stay"), _("Your friend goes on playing."), self.redraw),
            Answer(_("End it"), about, self.quit),
        )
        self.ask(self._leave_question)

    def quit(self) -> None:
        """End the client."""
        self.terminal.exit()

    async def run(self) -> None:
        """Show the screens until the player ends the client. Raises the failure that ended it."""
        self.set_title(TITLE)
        try:
            await self.terminal.run(self._close)
        finally:
            self.terminal.restore_title()  # last, because screens that are left set it too

    async def _close(self) -> None:
        """Close all screens and sessions. Seats in matches that were not left are kept."""
        for screen in self.remove_all():
            if self.terminal.closed_by_player:
                self.on_removed(screen)
        self._notice.clear()
        await self.running_matches.close()
        await self._tasks.close(LEAVE_SECONDS)
        await self.context.writer.flush()
        self.farewell = self.running_matches.describe_kept_matches()
        if "servers" in self.__dict__:  # no server was connected otherwise
            await self.servers.close()
        await self.context.writer.flush()

    def _choose_look(self) -> Look:
        chosen, environ, encoding = self.settings, self.context.environ, self.context.encoding
        look = Look.choose(chosen.palette, chosen.color, chosen.glyphs, environ, encoding)
        self.terminal.restyle(look.style(), look.depth)
        return look

    # Updates and failures.

    def report(self, error: Exception) -> bool:
        """Show an expected error and return True. For a bug, only return False."""
        match error:
            case MastermindError():
                words = describe_refusal(error)
            case OSError() | ServerUnreachable() | UnknownHere():
                words = explain_failure(error)
            case _:
                return False
        self.show_error(words[:1].upper() + words[1:])
        return True

    async def _keep_home_open(self) -> None:
        """Connect to the server of the settings if this computer has a player there."""
        address, name = self.settings.server, self.settings.name
        if not self.open_servers:
            stored = Identities.of(self.context)
            try:
                known = await asyncio.to_thread(stored.list_registered, address)
            except OSError as error:
                _LOG.info("no session of the home screen at %s: %s", address, error)
                return
            if not known:
                return
            # in a thread, while keys still work
            await asyncio.to_thread(importlib.import_module, _SERVERS_MODULE)
        await self.servers.home.keep_open(address, name)

    def _report_rejection(self, address: str, refusal: Refused) -> None:
        """Report that a server has rejected the player of the home screen."""
        told = _("You are not connected to {server}: {reason}.")
        self.show_error(told.format(server=address, reason=explain_failure(refusal)))

    def _close_overlay(self, overlay: Overlay) -> None:
        """Close an overlay. After the action of its answer, ask about a waiting challenge."""
        super()._close_overlay(overlay)
        asyncio.get_running_loop().call_soon(self.ask_about_challenge)

    def ask_about_challenge(self) -> None:
        """Ask whether to accept the first open challenge, if a question may cover the screen."""
        waiting = [
            (server, challenge)
            for server in self.open_servers
            for challenge in server.session.challenges.values()
        ]
        if waiting and self._can_ask_question:
            self.ask(make_challenge_card(*waiting[0], self.go, self.spawn))

    @property
    def _can_ask_question(self) -> bool:
        """Whether a question may cover the top screen: it has no match and no overlay."""
        return not (self.has_overlay or self.screen.match_code)

    def _show_challenge(self, challenge: Challenged) -> None:
        """Ring the bell, and ask whether to accept the challenge.

        During a match or below an overlay, show a notice instead. The app asks later.
        """
        self.ring()
        if not self._can_ask_question:
            told = describe_challenge_by(challenge, format_name(challenge.by))
            covered = _("You are asked when this is closed.")
            later = _("Answer on another page.") if self.screen.match_code else covered
            self.notify(f"{told} {later}")
        self.ask_about_challenge()

    def _notify_of_turn(self, match: UnfinishedMatch) -> None:
        """Notify the player of a match that waits for the player, unless a screen follows it."""
        if not self.follows(match.code):
            self.set_title(_("Your turn - Mastermind"), ring=True)
            written = describe_unfinished(match, self.context.zone)
            self.notify(_("{match}: continue from the home screen.").format(match=written))

    def _save_chosen_rules(self, moved: Moved) -> None:
        """Make the chosen rules the default of the next form if a match by them has a guess."""
        chosen = self.chosen_rules
        guessed = any(isinstance(event, Guessed) for event in moved.events)
        if guessed and chosen == moved.after.rules.name != self.settings.rules:
            self.change_settings(rules=chosen)

    def _on_update(self, server: Server, update: Update | None) -> None:
        if update is not None:
            for screen in self._screens:
                screen.on_update(server, update)
            notable = isinstance(update, Announced | MatchKept)  # on every page
            if notable and (told := describe_session_update(update)):
                self.notify(told, important=True)
            if isinstance(update, MatchLost) and self.follows(update.mirror.code):
                self.home()
                self.report(update.refusal)
            if isinstance(update, ChallengeReceived):
                self._show_challenge(update.challenge)
            if isinstance(update, ChallengeClosed) and (told := describe_challenge_end(update)):
                self.notify(told)
            if isinstance(update, Moved):
                self._save_chosen_rules(update)
            self.running_matches.notify_of_turns()
        self.redraw()
