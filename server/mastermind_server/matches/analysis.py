"""Advice for codebreakers, reviews of matches, positions of games played elsewhere, and puzzles."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mastermind_protocol.code import check_code, check_feedback
from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.commands import TakeAdvice
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Advised
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Phase, Turn, is_advised
from mastermind_protocol.messages import (
    MAX_REVIEWED_GUESSES,
    Advice,
    Analysed,
    Puzzle,
    Reviewing,
)
from mastermind_protocol.requests import GivenTurn
from mastermind_protocol.rules import find_rules
from mastermind_server.bots import check_codebreaker, find_bot
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.storage.idempotency import ReusedId

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mastermind_protocol.messages import ReviewedGuess
    from mastermind_protocol.requests import Advise, Analyse, Review, ShowPuzzle
    from mastermind_protocol.rules import Rules
    from mastermind_server.limits import Limiter
    from mastermind_server.matches.contests.entries import Entries
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.idempotency import RequestKey

REVIEWS_KEPT = 10_000  # guesses with a cached review: some 6 MiB


class Analysis:
    """Handles requests to the solver, which gets the codebreaker's view."""

    def __init__(self, tables: Tables, services: Services, entries: Entries) -> None:
        self._tables, self._bots, self._entries = tables, services.bots, entries
        self._queue = AnalysisQueue(services.limiter)
        self._reviews = ReviewCache(REVIEWS_KEPT)

    async def advise(self, call: Call[Advise]) -> None:
        """Broadcast that the player takes advice. Then compute the advice and answer with it.

        Raises Refused, StorageFailed and NoWorker.
        """
        peer, player, request, key, at = call
        async with (
            self._queue.enter(peer, player.id),
            self._tables.use(request.match, request.v) as table,
        ):
            view = await _take_advice(table, player.id, key, request.v, at)
            found = await self._bots.advise(view, request.by, request.most)
        advice = Advice(
            id=request.id,
            match=request.match,
            guess=len(view.turns) + 1,
            left=found.left,
            guesses=found.guesses,
            sampled=found.sampled,
            estimated=found.estimated,
        )
        peer.push(encode(advice))

    async def review(self, call: Call[Review]) -> None:
        """Answer with a page of the review of a round.

        Raises Refused for a running match, and for a try at a code that is still secret.
        """
        peer, player, request, _, _ = call
        async with self._tables.use(request.match) as table:
            match = table.log.state
        if match.is_entry:
            await self._entries.check_revealed(match, Reason.CONTEST_WITHOUT_REVIEW)
        if match.phase is not Phase.FINISHED:
            raise Refused(Reason.NOT_OVER)
        if request.round > len(match.played):
            played = len(match.played)
            raise Refused(Reason.UNKNOWN_ROUND, field="round", limit=played, round=request.round)
        turns = match.played[request.round - 1].turns
        start = request.start - 1
        end = min(start + MAX_REVIEWED_GUESSES, len(turns))
        # In another history of the store, the match may have another round of this number.
        game = (f"{table.log.epoch} {request.match}", request.round)
        found = self._reviews.find(*game, start, end)
        if len(found) < end - start:
            async with self._queue.enter(peer, player.id):
                found = self._reviews.find(*game, start, end)  # another request may be first
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

    async def analyse(self, call: Call[Analyse]) -> None:
        """Answer with the analysis of a position of a game that is played elsewhere.

        Raises InvalidRules, InvalidCode, InvalidFeedback, Refused and NoWorker.
        """
        peer, player, request, _, _ = call
        rules = find_rules(request.rules)
        turns = _check_turns(request.turns, rules)
        if request.bot is not None:
            check_codebreaker(find_bot(request.bot, "bot"), "bot")
        async with self._queue.enter(peer, player.id):
            found = await self._bots.analyse(
                *(rules, turns, request.by, request.most, request.after),
                bot=request.bot,
                seed=request.id,  # the answer to a repeated request has the same guess
            )
        peer.push(encode(Analysed(request.id, found)))

    async def show_puzzle(self, call: Call[ShowPuzzle]) -> None:
        """Answer with the turns of a puzzle. Raises InvalidRules, Refused and NoWorker."""
        peer, player, request, _, _ = call
        rules = find_rules(request.rules)
        async with self._queue.enter(peer, player.id):
            turns = await self._bots.make_puzzle(rules, request.level, request.seed)
        given = tuple(GivenTurn(turn.code, *turn.feedback) for turn in turns)
        peer.push(encode(Puzzle(request.id, given)))


