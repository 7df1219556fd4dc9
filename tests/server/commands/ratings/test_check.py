from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from kit.matches import ADA, BOB
from kit.rated import leave, start_rated, store_rated, win
from kit.server import make_database
from mastermind_protocol.codec import decode_events, encode_events
from mastermind_protocol.events import Player, Rated
from mastermind_protocol.glicko import INITIAL_RATING, rate
from mastermind_protocol.transitions import fold
from mastermind_server.commands.player_data import forget_player
from mastermind_server.commands.ratings import check, replay
from mastermind_server.commands.ratings.check import find_differences
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.rating_rows import DAY_MILLISECONDS
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import log, matches, names, players, ratings, standings
from mastermind_server.storage.statements.accounts import NewPlayer, add_players
from mastermind_server.storage.statements.log import append
from mastermind_server.storage.store import SessionMode, Store, open_session

EVE = Player(id="EVE", name="Eve")


@pytest.fixture
async def session(place):
    """A session with six rated matches of three players, in either database."""
    store = await Store.open(place)
    await store.close()
    with open_session(place, SessionMode.EXCLUSIVE) as session:
        accounts = [NewPlayer(player, player.id.encode(), 0) for player in (ADA, BOB, EVE)]
        add_players(session, accounts)
        for number, (first, second) in enumerate(
            [(ADA, BOB), (BOB, EVE), (EVE, ADA), (ADA, BOB), (BOB, ADA), (EVE, BOB)]
        ):
            code = f"MATCH{number}"
            store_rated(
                session, code, first, second, at=number * DAY_MILLISECONDS, misses=number % 3
            )
        store_rated(session, "OTHERS", ADA, BOB, at=9 * DAY_MILLISECONDS, rules="mini")
        yield session


def change_event(session: Session, code: str, change: Callable[[Rated], Rated]) -> None:
    """Change the event `rated` in the log of a match."""
    key = (log.c.match == code) & (log.c.version == 2)
    encoded = session.connection.execute(sa.select(log.c.events).where(key)).scalar_one()
    events = decode_events(encoded)
    rated = events[-1]
    assert isinstance(rated, Rated)
    changed = encode_events((*events[:-1], change(rated)))
    session.connection.execute(sa.update(log).where(key).values(events=changed))


def test_ratings_that_follow_from_the_log_have_no_differences(session, monkeypatch):
    """They are read in several slices."""
    monkeypatch.setattr(check, "_SLICE_ROWS", 2)
    monkeypatch.setattr(replay, "_SLICE_CODES", 2)
    assert find_differences(session) == []


def test_a_stored_rating_that_differs_from_the_log_is_reported(session):
    change = sa.update(ratings).where(ratings.c.match == "MATCH3", ratings.c.player == ADA.id)
    session.connection.execute(change.values(rating=1234.5))

    (line,) = find_differences(session)

    assert line.startswith("match MATCH3: player ADA, rating: 1234.5, expected 1")


def test_fewest_guesses_that_differ_from_the_log_are_reported(session):
    for table, value in ((ratings, 2), (standings, 3)):
        key = (table.c.player == ADA.id) & (table.c.rules == "mini")
        session.connection.execute(sa.update(table).where(key).values(fewest=value))

    assert find_differences(session) == [
        "match OTHERS: player ADA, fewest: 2, expected 1",
        "player ADA, mini, fewest: 3, expected 1",
    ]


def test_a_rating_that_is_not_stored_is_reported(session):
    session.connection.execute(sa.delete(ratings).where(ratings.c.match == "MATCH3"))

    assert sorted(find_differences(session)) == [
        "match MATCH3: the rating of player ADA is not stored",
        "match MATCH3: the rating of player BOB is not stored",
    ]


def test_a_rating_that_the_log_does_not_have_is_reported(session):
    first = session.connection.execute(sa.select(ratings)).mappings().first()
    session.connection.execute(sa.insert(ratings).values({**first, "n": 99, "match": "NOWHER"}))

    (line,) = find_differences(session)

    assert line.startswith("match NOWHER: the log has no rating of player")


