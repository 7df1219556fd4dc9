"""The updates of a session, as a union of types, and their publisher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.network.failures import DisconnectReason
    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Challenged


@dataclass(frozen=True, slots=True)
class Moved:
    """The events of one row of a match's log, and the match before and after them.

    `before` is None for the first row of a log.
    """

    mirror: Mirror
    events: tuple[AnyEvent, ...]
    before: Match | None
    after: Match

    @property
    def has_filled_seats(self) -> bool:
        """Whether the second player joins in this row."""
        gathering = self.before is None or self.before.phase is Phase.GATHERING
        return gathering and len(self.after.players) > 1


@dataclass(frozen=True, slots=True)
class MatchRestored:
    """The server's store has gone back: all rows of the match after `version` are undone.

    `match` is the match at `version`. Later rows of the present log follow as `Moved`.
    """

    mirror: Mirror
    match: Match
    version: int


@dataclass(frozen=True, slots=True)
class MatchLost:
    """The server refuses to let us follow a match again. No update of the match follows."""

    mirror: Mirror
    refusal: Refused


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A seated player has disconnected or reconnected. The `match` is unchanged.

    `connected` is whether the player is connected now. After we have reconnected ourselves, we
    learn which players are disconnected. `after_reconnect` marks these updates, and the return of
    these players. The server has probably restarted, so nothing needs to be displayed.
    """

    mirror: Mirror
    match: Match
    player: str
    connected: bool
    after_reconnect: bool = False


@dataclass(frozen=True, slots=True)
class ChatReceived:
    """A new line of chat, also our own, or an older line that has become visible."""

    mirror: Mirror
    match: Match
    line: ChatLine


@dataclass(frozen=True, slots=True)
class CodeRevealed:
    """The contest of an ended entry has revealed the secret and the nonce. `match` has both."""

    mirror: Mirror
    match: Match


@dataclass(frozen=True, slots=True)
class SpectatorsChanged:
    """The number of spectators has changed."""

    mirror: Mirror


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """The connection is lost. The session reconnects by itself."""

    reason: DisconnectReason


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """An attempt to reconnect starts. `attempt` counts from 1."""

    attempt: int


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The session is connected again, and requests the missing rows of every match."""


@dataclass(frozen=True, slots=True)
class RequestDelayed:
    """The server has refused a request temporarily. The session repeats the request."""

    refusal: Refused


@dataclass(frozen=True, slots=True)
class Announced:
    """A message of the server's operator.

    With a `match`, the operator ends this match, and `text` is the reason.
    """

    text: str
    match: str | None


@dataclass(frozen=True, slots=True)
class ChallengeReceived:
    """Another player challenges this player to a match."""

    challenge: Challenged


@dataclass(frozen=True, slots=True)
class ChallengeClosed:
    """A challenge to this player has ended.

    `how` is "accepted", "declined", "withdrawn" or "expired".
    """

    challenge: Challenged
    how: str


@dataclass(frozen=True, slots=True)
class MatchKept:
    """A match that was hosted at home has been stored on this computer, or not for a `failure`."""

    match: str
    failure: Exception | None = None


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The session has ended with ServerUnreachable or Refused. No update follows."""

    failure: Exception


@dataclass(frozen=True, slots=True)
class Connection:
    """The state of a session's connection.

    `lost` is the reason why the connection is lost, or None while connected. After a loss,
    `attempt` is the number of attempts to reconnect, and `until` is the time when the client gives
    up, in seconds of `time.monotonic`.
    `ended` is the failure that ended the session, or None.
    """

    lost: DisconnectReason | None = None
    attempt: int = 0
    until: float = 0.0
    ended: Exception | None = None


ConnectionUpdate: TypeAlias = ConnectionLost | Reconnecting | Reconnected
Update: TypeAlias = (
    Moved
    | MatchRestored
    | MatchLost
    | PresenceChanged
    | CodeRevealed
    | ChatReceived
    | SpectatorsChanged
    | RequestDelayed
    | Announced
    | ChallengeReceived
    | ChallengeClosed
    | ConnectionUpdate
    | MatchKept
    | SessionEnded
)


class Publisher:
    """Publishes updates to one subscriber at a time. Without a subscriber they are discarded.

    `connection` is the state of the session's connection. `challenges` has the open challenges to
    this player by match code; a new subscriber receives them. `on_match_ended` is called with the
    mirror of each match that ends with a seat of ours, before its end is published.
    """

    def __init__(self) -> None:
        self.connection = Connection()
        self.challenges: dict[str, Challenged] = {}
        self.on_match_ended: Callable[[Mirror], object] = discard
        self._on_update: Callable[[Update], None] = discard
        self._on_failure: Callable[[Exception], None] = discard

    def subscribe(
        self, on_update: Callable[[Update], None], on_failure: Callable[[Exception], None]
    ) -> None:
        """Call `on_update` for the open challenges, and for each later update.

        This replaces an earlier subscriber. `on_failure` receives the exceptions of `on_update`.
        They do not end the connection.
        """
        self._on_update, self._on_failure = on_update, on_failure
        self.publish(*map(ChallengeReceived, self.challenges.values()))

    def unsubscribe(self) -> None:
        """Discard all later updates."""
        self._on_update = discard

    def publish(self, *updates: Update) -> None:
        """Pass updates to the subscriber."""
        for update in updates:
            try:
                self._on_update(update)
            except Exception as error:
                self._on_failure(error)

    def change_connection(self, connection: Connection, update: Update) -> None:
        """Set the state of the connection, and publish `update`."""
        self.connection = connection
        self.publish(update)


def discard(_value: object) -> None:
    """Ignore an update, a failure or the end of a match that has no subscriber."""
