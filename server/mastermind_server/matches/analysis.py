"""Advice for a codebreaker, and reviews of finished matches."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.commands import TakeAdvice
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Advised
from mastermind_protocol.match import BreakerView, Phase, is_advised
from mastermind_protocol.messages import MAX_REVIEWED, Advice, Reviewing
from mastermind_server import tuning
from mastermind_server.bots.bot import LARGEST
from mastermind_server.storage.idempotency import ReusedId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mastermind_protocol.messages import Reviewed
    from mastermind_protocol.requests import Advise, Review
    from mastermind_protocol.rules import Rules
    from mastermind_server.limits import Limiter
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.idempotency import RequestKey


class Analysis:
    """Answers requests with the solver, which works on the view of the codebreaker."""

    def __init__(self, tables: Tables, services: Services) -> None:
        self._tables, self._bots = tables, services.bots
        self._queue = AnalysisQueue(services.limiter)
        self._reviews = Reviews()

    async def advise(self, call: Call[Advise]) -> None:
        """Broadcast that the player takes advice, and answer with the advice. Raises Refused."""
        peer, player, request, key = call
        async with (
            self._queue.turn(peer, player.id),
            self._tables.at(request.match, request.v) as table,
        ):
            _check_size(table.log.state.rules)
            view = await _take_advice(table, player.id, key, request.v)
            found = await self._bots.advise(view, request.by, request.most)
        advice = Advice(
            id=request.id,
            match=request.match,
            guess=len(view.turns) + 1,
            left=found.left,
            guesses=found.guesses,
            sampled=found.sampled,
        )
        peer.push(encode(advice))

    async def review(self, call: Call[Review]) -> None:
        """Answer with the review of a round of a finished match. Raises Refused."""
        peer, player, request, _ = call
        async with self._tables.at(request.match) as table:
            match = table.log.state
        _check_size(match.rules)
        if match.phase is not Phase.FINISHED:
            raise Refused(Reason.NOT_OVER)
        if request.round > len(match.played):
            played = len(match.played)
            raise Refused(Reason.UNKNOWN_ROUND, field="round", limit=played, round=request.round)
        turns = match.played[request.round - 1].turns
        start = request.start - 1
        end = min(start + MAX_REVIEWED, len(turns))
        game = (request.match, request.round)
        found = self._reviews.find(*game, start, end)
        if len(found) < end - start:
            async with self._queue.turn(peer, player.id):
                found = self._reviews.find(*game, start, end)  # another request may have added them
                missing = start + len(found)
                found += await self._bots.review(match.rules, turns, missing, end)
            self._reviews.add(*game, start, found)
        reviewing = Reviewing(
            id=request.id,
            match=request.match,
            round=request.round,
            turns=tuple(found),
            more=end < len(turns),
        )
        peer.push(encode(reviewing))


class AnalysisQueue:
    """A bounded queue for the solver. The requests of one player run one after another.

    So a player with many requests does not delay other players.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._pending: dict[str, _Pending] = {}  # by player

    @asynccontextmanager
    async def turn(self, peer: Peer, player: str) -> AsyncIterator[None]:
        """Enter the block after the player's earlier requests.

        Raises Refused if the queue is full.
        """
        pending = self._pending.get(player) or _Pending(peer.address)
        self._check("analyses_of_player", pending.count)
        here = (other.count for other in self._pending.values() if other.address == peer.address)
        self._check("analyses_of_address", sum(here))
        self._check("analyses", sum(other.count for other in self._pending.values()))
        self._pending[player] = pending
        pending.count += 1
        try:
            async with pending.turn:
                yield
        finally:
            pending.count -= 1
            if not pending.count:
                del self._pending[player]

    def _check(self, name: str, count: int) -> None:
        self._limiter.check(name, count, Reason.TOO_MANY_ANALYSES, tuning.RETRY_SECONDS)


@dataclass(slots=True, eq=False)
class _Pending:
    """The pending requests of a player, counted for the address of the first one."""

    address: str
    count: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Reviews:
    """A cache of reviewed guesses of finished matches, which never change.

    The key of a guess is its match, its round and its index in the round.
    """

    def __init__(self, kept: int = tuning.REVIEWED_KEPT) -> None:
        self._kept = kept
        self._turns: OrderedDict[tuple[str, int, int], Reviewed] = OrderedDict()

    def find(self, match: str, number: int, start: int, end: int) -> list[Reviewed]:
        """Return the cached reviews of guesses, up to the first missing one."""
        found = []
        for index in range(start, end):
            reviewed = self._turns.get((match, number, index))
            if reviewed is None:
                break
            self._turns.move_to_end((match, number, index))
            found.append(reviewed)
        return found

    def add(self, match: str, number: int, start: int, found: Sequence[Reviewed]) -> None:
        """Cache the reviews of guesses from an index on, and evict the least recently used."""
        for index, reviewed in enumerate(found, start):
            self._turns[match, number, index] = reviewed
        while len(self._turns) > self._kept:
            self._turns.popitem(last=False)


async def _take_advice(table: Table, by: str, key: RequestKey, version: int) -> BreakerView:
    """Append and broadcast that the player `by` takes advice; return the player's view.

    Later requests for advice before the next guess append nothing. Raises the exceptions of
    `Table.perform`.
    """
    log = table.log
    if log.find_request(by, key) is None and is_advised(log.state, by):
        log.check_version(version)
        return BreakerView.of(await log.seen_by(by))
    try:
        row = await table.perform(TakeAdvice(), by, key=key, version=version)
    except Refused:
        if is_advised(log.state, by):  # another connection of the player took advice
            log.check_version(version)
        raise
    if decode_events(row.events) != (Advised(by=by),):
        raise ReusedId
    return BreakerView.of(await log.seen_by(by, row.version))


def _check_size(rules: Rules) -> None:
    """Raise Refused if the rules allow too many codes to analyse."""
    if rules.codes > LARGEST:
        reason = Reason.TOO_MANY_TO_WEIGH
        raise Refused(reason, limit=LARGEST, rules=rules.name, codes=rules.codes)
