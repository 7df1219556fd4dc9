"""What people say to each other at a match, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.players import name_player
from mastermind_protocol.match import Phase
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.match import Match

PHRASES = (
    N_("Hello!"),
    N_("Good luck!"),
    N_("Good guess!"),
    N_("Well played!"),
    N_("That was close."),
    N_("One moment, please."),
    N_("Are you there?"),
    N_("Thank you!"),
    N_("Good-bye!"),
)
"""The canned phrases, of which the first has number 1; to be translated where they are shown."""


def find_phrase(number: int) -> str:
    """Return a canned phrase by its number; one that only others know is named by its number."""
    if 1 <= number <= len(PHRASES):
        return _(PHRASES[number - 1])
    return _("phrase {number}").format(number=number)


def list_phrases() -> list[str]:
    """Return the canned phrases with their numbers, one a line."""
    return [f"{number}  {find_phrase(number)}" for number in range(1, len(PHRASES) + 1)]


def describe_line(line: ChatLine, match: Match, me: str | None) -> str:
    """Tell what somebody has said, to the player with id `me` or to a spectator."""
    words = read_line(line)
    if line.by == me:
        return _("You say: {words}").format(words=words)
    return _("{name} says: {words}").format(name=name_speaker(line, match, me), words=words)


def describe_delay(match: Match, me: str | None) -> str:
    """Return the notice that the players read a spectator's words later, or an empty text."""
    delayed = match.seat_of(me) is None and match.phase is not Phase.FINISHED
    return _("The players read it when the round is over.") if delayed else ""


def read_line(line: ChatLine) -> str:
    """Return what somebody has said."""
    return find_phrase(line.phrase) if line.phrase is not None else sanitise(line.text or "")


def name_speaker(line: ChatLine, match: Match, me: str | None) -> str:
    """Return who has said something, to the player with id `me` or to a spectator."""
    if line.by == me:
        return _("You")
    if line.room == "spectators":
        return _("{name} (spectator)").format(name=sanitise(line.name))
    seated = (name_player(player) for player in match.players if player.id == line.by)
    return next(seated, sanitise(line.name))
