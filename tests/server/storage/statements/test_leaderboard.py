from __future__ import annotations

import pytest

from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.rating_rows import (
    LEADERBOARD_MIN_MATCHES,
    LEADERBOARD_MIN_OPPONENTS,
    Candidate,
    NameClaim,
    RatingRow,
    Standing,
)
from mastermind_server.storage.schema import standings
from mastermind_server.storage.statements.leaderboard import (
    LeaderboardRow,
    list_candidates,
    read_leaderboard_rows,
)
from mastermind_server.storage.statements.ratings import add_ratings
from mastermind_server.storage.store import Store
from server.storage.statements.rated import RULES

FIRST = Standing(
    *("A", RULES, LEADERBOARD_MIN_MATCHES, 9, 1700.0, 80.0, 0.06, 6, 1, 3),
    *(20, 18, 100, 1.5, LEADERBOARD_MIN_OPPONENTS, 1720.0, 50, 4),
)


def add_standing(session: Session, standing: Standing) -> None:
    """Insert a row."""
    session.connection.execute(standings.insert().values(standing._asdict()))


async def list_all(store: Store, at: int = 0, player: str = "", limit: int = 9) -> list[Candidate]:
    """Return the candidates with a key above (at, player)."""
    return await store.read(list_candidates, RULES, after=(at, player), limit=limit)


async def test_candidates_are_in_the_order_of_their_last_matches_and_of_their_ids(any_store):
    for player, at in (("B", 7), ("A", 9), ("C", 7), ("D", 3)):
        await any_store.write(add_standing, FIRST._replace(player=player, at=at))
    await any_store.write(add_standing, FIRST._replace(player="E", rules="mini"))

    assert [row.player for row in await list_all(any_store)] == ["D", "B", "C", "A"]
    assert [row.player for row in await list_all(any_store, 3, "D", limit=2)] == ["B", "C"]
    assert [row.player for row in await list_all(any_store, 7, "B")] == ["C", "A"]
    assert (await list_all(any_store, 8))[0] == Candidate("A", 9, 1700.0, 80.0, 0.06)


@pytest.mark.parametrize(
    "change",
    [{"n": LEADERBOARD_MIN_MATCHES - 1}, {"opponents": LEADERBOARD_MIN_OPPONENTS - 1}],
)
async def test_a_player_with_too_few_matches_or_opponents_is_no_candidate(any_store, change):
    await any_store.write(add_standing, FIRST._replace(**change))

    assert await list_all(any_store) == []


async def test_rows_are_read_by_id_with_the_name_that_the_player_owns(any_store):
    row = RatingRow(
        *("A", RULES, 1, 9, "AAAAAA", "B", True, 1700.0, 80.0, 0.06, 1.0, 1, 1, 4, 0.0, 4)
    )
    claims = [NameClaim("old", "A", "Old"), NameClaim("new", "A", "New")]
    for n, claim in enumerate(claims, 1):
        await any_store.write_locking(add_ratings, [row._replace(n=n, at=n)], [claim])
    await any_store.write(add_standing, FIRST._replace(player="B"))
    await any_store.write(add_standing, FIRST._replace(player="C"))

    found = await any_store.read(read_leaderboard_rows, RULES, {"A", "B", "gone"})

    assert found.keys() == {"A", "B"}
    assert (found["A"].name, found["A"].account) == ("New", None)
    assert found["B"] == LeaderboardRow(None, None, FIRST._replace(player="B"))
