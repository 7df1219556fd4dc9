"""The command `ratings --check`: computes all ratings from the log and compares them."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import sqlalchemy as sa
from msgspec.structs import astuple

from mastermind_protocol.codec import decode_events
from mastermind_protocol.commands import RATING_TOLERANCE
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.events import Finished, MatchEnd, RatedPlayer
from mastermind_protocol.glicko import INITIAL_RATING, Rating, rate
from mastermind_protocol.transitions import fold
from mastermind_server.commands.options import add_database_option, require_database
from mastermind_server.matches.ratings import find_fewest_guesses
from mastermind_server.storage.database import DatabaseUnusable
from mastermind_server.storage.rating_rows import RatingRow, Standing, find_rating_at
from mastermind_server.storage.revisions import SchemaUnknown, check_schema
from mastermind_server.storage.schema import matches, players, ratings, standings
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import SessionMode, open_session

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from mastermind_protocol.match import Match
    from mastermind_server.storage.database import Session


class _Change(NamedTuple):
    """The change of a player's rating by a match that ended at `at`, in milliseconds since 1970.

    `fewest` is the fewest guesses in which the player broke a code, or None.
    """

    match: str
    at: int
    player: RatedPlayer
    fewest: int | None


_Changes: TypeAlias = dict[tuple[str, str], list[_Change]]
"""The changes of each player, by player id and rules."""


class _Rows(NamedTuple):
    """The ids of all accounts, and the rows of ratings and standings by primary key."""

    account_ids: set[str]
    ratings: dict[tuple[str, str, int], RatingRow]
    standings: dict[tuple[str, str], Standing]


def add_ratings_command(parser: ArgumentParser) -> None:
    """Add the arguments of `ratings`."""
    add_database_option(parser)
    parser.add_argument(
        "--check", action="store_true", required=True, help="compare all ratings with the log"
    )
    parser.epilog = "Servers may use the database meanwhile. The status is 1 after a difference."
    parser.set_defaults(perform=_perform)


def _perform(options: Namespace) -> None:
    with open_session(require_database(options), SessionMode.READ) as session:
        try:
            check_schema(session.connection)
        except SchemaUnknown as error:
            raise DatabaseUnusable(str(error)) from error
        differences = find_differences(session)
        count = session.connection.scalar(sa.select(sa.func.count()).select_from(ratings))
    for line in differences:
        print(line)
    if differences:
        raise DatabaseUnusable(f"{len(differences)} ratings differ from the log")
    print(f"{count} ratings agree with the log")


def find_differences(session: Session) -> list[str]:
    """Return a line for each difference between the ratings and the log.

    Each rating must follow from the rating before it, and each row must follow from the log.
    """
    changes: _Changes = defaultdict(list)
    with session.snapshot():  # a match that ends meanwhile is in no table
        rows = _read_rows(session)
        lines = list(_replay_matches(session, changes))
    for key in sorted(changes):
        lines += _check_order(changes[key])
    return [*lines, *_check_rows(rows, changes)]


def _replay_matches(session: Session, changes: _Changes) -> Iterator[str]:
    """Add the rating changes of all matches to `changes`.

    Yield a line for each match with a damaged log, for each match without its rating changes, and
    for each change that differs from the computed one.
    """
    query = sa.select(matches.c.match).where(matches.c.rated, matches.c.due.is_(None))
    for match_code in session.connection.scalars(query.order_by(matches.c.match)).all():
        try:
            state, at = _replay_log(session, match_code)
        except (MastermindError, ValueError, TypeError) as error:
            yield f"match {match_code}: its log is damaged: {error}"
            continue
        if state.ratings is None:
            if _should_be_rated(state):
                yield f"match {match_code}: it has changed no ratings"
            continue
        for own, other in permutations(state.ratings.players):
            fewest = find_fewest_guesses(state, own.player)
            changes[own.player, state.rules.name].append(_Change(match_code, at, own, fewest))
            expected = rate(own.before, [(other.before, state.find_score(own.player))])
            if _differ(own.after, expected):
                yield _describe(match_code, own.player, "after", own.after, expected)


def _replay_log(session: Session, match_code: str) -> tuple[Match, int]:
    """Return the state of a match, and the time of its end in milliseconds since 1970."""
    rows = read_log(session, match_code)
    state, end = None, 0
    for row in rows:
        events = decode_events(row.events)
        state = fold(events, state, row.elapsed_since(rows[0].at))
        if any(isinstance(event, Finished) for event in events):
            end = row.at
    if state is None:
        raise ValueError("it is empty")
    return state, end


def _should_be_rated(match: Match) -> bool:
    outcome = match.outcome
    played = outcome is not None and outcome.how is not MatchEnd.CLOSED
    return played and match.rated and match.has_live_clock


def _check_order(changes: list[_Change]) -> Iterator[str]:
    """Check the changes of one player's rating by one preset. Yield a line for each wrong value.

    The numbers `n` of the changes must be 1, 2, 3 and so on. `before` must be the rating after the
    previous change, with its deviation grown since then.
    """
    last, at = INITIAL_RATING, None
    for number, change in enumerate(sorted(changes, key=lambda each: each.player.n), 1):
        own = change.player
        if own.n != number:
            yield f"match {change.match}: player {own.player} has number {own.n}, not {number}"
        expected = last if at is None else find_rating_at(last, at, change.at)
        if _differ(own.before, expected):
            yield _describe(change.match, own.player, "before", own.before, expected)
        last, at = own.after, change.at


def _read_rows(session: Session) -> _Rows:
    read = session.connection.execute
    stored = [RatingRow(*row) for row in read(sa.select(ratings))]
    last = [Standing(*row) for row in read(sa.select(standings))]
    return _Rows(
        account_ids={player for (player,) in read(sa.select(players.c.id))},
        ratings={(row.player, row.rules, row.n): row for row in stored},
        standings={(row.player, row.rules): row for row in last},
    )


def _check_rows(rows: _Rows, changes: _Changes) -> Iterator[str]:
    """Yield a line for each difference between `rows` and `changes`, the changes in the log.

    Skips players that were forgotten.
    """
    account_ids, stored, last = rows
    for (player, rules), made in sorted(changes.items()):
        if player not in account_ids:
            continue
        newest = max(made, key=lambda each: each.player.n)
        fewest = []
        for change in made:
            row = stored.pop((player, rules, change.player.n), None)
            fewest.append(row.fewest if row else change.fewest)
            if row is None:
                yield f"match {change.match}: the rating of player {player} is not stored"
            elif row.match != change.match or _differ(row.after, change.player.after):
                yield _describe(change.match, player, "stored", row.after, change.player.after)
            elif row.fewest not in (None, change.fewest):  # an older server stores None
                yield (
                    f"match {change.match}: player {player}, fewest guesses:"
                    f" {row.fewest}, expected {change.fewest}"
                )
        standing = last.pop((player, rules), None)
        if standing is None or standing.n != newest.player.n:
            yield f"player {player}: the last rating by {rules} is not that of the log"
        elif _differ(standing.rating_at(standing.at), newest.player.after):
            yield _describe(
                newest.match, player, "last", standing.rating_at(standing.at), newest.player.after
            )
        elif standing.fewest != (least := min(filter(None, fewest), default=None)):
            yield f"player {player}, {rules}: fewest guesses {standing.fewest}, expected {least}"
    for row in stored.values():
        yield f"match {row.match}: the log has no rating of player {row.player}"
    for player, rules in last:
        yield f"player {player}: the log has no ratings by {rules}"


def _differ(found: Rating, expected: Rating) -> bool:
    """Return whether two ratings differ by more than the rounding errors of different computers."""
    return any(
        abs(one - other) > RATING_TOLERANCE
        for one, other in zip(astuple(found), astuple(expected), strict=True)
    )


def _describe(match: str, player: str, what: str, found: Rating, expected: Rating) -> str:
    return (
        f"match {match}: player {player}, {what}:"
        f" {found.rating:.2f} ± {found.deviation:.2f}, expected {expected.rating:.2f}"
        f" ± {expected.deviation:.2f}"
    )
