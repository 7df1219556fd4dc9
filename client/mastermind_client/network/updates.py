"""The updates of a session, a closed union, and the state of its connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mastermind_client.network.failures import Outage
    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match


@dataclass(frozen=True, slots=True)
class Moved:
    """The events of one row, and the match before and after them.

    `before` is None for the first row, also after a restart of the log.
    """

    mirror: Mirror
    events: tuple[AnyEvent, ...]
    before: Match | None
    after: Match


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A seated player has disconnected or reconnected. The `match` is unchanged.

    `with_us`: the player was missing after our own reconnection. The same cause, such as a restart
    of the server, probably disconnected both, so this is no news about the player.
    """

    mirror: Mirror
    match: Match
    player: str
    here: bool
    with_us: bool = False


@dataclass(frozen=True, slots=True)
class ChatReceived:
    """A line of chat, also our own, or an older line that has become visible."""

    mirror: Mirror
    match: Match
    line: ChatLine


@dataclass(frozen=True, slots=True)
class SpectatorsChanged:
    """The number of spectators, `mirror.spectators`, has changed."""

    mirror: Mirror


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """The connection is lost; the session reconnects by itself."""

    reason: Outage


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """The session tries to reconnect; `attempt` counts from 1."""

    attempt: int


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The session is connected again and brings every match up to date."""


@dataclass(frozen=True, slots=True)
class RequestDelayed:
    """The server refuses a request temporarily; the session repeats the request."""

    refusal: Refused


@dataclass(frozen=True, slots=True)
class Announced:
    """A message of the server's operator to all, or the reason for ending a followed match."""

    text: str
    match: str | None


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session has ended with a failure: ServerUnreachable or Refused. The last update."""

    failure: Exception


@dataclass(frozen=True, slots=True)
class Connection:
    """The state of a session's connection.

    While it is `lost`, `attempt` counts the attempts to reconnect, and `until` is the time of the
    last one, in seconds of `time.monotonic`. `ended` is the failure that ended the session.
    """

    lost: Outage | None = None
    attempt: int = 0
    until: float = 0.0
    ended: Exception | None = None


ConnectionUpdate: TypeAlias = ConnectionLost | Reconnecting | Reconnected
Update: TypeAlias = (
    Moved
    | PresenceChanged
    | ChatReceived
    | SpectatorsChanged
    | RequestDelayed
    | Announced
    | ConnectionUpdate
    | SessionEnded
)
