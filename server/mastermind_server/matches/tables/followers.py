"""Who follows one match, and what they are told of one another: who is here, how many look on."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Reason
from mastermind_protocol.messages import Absent, Presence, Spectators
from mastermind_server.fanout import Audience, Recipient
from mastermind_server.storage.statements.presence import NOBODY, PresenceRow
from mastermind_server.tuning import SPECTATORS_SECONDS

if TYPE_CHECKING:
    import asyncio

    from websockets.frames import CloseCode

    from mastermind_protocol.events import Player
    from mastermind_server.matches.tables.match_log import MatchLog
    from mastermind_server.services import Services


class Peer(Recipient, Protocol):
    """A connection, as the game sees it: a client that says who it is, and is sent frames.

    `player` is None until it has said hello; `followed` are match codes, and `number` is what the
    log calls it.
    """

    number: int
    player: Player | None
    followed: set[str]

    @property
    def address(self) -> str:
        """Where it comes from, without the port."""
        ...

    def end(self, code: CloseCode, reason: str) -> None:
        """Close it behind what was pushed."""
        ...


class Followers:
    """The peers that are sent what happens in a match. Made and used on a running event loop.

    They are told of those too who follow by way of other nodes; `here` is who does by this one.
    Players are sent it at once, and are told of by their ids, however many connections they have;
    whoever has no seat is one of an audience that is told in its turn, and is only counted.
    """

    __slots__ = (
        "_clock", "_connections", "_elsewhere", "_following", "_gone", "_limiter", "_log",
        "_misled", "_present", "_since", "_timer", "_told", "_told_at",
        "here", "reported", "seated", "watching",
    )  # fmt: skip

    def __init__(self, log: MatchLog, services: Services) -> None:
        self._log, self._clock, self._limiter = log, services.clock, services.limiter
        self._following = services.following
        self.seated: dict[Peer, None] = {}  # in the order in which they came
        self.watching: Audience[Peer] = Audience(services.fanout)
        self._connections: Counter[str] = Counter()  # of each player who follows
        self.here = self.reported = self._elsewhere = NOBODY
        self._told = 0  # the number of spectators that everybody knows,
        self._misled: dict[Peer, None] = {}  # but these, who have come since, know another
        self._told_at = -math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._present: tuple[str, ...] = ()
        self._since = self._clock.now()
        self._gone: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self.seated) + len(self.watching)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self.seated or peer in self.watching

    @property
    def present(self) -> tuple[str, ...]:
        """The ids of the seated players who follow from some connection, at whatever node."""
        players, there = self._log.state.players, (*self.here.players, *self._elsewhere.players)
        return tuple(player.id for player in players if player.id in there)

    @property
    def absent(self) -> tuple[Absent, ...]:
        """The seated people who follow from no connection and have not left, and since when.

        Who has not been seen here is gone since this was made.
        """
        now, match, present = self._clock.now(), self._log.state, self.present
        return tuple(
            Absent(player.id, int(now - self._gone.get(player.id, self._since)))
            for player in match.players
            if player.bot is None and player.id not in present and player.id not in match.left
        )

    def has(self, player: str | None) -> bool:
        """Tell whether the player with this id follows from a connection with this node."""
        return player in self._connections

    def gone_for(self, player: str) -> float | None:
        """Return for how many seconds a player has been gone; None if it was never seen here."""
        gone = self._gone.get(player)
        return None if gone is None else self._clock.now() - gone

    @property
    def spectators(self) -> int:
        """The number of players without a seat who follow, at whatever node."""
        return self.here.spectators + self._elsewhere.spectators

    def check_room(self, peer: Peer) -> None:
        """Raise Refused if there is no room for one more to look on; players always have it.

        Or if too much is followed from its address.
        """
        self._following.check(peer.address, self._limiter, self._log)
        if peer not in self and not self._has_seat(peer):
            self._limiter.check("watchers", len(self.watching), Reason.TOO_MANY_WATCHERS)

    def add(self, peer: Peer) -> None:
        """Let a peer follow; the others are told, it itself is to be told by the caller."""
        if peer in self:
            self._take_out(peer)
        else:
            self._following.add(peer.address, self._log)
            if peer.player:
                self._connections[peer.player.id] += 1
        peer.followed.add(self._log.code)
        self._count()
        if not len(self):
            self._told = self.spectators  # nobody else is there to know
        self._refresh()
        if self._has_seat(peer):
            self.seated[peer] = None
        else:
            self.watching.add(peer)
        if self.spectators != self._told:
            self._misled[peer] = None

    def remove(self, peer: Peer) -> None:
        """Let a peer follow no more; the others are told if a player is gone by that."""
        if peer not in self:
            return
        self._take_out(peer)
        self._following.remove(peer.address, self._log)
        peer.followed.discard(self._log.code)
        if peer.player:
            self._connections[peer.player.id] -= 1
            if not self._connections[peer.player.id]:
                del self._connections[peer.player.id]
        self._refresh()

    def seat_players(self) -> None:
        """Count those who have taken a seat to the players, whatever connection they did it by."""
        for peer in [peer for peer in self.watching if self._has_seat(peer)]:
            self.watching.catch_up(peer)
            self.watching.remove(peer)
            self.seated[peer] = None
        self._refresh()

    def set_elsewhere(self, attendance: PresenceRow) -> None:
        """Count those who follow by way of other nodes."""
        if attendance != self._elsewhere:
            self._elsewhere = attendance
            self._refresh()

    def tell(self, frame: bytes) -> None:
        """Send a frame to all, the players first."""
        for peer in self.seated:
            peer.push(frame)
        self.watching.tell(frame)

    def stop(self) -> None:
        """Cancel the pending timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _has_seat(self, peer: Peer) -> bool:
        return peer.player is not None and self._log.state.seat_of(peer.player.id) is not None

    def _count(self) -> None:
        """Find who is here now; it is the same object as before if they are."""
        seated = [player.id for player in self._log.state.players]
        players = tuple(player for player in seated if player in self._connections)
        here = PresenceRow(players, len(self._connections) - len(players))
        if here != self.here:
            self.here = here if here != NOBODY else NOBODY

    def _take_out(self, peer: Peer) -> None:
        self.seated.pop(peer, None)
        self.watching.remove(peer)
        self._misled.pop(peer, None)

    def _refresh(self) -> None:
        """Tell what is new: who is here now, and how many look on."""
        self._count()
        before, self._present = self._present, self.present
        for player in set(before) ^ set(self._present):
            here = player in self._present
            if not here:
                self._gone[player] = self._clock.now()
            self.tell(encode(Presence(match=self._log.code, player=player, here=here)))
        self._tell_spectators_soon()

    def _tell_spectators_soon(self) -> None:
        """See to it that everybody knows the number: at once, or when the next may be told."""
        if not len(self):
            self.stop()
        elif self._timer is None and self.spectators != self._told:
            wait = self._told_at + SPECTATORS_SECONDS - self._clock.now()
            if wait > 0:
                self._timer = self._clock.call_later(wait, self._tell_spectators)
            else:
                self._tell_spectators()

    def _tell_spectators(self) -> None:
        self._timer = None
        count = self.spectators
        if count != self._told or self._misled:
            self._told, self._told_at = count, self._clock.now()
            self._misled.clear()
            self.tell(encode(Spectators(match=self._log.code, count=count)))
