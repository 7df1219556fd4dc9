from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
import sqlalchemy as sa

from kit.clock import ManualClock
from kit.rated import start_rated
from kit.store import WatchedStore
from mastermind_protocol.codec import encode, encode_events
from mastermind_protocol.events import Player
from mastermind_protocol.messages import (
    MAX_DISTRIBUTION,
    MAX_STATISTICS_OPPONENTS,
    MAX_STATISTICS_RULES,
    Figures,
    OpponentFigures,
    RulesFigures,
    Statistics,
)
from mastermind_protocol.requests import MAX_REQUEST_ID
from mastermind_server.matches import statistics
from mastermind_server.matches.statistics import CACHE_SECONDS, StatisticsCache, make_statistics
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import archive
from mastermind_server.storage.statements.statistics import (
    ArchiveSums,
    MatchSums,
    Opponent,
    sum_archive,
)
from server.storage.statements.archived import draw_rows, store_rows


def sums(number: int, tries: dict[int, int] | None = None) -> MatchSums:
    """Return the sums of `number` won matches."""
    return MatchSums(number, number, 0, 0, number, number, 7, "MATCHA", Counter(tries or {}))


def gather(total: MatchSums, rules: int = 1, opponents: int = 1, name: str = "Bob") -> ArchiveSums:
    """Return sums, the same for each of some rules and opponents."""
    return ArchiveSums(
        total,
        {f"{number:02}x12/99": total for number in range(rules)},
        {Opponent(f"{name}{number:02}", bot=False): total for number in range(opponents)},
        {total.match: []},
    )


async def test_a_match_against_a_person_and_one_against_a_bot_are_distinguished(ada, bob, match):
    await ada.set(match, "1234")
    await bob.guess(match, "1122")
    await bob.guess(match, "1234")
    assert (await bob.statistics()).total.matches == 1
    against_bot = (await bob.open(maker="random", breaker="me", rules="mini")).match
    await bob.resign(against_bot)
    ended = {found.match: found.at for found in (await bob.archive()).matches}

    found = await bob.statistics()

    won = Figures(
        matches=1, wins=1, streak=1, longest=1, distribution=(0, 1), last=ended[match]
    )  # fmt: skip
    lost = Figures(matches=1, losses=1, unbroken=1, last=ended[against_bot])
    assert found.total == Figures(
        matches=2, wins=1, losses=1, longest=1, distribution=(0, 1), unbroken=1, last=lost.last
    )
    assert found.by_rules == (
        RulesFigures(rules="mini", figures=lost), RulesFigures(rules="classic", figures=won)
    )  # fmt: skip
    assert found.by_opponent == (
        OpponentFigures(opponent="random", bot=True, figures=lost),
        OpponentFigures(opponent="Ada", player=ada.id, figures=won),
    )
    codemaker = (await ada.statistics()).total
    assert (codemaker.matches, codemaker.losses, codemaker.distribution) == (1, 1, ())


async def test_a_player_without_a_match_has_empty_statistics(ada):
    found = await ada.statistics()
    assert found == Statistics(id=found.id, total=Figures())


def test_the_opponent_is_the_one_who_joined_before_or_after_the_player():
    opened, first, second = start_rated(Player(id="A", name="Ada"), Player(id="B", name="Bob"))
    rows = [encode_events((opened, first)), encode_events((second,))]
    found = replace(gather(sums(1)), openings={"MATCHA": rows})
    ids = [make_statistics(1, player, found).by_opponent[0].player for player in ("A", "B")]
    assert ids == ["B", "A"]


def test_a_distribution_counts_long_rounds_as_the_longest():
    figures = make_statistics(1, "A", gather(sums(1, {0: 2, 3: 4, 99: 1, 999: 1}))).total
    assert figures.unbroken == 2
    assert figures.distribution == (0, 0, 4, *[0] * (MAX_DISTRIBUTION - 4), 2)


