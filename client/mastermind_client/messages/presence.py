"""Who is at a match, in words: the players and who looks on, and what becomes of connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.failures import explain_outage
from mastermind_client.messages.players import find_name, name_player
from mastermind_client.messages.refusals import explain_refusal
from mastermind_client.net.updates import (
    Announced,
    ConnectionLost,
    Heard,
    Moved,
    PresenceChanged,
    PutOff,
    Reconnected,
    Reconnecting,
    SessionEnded,
    SpectatorsChanged,
)
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.updates import Update
    from mastermind_protocol.events import Player


MINUTE = 60  # seconds


def describe_company(mirror: Mirror, me: str | None, now: float) -> Iterator[str]:
    """Yield who else is at a match and who looks on, at a time of `time.monotonic`.

    To a player that is the opponent, to anybody else both players.
    """
    others = [player for player in mirror.state.players if player.id != me]
    for player in others:
        yield _describe_kind(player)
        if player.bot is None:
            yield describe_absence(mirror, player, now)
    if not others:
        yield _("Nobody has joined yet.")
    yield count_spectators(mirror.spectators)


def describe_absence(mirror: Mirror, player: Player, now: float) -> str:
    """Say whether a player is connected, or since when not."""
    name, since = name_player(player), mirror.away.get(player.id)
    if player.id in mirror.state.left:
        return _("{name} has left.").format(name=name)
    if since is None:
        return _("{name} is connected.").format(name=name)
    seconds = max(0, int(now - since))
    if seconds < MINUTE:
        return ngettext(
            "{name} has been away for {number} second; the seat is kept.",
            "{name} has been away for {number} seconds; the seat is kept.",
            seconds,
        ).format(name=name, number=seconds)
    return ngettext(
        "{name} has been away for {number} minute; the seat is kept.",
        "{name} has been away for {number} minutes; the seat is kept.",
        seconds // MINUTE,
    ).format(name=name, number=seconds // MINUTE)


def count_spectators(number: int) -> str:
    """Say how many look on."""
    if number == 0:
        return _("Nobody looks on.")
    return ngettext("{number} spectator looks on.", "{number} spectators look on.", number).format(
        number=number
    )


def _describe_kind(player: Player) -> str:
    name = name_player(player)
    if player.bot is not None:
        if player.bot == player.name:
            return _("{name} is a bot.").format(name=name)
        return _("{name} is the bot {bot}.").format(name=name, bot=sanitise(player.bot))
    if player.program:
        return _("{name} is somebody's own program.").format(name=name)
    return _("{name} is a person.").format(name=name)


def describe_announcement(announced: Announced) -> str:
    """Say what a server's operator tells."""
    text = sanitise(announced.text)
    if announced.match is None:
        return _("The server's operator: {text}").format(text=text)
    told = _("The server's operator ends match {match}: {text}")
    return told.format(match=announced.match, text=text)


def describe_connection(update: Update) -> str | None:
    """Say what became of a connection, ours or another player's; None if nothing is to be said."""
    match update:
        case ConnectionLost(reason):
            return _(
                "*** CONNECTION LOST: {reason}. Your seat is kept; trying to come back. ***"
            ).format(reason=explain_outage(reason))
        case Reconnecting(attempt):
            return _("*** RECONNECTING, try {number} ... ***").format(number=attempt)
        case Reconnected():
            return _("*** CONNECTED AGAIN. ***")
        case PutOff(refusal):
            text = _("Not done yet: {reason}. Trying again by itself.")
            return text.format(reason=explain_refusal(refusal))
        case Announced():
            return describe_announcement(update)
        case PresenceChanged(match=match) if match.rematch:
            return None  # it is followed no more by whoever plays the rematch
        case PresenceChanged(with_us=True):
            return None  # of ourselves it was told
        case PresenceChanged(_, match, player, here):
            told = (
                _("{name} is back.")
                if here
                else _("{name} has lost the connection; the seat is kept.")
            )
            return told.format(name=find_name(match, player))
        case Moved() | Heard() | SpectatorsChanged() | SessionEnded():
            return None
