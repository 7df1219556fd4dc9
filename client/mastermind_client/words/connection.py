"""What becomes of connections, in words: ours, and the other players'."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.net.updates import (
    ConnectionLost,
    Heard,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    SpectatorsChanged,
)
from mastermind_client.words.failures import explain_outage
from mastermind_client.words.players import find_name

if TYPE_CHECKING:
    from mastermind_client.net.updates import Update


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
        case PresenceChanged(match=match) if match.rematch:
            return None  # it is followed no more by whoever plays the rematch
        case PresenceChanged(_, match, player, here):
            told = (
                _("{name} is back.")
                if here
                else _("{name} has lost the connection; the seat is kept.")
            )
            return told.format(name=find_name(match, player))
        case Moved() | Heard() | SpectatorsChanged():
            return None
