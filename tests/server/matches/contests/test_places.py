from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from kit.clock import ManualClock
from kit.days import DAY, NOON
from kit.store import WatchedStore
from kit.tries import store_try
from mastermind_protocol.days import find_day_start
from mastermind_server.matches.contests import counts as counts_module
from mastermind_server.matches.contests import places
from mastermind_server.matches.contests.counts import TryCounts
from mastermind_server.matches.contests.places import (
    RECENT_MILLISECONDS,
    SETTLING_MILLISECONDS,
    SLICE_ROWS,
    DayRanking,
    DayRankings,
)
from mastermind_server.matches.rankings import OVERLAP_MILLISECONDS, REBUILD_MILLISECONDS
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import tries
from mastermind_server.storage.statements.tries import EndedTry
from mastermind_server.storage.store import Store

LIMIT = 6
UNBROKEN = LIMIT + 1
RULES = "mini"
EPOCH = "e0"

ended_tries = st.lists(
    st.builds(
        EndedTry,
        player=st.uuids().map(str),
        ended=st.integers(NOON, NOON + 9),
        counted=st.booleans(),
        guesses=st.integers(1, UNBROKEN),
        milliseconds=st.integers(0, 3),
    ),
    max_size=30,
)


def make_ranking(*rows: EndedTry, closed: bool = False) -> DayRanking:
    """Return a ranking of `rows`."""
    ranking = DayRanking(LIMIT, NOON, EPOCH, closed=closed)
    ranking.update(rows)
    return ranking


def find_result(row: EndedTry) -> tuple[int, int]:
    """Return the result of a try as compared with others: only a broken code has a time."""
    return (row.guesses, row.milliseconds if row.guesses <= LIMIT else 0)


@given(ended_tries, st.integers(0, 3))
def test_places_and_figures_are_those_of_a_sorted_list(rows, unfinished):
    ranking = make_ranking(*rows, closed=True)
    ranking.unfinished = unfinished
    results = [*map(find_result, rows), *[(UNBROKEN, 0)] * unfinished]
    counted = sorted(find_result(row) for row in rows if row.counted)
    guesses = Counter(number for number, _ in results)

    assert len(ranking) == len(results)
    assert ranking.distribution == tuple(guesses[number] for number in range(1, UNBROKEN + 1))
    for row in rows:
        own = find_result(row)
        assert ranking.find_place(*own) == 1 + sum(result < own for result in counted)
        if len(results) > 1:
            beaten = sum(result > own for result in results)
            assert ranking.find_better(*own) == 100 * beaten // (len(results) - 1)


@given(ended_tries)
def test_the_start_of_a_page_is_a_result_and_the_number_of_equal_ones_before_it(rows):
    ranking = make_ranking(*rows)
    listed = sorted((row.guesses, row.milliseconds) for row in rows if row.counted)

    for after, result in enumerate(listed):
        assert ranking.find_start(after) == (result, after - listed.index(result))
    assert ranking.find_start(len(listed)) is None


def test_one_try_alone_is_better_than_no_percentage():
    ranking = make_ranking(EndedTry("A", NOON, True, 4, 9))

    assert ranking.find_better(4, 9) is None


def test_a_settled_try_is_not_added_again():
    row = EndedTry("A", NOON, True, 4, 9)
    ranking = make_ranking(row, row)

    ranking.settle(NOON + 1)
    ranking.update([row])

    assert len(ranking) == 1


@pytest.fixture
def clock():
    clock = ManualClock()
    clock.jump(NOON)
    return clock


def find_results(ranking: DayRanking) -> list[int]:
    """Return the numbers of guesses of all tries, in order."""
    found = zip(range(1, UNBROKEN + 1), ranking.distribution, strict=True)
    return [guesses for guesses, count in found for _ in range(count)]


async def end(store: Store, player: str, guesses: int, ended: int, **columns: Any) -> None:
    """Store a try that ended at the time `ended`."""
    columns |= {"rules": RULES, "ended": ended}
    await store.write(lambda session: store_try(session, player, guesses, **columns))