def test_omitted_rules_and_opponents_are_reported():
    whole = gather(sums(1), MAX_STATISTICS_RULES, MAX_STATISTICS_OPPONENTS)
    assert not make_statistics(1, "A", whole).more
    for rules, opponents in ((1, 0), (0, 1)):
        longer = gather(sums(1), MAX_STATISTICS_RULES + rules, MAX_STATISTICS_OPPONENTS + opponents)
        found = make_statistics(1, "A", longer)
        assert found.more
        assert len(found.by_rules) == MAX_STATISTICS_RULES
        assert len(found.by_opponent) == MAX_STATISTICS_OPPONENTS


def test_the_largest_statistics_stay_under_sixteen_kibibytes():
    largest = sums(10_000, dict.fromkeys(range(100), 1000))
    found = make_statistics(
        MAX_REQUEST_ID, "A", gather(largest, 13, 51, name="\N{GRINNING FACE}" * 22)
    )
    assert 15 * 1024 < len(encode(found)) < 16 * 1024
    assert found.more
    assert len(found.by_rules) == MAX_STATISTICS_RULES
    assert 10 < len(found.by_opponent) < MAX_STATISTICS_OPPONENTS


class Counting(WatchedStore):
    """Counts the sums of archives in `summed`."""

    summed = 0

    async def before(self, statement: Callable[..., object], _: tuple[object, ...]) -> None:
        self.summed += statement is sum_archive


@pytest.fixture
async def counting(tmp_path):
    store = await Counting.open(tmp_path / "store.sqlite3")
    yield store
    await store.close()


@pytest.fixture
def clock():
    return ManualClock()


async def test_an_opponent_with_a_new_name_counts_once(any_store, clock):
    rows = [row._replace(bot=False, opponent_id="B") for row in draw_rows(9)]
    await store_rows(any_store, rows)
    (found,) = (await StatisticsCache(any_store, clock).find("A")).by_opponent
    assert (found.opponent, found.figures.matches) == (rows[-1].opponent, 9)


async def test_statistics_have_each_match_that_was_stored_before_by_any_node(any_store, clock):
    cache, rows = StatisticsCache(any_store, clock), draw_rows(9)
    for number, row in enumerate((rows[2], rows[8], rows[4], rows[0]), start=1):
        await store_rows(any_store, [row])
        assert (await cache.find("A")).total.matches == number


async def test_an_archive_that_has_not_changed_is_summed_once(counting, clock):
    cache = StatisticsCache(counting, clock)
    await store_rows(counting, draw_rows(9))

    found = await asyncio.gather(*(cache.find("A") for _ in range(3)))

    assert found == [await cache.find("A")] * 3
    assert counting.summed == 1


async def test_the_least_recent_statistics_are_evicted(counting, clock, monkeypatch):
    monkeypatch.setattr(statistics, "CACHED_PLAYERS", 2)
    cache = StatisticsCache(counting, clock)
    sums = []
    for player in "ABACAB":
        await cache.find(player)
        sums.append(counting.summed)
    assert sums == [1, 2, 2, 3, 3, 4]


async def test_the_name_of_a_deleted_opponent_disappears_after_a_minute(store, clock):
    cache, rows = StatisticsCache(store, clock), draw_rows(1)
    await store_rows(store, rows)
    first = await cache.find("A")
    await store.write(rename_opponents)

    clock.seconds += CACHE_SECONDS - 1
    assert await cache.find("A") == first
    clock.seconds += 1
    assert (await cache.find("A")).by_opponent[0].opponent == "guest"


async def test_statistics_of_another_history_are_not_kept(store, clock):
    cache = StatisticsCache(store, clock)
    await store_rows(store, draw_rows(1))
    await cache.find("A")
    await store.write(rename_opponents)

    for epoch in ("another", store.epoch):
        store.epochs.adopt(epoch)
    assert (await cache.find("A")).by_opponent[0].opponent == "guest"


def rename_opponents(session: Session) -> None:
    """Rename the opponents, as the deletion of an account does."""
    session.connection.execute(sa.update(archive).values(opponent="guest"))
