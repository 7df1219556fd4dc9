"""The chat line of a match: it is typed, sent, and offered again if it was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.players import PHRASES, describe_chat_delay, list_phrases
from mastermind_client.net.failures import ServerUnreachable
from mastermind_client.screen.kit.overlays import LinePrompt
from mastermind_protocol.chat import MAX_CHAT
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.net.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.places.places import Place


class ChatInput:
    """Our chat at a match; `is_seen` tells whether its screen is the one on top."""

    def __init__(self, app: App, place: Place, mirror: Mirror, is_seen: Callable[[], bool]) -> None:
        self._app, self._place, self._mirror, self._is_seen = app, place, mirror, is_seen
        self._draft = ""  # what was refused: the next line begins with it

    def say(self) -> None:
        """Let a line be typed, and say it."""
        words, self._draft = self._draft, ""
        prompt, phrases = _("Say:"), list_phrases()
        self._app.prompt(
            LinePrompt(prompt, self._accept, words, limit=MAX_CHAT, explanation=phrases)
        )

    def toggle_mute(self) -> None:
        """Hide what others say at this place, or show it again; in a rematch, too."""
        self._place.muted = not self._place.muted
        muted = self._place.muted
        self._app.notify(_("The others are muted.") if muted else _("The others are unmuted."))

    def _accept(self, words: str) -> None:
        if words:
            self._app.spawn(self._send(words), _("Saying it ..."))

    async def _send(self, words: str) -> None:
        """Say something, or a canned phrase by its number; what is refused can be sent again."""
        phrase = int(words) if words.isascii() and words.isdigit() and len(words) == 1 else 0
        try:
            if 1 <= phrase <= len(PHRASES):
                await self._place.session.say(self._mirror, phrase=phrase)
            else:
                await self._place.session.say(self._mirror, words)
        except (Refused, ServerUnreachable):
            self._draft = words
            if self._is_seen():
                self.say()
            raise
        if delay := describe_chat_delay(self._mirror.state, self._place.me):
            self._app.notify(delay)
