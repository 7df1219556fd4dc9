"""Who follows one match, and what they are told of one another: who is here, how many look on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.codec import encode
from mastermind_protocol.messages import Absent, Presence, Spectators
from mastermind_server.limits import SPECTATORS_SECONDS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterator

    from mastermind_protocol.events import Player
    from mastermind_server.matches.match_log import MatchLog
    from mastermind_server.services import Services


class Peer(Protocol):
    """A connection, as the game sees it: a client that says who it is, and is sent frames.

    `player` is None until it has said hello; `followed` are match codes.
    """

    player: Player | None
    followed: set[str]

    @property
    def address(self) -> str:
        """Where it comes from, without the port."""
        ...

    def push(self, frame: bytes) -> None:
        """Send a frame, in order, without waiting for the client to read it."""
        ...


class Followers:
    """The peers that are sent what happens in a match. Made and used on a running event loop.

    Players are told of by their ids, however many connections they have; whoever has no seat is
    only counted.
    """

    def __init__(self, log: MatchLog, services: Services) -> None:
        self._log, self._clock = log, services.clock
        self._told: dict[Peer, int] = {}  # the number of spectators that each was told last
        self._told_at = -math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._present: tuple[str, ...] = ()
        self._since = self._clock.now()
        self._gone: dict[str, float] = {}

    def __iter__(self) -> Iterator[Peer]:
        return iter(self._told)

    def __len__(self) -> int:
        return len(self._told)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self._told

    @property
    def present(self) -> tuple[str, ...]:
        """The ids of the seated players who follow from some connection."""
        here = self._find_ids()
        return tuple(player.id for player in self._log.state.players if player.id in here)

    @property
    def absent(self) -> tuple[Absent, ...]:
        """The seated people who follow from no connection and have not left, and since when.

        Who has not been seen here is gone since this was made.
        """
        now, match = self._clock.now(), self._log.state
        excused = self._find_ids() | match.left
        return tuple(
            Absent(player.id, int(now - self._gone.get(player.id, self._since)))
            for player in match.players
            if player.bot is None and player.id not in excused
        )

    def gone_for(self, player: str) -> float | None:
        """Return for how many seconds a player has been gone; None if it was never seen here."""
        gone = self._gone.get(player)
        return None if gone is None else self._clock.now() - gone

    @property
    def spectators(self) -> int:
        """The number of players without a seat who follow."""
        match = self._log.state
        return sum(match.seat_of(player) is None for player in self._find_ids())

    def add(self, peer: Peer) -> None:
        """Let a peer follow; the others are told, it itself is to be told by the caller."""
        self._told[peer] = 0
        peer.followed.add(self._log.code)
        self._told[peer] = self.spectators
        self._refresh(newcomer=peer)

    def remove(self, peer: Peer) -> None:
        """Let a peer follow no more; the others are told if a player is gone by that."""
        self._told.pop(peer, None)
        peer.followed.discard(self._log.code)
        self._refresh()

    def _refresh(self, newcomer: Peer | None = None) -> None:
        """Tell all but the newcomer what is new: who is here now, and how many look on."""
        before, self._present = self._present, self.present
        for player in set(before) ^ set(self._present):
            here = player in self._present
            if not here:
                self._gone[player] = self._clock.now()
            frame = encode(Presence(match=self._log.code, player=player, here=here))
            for peer in self._told:
                if peer is not newcomer:
                    peer.push(frame)
        self._tell_spectators_soon()

    def stop(self) -> None:
        """Cancel the pending timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _find_ids(self) -> set[str]:
        return {peer.player.id for peer in self._told if peer.player}

    def _tell_spectators_soon(self) -> None:
        """See to it that everybody knows the number: at once, or when the next may be told."""
        if not self._told:
            self.stop()
        elif self._timer is None and set(self._told.values()) != {self.spectators}:
            wait = self._told_at + SPECTATORS_SECONDS - self._clock.now()
            if wait > 0:
                self._timer = self._clock.call_later(wait, self._tell_spectators)
            else:
                self._tell_spectators()

    def _tell_spectators(self) -> None:
        self._timer = None
        count = self.spectators
        frame = encode(Spectators(match=self._log.code, count=count))
        for peer, told in self._told.items():
            if told != count:
                peer.push(frame)
                self._told[peer] = count
        self._told_at = self._clock.now()