def test_ratings_of_a_match_that_is_no_rated_one_are_reported(session):
    change = sa.update(matches).where(matches.c.match == "OTHERS").values(rated=False)
    session.connection.execute(change)

    lines = [line for line in find_differences(session) if line.startswith("match")]

    assert lines == [
        "match OTHERS: the log has no rating of player ADA",
        "match OTHERS: the log has no rating of player BOB",
    ]


def test_the_check_continues_after_a_row_that_cannot_be_read(session):
    damaged = sa.update(log).where(log.c.match == "OTHERS", log.c.version == 2).values(events=b"?")
    session.connection.execute(damaged)

    first, *lines = find_differences(session)

    assert first.startswith("match OTHERS: its log is damaged")
    assert "match OTHERS: the log has no rating of player ADA" in lines


def test_a_last_rating_that_differs_from_the_log_is_reported(session):
    change = sa.update(standings).where(standings.c.rules == "mini", standings.c.player == ADA.id)
    session.connection.execute(change.values(rating=1234.5))

    (line,) = find_differences(session)

    assert line.startswith("player ADA, mini, rating: 1234.5, expected 1")


def test_last_ratings_without_a_match_and_missing_ones_are_reported(session):
    change = sa.update(standings).where(standings.c.rules == "mini", standings.c.player == ADA.id)
    session.connection.execute(change.values(player=EVE.id))

    assert find_differences(session) == [
        "player ADA, mini: the standing is not stored",
        "player EVE, mini: the log has no ratings",
    ]


def test_a_rating_that_does_not_follow_from_the_one_before_is_reported(session):
    """Both players lose their first rating: each match alone is right, but not the order."""

    def forget_first(rated: Rated) -> Rated:
        return replace(
            rated, players=tuple(replace(player, n=player.n + 1) for player in rated.players)
        )

    change_event(session, "OTHERS", forget_first)

    lines = find_differences(session)

    assert "match OTHERS: player ADA has number 2, not 1" in lines


def start_again(rated: Rated) -> Rated:
    """Return the event as if the match were the first of both players."""
    winner, loser = (replace(player, before=INITIAL_RATING) for player in rated.players)
    won, lost = (rate(INITIAL_RATING, [(INITIAL_RATING, score)]) for score in (1.0, 0.0))
    if winner.after.rating < loser.after.rating:
        won, lost = lost, won
    return Rated(players=(replace(winner, after=won), replace(loser, after=lost)))


def test_a_rating_before_a_match_that_is_not_the_last_one_is_reported(session):
    change_event(session, "MATCH5", start_again)

    lines = [line for line in find_differences(session) if ", before: " in line]

    assert [line.partition(", ")[0] for line in lines] == [
        "match MATCH5: player BOB",
        "match MATCH5: player EVE",
    ]


def test_the_ratings_of_a_forgotten_player_must_follow_from_each_other(session):
    for player in (BOB, EVE):
        forget_player(session, player.id, 99 * DAY_MILLISECONDS)
    change_event(session, "MATCH5", start_again)

    lines = find_differences(session)

    assert [line.partition(": ")[0] for line in lines] == ["match MATCH5", "match MATCH5"]


def test_a_volatility_that_does_not_follow_from_the_match_is_reported(session):
    """It is the same in the log and in both tables."""

    def shake(rated: Rated) -> Rated:
        first, second = rated.players
        after = replace(first.after, volatility=first.after.volatility + 0.009)
        return replace(rated, players=(replace(first, after=after), second))

    change_event(session, "OTHERS", shake)
    for table in (ratings, standings):
        changed = (table.c.player == BOB.id) & (table.c.rules == "mini")
        more = {"volatility": table.c.volatility + 0.009}
        session.connection.execute(sa.update(table).where(changed).values(more))

    (line,) = [line for line in find_differences(session) if ", after: " in line]

    assert line.startswith("match OTHERS: player BOB, after: ")


def test_a_rating_that_does_not_follow_from_the_match_is_damage(session):
    def add_points(rated: Rated) -> Rated:
        first, second = rated.players
        better = replace(first, after=replace(first.after, rating=first.after.rating + 1))
        return replace(rated, players=(better, second))

    change_event(session, "MATCH5", add_points)

    assert any(
        line.startswith("match MATCH5: its log is damaged:") for line in find_differences(session)
    )


