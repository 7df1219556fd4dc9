"""Rows of ratings, of the leaderboard and of its names.

A row is a tuple with the columns of its table. Times are in milliseconds since 1970.
"""

from __future__ import annotations

from typing import NamedTuple

from mastermind_protocol.glicko import INITIAL_RATING, PERIODS_PER_DAY, SCALE, Rating, age

SKELETON_LENGTH = 72  # some letters have long skeletons: longer ones are equal if they begin alike

DAY = 24 * 3600 * 1000  # milliseconds
NAME_YEAR = 365 * DAY  # after the last rated match of its owner, another player may take a name
LEADERBOARD_TIME = 30 * DAY  # since the last rated match: the leaderboard lists active players
LEADERBOARD_MATCHES = 10  # fewer matches make no certain rating
LEADERBOARD_OPPONENTS = 3  # established ones: friends and new identities alone lift nobody
GROWTH = PERIODS_PER_DAY / DAY * SCALE**2  # of a squared deviation, per ms and squared volatility


class RatingTaken(Exception):
    """A player has finished another rated match meanwhile, so the ratings must be read again."""


class RatingRow(NamedTuple):
    """A player's rating after match number `n` of its rated matches by these rules.

    `established` is true if the rating of the opponent was not provisional. `rounds` is the number
    of rounds that the player finished as codebreaker, `broken` the number of codes it broke, and
    `guesses` the sum of its guesses, where a round without success counts limit + 1. `luck` is the
    luck of these rounds, in guesses; it is None for rules without a computation of luck.
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

    @property
    def after(self) -> Rating:
        """The rating after the match."""
        return Rating(self.rating, self.deviation, self.volatility)


class Standing(NamedTuple):
    """The sums of a player's rated matches by one set of rules.

    `n` is the number of matches, and `at` the end of the last one. `opponents` counts different
    established opponents. `best` is the highest rating that was not provisional, or None. The other
    sums are those of `RatingRow`.
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

    def rating_at(self, now: int) -> Rating:
        """Return the rating at the time `now`: its deviation grows without a match."""
        return find_rating_at(Rating(self.rating, self.deviation, self.volatility), self.at, now)


class LastRating(NamedTuple):
    """A player's last rating by one set of rules: `n` is 0 and `at` None before the first match.

    `name` is the name of the player's account, or None if the account was deleted.
    """

    n: int = 0
    at: int | None = None
    rating: Rating = INITIAL_RATING
    name: str | None = None

    def rating_at(self, now: int) -> Rating:
        """Return the rating at the time `now`: its deviation grows without a match."""
        return self.rating if self.at is None else find_rating_at(self.rating, self.at, now)


class NameClaim(NamedTuple):
    """The claim of a player to a name. `skeleton` is equal for all names that look alike."""

    skeleton: str
    player: str
    name: str


def find_rating_at(rating: Rating, since: int, now: int) -> Rating:
    """Return at the time `now` the rating that a player had at `since`; its deviation has grown."""
    return age(rating, (now - since) / DAY)