class AnalysisQueue:
    """Limits pending requests to the solver. It runs a player's requests one after another."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._pending: dict[str, _PlayerQueue] = {}  # by player

    @asynccontextmanager
    async def enter(self, peer: Peer, player: str) -> AsyncIterator[None]:
        """Run the block after the earlier requests of the player. Raises Refused above a limit."""
        pending = self._pending.get(player) or _PlayerQueue(peer.address)
        self._check_limit("analyses_of_player", pending.count)
        here = (other.count for other in self._pending.values() if other.address == peer.address)
        self._check_limit("analyses_of_address", sum(here))
        self._check_limit("analyses", sum(other.count for other in self._pending.values()))
        self._pending[player] = pending
        pending.count += 1
        try:
            async with pending.lock:
                yield
        finally:
            pending.count -= 1
            if not pending.count:
                del self._pending[player]

    def _check_limit(self, name: str, count: int) -> None:
        self._limiter.check_count(name, count, Reason.TOO_MANY_ANALYSES, RETRY_SECONDS)


@dataclass(slots=True, eq=False)
class _PlayerQueue:
    """The `count` pending requests of a player.

    All these requests count towards the limit of `address`, which sent the first.
    """

    address: str
    count: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class ReviewCache:
    """A cache of the reviews of guesses in finished matches, which never change.

    The keys are the match code, the round number, and the index of the guess in the round, from 0.
    At most `max_reviews` reviews are kept.
    """

    def __init__(self, max_reviews: int) -> None:
        self._max_reviews = max_reviews
        self._reviewed: OrderedDict[tuple[str, int, int], ReviewedGuess] = OrderedDict()

    def find(self, match: str, round_number: int, start: int, end: int) -> list[ReviewedGuess]:
        """Return the reviews of the guesses from index `start` up to, but without, index `end`.

        The list ends before the first guess without a cached review.
        """
        found = []
        for index in range(start, end):
            reviewed = self._reviewed.get((match, round_number, index))
            if reviewed is None:
                break
            self._reviewed.move_to_end((match, round_number, index))
            found.append(reviewed)
        return found

    def add(
        self, match: str, round_number: int, start: int, found: Sequence[ReviewedGuess]
    ) -> None:
        """Cache `found`, the reviews of the guesses of a round from index `start` on.

        Above the limit, evict the least recently used reviews.
        """
        for index, reviewed in enumerate(found, start):
            self._reviewed[match, round_number, index] = reviewed
        while len(self._reviewed) > self._max_reviews:
            self._reviewed.popitem(last=False)


def _check_turns(given: Sequence[GivenTurn], rules: Rules) -> tuple[Turn, ...]:
    """Return the turns that a client gave. Raises InvalidCode and InvalidFeedback.

    The error names the turn, counted from 0, such as `turns[2]`.
    """
    turns = []
    for number, turn in enumerate(given):
        field, feedback = f"turns[{number}]", Feedback(turn.black, turn.white)
        code = check_code(turn.code, rules, field)
        check_feedback(feedback, rules, field)
        turns.append(Turn(code, feedback))
    return tuple(turns)


async def _take_advice(
    table: Table, by: str, key: RequestKey, version: int, at: float
) -> BreakerView:
    """Store and broadcast that the player with the id `by` takes advice. Return the player's view.

    `at` is the time when the request was read, in monotonic seconds. If the player has already
    taken advice for this guess, nothing is stored. Raises Refused and StorageFailed.
    """
    log = table.log
    if log.find_request(by, key) is None and is_advised(log.state, by):
        log.check_is_current(version)
        return BreakerView.of(await log.view_of(by))
    try:
        row = await table.perform(TakeAdvice(), by, key=key, version=version, at=at)
    except Refused:
        if is_advised(log.state, by):  # another request took advice at the same time
            log.check_is_current(version)
        raise
    if decode_events(row.events) != (Advised(by=by),):
        raise ReusedId
    return BreakerView.of(await log.view_of(by, row.version))
