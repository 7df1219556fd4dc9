"""Advice for a codebreaker who asks, and the review of a match that is over."""

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
    """Answers from the solver. What it is told is what the codebreaker sees."""

    def __init__(self, tables: Tables, services: Services) -> None:
        self._tables, self._bots = tables, services.bots
        self._waiting = WaitingLine(services.limiter)
        self._reviews = Reviews()

    async def advise(self, call: Call[Advise]) -> None:
        """Announce that advice is taken, and answer with it. Raises Refused."""
        peer, player, request, key = call
        async with (
            self._waiting.place(peer, player.id),
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
            async with self._waiting.place(peer, player.id):
                found = self._reviews.find(*game, start, end)  # in another request, just now
                missing = start + len(found)
                found += await self._bots.review(match.rules, turns, missing, end)
            self._reviews.keep(*game, start, found)
        reviewing = Reviewing(
            id=request.id,
            match=request.match,
            round=request.round,
            turns=tuple(found),
            more=end < len(turns),
        )
        peer.push(encode(reviewing))


class WaitingLine:
    """Those who wait for the solver: a bounded number, and of one player one after another.

    So whoever asks for much waits for it alone: the solver goes round by player.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._askers: dict[str, _Asker] = {}

    @asynccontextmanager
    async def place(self, peer: Peer, player: str) -> AsyncIterator[None]:
        """Wait for the player's turn, which lasts as long as the block. Raises Refused if full."""
        asker = self._askers.get(player) or _Asker(peer.address)
        self._check_room("analyses_of_player", asker.count)
        here = (other.count for other in self._askers.values() if other.address == peer.address)
        self._check_room("analyses_of_address", sum(here))
        self._check_room("analyses", sum(other.count for other in self._askers.values()))
        self._askers[player] = asker
        asker.count += 1
        try:
            async with asker.turn:
                yield
        finally:
            asker.count -= 1
            if not asker.count:
                del self._askers[player]

    def _check_room(self, name: str, count: int) -> None:
        self._limiter.check(name, count, Reason.TOO_MANY_ANALYSES, tuning.RETRY_SECONDS)


@dataclass(slots=True, eq=False)
class _Asker:
    """A player who waits at an address: for how many answers, and whose turn among them it is."""

    address: str
    count: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Reviews:
    """What was said of guesses in finished matches, which never change; the oldest is forgotten.

    A guess is named by its match, its round and its index there.
    """

    def __init__(self, kept: int = tuning.REVIEWED_KEPT) -> None:
        self._kept = kept
        self._turns: OrderedDict[tuple[str, int, int], Reviewed] = OrderedDict()

    def find(self, match: str, number: int, start: int, end: int) -> list[Reviewed]:
        """Return what is remembered of these guesses, up to the first one that is not."""
        found = []
        for index in range(start, end):
            reviewed = self._turns.get((match, number, index))
            if reviewed is None:
                break
            self._turns.move_to_end((match, number, index))
            found.append(reviewed)
        return found

    def keep(self, match: str, number: int, start: int, found: Sequence[Reviewed]) -> None:
        """Remember these, which begin at an index."""
        for index, reviewed in enumerate(found, start):
            self._turns[match, number, index] = reviewed
        while len(self._turns) > self._kept:
            self._turns.popitem(last=False)


async def _take_advice(table: Table, by: str, stamp: RequestKey, version: int) -> BreakerView:
    """Tell all that the player `by` takes advice; return the view that it is about.

    Once it is told it may be asked for again, until the guess. Raises as `Table.perform` does.
    """
    log = table.log
    if log.find_request(by, stamp) is None and is_advised(log.state, by):
        log.check_version(version)
        return BreakerView.of(await log.seen_by(by))
    try:
        row = await table.perform(TakeAdvice(), by, stamp=stamp, version=version)
    except Refused:
        if is_advised(log.state, by):  # by another connection of the player, just now
            log.check_version(version)
        raise
    if decode_events(row.events) != (Advised(by=by),):
        raise ReusedId
    return BreakerView.of(await log.seen_by(by, row.version))


def _check_size(rules: Rules) -> None:
    """Raise Refused if there are too many codes to weigh."""
    if rules.codes > LARGEST:
        reason = Reason.TOO_MANY_TO_WEIGH
        raise Refused(reason, limit=LARGEST, rules=rules.name, codes=rules.codes)
