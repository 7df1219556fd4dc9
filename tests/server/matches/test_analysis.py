"""Advice and reviews, asked for over the wire."""

from __future__ import annotations

import asyncio
from math import isclose, log2

import pytest

from kit.client import PeerStub
from kit.matches import events_of, pegs
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Advised, Player
from mastermind_protocol.feedback import score
from mastermind_protocol.messages import (
    MAX_REVIEWED_GUESSES,
    Advice,
    Bots,
    Error,
    GuessMeasures,
    Happened,
    ReviewedGuess,
)
from mastermind_protocol.requests import (
    Advise,
    Analyse,
    Guess,
    ListBots,
    Review,
    ShowPuzzle,
)
from mastermind_server.bots import describe_bots, worker_functions
from mastermind_server.limits import DEFAULT_LIMITS, Limiter, Limits, Rate
from mastermind_server.matches.analysis import AnalysisQueue, ReviewCache


async def test_advice_has_as_many_guesses_as_asked_for_in_the_order_asked_for(ada):
    match = (await ada.open(maker="random", breaker="me")).match
    await ada.wait_for_turn(match)
    advice = await ada.advise(match)
    assert (advice.match, advice.guess, advice.left) == (match, 1, 1296)
    assert (len(advice.guesses), advice.sampled) == (5, False)
    assert (advice.guesses[0].code, advice.guesses[0].possible) == (pegs("1234"), True)
    by_worst = await ada.advise(match, by="worst", most=2)
    assert [guess.code for guess in by_worst.guesses][:1] == [pegs("1122")]  # Knuth's
    assert (len(by_worst.guesses), by_worst.guesses[0].worst) == (2, 256)
    by_parts = (await ada.advise(match, by="parts", most=20)).guesses
    assert list(by_parts) == sorted(by_parts, key=lambda guess: -guess.parts)


async def test_only_a_played_round_is_reviewed(ada):
    match = (await ada.open(maker="random", breaker="me")).match
    await ada.resign(match)
    assert (await ada.review(match)).turns == ()
    refusal = await ada.refused(Review, match=match, round=2)
    assert (refusal.code, refusal.field, refusal.limit) == (ErrorCode.INVALID_MESSAGE, "round", 1)


async def test_advice_follows_from_the_feedback_alone(ada, bob, match):
    await ada.set(match, "1234")
    await bob.guess(match, "1122")
    advice = await bob.advise(match, most=20)
    feedback = score(pegs("1234"), pegs("1122"))
    left = [
        code
        for code in (
            (a, b, c, d) for a in range(6) for b in range(6) for c in range(6) for d in range(6)
        )
        if score(code, pegs("1122")) == feedback
    ]
    assert advice.left == len(left)
    for guess in advice.guesses:
        sizes: dict[tuple[int, int], int] = {}
        for code in left:
            cell = score(code, guess.code)
            sizes[cell] = sizes.get(cell, 0) + 1
        assert guess.possible == (guess.code in left)
        assert guess.worst == max(sizes.values())
        assert guess.parts == len(sizes)
        assert isclose(guess.size, sum(n * n for n in sizes.values()) / len(left))
        assert isclose(guess.bits, sum(n * log2(len(left) / n) for n in sizes.values()) / len(left))


async def test_advice_and_reviews_of_large_rules_are_estimates(ada, bob):
    match = (await ada.open(maker="random", breaker="me", rules="6x11")).match
    await ada.wait_for_turn(match)
    advice = await ada.advise(match, most=1)
    assert (advice.left, advice.sampled, advice.estimated) == (11**6, True, True)
    await ada.guess(match, "123456")
    await ada.resign(match)
    (reviewed,) = (await bob.review(match)).turns
    assert reviewed.estimated
    assert reviewed.before == 11**6 > reviewed.after


async def test_a_review_weighs_every_guess_of_a_round(ada, bob, eve, match):
    await ada.set(match, "1234")
    for guess in ("1122", "1345", "1234"):
        await bob.guess(match, guess)
    reviewing = await eve.review(match)  # a spectator may ask too
    assert [turn.guess.code for turn in reviewing.turns] == list(
        map(pegs, ("1122", "1345", "1234"))
    )
    assert reviewing.turns[0].before == 1296
    for turn, following in zip(reviewing.turns, reviewing.turns[1:], strict=False):
        assert turn.after == following.before
    assert reviewing.turns[-1].after == 1
    assert reviewing.turns[0].best.code == pegs("1123")  # the optimal tree's first guess
    assert (reviewing.match, reviewing.round, reviewing.more) == (match, 1, False)


async def test_a_running_match_is_not_reviewed(ada, bob, match):
    await ada.set(match, "1234")
    await bob.guess(match, "1122")
    assert (await bob.refused(Review, match=match)).code == ErrorCode.WRONG_PHASE


async def test_the_review_of_a_long_round_is_sent_in_parts(ada, bob):
    match = (await ada.open(maker="me", breaker="open", rules="knuth")).match
    await bob.join(match)
    await ada.set(match, "1234")
    for _ in range(MAX_REVIEWED_GUESSES + 1):
        await bob.guess(match, "5566")
    await bob.guess(match, "1234")
    first = await ada.review(match)
    assert (len(first.turns), first.more) == (MAX_REVIEWED_GUESSES, True)
    rest = await ada.review(match, start=MAX_REVIEWED_GUESSES + 1)
    assert (len(rest.turns), rest.more) == (2, False)
    assert rest.turns[-1].guess.code == pegs("1234")
    beyond = await ada.review(match, start=500)
    assert (beyond.turns, beyond.more) == ((), False)


