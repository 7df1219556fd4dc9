"""Challenges: matches whose free seat is reserved for a connected player, who is notified."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Joined, Seat
from mastermind_protocol.messages import Challenged
from mastermind_server.matches.lobby.first_events import make_challenge_events
from mastermind_server.storage.notices import CHALLENGED, CONNECTED, IS_CONNECTED, Notice
from mastermind_server.storage.records import CHALLENGE_MILLISECONDS, is_challenge
from mastermind_server.storage.statements.ratings import read_last_ratings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mastermind_protocol.requests import Challenge
    from mastermind_server.matches.lobby.lobby import Lobby
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.database import Session

ANSWER_SECONDS = 1.0  # for another node to say that a player is connected there; notices take ms


class Challenges:
    """Opens challenges, and notifies the challenged players that are connected to this node.

    `find_peers` returns the connections of a player id at this node. Other nodes are asked by a
    notice whether a player is connected, and the nodes where it is answer by a notice. So a
    challenge to a player at another node takes three notices, and no row that other players need.
    """

    def __init__(
        self,
        lobby: Lobby,
        tables: Tables,
        services: Services,
        find_peers: Callable[[str], Collection[Peer]],
    ) -> None:
        self._lobby, self._tables, self._services = lobby, tables, services
        self._find_peers = find_peers
        self._asked: dict[str, asyncio.Event] = {}  # by the id of a player, until a node answers
        self._opened: set[str] = set()  # challenges of this node, whose notice it gets as well

    async def challenge(self, call: Call[Challenge]) -> None:
        """Open the match, answer with its log, and notify the challenged player.

        Raises Refused if that player is the challenger or is not connected, and as `Lobby.open`.
        """
        player, request = call.player, call.request
        if request.player == player.id:
            raise Refused(Reason.CHALLENGED_SELF, field="player")
        seat = request.seat or self._services.random.choice(list(Seat))
        events = make_challenge_events(player, request, seat)
        if await self._lobby.follow_earlier(call):
            return
        if not await self._is_connected(request.player):
            last = await self._services.store.read(
                read_last_ratings, request.rules, [request.player]
            )
            name = last[request.player].name or request.player
            raise Refused(Reason.NOT_ONLINE, field="player", name=name)
        code = await self._lobby.open_with(call, events)
        await self.notify(code)
        if self._services.store.shared:
            self._opened.add(code)
            await self._services.store.write(_send_notice, Notice(code, CHALLENGED))

    async def notify(self, code: str) -> None:
        """Send the challenge of the match `code` to the challenged player's connections here."""
        async with self._tables.use(code) as table:
            state = table.log.state
            if not is_challenge(state):
                return
            challenged = encode(self._make_message(table))
            for peer in self._find_peers(str(state.opened.reserved)):
                if code not in peer.followed and (peer.knows_clocks or state.clock is None):
                    peer.push(challenged)

    async def take_notice(self, notice: Notice) -> None:
        """Handle a notice of a node about a challenge. Raises StorageFailed."""
        about, kind = notice
        if kind == CHALLENGED:
            if about in self._opened:
                self._opened.remove(about)
            else:
                await self.notify(about)
        elif kind == IS_CONNECTED and self._find_peers(about):
            await self._services.store.write(_send_notice, Notice(about, CONNECTED))
        elif kind == CONNECTED and (asked := self._asked.get(about)):
            asked.set()

    async def _is_connected(self, player: str) -> bool:
        """Return whether a player is connected to this node, or to one that answers in time."""
        if self._find_peers(player):
            return True
        store = self._services.store
        if not store.shared:
            return False
        asked = self._asked.setdefault(player, asyncio.Event())
        try:
            await store.write(_send_notice, Notice(player, IS_CONNECTED))
            async with asyncio.timeout(ANSWER_SECONDS):
                await asked.wait()
        except TimeoutError:
            return False
        finally:
            self._asked.pop(player, None)
        return True

    def _make_message(self, table: Table) -> Challenged:
        """Return the challenge of a lobby, with the seconds until it expires."""
        state, first = table.log.state, table.log.rows[0]
        (joined,) = (e for e in decode_events(first.events) if isinstance(e, Joined))
        until = first.at + CHALLENGE_MILLISECONDS
        left = max(0, until - self._services.clock.unix_milliseconds())
        return Challenged(
            match=table.log.code,
            by=joined.player,
            rules=state.opened.rules,
            rounds=state.opened.rounds,
            seat=joined.seat.other,
            seconds=left // 1000,
            rated=state.opened.rated,
            clock=state.opened.clock,
            rating=joined.rating,
        )


def _send_notice(session: Session, notice: Notice) -> None:
    session.notices.append(notice)
