"""The followers of one match, and the messages about their presence."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Reason
from mastermind_protocol.messages import Absent, Presence, Spectators
from mastermind_server.broadcast import Audience, Recipient
from mastermind_server.storage.statements.presence import NO_PRESENCE, PresenceRow

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from websockets.frames import CloseCode

    from mastermind_protocol.dialects import Dialect
    from mastermind_protocol.events import Player
    from mastermind_server.matches.tables.followed import FollowedMatches
    from mastermind_server.matches.tables.match_log import MatchLog
    from mastermind_server.services import Services

RECONNECTS_PER_SECOND = 200  # disconnected clients: the rate of the limit `handshakes`
STAYS_KEPT = 20  # of one player, who seldom reconnects more often within an outage
SPECTATOR_COUNT_SECONDS = 1.0  # between two broadcasts of the number of spectators of a match


def make_restart_reason(number: int) -> str:
    """Return the reason in the close frame 1012 of client `number`, from 0 in each crowd.

    It contains a different `retry_after` in seconds for each client. If all reconnected at once,
    the limit `handshakes` would refuse most of them.
    """
    return f"restarting; retry_after={number / RECONNECTS_PER_SECOND:.3f}"


class Peer(Recipient, Protocol):
    """A client's connection, as matches use it.

    `player` is None before the hello. `followed` contains match codes. `number` identifies the
    connection in log lines. `ended` is true after `end`.
    """

    number: int
    ended: bool
    player: Player | None
    followed: set[str]

    @property
    def address(self) -> str:
        """The client's address, as limits count it: IPv4, or a /64 of IPv6."""
        ...

    @property
    def dialect(self) -> Dialect:
        """What the client understands."""
        ...

    @property
    def round_trip(self) -> float:
        """The shortest of the last round trips, in seconds; 0 if unknown."""
        ...

    def list_unhandled(self) -> Sequence[tuple[bytes | None, float]]:
        """Return the messages that are not handled yet, each with the seconds since it was read.

        A message is None if it is a text message, or data that is not parsed yet.
        """
        ...

    def measure_round_trip(self) -> None:
        """Send a ping. Its pong ends the measurement of a round trip."""
        ...

    def end(self, code: CloseCode, reason: str) -> None:
        """Send the messages that were pushed before, then close the connection."""
        ...


