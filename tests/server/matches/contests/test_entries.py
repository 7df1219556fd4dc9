"""The match of a try: its result, its end, and who may see it."""

import pytest
from msgspec.structs import replace

from kit.client import RawClient
from kit.days import DAY, NOON, REVEAL, TRIES_END, begin_day, find_try, withdraw_day
from kit.matches import events_of, pegs, state_of
from kit.server import GameServer
from mastermind_protocol.codec import decode_events
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Finished, Left, MatchEnd, RoundEnd, RoundEnded
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Error, Happened
from mastermind_protocol.requests import (
    Advise,
    EnterDay,
    Follow,
    Guess,
    Join,
    Leave,
    Rematch,
    Resign,
    Review,
    Say,
    ShowSnapshot,
)
from mastermind_server.storage.records import ABANDONED_DAYS, add_days
from mastermind_server.storage.statements.days import reveal_day
from mastermind_server.storage.statements.log import read_log

LIMIT = 12  # guesses, of the classic rules


@pytest.fixture
async def day(hall: GameServer) -> int:
    """The number of a day that begins. Players of earlier fixtures of a test are older."""
    await begin_day(hall)
    return DAY


@pytest.fixture
async def running(ada: RawClient, day: int) -> str:
    """The match of Ada's try, after a guess."""
    match = (await ada.enter(day)).match
    await ada.guess(match, "1111")
    return match


# Results.


async def test_a_broken_code_is_stored_with_guesses_time_and_luck(hall, ada, running):
    hall.clock.seconds += 90
    happened = await ada.guess(running, "1234")
    ended = happened.events[1]
    assert ended == RoundEnded(how=RoundEnd.BROKEN, points=2)
    own = await find_try(hall, ada.player)
    assert (own.how, own.guesses) == ("broken", 2)
    assert own.milliseconds == pytest.approx(90_000, abs=100)
    assert own.ended == pytest.approx(NOON + 90_000, abs=1000)
    assert own.luck is not None
    assert own.luck < 0
    async with hall.server.tables.use(running) as table:
        (played,) = table.log.state.played
        assert (played.secret, played.nonce) == (None, None)


async def test_a_try_of_one_guess_takes_no_time(hall, ada, day):
    match = (await ada.enter(day)).match
    await ada.guess(match, "1234")
    own = await find_try(hall, ada.player)
    assert (own.guesses, own.milliseconds) == (1, 0)


async def exhaust(wire: RawClient, match: str) -> None:
    for _ in range(LIMIT - 1):
        await wire.guess(match, "1111")


async def resign(wire: RawClient, match: str) -> None:
    await wire.resign(match)


async def leave(wire: RawClient, match: str) -> None:
    await wire.leave(match)


@pytest.mark.parametrize(
    ("end", "how"), [(exhaust, "exhausted"), (resign, "resigned"), (leave, "left")]
)
async def test_a_code_that_was_not_broken_costs_a_guess_more_than_the_limit(
    hall, ada, running, end, how
):
    await end(ada, running)
    own = await find_try(hall, ada.player)
    assert (own.how, own.guesses) == (how, LIMIT + 1)
    assert own.ended is not None


async def test_a_try_is_in_no_list_of_matches(ada, bob, running):
    assert (await ada.list_own()).matches == ()
    assert (await bob.list("running")).matches == ()
    await ada.guess(running, "1234")
    assert (await ada.archive()).matches == ()


# Times.


async def test_a_guess_counts_before_half_past_midnight_and_not_at_it(hall, ada, running):
    hall.clock.jump(TRIES_END - 1000)
    await ada.guess(running, "2222")
    hall.clock.jump(TRIES_END)
    for kind, fields in ((Guess, {"code": pegs("1234")}), (Resign, {}), (Leave, {})):
        refused = await ada.refused(kind, match=running, **fields)
        assert (refused.code, refused.field) == (ErrorCode.CONTEST, "match")
        assert "ended at 00:30 UTC" in refused.message
    assert (await find_try(hall, ada.player)).ended is None


async def test_a_repeated_guess_is_answered_after_the_end_of_tries(hall, ada, running):
    guess = ada.new(Guess, match=running, code=pegs("1234"))
    first = await ada.ask(guess)
    hall.clock.jump(REVEAL)
    assert await (await hall.connect_again(ada)).ask(guess) == first
    assert isinstance(first, Happened)


async def test_a_last_guess_that_is_stored_after_the_reveal_is_refused(hall, ada, running):
    await hall.store.write(reveal_day, DAY, "classic", REVEAL)
    async with hall.server.tables.use(running) as table:
        with pytest.raises(Refused) as refused:
            await table.perform(GuessCode(pegs("1234")), ada.id)
        assert refused.value.reason is Reason.TRIES_OVER
        assert table.log.state.phase is Phase.BREAKING
    assert (await find_try(hall, ada.player)).ended is None


