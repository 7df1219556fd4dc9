"""The base class of screens that follow a match, and the chat input of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import describe_refusal
from mastermind_client.messages.players import describe_chat_delay, list_phrases, parse_phrase
from mastermind_client.network.entering import leave_eventually
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.screen import MatchPage, find_trouble
from mastermind_client.screen.toolkit.overlays import LinePrompt
from mastermind_protocol.chat import MAX_CHAT_LENGTH
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.screen import Trouble
    from mastermind_client.screen.servers.server import Server
    from mastermind_protocol.rules import Rules


class FollowingScreen(AppScreen):
    """A screen that follows a match on a server until the screen is closed."""

    def __init__(self, app: App, server: Server, mirror: Mirror) -> None:
        super().__init__(app)
        self.server, self.mirror = server, mirror
        self.rules: Rules = mirror.state.rules

    @property
    def trouble(self) -> Trouble | None:
        """The banner for a lost connection, or None."""
        match = self.mirror.state
        playing = match.phase is not Phase.FINISHED and match.seat_of(self.server.me) is not None
        return find_trouble(self.server.connection, self.app.context.zone, seated=playing)

    @property
    def match_code(self) -> str:
        """The code of the match."""
        return self.mirror.code

    async def on_close(self) -> None:
        """Leave or unfollow the match in the background, unless the session has ended."""
        if self.server.connection.ended is None:
            await leave_eventually(self._leave_or_show)

    async def _leave_or_show(self) -> None:
        """Call `leave_or_unfollow`. Show the match if an opponent has just joined it."""
        try:
            await self.leave_or_unfollow()
        except Refused as refusal:
            if refusal.reason is Reason.JUST_JOINED and not self.app.is_ending:
                self.app.go(MatchPage(self.server, self.mirror))
                self.app.notify(describe_refusal(refusal))
            raise

    async def leave_or_unfollow(self) -> None:
        """Unfollow the match, or in some subclasses leave it. Raises Refused, ServerUnreachable."""
        await self.server.session.unfollow(self.mirror)


class ChatInput:
    """The user's chat input. `is_on_top` returns whether the match screen is on top."""

    def __init__(
        self, app: App, server: Server, mirror: Mirror, is_on_top: Callable[[], bool]
    ) -> None:
        self._app, self._server, self._mirror, self._is_on_top = app, server, mirror, is_on_top
        self._draft = ""  # refused text, at the start of the next prompt

    def is_possible(self) -> bool:
        """Return whether other people can follow the match and read the chat."""
        return self._server.address != OFFLINE and not self._mirror.state.is_entry

    def prompt(self) -> None:
        """Open the prompt for a line of chat. Enter sends the line."""
        words, self._draft = self._draft, ""
        label, phrases = _("Say:"), list_phrases()
        self._app.prompt(
            LinePrompt(label, self._accept, words, limit=MAX_CHAT_LENGTH, explanation=phrases)
        )

    def toggle_mute(self) -> None:
        """Mute or unmute the chat of others in all matches on this server."""
        self._server.muted = not self._server.muted
        muted = self._server.muted
        self._app.notify(_("The others are muted.") if muted else _("The others are unmuted."))

    def _accept(self, words: str) -> None:
        if words:
            self._app.spawn(self._send(words), _("Saying it ..."))

    async def _send(self, words: str) -> None:
        """Send a text, or the canned phrase of a typed number.

        The next prompt starts with a refused text.
        """
        phrase = parse_phrase(words)
        text = None if phrase else words
        try:
            await self._server.session.say(self._mirror, text, phrase=phrase)
        except (Refused, ServerUnreachable):
            self._draft = words
            if self._is_on_top():
                self.prompt()
            raise
        if delay := describe_chat_delay(self._mirror.state, self._server.me):
            self._app.notify(delay)
