from __future__ import annotations

import pytest

from mastermind_protocol.glicko import PROVISIONAL_DEVIATION, Rating, age
from mastermind_server.storage.database import Session
from mastermind_server.storage.rating_rows import (
    LEADERBOARD_MIN_MATCHES,
    LEADERBOARD_MIN_OPPONENTS,
    LEADERBOARD_WINDOW_MILLISECONDS,
    NameClaim,
    RatingRow,
    Standing,
)
from mastermind_server.storage.schema import standings
from mastermind_server.storage.statements.leaderboard import LeaderboardPart, read_leaderboard
from mastermind_server.storage.statements.ratings import add_ratings
from mastermind_server.storage.store import Store
from server.storage.statements.rated import DAY_MILLISECONDS, RULES

NOW = 100 * DAY_MILLISECONDS
FIRST = Standing(
    *("A", RULES, LEADERBOARD_MIN_MATCHES, NOW, 1700.0, 80.0, 0.06, 6, 1, 3),
    *(20, 18, 100, 1.5, LEADERBOARD_MIN_OPPONENTS, 1720.0, 50, 4),
)


def add_standing(session: Session, standing: Standing) -> None:
    """Insert a row."""
    session.connection.execute(standings.insert().values(standing._asdict()))


async def read(
    store: Store, *, after: int = 0, limit: int = 9, player: str | None = None, now: int = NOW
) -> LeaderboardPart:
    """Return a part of the leaderboard."""
    return await store.read(read_leaderboard, RULES, now, after=after, limit=limit, player=player)


async def test_the_highest_rating_is_first(any_store):
    for player, rating in (("A", 1700.0), ("B", 1800.0), ("C", 1600.0)):
        await any_store.write(add_standing, FIRST._replace(player=player, rating=rating))
    await any_store.write(add_standing, FIRST._replace(player="D", rules="mini"))

    found = await read(any_store)

    assert [(row.place, row.standing.player) for row in found.rows] == [
        (1, "B"),
        (2, "A"),
        (3, "C"),
    ]
    assert found.rows[1].standing == FIRST
    assert (found.total, found.own) == (3, None)


@pytest.mark.parametrize(
    "change",
    [
        {"deviation": PROVISIONAL_DEVIATION},
        {"n": LEADERBOARD_MIN_MATCHES - 1},
        {"opponents": LEADERBOARD_MIN_OPPONENTS - 1},
        {"at": NOW - LEADERBOARD_WINDOW_MILLISECONDS},
        {"deviation": 108.0, "at": NOW - LEADERBOARD_WINDOW_MILLISECONDS + 1},
    ],
)
async def test_each_condition_keeps_a_player_off_and_the_own_row_is_still_shown(any_store, change):
    await any_store.write(add_standing, FIRST._replace(**change))

    found = await read(any_store, player="A")

    assert (found.rows, found.total) == ([], 0)
    assert found.own is not None
    assert (found.own.place, found.own.standing) == (None, FIRST._replace(**change))


@pytest.mark.parametrize("days", [0, 7, 29])
async def test_a_deviation_grows_in_the_query_as_it_does_in_the_protocol(any_store, days):
    limit = next(
        tenths / 10
        for tenths in range(1100, 900, -1)
        if age(Rating(1700, tenths / 10, 0.06), days).deviation < PROVISIONAL_DEVIATION
    )
    at = NOW - days * DAY_MILLISECONDS
    await any_store.write(add_standing, FIRST._replace(player="A", deviation=limit, at=at))
    await any_store.write(add_standing, FIRST._replace(player="B", deviation=limit + 0.1, at=at))

    assert [row.standing.player for row in (await read(any_store)).rows] == ["A"]


async def test_pages_continue_and_the_own_row_has_its_place(any_store):
    for number in range(7):
        standing = FIRST._replace(player=f"P{number}", rating=1700.0 - number // 2)
        await any_store.write(add_standing, standing)

    whole = [row.standing.player for row in (await read(any_store)).rows]
    pages = [await read(any_store, after=after, limit=3, player=whole[4]) for after in (0, 3, 6)]

    assert [row.standing.player for page in pages for row in page.rows] == whole
    assert [row.place for page in pages for row in page.rows] == list(range(1, 8))
    for page in pages:
        assert page.own is not None
        assert (page.own.place, page.total) == (5, 7)


async def test_a_row_has_the_name_that_its_player_owns(any_store):
    row = RatingRow(
        *("A", RULES, 1, NOW, "AAAAAA", "B", True, 1700.0, 80.0, 0.06, 1.0, 1, 1, 4, 0.0, 4)
    )
    claims = [NameClaim("old", "A", "Old"), NameClaim("new", "A", "New")]
    for n, claim in enumerate(claims, 1):
        await any_store.write_locking(add_ratings, [row._replace(n=n, at=n)], [claim])

    found = await read(any_store, player="A", now=2)

    assert found.own is not None
    assert (found.own.name, found.own.account) == ("New", None)