async def refresh(rankings: DayRankings, *, closed: bool = False) -> list[int]:
    """Return the numbers of guesses in the refreshed ranking."""
    return find_results(await rankings.refresh(DAY, RULES, LIMIT, closed=closed))


async def test_a_ranking_has_every_try_that_was_stored_soon_after_its_end(any_store, clock):
    rankings = DayRankings(any_store, clock)
    await end(any_store, "A", 4, clock.unix_milliseconds())
    assert await refresh(rankings) == [4]

    await end(any_store, "B", 2, clock.unix_milliseconds())
    await end(any_store, "C", 3, clock.unix_milliseconds() - RECENT_MILLISECONDS // 2)
    clock.skip(2 * RECENT_MILLISECONDS / 1000)
    assert await refresh(rankings) == [2, 3, 4]


async def test_a_try_that_was_stored_late_is_found_when_endings_settle(store, clock):
    rankings = DayRankings(store, clock)
    await refresh(rankings)
    await end(store, "A", 4, clock.unix_milliseconds() - OVERLAP_MILLISECONDS // 2)
    assert await refresh(rankings) == []

    clock.skip(SETTLING_MILLISECONDS / 1000)
    assert await refresh(rankings) == [4]


async def test_two_nodes_have_the_same_places(postgres_url, clock):
    stores = [await Store.open(postgres_url) for _ in range(2)]
    nodes = [DayRankings(store, clock) for store in stores]
    for number in range(4):
        await end(stores[number % 2], f"P{number}", 1 + number, clock.unix_milliseconds())
        assert [await refresh(node) for node in nodes] == [list(range(1, 2 + number))] * 2
    for store in stores:
        await store.close()


async def test_a_ranking_is_built_in_slices_in_which_each_try_is_once(store, clock):
    rankings = DayRankings(store, clock)
    now = clock.unix_milliseconds()

    def store_all(session: Session) -> None:
        for number in range(2 * SLICE_ROWS + 1):
            columns = {"rules": RULES, "ended": now, "counted": number % 3 > 0}
            store_try(session, f"P{number}", 1 + number % 5, number % 7, **columns)

    await store.write(store_all)

    assert len(await refresh(rankings)) == 2 * SLICE_ROWS + 1
    assert len(await refresh(rankings)) == 2 * SLICE_ROWS + 1


class Recording(WatchedStore):
    """Records the results of all reads."""

    found: list[Any]

    async def after(self, _: object, result: Any) -> None:
        self.found.append(result)


@pytest.fixture
async def recording(tmp_path):
    store = await Recording.open(tmp_path / "recorded.sqlite3")
    assert isinstance(store, Recording)
    store.found = []
    yield store
    await store.close()


async def test_a_request_reads_only_recent_endings_and_some_read_the_settling_ones(
    recording, clock
):
    rankings = DayRankings(recording, clock)
    for number in range(9):
        await end(recording, f"P{number}", 4, clock.unix_milliseconds())
    await refresh(rankings)
    clock.skip(SETTLING_MILLISECONDS / 1000 - 1)
    await refresh(rankings)
    recording.found.clear()

    await refresh(rankings)
    assert recording.found == [[]]

    clock.skip(2)
    assert len(await refresh(rankings)) == 9
    assert len(await refresh(rankings)) == 9
    assert [len(rows) for rows in recording.found] == [0, 9, 0]


async def test_the_ranking_of_a_closed_day_is_built_once_with_its_unfinished_tries(
    recording, clock
):
    rankings = DayRankings(recording, clock)
    await end(recording, "A", 4, clock.unix_milliseconds())
    for player, counted in (("B", True), ("C", False), ("D", True)):
        await recording.write(store_try, player, rules=RULES, counted=counted)
    assert await refresh(rankings) == [4]

    ranking = await rankings.refresh(DAY, RULES, LIMIT, closed=True)
    assert (find_results(ranking), ranking.counted) == ([4, *[UNBROKEN] * 3], 3)
    recording.found.clear()
    for closed in (True, False):  # a slow request may have found the day still open
        assert await rankings.refresh(DAY, RULES, LIMIT, closed=closed) is ranking
    assert recording.found == []


def delete_a(session: Session) -> None:
    """Delete the tries of the player A."""
    session.connection.execute(sa.delete(tries).where(tries.c.player == "A"))


async def test_a_deleted_player_does_not_count_after_the_next_build(store, clock):
    rankings, counts = DayRankings(store, clock), TryCounts(store, clock)
    early = clock.unix_milliseconds() - 2 * OVERLAP_MILLISECONDS
    await end(store, "A", 4, early, started=early)
    await end(store, "B", 5, early, started=early)
    assert (await refresh(rankings), await counts.count(DAY, RULES)) == ([4, 5], 2)
    await store.write(delete_a)

    clock.skip(REBUILD_MILLISECONDS / 1000)
    assert (await refresh(rankings), await counts.count(DAY, RULES)) == ([5], 1)


async def test_results_of_another_epoch_are_read_again(store, clock, monkeypatch):
    rankings, counts = DayRankings(store, clock), TryCounts(store, clock)
    early = clock.unix_milliseconds() - 2 * OVERLAP_MILLISECONDS
    await end(store, "A", 4, early, started=early)
    assert (await refresh(rankings), await counts.count(DAY, RULES)) == ([4], 1)
    await store.write(delete_a)

    monkeypatch.setattr(Store, "epoch", "of a history in which A has no try")
    assert (await refresh(rankings), await counts.count(DAY, RULES)) == ([], 0)


async def test_a_clock_that_was_set_back_hides_no_try(store, clock):
    rankings, counts = DayRankings(store, clock), TryCounts(store, clock)
    now = clock.unix_milliseconds()
    await end(store, "A", 4, now, started=now)
    assert (await refresh(rankings), await counts.count(DAY, RULES)) == ([4], 1)
    clock.jump(now - 2 * OVERLAP_MILLISECONDS)

    before = clock.unix_milliseconds()
    await end(store, "B", 5, before, started=before)
    assert (await refresh(rankings), await counts.count(DAY, RULES)) == ([4, 5], 2)


@pytest.mark.parametrize(("limit", "value"), [("KEPT_TRIES", 3), ("KEPT_DAYS", 2)])
async def test_the_days_that_were_asked_least_recently_are_evicted(
    store, clock, monkeypatch, limit, value
):
    monkeypatch.setattr(places, limit, value)
    rankings = DayRankings(store, clock)

    async def find(day: int) -> DayRanking:
        return await rankings.refresh(day, RULES, LIMIT, closed=True)

    for day in (1, 2, 3):
        await store.write(store_try, "A", 4, day=day, rules=RULES)
    first = await find(1)
    second = await find(2)
    await store.write(store_try, "B", 4, day=3, rules=RULES)
    assert await find(1) is first
    await find(3)

    assert await find(1) is first
    assert await find(2) is not second


async def test_a_count_reads_only_recent_tries(recording, clock):
    counts = TryCounts(recording, clock)
    now = clock.unix_milliseconds()
    for number in range(5):
        started = now - number * OVERLAP_MILLISECONDS // 2
        await recording.write(store_try, f"P{number}", rules=RULES, started=started)

    assert await counts.count(DAY, RULES) == 5
    clock.skip(OVERLAP_MILLISECONDS / 1000)
    assert await counts.count(DAY, RULES) == 5
    recording.found.clear()
    assert await counts.count(DAY, RULES) == 5
    assert recording.found == [0, 0]


async def test_a_day_whose_tries_have_ended_is_counted_once(recording, clock, monkeypatch):
    monkeypatch.setattr(counts_module, "KEPT_COUNTS", 2)
    counts = TryCounts(recording, clock)
    last = find_day_start(DAY - 1) - 1
    await recording.write(store_try, "A", day=DAY - 2, rules=RULES, started=last)

    assert [await counts.count(DAY - 2, RULES) for _ in range(3)] == [1, 1, 1]
    assert recording.found == [1]
    for day in (3, 4):
        await counts.count(day, RULES)
    await counts.count(DAY - 2, RULES)
    assert recording.found == [1, 0, 0, 1]