async def test_a_try_that_was_not_ended_in_time_ends_when_it_is_used_after_the_reveal(
    hall, ada, running
):
    hall.clock.jump(REVEAL - 1000)
    assert state_of(await ada.follow(running)).phase is Phase.BREAKING
    hall.clock.jump(REVEAL)
    events = events_of(await ada.follow(running))
    assert events[-3:] == [
        Left(player=ada.id, absent=True),
        RoundEnded(how=RoundEnd.LEFT, points=LIMIT + 1),
        Finished(how=MatchEnd.LEFT, winner="bot-day-maker"),
    ]
    assert (await find_try(hall, ada.player)).ended is None


async def test_a_late_guess_ends_a_try_after_the_reveal(hall, ada, running):
    hall.clock.jump(REVEAL)
    await ada.refused(Guess, match=running, code=pegs("1234"))
    assert ada.matches[running].phase is Phase.FINISHED


async def test_a_try_that_nobody_uses_ends_like_any_abandoned_match(hall, ada, running):
    await ada.unfollow(running)
    hall.clock.jump(add_days(NOON, ABANDONED_DAYS + 1))
    await hall.server.deadlines.end_due_matches()
    last = (await hall.store.read(read_log, running))[-1]
    assert decode_events(last.events)[0] == Left(player=ada.id, absent=True)
    assert (await find_try(hall, ada.player)).ended is None


async def test_the_player_can_leave_an_ended_try_at_any_time(hall, ada, running):
    await ada.guess(running, "1234")
    ended = await find_try(hall, ada.player)
    await hall.services.bots.stop()  # without workers, luck cannot be measured
    hall.clock.jump(TRIES_END)
    await ada.leave(running)
    assert await find_try(hall, ada.player) == ended


async def test_a_try_of_a_withdrawn_day_does_not_continue(hall, ada, bob, running):
    await withdraw_day(hall)
    refused = await ada.refused(Guess, match=running, code=pegs("2222"))
    assert "was withdrawn" in refused.message
    for wire in (ada, bob):
        refused = await wire.refused(EnterDay, rules="classic", day=DAY)
        assert "was withdrawn" in refused.message
        assert refused.field == "day"


# Who may see a try.

PRIVATE = Reason.ENTRY_IS_PRIVATE


@pytest.mark.parametrize("ended", [False, True], ids=["running", "ended"])
@pytest.mark.parametrize("kind", [Follow, ShowSnapshot])
async def test_only_its_player_sees_a_try_until_the_reveal(hall, ada, bob, running, kind, ended):
    if ended:
        await ada.guess(running, "1234")
    refused = await bob.refused(kind, match=running)
    assert refused == Error.of(Refused(PRIVATE, field="match", day=DAY), refused.id)
    assert not isinstance(await ada.ask(ada.new(kind, match=running)), Error)
    hall.clock.jump(REVEAL)
    assert not isinstance(await bob.ask(bob.new(kind, match=running)), Error)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (Join, {}),
        (Guess, {"code": pegs("1234"), "v": 2}),
        (Resign, {"v": 2}),
        (Leave, {}),
        (Rematch, {}),
        (Advise, {"v": 2}),
    ],
)
async def test_a_strangers_request_is_refused_in_the_same_words_when_a_try_has_ended(
    ada, bob, running, kind, fields
):
    before = await bob.refused(kind, match=running, **fields)
    await ada.guess(running, "1234")
    after = await bob.refused(kind, match=running, **fields)
    assert after == replace(before, id=after.id)


@pytest.mark.parametrize(
    ("ended", "kind", "fields", "reason"),
    [
        (False, Advise, {}, Reason.CONTEST_WITHOUT_ADVICE),
        (False, Say, {"text": "Hello"}, Reason.CONTEST_WITHOUT_CHAT),
        (True, Say, {"text": "Hello"}, Reason.CONTEST_WITHOUT_CHAT),
        (False, Review, {}, Reason.CONTEST_WITHOUT_REVIEW),
        (True, Review, {}, Reason.CONTEST_WITHOUT_REVIEW),
        (True, Rematch, {}, Reason.CONTEST_WITHOUT_REMATCH),
    ],
)
async def test_a_try_has_no_advice_chat_review_or_rematch(
    ada, running, ended, kind, fields, reason
):
    if ended:
        await ada.guess(running, "1234")
    refused = await ada.refused(kind, match=running, **fields)
    assert (refused.code, refused.field) == (ErrorCode.CONTEST, "match")
    assert refused.details["reason"] == reason.name.lower()


async def test_all_can_follow_and_review_a_try_after_the_reveal(hall, ada, bob, running):
    await ada.guess(running, "1234")
    hall.clock.jump(REVEAL)
    for wire in (ada, bob):
        assert len((await wire.follow(running)).rows) == 3
        assert len((await wire.review(running)).turns) == 2
