from __future__ import annotations

import pytest
import sqlalchemy as sa

from kit.clock import ManualClock
from kit.matches import SeededRandom
from kit.store import WatchedStore
from mastermind_server.matches.rankings import (
    OVERLAP_MILLISECONDS,
    REBUILD_MILLISECONDS,
    SLICE_ROWS,
    Ranking,
    Rankings,
)
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.rating_rows import (
    DAY_MILLISECONDS,
    LEADERBOARD_WINDOW_MILLISECONDS,
    Candidate,
    find_leaderboard_end,
)
from mastermind_server.storage.schema import standings
from mastermind_server.storage.store import Store
from server.storage.statements.rated import RULES

NOW = 100 * DAY_MILLISECONDS
EPOCH = "e0"


def make(player: str, rating: float = 1700.0, at: int = NOW, deviation: float = 80.0) -> Candidate:
    """Return a player with enough matches."""
    return Candidate(player, at, rating, deviation, 0.06)


def list_all(ranking: Ranking) -> list[str]:
    """Return the ids of all players in order."""
    return ranking.list_players(0, len(ranking))


def add(session: Session, *candidates: Candidate) -> None:
    """Store the standings of players, instead of older ones."""
    numbers = {"wins": 9, "draws": 0, "losses": 9, "rounds": 9, "broken": 9, "guesses": 9}
    for row in candidates:
        session.connection.execute(sa.delete(standings).where(standings.c.player == row.player))
        values = {**row._asdict(), **numbers, "rules": RULES, "n": 18, "opponents": 9}
        session.connection.execute(sa.insert(standings).values(values))


def test_the_highest_rating_is_first_and_of_equal_ones_the_higher_id():
    ranking = Ranking(NOW, EPOCH)

    ranking.update([make("A"), make("C"), make("B"), make("D", 1800), make("E", 1600)], NOW)

    assert list_all(ranking) == ["D", "C", "B", "A", "E"]
    assert [ranking.find_place(player) for player in "DCBAE?"] == [1, 2, 3, 4, 5, None]


def test_places_and_pages_are_those_of_a_sorted_list_after_any_changes():
    ranking, chance = Ranking(NOW, EPOCH), SeededRandom(7)
    last: dict[str, Candidate] = {}
    for number in range(2_000):
        player = f"P{chance.randrange(300)}"
        if number % 5 == 0:
            ranking.remove(player)
            last.pop(player, None)
        else:
            rating = float(chance.choice([0, 1495, 1500, 1509.999, 1510, 4000, number]))
            last[player] = make(player, rating, NOW + number)
            ranking.update([last[player]], NOW)

    order = sorted(last, key=lambda each: (last[each].rating, each), reverse=True)
    assert [ranking.find_place(player) for player in order] == list(range(1, len(order) + 1))
    for after in range(0, len(order) + 9, 7):
        assert ranking.list_players(after, 25) == order[after : after + 25]


def test_a_player_leaves_when_its_time_is_over_unless_it_has_played_again():
    ranking = Ranking(NOW, EPOCH)
    rows = [make("A"), make("B", at=NOW - DAY_MILLISECONDS), make("C", at=NOW - DAY_MILLISECONDS)]
    ranking.update(rows, NOW)
    ranking.update([make("C", 1650, at=NOW)], NOW)
    end = NOW - DAY_MILLISECONDS + LEADERBOARD_WINDOW_MILLISECONDS

    ranking.update([], end - 1)
    assert list_all(ranking) == ["B", "A", "C"]
    ranking.update([], end)
    assert list_all(ranking) == ["A", "C"]
    ranking.update([], NOW + LEADERBOARD_WINDOW_MILLISECONDS)
    assert (list_all(ranking), len(ranking)) == ([], 0)


def test_a_provisional_rating_has_no_place():
    ranking = Ranking(NOW, EPOCH)
    ranking.update([make("A"), make("B", deviation=109.0)], NOW)
    end = find_leaderboard_end(make("B", deviation=109.0).after, NOW)

    ranking.update([], end - 1)
    assert ranking.find_place("B") == 1
    ranking.update([], end)
    assert ranking.find_place("B") is None
    ranking.update([make("A", deviation=110.0)], NOW)
    assert len(ranking) == 0


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def now(clock):
    return clock.unix_milliseconds()


