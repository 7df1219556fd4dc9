"""Texts about the updates of a session: connections, announcements and challenges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import (
    describe_refusal,
    explain_disconnect,
    explain_failure,
    explain_refusal,
)
from mastermind_client.messages.players import find_name, format_name
from mastermind_client.network.updates import (
    Announced,
    ChallengeClosed,
    ChallengeReceived,
    ChatReceived,
    CodeRevealed,
    ConnectionLost,
    MatchKept,
    MatchLost,
    MatchRestored,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    RequestDelayed,
    SessionEnded,
    SpectatorsChanged,
)
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.network.updates import Update
    from mastermind_protocol.messages import Challenged


def describe_announcement(announced: Announced) -> str:
    """Return the message of a server's operator."""
    text = sanitise(announced.text)
    if announced.match is None:
        return _("The server's operator: {text}").format(text=text)
    ended = _("The server's operator ends match {match}: {text}")
    return ended.format(match=announced.match, text=text)


def describe_challenge_by(challenge: Challenged, name: str) -> str:
    """Return a sentence: the player `name` challenges the reader, or offers a rematch."""
    text = _("{name} offers a rematch.") if challenge.previous else _("{name} challenges you.")
    return text.format(name=name)


def describe_challenge(challenge: Challenged) -> str:
    """Return a sentence: a player challenges the reader to a match, or offers one as a rematch."""
    text = _("{name} challenges you: match {match}.")
    if challenge.previous:
        text = _("{name} offered a rematch: match {match}.")
    return text.format(name=format_name(challenge.by), match=challenge.match)


def describe_challenge_wait() -> str:
    """Return a sentence: how long a challenge by the reader lasts, and when its player sees it."""
    return _("The other player is asked while online, for two minutes.")


def describe_challenge_end(closed: ChallengeClosed) -> str | None:
    """Return why a challenge to the reader has ended, or None if the reader has answered it."""
    name = format_name(closed.challenge.by)
    match closed.how:
        case "withdrawn" if closed.challenge.previous:
            return _("{name} takes the rematch back.").format(name=name)
        case "withdrawn":
            return _("{name} takes the challenge back.").format(name=name)
        case "expired":
            return _("The challenge of {name} has expired.").format(name=name)
        case _:
            return None


def describe_challenge_choice(*, allowed: bool) -> str:
    """Return a sentence: whether the reader takes challenges."""
    return _("You take challenges.") if allowed else _("You take no challenges.")


def describe_declined(*, late: bool) -> str:
    """Return a sentence: the challenge was declined, or if `late`, not answered in time."""
    return (
        _("The challenge has expired: there was no answer.")
        if late
        else _("The challenge was declined.")
    )


def describe_connecting(server: str | None = None) -> str:
    """Return a line about a slow first connection to a server, or to several ones for None."""
    if server in (None, OFFLINE, HOSTED):
        return _("One moment ...")
    return _("Connecting to {server} ...").format(server=sanitise(server))


def describe_session_update(update: Update) -> str | None:
    """Return a line about a connection, a delayed request, an announcement or a challenge.

    MatchRestored and MatchLost have a line, too. Returns None for other updates, for a
    PresenceChanged with `after_reconnect`, and for a PresenceChanged in a match that has a rematch.
    """
    match update:
        case ConnectionLost(reason):
            return _(
                "*** CONNECTION LOST: {reason}. Your seat is kept; trying to reconnect. ***"
            ).format(reason=explain_disconnect(reason))
        case Reconnecting(attempt):
            return _("*** RECONNECTING, try {number} ... ***").format(number=attempt)
        case Reconnected():
            return _("*** CONNECTED AGAIN. ***")
        case RequestDelayed(refusal):
            text = _("Not done yet: {reason}. Trying again.")
            return text.format(reason=explain_refusal(refusal))
        case MatchRestored():
            return _(
                "The server has gone back to an earlier state of this match: everything after it is"
                " undone."
            )
        case MatchLost(refusal=refusal):
            return describe_refusal(refusal)
        case MatchKept(code, failure):
            text = _("Match {match} cannot be kept on this computer: {reason}.")
            return text.format(match=code, reason=explain_failure(failure)) if failure else None
        case Announced():
            return describe_announcement(update)
        case ChallengeReceived(challenge):
            return describe_challenge(challenge)
        case ChallengeClosed():
            return describe_challenge_end(update)
        case PresenceChanged(match=match) if match.rematch:
            return None  # players of the rematch leave this match
        case PresenceChanged(after_reconnect=True):
            return None  # ConnectionLost and Reconnected report it
        case PresenceChanged(_, match, player, here):
            text = (
                _("{name} is back.")
                if here
                else _("{name} has lost the connection; the seat is kept.")
            )
            return text.format(name=find_name(match, player))
        case Moved() | CodeRevealed() | ChatReceived() | SpectatorsChanged() | SessionEnded():
            return None


def describe_new_usual_server(server: str) -> str:
    """Return the notice that `server` is now the server of the settings."""
    return _("{server} is your server for friends from now on.").format(server=server)
