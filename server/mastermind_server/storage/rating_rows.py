"""Rows of ratings, of the leaderboard and of the names of rated players.

A row is a tuple with the columns of its table. Times are in milliseconds since 1970.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.glicko import (
    DRAW,
    INITIAL_RATING,
    LOSS,
    PERIODS_PER_DAY,
    PROVISIONAL_DEVIATION,
    SCALE,
    WIN,
    Rating,
    age,
)
from mastermind_server.storage.rows import WriteRejected

if TYPE_CHECKING:
    from collections.abc import Sequence

DAY_MILLISECONDS = 24 * 3600 * 1000
NAME_KEPT_MILLISECONDS = (
    365 * DAY_MILLISECONDS
)  # after the last rated match of its owner, another player may take a name
LEADERBOARD_WINDOW_MILLISECONDS = (
    30 * DAY_MILLISECONDS
)  # since the last rated match: the leaderboard lists active players
LEADERBOARD_MIN_MATCHES = 10  # fewer matches make no certain rating
LEADERBOARD_MIN_OPPONENTS = 3  # established ones, not only new identities of friends
DEVIATION_GROWTH = (
    PERIODS_PER_DAY / DAY_MILLISECONDS * SCALE**2
)  # of a squared deviation, per ms and squared volatility


class RatingsChanged(WriteRejected):
    """A player's ratings have changed since they were read: the caller must read them again."""


class RatingRow(NamedTuple):
    """A player's rating after its rated match number `n` by these rules, which ended at `at`.

    `established` is true if the opponent's rating was not provisional. `rounds` is the number of
    rounds that the player finished as codebreaker, and `broken` the number of codes it broke.
    `guesses` is the sum of its guesses in these rounds; a round with an unbroken code adds the
    limit of guesses + 1. `luck` is the number of guesses lost by bad luck in these rounds (see
    `bots.analysis.advice`). It is None for rules whose luck is not computed. `fewest` is the fewest
    guesses in which the player broke a code. It is None if the player broke none, and in rows of an
    older server until `ratings --repair`.
    """

    player: str
    rules: str
    n: int
    at: int
    match: str
    opponent: str
    established: bool
    rating: float
    deviation: float
    volatility: float
    score: float
    rounds: int
    broken: int
    guesses: int
    luck: float | None
    fewest: int | None

    @property
    def after(self) -> Rating:
        """The player's rating after the match."""
        return Rating(self.rating, self.deviation, self.volatility)


class Standing(NamedTuple):
    """A player's last rating and totals over all its rated matches by one set of rules.

    `n` is the number of matches, and the last one ended at `at`. `opponents` is the number of
    different opponents with an established rating. `best` is the highest rating that was not
    provisional, reached at `best_at`; both are None without such a rating. `rounds`, `broken`,
    `guesses` and `luck` are sums of these columns of `RatingRow`, and `fewest` is the minimum.
    """

    player: str
    rules: str
    n: int
    at: int
    rating: float
    deviation: float
    volatility: float
    wins: int
    draws: int
    losses: int
    rounds: int
    broken: int
    guesses: int
    luck: float | None
    opponents: int
    best: float | None
    best_at: int | None
    fewest: int | None

    def rating_at(self, now: int) -> Rating:
        """Return the rating at the time `now`. Its deviation grows between matches."""
        return find_rating_at(Rating(self.rating, self.deviation, self.volatility), self.at, now)


class Candidate(NamedTuple):
    """A player's last rating by one set of rules, as in `Standing`."""

    player: str
    at: int
    rating: float
    deviation: float
    volatility: float

    @property
    def after(self) -> Rating:
        """The rating at the time `at`."""
        return Rating(self.rating, self.deviation, self.volatility)


class LastRating(NamedTuple):
    """A player's rating after `n` rated matches by one set of rules; the last one ended at `at`.

    Before the first match `n` is 0 and `at` is None. `name` is the name of the player's account, or
    None if the account was deleted.
    """

    n: int = 0
    at: int | None = None
    rating: Rating = INITIAL_RATING
    name: str | None = None

    def rating_at(self, now: int) -> Rating:
        """Return the rating at the time `now`. Its deviation grows between matches."""
        return self.rating if self.at is None else find_rating_at(self.rating, self.at, now)


class NameClaim(NamedTuple):
    """A player's claim to a name. Names that look alike have the same `skeleton`."""

    skeleton: str
    player: str
    name: str


def make_standing(rows: Sequence[RatingRow]) -> Standing:
    """Return the standing of a player whose rated matches by one set of rules are `rows`, in order.

    `statements.ratings.add_ratings` adds one match at a time, with the same result.
    """
    last, scores = rows[-1], [row.score for row in rows]
    certain = [row for row in rows if row.deviation < PROVISIONAL_DEVIATION]
    best = max(certain, key=lambda row: row.rating, default=None)
    luck = [row.luck for row in rows if row.luck is not None]
    return Standing(
        player=last.player,
        rules=last.rules,
        n=last.n,
        at=last.at,
        rating=last.rating,
        deviation=last.deviation,
        volatility=last.volatility,
        wins=scores.count(WIN),
        draws=scores.count(DRAW),
        losses=scores.count(LOSS),
        rounds=sum(row.rounds for row in rows),
        broken=sum(row.broken for row in rows),
        guesses=sum(row.guesses for row in rows),
        luck=sum(luck) if len(luck) == len(rows) else None,
        opponents=len({row.opponent for row in rows if row.established}),
        best=None if best is None else best.rating,
        best_at=None if best is None else best.at,
        fewest=min((row.fewest for row in rows if row.fewest is not None), default=None),
    )


def find_rating_at(rating: Rating, since: int, now: int) -> Rating:
    """Return `rating`, which a player had at `since`, with its deviation grown until `now`."""
    return age(rating, (now - since) / DAY_MILLISECONDS)


def find_leaderboard_end(rating: Rating, at: int) -> int:
    """Return the time at which a player leaves the leaderboard unless it plays a rated match.

    `rating` is the rating after the player's last match, which ended at `at`. The player leaves
    LEADERBOARD_WINDOW_MILLISECONDS after `at`, or when the rating becomes provisional: that time is
    not after `at` if the rating is provisional already.
    """
    growth = rating.volatility**2 * DEVIATION_GROWTH
    certain = math.ceil((PROVISIONAL_DEVIATION**2 - rating.deviation**2) / growth)
    return at + min(LEADERBOARD_WINDOW_MILLISECONDS, certain)