async def test_the_bots_are_listed_with_their_descriptions(ada):
    answer = await ada.ask(ada.new(ListBots))
    assert isinstance(answer, Bots)
    assert answer.bots == describe_bots()
    described = {bot.name: bot for bot in answer.bots}
    assert described["devious"].largest == 0
    assert "no code" in described["devious"].about


async def test_advice_is_announced_before_it_is_given(ada, bob, match):
    await ada.set(match, "1234")
    await bob.wait_for_turn(match)
    await bob.advise(match)
    told = [message for message in bob.unread() if isinstance(message, Happened)][-1]
    assert (told.events, told.id) == ((Advised(by=bob.id),), None)
    await ada.until(Happened, lambda message: message.events == (Advised(by=bob.id),))


async def test_concurrent_requests_take_advice_for_one_guess_once(hall, ada, bob, match):
    await ada.set(match, "1234")
    await bob.wait_for_turn(match)
    other = await hall.connect_again(bob)
    await other.follow(match)
    asked = (wire.ask(wire.new(Advise, match=match, v=3)) for wire in (bob, other))
    answers = await asyncio.gather(*asked)
    codes = {answer.code for answer in answers if isinstance(answer, Error)}
    assert codes <= {ErrorCode.STALE_VERSION}
    assert any(isinstance(answer, Advice) for answer in answers)
    assert events_of(await ada.follow(match)).count(Advised(by=bob.id)) == 1


async def test_a_review_is_computed_once(ada, bob, monkeypatch):
    match = (await ada.open(maker="random", breaker="me", rules="lab", seed=1)).match
    for guess in ("1111", "2222"):
        await ada.guess(match, guess)
    await ada.resign(match)
    first = await ada.review(match)
    monkeypatch.setattr(worker_functions, "review", None)
    assert (await bob.review(match)).turns == first.turns
    assert (await bob.review(match, start=2)).turns == first.turns[1:]


def test_the_least_recently_used_reviews_are_evicted():
    weighed = GuessMeasures((0,), possible=True, worst=1, size=1, bits=0, parts=1)
    turns = [ReviewedGuess(weighed, weighed, before, 1) for before in range(4)]
    reviews = ReviewCache(max_reviews=3)
    reviews.add("AAAAAA", 1, 0, turns[:2])
    reviews.add("BBBBBB", 1, 5, turns[2:3])
    assert reviews.find("AAAAAA", 1, 0, 9) == turns[:2]
    reviews.add("CCCCCC", 1, 0, turns[3:])
    assert reviews.find("BBBBBB", 1, 5, 6) == []
    assert reviews.find("AAAAAA", 1, 1, 2) == turns[1:2]
    assert reviews.find("AAAAAA", 2, 1, 2) == []


async def test_waiting_analyses_are_served_player_by_player():
    queue, served, began, may = AnalysisQueue(Limiter()), [], asyncio.Event(), asyncio.Event()

    async def ask(player):
        peer = PeerStub(Player(id=player, name="Eve"))
        peer.address = player
        async with queue.enter(peer, player):
            began.set()
            await may.wait()
            served.append(player)

    mine = [asyncio.create_task(ask("A")) for _ in range(DEFAULT_LIMITS.analyses_of_player)]
    await began.wait()
    other = asyncio.create_task(ask("B"))
    await asyncio.sleep(0)  # they wait
    may.set()
    await other
    assert served[:2] == ["A", "B"]  # though A has more
    await asyncio.gather(*mine)


@pytest.mark.promise("analysis")
async def test_analysis_is_charged_by_its_processor_time(idle_hall, monkeypatch):
    monkeypatch.setattr(worker_functions, "run_timed", lambda work: (work(), 0.1))
    await idle_hall.start(
        limits=Limits(
            analysis_ms=Rate(burst=150, per_second=1),
            analysis_ms_of_address=Rate(burst=250, per_second=10),
        )
    )
    ada, bob, eve = [await idle_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open(maker="devious", breaker="me")).match
    await ada.guess(match, "1122")
    await ada.guess(match, "1123")  # on account: what it takes is known afterwards
    for kind, fields in (
        (Guess, {"match": match, "code": pegs("1234")}),
        (Advise, {"match": match}),
        (Analyse, {"rules": "classic"}),
        (ShowPuzzle, {"level": 1, "seed": 1}),
    ):
        refusal = await ada.refused(kind, **fields)
        assert (refusal.code, refusal.limit) == (ErrorCode.RATE_LIMITED, 150)
    plain = (await ada.open(maker="random", breaker="me", seed=1)).match
    await ada.guess(plain, "1122")  # it needs no analysis

    await bob.analyse("classic")
    other = (await eve.open(maker="random", breaker="me")).match
    await eve.wait_for_turn(other)
    refusal = await eve.refused(Advise, match=other)
    assert (refusal.code, refusal.limit) == (ErrorCode.RATE_LIMITED, 250)
    assert refusal.retry_after is not None
    idle_hall.clock.skip(refusal.retry_after)
    await eve.advise(other)