def test_a_finished_match_without_ratings_is_reported(session):
    begun = start_rated()
    events, decision = win(fold(begun), ADA.id)
    rows = [
        LogRow("UNRATE", 1, 0, encode_events((*begun, *events))),
        LogRow("UNRATE", 2, 0, encode_events(decision.events)),
    ]
    append(session, rows, [make_projection("UNRATE", decision.after, 2, 0)])

    assert find_differences(session) == ["match UNRATE: it has changed no ratings"]


@pytest.mark.parametrize("counts", [False, True])
def test_closed_matches_and_those_that_do_not_count_need_no_ratings(session, counts):
    begun = start_rated(counts=counts)
    decision = leave(fold(begun), ADA.id) if counts else win(fold(begun), ADA.id)[1]
    events = begun if counts else (*begun, *win(fold(begun), ADA.id)[0])
    rows = [
        LogRow("CLOSED", 1, 0, encode_events(events)),
        LogRow("CLOSED", 2, 0, encode_events(decision.events)),
    ]
    append(session, rows, [make_projection("CLOSED", decision.after, 2, 0)])

    assert find_differences(session) == []


def test_the_ratings_of_a_forgotten_player_are_in_the_log_alone(session):
    forget_player(session, ADA.id, 99 * DAY_MILLISECONDS)

    assert find_differences(session) == []
    left = session.connection.scalars(sa.select(ratings.c.player).distinct())
    assert set(left) == {BOB.id, EVE.id}
    assert ADA.id not in session.connection.scalars(sa.select(players.c.id)).all()


def test_a_name_that_is_not_stored_is_reported_once(session):
    session.connection.execute(sa.delete(names).where(names.c.player == ADA.id))

    (line,) = find_differences(session)

    assert line.endswith(": the name of player ADA is not stored")


def test_a_name_belongs_to_the_player_that_claimed_it_first(session):
    double = Player(id="DOUBLE", name="ADA")
    add_players(session, [NewPlayer(double, b"double", 0)])
    store_rated(session, "DOUBLE", double, EVE, at=20 * DAY_MILLISECONDS)
    assert find_differences(session) == []

    owned = sa.update(names).where(names.c.player == ADA.id)
    session.connection.execute(owned.values(player=double.id, seen=20 * DAY_MILLISECONDS))

    assert find_differences(session) == ["name Ada: no match of player DOUBLE has claimed it"]


DAMAGED = [
    pytest.param(table, column.name, id=f"{table.name}-{column.name}")
    for table in (ratings, standings, names)
    for column in table.c
]
"""All columns, so that a new one needs no test of its own."""


def damage(value: Any) -> Any:
    """Return a value that differs little from `value`."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value[:-1]}{'X' if value[-1] != 'X' else 'Y'}"
    return value + (0.0001 if isinstance(value, float) else 1) if value is not None else 7


@pytest.fixture(scope="module")
def damaged_session(tmp_path_factory):
    """A session that all tests of damage share. They restore its rows."""
    path = tmp_path_factory.mktemp("damaged") / "game.sqlite3"
    make_database(path)
    with open_session(path, SessionMode.WRITE) as session:
        add_players(session, [NewPlayer(each, each.id.encode(), 0) for each in (ADA, BOB, EVE)])
        for n, pair in enumerate([(ADA, BOB), (BOB, ADA), (EVE, ADA)]):
            store_rated(session, f"MATCH{n}", *pair, at=n * DAY_MILLISECONDS)
        yield session


@pytest.mark.parametrize(("table", "column"), DAMAGED)
def test_every_damaged_column_is_reported(damaged_session, table, column):
    session, chosen = damaged_session, table.c[column]
    query = sa.select(table).where(table.c.player == ADA.id)
    last = query.order_by(*(key.desc() for key in table.primary_key)).limit(1)
    row = session.connection.execute(last).mappings().one()
    others = [key == row[key.name] for key in table.primary_key if key is not chosen]
    values = {damage(row[column])}
    if chosen.nullable and row[column] is not None:
        values.add(None)
    for value in values:
        for before, after in ((row[column], value), (value, row[column])):
            change = sa.update(table).where(*others, chosen == before).values({column: after})
            assert session.connection.execute(change).rowcount == 1
            found = find_differences(session)
            assert bool(found) == (after == value), f"{column}: {after} after {before}: {found}"
