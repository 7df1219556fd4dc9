from __future__ import annotations

import pytest
import sqlalchemy as sa

from kit.matches import ADA, BOB
from kit.rated import store_rated
from mastermind_protocol.events import Player
from mastermind_server.commands.ratings.check import find_differences
from mastermind_server.commands.ratings.repair import repair_ratings
from mastermind_server.storage.rating_rows import DAY_MILLISECONDS
from mastermind_server.storage.schema import log, names, ratings, standings
from mastermind_server.storage.statements.accounts import NewPlayer, add_players
from mastermind_server.storage.store import SessionMode, Store, open_session

ZOE = Player(id="ZOE", name="Zoë")


@pytest.fixture
async def session(place):
    """A session with matches that a server without the column `fewest` has ended, except NEWEST."""
    store = await Store.open(place)
    await store.close()
    with open_session(place, SessionMode.WRITE) as session:
        add_players(session, [NewPlayer(each, each.id.encode(), 0) for each in (ADA, BOB, ZOE)])
        for day, (code, first, second, rules) in enumerate(
            [
                ("FIRST1", ADA, BOB, "classic"),
                ("SECOND", BOB, ZOE, "mini"),
                ("NEWEST", BOB, ADA, "classic"),
            ]
        ):
            store_rated(session, code, first, second, at=day * DAY_MILLISECONDS, rules=rules)
            if code != "NEWEST":
                for table in (ratings, standings):
                    session.connection.execute(sa.update(table).values(fewest=None))
        yield session


def test_what_an_earlier_release_left_out_is_filled_once(session):
    outdated = sa.update(names).where(names.c.player == ZOE.id).values(skeleton="zoë")
    session.connection.execute(outdated)
    assert find_differences(session) != []

    assert list(repair_ratings(session)) == [
        "match FIRST1: player ADA, fewest: 1 stored",
        "match FIRST1: player BOB, fewest: 2 stored",
        "match SECOND: player BOB, fewest: 1 stored",
        "match SECOND: player ZOE, fewest: 2 stored",
        "name Zoë: skeleton updated",
    ]

    assert find_differences(session) == []
    assert list(repair_ratings(session)) == []


def test_damage_stays_and_is_reported(session):
    """A wrong rating, a wrong standing, a match without a log, and a log that cannot be read."""
    store_rated(session, "UNREAD", ADA, BOB, at=9 * DAY_MILLISECONDS, rules="mini")
    of_ada = (ratings.c.match == "FIRST1") & (ratings.c.player == ADA.id)
    lost = session.connection.execute(sa.select(ratings).where(of_ada)).mappings().one()
    for change in (
        sa.update(ratings).where(of_ada).values(rating=1234.5),
        sa.update(ratings).where(ratings.c.match == "UNREAD").values(fewest=None),
        sa.update(log).where(log.c.match == "UNREAD", log.c.version == 2).values(events=b"?"),
        sa.update(standings).where(standings.c.player == ZOE.id).values(wins=7, fewest=1),
        sa.insert(ratings).values({**lost, "n": 99, "match": "NOWHER"}),
    ):
        session.connection.execute(change)

    repaired = list(repair_ratings(session))
    left = find_differences(session)

    assert [line[:12] for line in repaired] == ["match FIRST1"] * 2 + ["match SECOND"] * 2
    assert [line for line in left if "UNREAD" not in line and ", mini" not in line] == [
        next(line for line in left if line.startswith("match FIRST1: player ADA, rating: 1234.5")),
        "match NOWHER: the log has no rating of player ADA",
    ]
    assert next(line for line in left if "UNREAD" in line).startswith(
        "match UNREAD: its log is damaged"
    )
    assert [line for line in left if "player ZOE" in line] == [
        "player ZOE, mini, wins: 7, expected 0",
        "player ZOE, mini, fewest: 1, expected 2",
    ]
    assert list(repair_ratings(session)) == []


def test_stored_fewest_guesses_stay(session):
    of_ada = (ratings.c.match == "FIRST1") & (ratings.c.player == ADA.id)
    session.connection.execute(sa.update(ratings).where(of_ada).values(fewest=5))
    assert next(repair_ratings(session)) == "match FIRST1: player BOB, fewest: 2 stored"
    assert session.connection.scalar(sa.select(ratings.c.fewest).where(of_ada)) == 5
