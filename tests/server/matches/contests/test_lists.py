from __future__ import annotations

import pytest

from kit.days import CODE, DAY, NONCE, NOON, REVEAL, begin_day
from kit.matches import pegs
from kit.tries import store_account, store_day, store_try
from mastermind_protocol.commitment import commit
from mastermind_protocol.days import DAY_MS, find_day_start
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.messages import (
    MAX_PLACED_TRIES,
    Day,
    DayResult,
    Days,
    DayStreak,
    OwnTry,
)
from mastermind_protocol.requests import ListDays, ListPlaces, ShowDay
from mastermind_server.matches.contests.months import find_month, list_month_days
from mastermind_server.matches.rankings import OVERLAP_MILLISECONDS
from mastermind_server.storage.statements.days import reveal_day

MONTH = find_month(DAY)
DAY_BEFORE = list_month_days(MONTH)[0] - 1  # in another month
UNBROKEN = 13


@pytest.fixture
async def hall(hall):
    """A server at noon of the day, which has a code."""
    await begin_day(hall)
    return hall


async def test_until_the_own_try_has_ended_only_the_number_of_tries_is_sent(hall, ada):
    await hall.store.write(store_try, "Bob", 4)
    await hall.store.write(store_try, ada.id, match="AAAAAA")

    answer = await ada.day()

    assert answer == Day(
        id=answer.id,
        rules="classic",
        day=DAY,
        today=DAY,
        now=answer.now,
        state="open",
        commitment=commit(NONCE, pegs(CODE)),
        players=2,
        own=OwnTry(match="AAAAAA", counted=True),
        streak=DayStreak(),
    )


async def test_a_played_try_has_its_place_in_the_next_answer(hall):
    hall.clock.jump(NOON - DAY_MS)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    hall.clock.jump(NOON)
    for player, guesses in ((ada, ("1111", CODE)), (bob, (CODE,))):
        match = (await player.enter(DAY)).match
        for guess in guesses:
            await player.guess(match, guess)

    answer = await ada.day()

    assert (answer.players, answer.ended, answer.distribution[:3]) == (2, 2, (1, 1, 0))
    assert (answer.own.how, answer.own.guesses, answer.own.place) == (RoundEnd.BROKEN, 2, 2)
    assert [each.player for each in (await bob.places(DAY)).places] == [bob.id, ada.id]
    assert (await ada.days()).broken == 1


async def test_after_the_own_try_the_results_of_ended_tries_are_sent(hall, ada):
    for player, guesses in (("B", 4), ("C", 4), ("D", 6), ("E", UNBROKEN), ("F", None)):
        await hall.store.write(store_try, player, guesses)
    await hall.store.write(store_try, ada.id, 5, 61, counted=False, match="AAAAAA")

    answer = await ada.day()

    assert (answer.players, answer.ended) == (6, 5)
    assert answer.distribution == (0, 0, 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, 1)
    assert answer.own == OwnTry(
        match="AAAAAA",
        how=RoundEnd.BROKEN,
        guesses=5,
        milliseconds=61_000,
        place=3,
        better=50,
    )
    assert (answer.code, answer.nonce) == (None, None)
    assert answer.streak == DayStreak(current=1, longest=1, days=1, broken=1)


