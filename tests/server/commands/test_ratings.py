from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from kit.matches import ADA, BOB
from kit.rated import leave, start_rated, store_rated, win
from mastermind_protocol.codec import decode_events, encode_events
from mastermind_protocol.events import Player, Rated
from mastermind_protocol.glicko import INITIAL_RATING, rate
from mastermind_protocol.transitions import fold
from mastermind_server import cli
from mastermind_server.commands.player_data import forget_player
from mastermind_server.commands.ratings import find_differences
from mastermind_server.storage.database import Session
from mastermind_server.storage.rating_rows import DAY_MILLISECONDS
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import log, players, ratings, standings
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


def test_ratings_that_follow_from_the_log_have_no_differences(session):
    assert find_differences(session) == []


def test_a_stored_rating_that_differs_from_the_log_is_reported(session):
    change = sa.update(ratings).where(ratings.c.match == "MATCH3", ratings.c.player == ADA.id)
    session.connection.execute(change.values(rating=1234.5))

    (line,) = find_differences(session)

    assert line.startswith("match MATCH3: player ADA, stored: 1234.50 ±")


def test_fewest_guesses_that_differ_from_the_log_are_reported(session):
    for table, value in ((ratings, 2), (standings, 3)):
        key = (table.c.player == ADA.id) & (table.c.rules == "mini")
        session.connection.execute(sa.update(table).where(key).values(fewest=value))

    assert find_differences(session) == [
        "match OTHERS: player ADA, fewest guesses: 2, expected 1",
        "player ADA, mini: fewest guesses 3, expected 2",
    ]


def test_fewest_guesses_that_an_older_server_left_out_are_no_difference(session):
    for table in (ratings, standings):
        key = (table.c.player == ADA.id) & (table.c.rules == "mini")
        session.connection.execute(sa.update(table).where(key).values(fewest=None))

    assert find_differences(session) == []


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


def test_a_last_rating_that_differs_from_the_log_is_reported(session):
    change = sa.update(standings).where(standings.c.rules == "mini", standings.c.player == ADA.id)
    session.connection.execute(change.values(rating=1234.5))

    (line,) = find_differences(session)

    assert line.startswith("match OTHERS: player ADA, last: 1234.50 ±")


def test_last_ratings_without_a_match_and_missing_ones_are_reported(session):
    change = sa.update(standings).where(standings.c.rules == "mini", standings.c.player == ADA.id)
    session.connection.execute(change.values(player=EVE.id))

    assert find_differences(session) == [
        "player ADA: the last rating by mini is not that of the log",
        "player EVE: the log has no ratings by mini",
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


def test_a_rating_before_a_match_that_is_not_the_last_one_is_reported(session):
    def start_again(rated: Rated) -> Rated:
        winner, loser = (replace(player, before=INITIAL_RATING) for player in rated.players)
        won, lost = (rate(INITIAL_RATING, [(INITIAL_RATING, score)]) for score in (1.0, 0.0))
        if winner.after.rating < loser.after.rating:
            won, lost = lost, won
        return Rated(players=(replace(winner, after=won), replace(loser, after=lost)))

    change_event(session, "MATCH5", start_again)

    lines = [line for line in find_differences(session) if ", before: " in line]

    assert [line.partition(", ")[0] for line in lines] == [
        "match MATCH5: player BOB",
        "match MATCH5: player EVE",
    ]


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


async def test_the_command_prints_the_differences_and_fails(tmp_path, capsys):
    path = tmp_path / "game.sqlite3"
    await (await Store.open(path)).close()
    arguments = ["ratings", "--check", f"--database={path}"]
    with open_session(path, SessionMode.EXCLUSIVE) as session:
        add_players(session, [NewPlayer(player, player.id.encode(), 0) for player in (ADA, BOB)])
        store_rated(session, "AAAAAA")

    assert cli.main(arguments) == 0
    assert capsys.readouterr().out == "2 ratings agree with the log\n"

    with open_session(path, SessionMode.EXCLUSIVE) as session:
        session.connection.execute(sa.delete(ratings).where(ratings.c.player == BOB.id))
        session.connection.commit()
    assert cli.main(arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == "match AAAAAA: the rating of player BOB is not stored\n"
    assert "1 ratings differ from the log" in printed.err