async def test_a_place_includes_every_match_that_was_stored_before(any_store, clock, now):
    rankings = Rankings(any_store, clock)
    await any_store.write(add, make("A", 1700, now), make("B", 1800, now))
    assert list_all(await rankings.refresh(RULES)) == ["B", "A"]

    await any_store.write(add, make("A", 1900, now + 1))
    assert list_all(await rankings.refresh(RULES)) == ["A", "B"]

    await any_store.write(add, make("C", 1850, now + 1 - OVERLAP_MILLISECONDS // 2))
    assert list_all(await rankings.refresh(RULES)) == ["A", "C", "B"]
    assert len(await rankings.refresh("mini")) == 0


async def test_two_nodes_have_the_same_places(postgres_url, clock, now):
    stores = [await Store.open(postgres_url) for _ in range(2)]
    nodes = [Rankings(store, clock) for store in stores]
    for number, rating in enumerate((1700.0, 1800.0, 1650.0)):
        await stores[number % 2].write(add, make("A", rating, now + number), make("B", 1750, now))
        assert len({tuple(list_all(await node.refresh(RULES))) for node in nodes}) == 1
    for store in stores:
        await store.close()


async def test_a_ranking_is_built_in_slices_without_players_who_have_left(store, clock, now):
    old = make("OLD", 2000, now - LEADERBOARD_WINDOW_MILLISECONDS)
    rows = [make(f"P{number:04}", 1000 + number, now) for number in range(SLICE_ROWS * 2 + 1)]
    await store.write(add, old, *rows)

    ranking = await Rankings(store, clock).refresh(RULES)

    assert len(ranking) == len(rows)
    assert ranking.list_players(0, 1) == [rows[-1].player]


async def test_a_refresh_reads_only_the_changes_since_the_last_one(tmp_path, clock, now):
    read: list[list[Candidate]] = []

    class Recording(WatchedStore):
        async def after(self, _: object, result: list[Candidate]) -> None:
            read.append(result)

    store = await Recording.open(tmp_path / "store.sqlite3")
    rankings = Rankings(store, clock)
    await store.write(add, *(make(f"P{number}", 1700, now) for number in range(9)))
    await rankings.refresh(RULES)
    clock.seconds += 2 * OVERLAP_MILLISECONDS / 1000
    await rankings.refresh(RULES)
    read.clear()

    await rankings.refresh(RULES)

    assert read == [[]]
    await store.close()


async def test_a_ranking_without_players_is_not_kept(store, clock):
    """Rules have 9,000 names: an attacker would fill the memory with rankings."""
    rankings = Rankings(store, clock)

    assert await rankings.refresh("9x9") is not await rankings.refresh("9x9")


def delete_b(session: Session) -> None:
    """Delete the standing of the player B."""
    session.connection.execute(sa.delete(standings).where(standings.c.player == "B"))


async def test_a_deleted_player_has_no_place_after_the_next_build(store, clock, now):
    rankings = Rankings(store, clock)
    await store.write(add, make("A", 1700, now), make("B", 1800, now))
    await rankings.refresh(RULES)
    await store.write(delete_b)

    clock.seconds += REBUILD_MILLISECONDS / 1000
    assert list_all(await rankings.refresh(RULES)) == ["A"]


async def test_a_ranking_of_another_epoch_is_built_again(store, clock, now):
    rankings = Rankings(store, clock)
    await store.write(add, make("A", 1700, now), make("B", 1800, now))
    (await rankings.refresh(RULES)).epoch = "of a history in which B has played"
    await store.write(delete_b)

    assert list_all(await rankings.refresh(RULES)) == ["A"]


async def test_players_leave_with_time_and_without_a_change_in_the_database(store, clock, now):
    rankings = Rankings(store, clock)
    left = now - LEADERBOARD_WINDOW_MILLISECONDS + 60_000
    await store.write(add, make("A", 1700, now), make("B", 1800, left))
    assert list_all(await rankings.refresh(RULES)) == ["B", "A"]

    clock.seconds += 61
    assert list_all(await rankings.refresh(RULES)) == ["A"]


async def test_a_system_clock_that_was_set_back_hides_no_match(store, clock, now):
    rankings = Rankings(store, clock)
    await store.write(add, make("A", 1700, now))
    await rankings.refresh(RULES)
    back = 2 * OVERLAP_MILLISECONDS
    clock.seconds -= back / 1000

    await store.write(add, make("B", 1800, now - back))
    assert list_all(await rankings.refresh(RULES)) == ["B", "A"]
