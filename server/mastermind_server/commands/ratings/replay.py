"""The rows of a rated match in the tables of ratings and names, computed from its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa
from msgspec.structs import astuple

from mastermind_protocol.codec import decode_events
from mastermind_protocol.commands import RATING_TOLERANCE
from mastermind_protocol.events import MatchEnd, Rated
from mastermind_protocol.transitions import Decision, fold
from mastermind_server.bots import worker_functions
from mastermind_server.matches.ratings import list_rated_turns, make_rated_ending
from mastermind_server.storage.rating_rows import LastRating, NameClaim, RatingRow
from mastermind_server.storage.schema import matches
from mastermind_server.storage.statements.log import read_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.match import Match
    from mastermind_server.storage.engines.database import Session

VOLATILITY_TOLERANCE = 1e-5  # a hundred times the stored precision; no match changes it by more
_SLICE_CODES = 1000  # match codes in one read


class NotRated(Exception):
    """The log of a rated match has no event `Rated`."""


class ReplayedMatch(NamedTuple):
    """The ratings of both players before a match, by id, and its rows and claims.

    A row has the number and the rating of the event `Rated`. The other columns are computed.
    `wrong` lists rows with another rating than the computed one, and the computed rating.
    """

    before: dict[str, Rating]
    rows: tuple[RatingRow, ...]
    claims: tuple[NameClaim, ...]
    wrong: list[tuple[RatingRow, Rating]]


def list_rated_matches(session: Session) -> Iterator[str]:
    """Yield the codes of all finished matches that were opened as rated, in slices."""
    query = sa.select(matches.c.match).where(matches.c.rated, matches.c.due.is_(None))
    query = query.order_by(matches.c.match).limit(_SLICE_CODES)
    last = ""
    while codes := session.connection.scalars(query.where(matches.c.match > last)).all():
        yield from codes
        last = codes[-1]


def replay_match(session: Session, match_code: str) -> ReplayedMatch | None:
    """Return the ratings after a match, or None if the match is correctly without ratings.

    Raises NotRated. Raises MastermindError, ValueError and TypeError for a damaged log.
    """
    rows, state, replayed = read_log(session, match_code), None, None
    for row in rows:
        events, elapsed = decode_events(row.events), row.elapsed_since(rows[0].at)
        rated = events[-1]
        if state is not None and isinstance(rated, Rated):
            finished = fold(events[:-1], state, elapsed)
            replayed = _compute(match_code, Decision(events[:-1], finished), rated, row.at)
        state = fold(events, state, elapsed)
    if state is None:
        raise ValueError("it is empty")
    if replayed is None and _had_to_be_rated(state):
        raise NotRated
    return replayed


def differ(found: Rating, expected: Rating) -> bool:
    """Return whether two ratings differ by more than the rounding errors of different computers."""
    tolerances = (RATING_TOLERANCE, RATING_TOLERANCE, VOLATILITY_TOLERANCE)
    return any(
        abs(one - other) > tolerance
        for one, other, tolerance in zip(astuple(found), astuple(expected), tolerances, strict=True)
    )


def _compute(match_code: str, decision: Decision, rated: Rated, at: int) -> ReplayedMatch:
    """Return the ratings of a match that ended at `at` with `decision`, followed by `rated`."""
    match, changes = decision.after, {each.player: each for each in rated.players}
    last = {
        player: LastRating(change.n - 1, None, change.before, name="")
        for player, change in changes.items()
    }
    luck = worker_functions.measure_luck(match.rules, list_rated_turns(match))
    computed = make_rated_ending(match_code, decision, at, last, luck)
    rows, wrong = [], []
    for row in computed.rows:
        logged = changes[row.player].after
        rows.append(
            row._replace(
                rating=logged.rating, deviation=logged.deviation, volatility=logged.volatility
            )
        )
        if differ(logged, row.after):
            wrong.append((rows[-1], row.after))
    before = {player: change.before for player, change in changes.items()}
    return ReplayedMatch(before, tuple(rows), computed.claims, wrong)


def _had_to_be_rated(match: Match) -> bool:
    outcome = match.outcome
    played = outcome is not None and outcome.how is not MatchEnd.CLOSED
    return played and match.rated and match.has_live_clock
