"""The updates of a session, a closed union, and the state of its connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mastermind_client.net.failures import Outage
    from mastermind_client.net.mirror import Mirror
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match


@dataclass(frozen=True, slots=True)
class Moved:
    """Something happened in a match: one row's events, and the match before and after them.

    `before` is None of a row that begins the match, the first time or again.
    """

    mirror: Mirror
    events: tuple[AnyEvent, ...]
    before: Match | None
    after: Match


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A seated player's connection was lost, or is back, which leaves the `match` what it was.

    `with_us`: it was missing when we came back ourselves. What cut us off has as likely cut it off
    too, a restart of the server for one: that is no news of this player.
    """

    mirror: Mirror
    match: Match
    player: str
    here: bool
    with_us: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """Somebody said something at a match, we too; or said it before, and we may know it now."""

    mirror: Mirror
    match: Match
    line: ChatLine


@dataclass(frozen=True, slots=True)
class SpectatorsChanged:
    """More or fewer look on; `mirror.spectators` is how many."""

    mirror: Mirror


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """Our connection is gone; the session tries to come back by itself."""

    reason: Outage


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """The session tries again; `attempt` counts from 1."""

    attempt: int


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The connection is back, and every match is being brought up to date."""


@dataclass(frozen=True, slots=True)
class PutOff:
    """The server cannot do just now what it was asked for: the session asks again by itself."""

    refusal: Refused


@dataclass(frozen=True, slots=True)
class Announced:
    """The server's operator says something to all; or why a match is ended that we follow."""

    text: str
    match: str | None


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session has ended with a failure: ServerUnreachable or Refused. The last update."""

    failure: Exception


@dataclass(frozen=True, slots=True)
class Connection:
    """The state of a session's connection.

    While it is `lost`, `attempt` counts the attempts to reconnect, and `until` is the time at which
    they end, in seconds of `time.monotonic`. `ended` is the failure that ended the session.
    """

    lost: Outage | None = None
    attempt: int = 0
    until: float = 0.0
    ended: Exception | None = None


ConnectionUpdate: TypeAlias = ConnectionLost | Reconnecting | Reconnected
Update: TypeAlias = (
    Moved
    | PresenceChanged
    | Heard
    | SpectatorsChanged
    | PutOff
    | Announced
    | ConnectionUpdate
    | SessionEnded
)