async def test_the_own_try_is_in_the_results_even_if_it_was_stored_late(hall, ada, bob):
    await hall.store.write(store_try, bob.id, 4)
    assert (await bob.day()).ended == 1
    now = hall.clock.unix_milliseconds()
    await hall.store.write(store_try, ada.id, 5, ended=now - OVERLAP_MILLISECONDS // 2)

    answer = await ada.day()

    assert (answer.ended, answer.own.place) == (2, 2)


async def test_a_failed_try_has_no_place_and_reveals_no_code(hall, ada):
    await hall.store.write(store_try, "B", 4)
    await hall.store.write(store_try, "C", UNBROKEN)
    await hall.store.write(store_try, ada.id, UNBROKEN, 1, match="AAAAAA")

    answer = await ada.day()

    assert answer.own == OwnTry(
        match="AAAAAA", how=RoundEnd.RESIGNED, milliseconds=1_000, counted=True, better=0
    )
    assert (answer.code, answer.nonce, answer.ended) == (None, None, 3)
    assert answer.streak == DayStreak(current=1, longest=1, days=1, broken=0)


async def test_a_closed_day_has_its_code_and_unfinished_tries_count_as_not_broken(hall, ada):
    await hall.store.write(store_try, "B", 4)
    await hall.store.write(store_try, "C")
    hall.clock.jump(REVEAL)

    answer = await ada.day(day=DAY)

    assert (answer.state, answer.today) == ("closed", DAY + 1)
    assert (answer.code, answer.nonce) == (pegs(CODE), NONCE)
    assert (answer.players, answer.ended, answer.own) == (2, 2, None)
    assert answer.distribution == (0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1)


async def test_a_withdrawn_day_has_no_results(hall, ada):
    await hall.store.write(store_day, rules="mini", withdrawn=NOON)
    await hall.store.write(store_try, ada.id, 4, rules="mini", match="AAAAAA")

    answer = await ada.day(rules="mini")

    assert (answer.state, answer.code, answer.nonce) == ("withdrawn", pegs(CODE), NONCE)
    assert (answer.ended, answer.distribution) == (None, ())
    assert answer.own == OwnTry(
        match="AAAAAA", how=RoundEnd.BROKEN, guesses=4, milliseconds=60_000, counted=True
    )
    refused = await ada.refused(ListPlaces, rules="mini", day=DAY)
    assert refused.code == ErrorCode.CONTEST


async def test_a_past_day_without_a_code_is_empty(ada):
    answer = await ada.day(day=3)

    assert (answer.state, answer.commitment, answer.players) == ("closed", None, 0)
    assert (answer.ended, answer.code) == (None, None)


FUTURE = {"day": DAY + 1, "first": 0, "today": DAY}


@pytest.mark.parametrize(
    ("request_type", "fields", "reason", "details"),
    [
        (ShowDay, {"day": DAY + 1}, Reason.NO_SUCH_DAY, FUTURE),
        (ListPlaces, {"day": DAY + 1, "rules": "mini"}, Reason.NO_SUCH_DAY, FUTURE),
        (ListPlaces, {"day": DAY, "rules": "classic"}, Reason.OWN_TRY_FIRST, {"day": DAY}),
        (
            *(ShowDay, {"rules": "knuth"}, Reason.RULES_WITHOUT_DAY),
            {"rules": "knuth", "allowed": "classic, mini, eight"},
        ),
        (
            *(ListDays, {"month": "2026-05"}, Reason.NO_SUCH_MONTH),
            {"month": "2026-05", "first": "2026-06", "last": MONTH},
        ),
    ],
)
async def test_a_refusal_names_the_allowed_values(ada, request_type, fields, reason, details):
    refused = await ada.refused(request_type, **fields)

    assert refused.code == reason.code
    assert refused.details == {"reason": reason.name.lower(), **details}


async def test_a_server_with_a_clock_before_day_0_has_no_days(hall, ada):
    hall.clock.jump(find_day_start(0) - 40 * DAY_MS)

    assert (await ada.refused(ShowDay)).details["reason"] == "no_such_day"
    assert (await ada.refused(ListDays)).details["reason"] == "no_such_month"


async def test_the_list_of_places_has_counted_tries_and_equal_results_share_a_place(hall, ada):
    results = {"C": (4, 60), "B": (4, 60), "D": (3, 90), "E": (4, 61), "G": (UNBROKEN, 9)}
    for player, (guesses, seconds) in results.items():
        await hall.store.write(store_account, player, player)
        await hall.store.write(store_try, player, guesses, seconds)
    await hall.store.write(store_account, "F", "F")
    await hall.store.write(store_try, "F", UNBROKEN, 70)
    await hall.store.write(store_try, ada.id, 1, counted=False)

    answer = await ada.places(DAY)

    assert [(each.place, each.player, each.guesses) for each in answer.places] == [
        *((1, "D", 3), (2, "B", 4), (2, "C", 4), (4, "E", 4), (5, "G", 0), (5, "F", 0))
    ]
    assert answer.places[0].milliseconds == 90_000
    assert answer.places[0].name == "D-D"
    assert answer.places[0].match is None
    assert not answer.more


async def test_the_pages_of_a_closed_day_have_each_counted_try_once(hall, ada):
    def store_all(session):
        for number in range(2 * MAX_PLACED_TRIES + 9):
            guesses = None if number % 4 == 0 else 3 + number % 2
            store_account(session, f"P{number:02}", "Name")
            store_try(session, f"P{number:02}", guesses, number // 20)
        reveal_day(session, DAY, "classic", NOON)

    await hall.store.write(store_all)
    pages = [await ada.places(DAY, after=after) for after in (0, 25, 50, 75)]

    listed = [each.player for page in pages for each in page.places]
    assert [len(page.places) for page in pages] == [25, 25, 9, 0]
    assert [page.more for page in pages] == [True, True, False, False]
    assert sorted(listed) == sorted({*listed})
    assert pages[2].places[-1].place == 45
    assert pages[2].places[-1].match is not None


async def test_a_deleted_player_is_in_no_list(hall, ada):
    await hall.store.write(store_try, "B", 3)
    await hall.store.write(store_try, ada.id, 4)

    answer = await ada.places(DAY)

    assert [each.player for each in answer.places] == [ada.id]
    assert not answer.more


async def test_a_month_has_the_days_with_a_code_and_the_own_figures(hall, ada):
    def store_all(session):
        store_try(session, ada.id, 4, match="AAAAAA", luck=0.5)
        store_try(session, "B")
        for day, guesses in ((DAY - 1, UNBROKEN), (DAY - 2, None), (DAY - 3, 2), (DAY_BEFORE, 5)):
            revealed = None if guesses is None else NOON
            withdrawn = NOON if guesses == 2 else None
            store_day(session, day, revealed=revealed, withdrawn=withdrawn)
            luck = None if day == DAY_BEFORE else 0.0
            store_try(session, ada.id, guesses, day=day, match="BBBBBB", luck=luck)

    await hall.store.write(store_all)

    answer = await ada.days()

    assert answer == Days(
        id=answer.id,
        rules="classic",
        month=MONTH,
        days=(
            DayResult(day=DAY, state="open", players=2, match="AAAAAA", guesses=4),
            DayResult(day=DAY - 1, players=1, match="BBBBBB", guesses=0),
            DayResult(day=DAY - 2, players=1, match="BBBBBB", guesses=0),
            DayResult(day=DAY - 3, state="withdrawn", players=1, match="BBBBBB", guesses=2),
        ),
        played=2,
        broken=1,
        mean=8.5,
        without_luck=8.25,
    )
    before = await ada.days(month=find_month(DAY_BEFORE))
    assert [each.day for each in before.days] == [DAY_BEFORE]
    assert (before.mean, before.without_luck) == (5.0, None)
    assert (await ada.days(rules="mini")).days == (DayResult(day=DAY, state="open"),)