class Followers:
    """The peers that receive the events of a match. Must be used on a running event loop.

    `seated` are the peers of seated players, who receive events first. `watching` are the peers of
    spectators. A player with several peers counts once. All peers receive messages about the
    presence of seated players, and about the number of spectators. `here` is the presence at this
    node, and `reported` is the last value of `here` that `nodes.Presence` has received.
    """

    __slots__ = (
        "_announced", "_announced_at", "_clock", "_connections", "_disconnected",
        "_elsewhere", "_followed", "_limiter", "_loaded_at", "_log", "_outdated", "_present",
        "_stays", "_timer", "here", "reported", "seated", "watching",
    )  # fmt: skip

    def __init__(self, log: MatchLog, services: Services, followed: FollowedMatches) -> None:
        self._log, self._clock, self._limiter = log, services.clock, services.limiter
        self._followed = followed
        self.seated: dict[Peer, None] = {}  # in the order of `add`
        self.watching: Audience[Peer] = Audience(services.broadcasts)
        self._connections: Counter[str] = Counter()  # by player
        self.here = self.reported = self._elsewhere = NO_PRESENCE
        self._announced = 0  # number of spectators in the last broadcast
        self._outdated: dict[Peer, None] = {}  # peers that have received another number since
        self._announced_at = -math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._present: tuple[str, ...] = ()
        self._loaded_at = self._clock.now()
        self._disconnected: dict[str, float] = {}  # time by player
        self._stays: dict[str, tuple[tuple[float, float | None], ...]] = {}  # by player

    def __len__(self) -> int:
        return len(self.seated) + len(self.watching)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self.seated or peer in self.watching

    @property
    def present(self) -> tuple[str, ...]:
        """The ids of the seated players who follow the match at any node."""
        players, connected = self._log.state.players, (*self.here.players, *self._elsewhere.players)
        return tuple(player.id for player in players if player.id in connected)

    @property
    def absent(self) -> tuple[Absent, ...]:
        """The disconnected seated players, each with the seconds since the disconnection.

        Players who left and bots of the server are omitted. If a player disconnected before the
        table was loaded, the seconds count from the loading.
        """
        now, match, present = self._clock.now(), self._log.state, self.present
        return tuple(
            Absent(player.id, int(now - self._disconnected.get(player.id, self._loaded_at)))
            for player in match.players
            if player.bot is None and player.id not in present and player.id not in match.departed
        )

    def has_player(self, player: str | None) -> bool:
        """Return whether the player with this id follows the match at this node."""
        return player in self._connections

    def list_stays(self, player: str) -> tuple[tuple[float, float | None], ...]:
        """Return the last times in which the player with this id followed at this node.

        The result has at most STAYS_KEPT pairs of a start and an end in monotonic seconds, the
        earliest first. The end is None if the player follows now. The stays of a seated player are
        kept after the player has stopped following.
        """
        return self._stays.get(player, ())

    def find_seconds_since_disconnect(self, player: str) -> float | None:
        """Return the seconds since the player with this id last disconnected from the match.

        Return None if the player has not disconnected since the table was loaded.
        """
        since = self._disconnected.get(player)
        return None if since is None else self._clock.now() - since

    def find_away_seconds(self, player: str) -> float:
        """Return the seconds since the player with this id last followed the match at any node.

        The result is 0 for a player who follows it now. If the player stopped following before the
        table was loaded, the seconds count from the loading.
        """
        if player in self.present:
            return 0.0
        return self._clock.now() - self._disconnected.get(player, self._loaded_at)

    def follows_elsewhere_only(self, player: str) -> bool:
        """Return whether the player with this id follows the match at other nodes only."""
        return player in self._elsewhere.players and player not in self.here.players

    def follows_elsewhere(self, player: str) -> bool:
        """Return whether the player with this id follows the match at another node.

        The player may also follow the match at this node.
        """
        return player in self._elsewhere.players

    @property
    def spectators(self) -> int:
        """The number of spectators at all nodes."""
        return self.here.spectators + self._elsewhere.spectators

    def check_limits(self, peer: Peer) -> None:
        """Raise Refused if the peer would exceed a limit by following the match.

        Some limits are on the matches that clients of one address follow, and one is on the
        spectators of the match at this node.
        """
        self._followed.check_limits(peer.address, self._limiter, self._log)
        if peer not in self and not self._has_seat(peer):
            self._limiter.check_count("spectators", len(self.watching), Reason.TOO_MANY_WATCHERS)

    def add(self, peer: Peer) -> None:
        """Add a peer, and send the change of presence to the other peers."""
        if peer in self:
            self._remove_peer(peer)
        else:
            self._followed.add(peer.address, self._log)
            if peer.player:
                if peer.player.id not in self._connections:
                    earlier = self.list_stays(peer.player.id)[1 - STAYS_KEPT :]
                    self._stays[peer.player.id] = (*earlier, (self._clock.now(), None))
                self._connections[peer.player.id] += 1
        peer.followed.add(self._log.code)
        self._update_presence()
        if not len(self):
            self._announced = self.spectators  # there is no peer that needs a broadcast
        self._broadcast_presence()
        if self._has_seat(peer):
            self.seated[peer] = None
        else:
            self.watching.add(peer)
        if self.spectators != self._announced:
            self._outdated[peer] = None

    def remove(self, peer: Peer) -> None:
        """Remove a peer, and send the change of presence to the other peers."""
        if peer not in self:
            return
        self._remove_peer(peer)
        self._followed.remove(peer.address, self._log)
        peer.followed.discard(self._log.code)
        if peer.player:
            self._connections[peer.player.id] -= 1
            if not self._connections[peer.player.id]:
                del self._connections[peer.player.id]
                *earlier_stays, (arrived, _) = self._stays.pop(peer.player.id)
                if self._has_seat(peer):
                    stay = (arrived, self._clock.now())
                    self._stays[peer.player.id] = (*earlier_stays, stay)
        self._broadcast_presence()

    def move_seated_players(self) -> None:
        """After players have taken seats, move their peers from `watching` to `seated`."""
        for peer in [peer for peer in self.watching if self._has_seat(peer)]:
            self.watching.catch_up(peer)
            self.watching.remove(peer)
            self.seated[peer] = None
        self._broadcast_presence()

    def set_elsewhere(self, presence: PresenceRow) -> None:
        """Set the presence at other nodes."""
        if presence != self._elsewhere:
            self._elsewhere = presence
            self._broadcast_presence()

    def broadcast(self, message: bytes) -> None:
        """Send a message to all peers, to seated players first."""
        for peer in self.seated:
            peer.push(message)
        self.watching.broadcast(message)

    def cancel_timer(self) -> None:
        """Cancel the timer that broadcasts the number of spectators."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _has_seat(self, peer: Peer) -> bool:
        return peer.player is not None and self._log.state.seat_of(peer.player.id) is not None

    def _update_presence(self) -> None:
        """Update `here` if the followers at this node have changed."""
        seated = [player.id for player in self._log.state.players]
        players = tuple(player for player in seated if player in self._connections)
        here = PresenceRow(players, len(self._connections) - len(players))
        if here != self.here:
            self.here = here if here != NO_PRESENCE else NO_PRESENCE

    def _remove_peer(self, peer: Peer) -> None:
        self.seated.pop(peer, None)
        self.watching.remove(peer)
        self._outdated.pop(peer, None)

    def _broadcast_presence(self) -> None:
        """Broadcast the changes of presence since the last call."""
        self._update_presence()
        before, self._present = self._present, self.present
        for player in set(before) ^ set(self._present):
            here = player in self._present
            if not here:
                self._disconnected[player] = self._clock.now()
            self.broadcast(encode(Presence(match=self._log.code, player=player, here=here)))
        self._schedule_count_broadcast()

    def _schedule_count_broadcast(self) -> None:
        """Broadcast a new number of spectators, at most once per SPECTATOR_COUNT_SECONDS."""
        if not len(self):
            self.cancel_timer()
        elif self._timer is None and self.spectators != self._announced:
            wait = self._announced_at + SPECTATOR_COUNT_SECONDS - self._clock.now()
            if wait > 0:
                self._timer = self._clock.call_later(wait, self._broadcast_count)
            else:
                self._broadcast_count()

    def _broadcast_count(self) -> None:
        self._timer = None
        count = self.spectators
        if count != self._announced or self._outdated:
            self._announced, self._announced_at = count, self._clock.now()
            self._outdated.clear()
            self.broadcast(encode(Spectators(match=self._log.code, count=count)))
