"""Ratings by Glicko-2: their changes by matches, and by time without a match.

Comments number the steps as in Mark Glickman, "Example of the Glicko-2 system" (2013).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

WIN, DRAW, LOSS = 1.0, 0.5, 0.0  # scores of a match

MIN_RATING, MAX_RATING = 0.0, 4000.0  # no pool of players gets there; keeps all results finite
MIN_DEVIATION = 45.0  # without a floor ratings stop moving, and a pool's ratings inflate
MAX_DEVIATION = 350.0  # the deviation of a newcomer: no pause makes a rating less certain
MIN_VOLATILITY, MAX_VOLATILITY = 0.001, 0.1  # a match changes it by 1e-5 at most

PROVISIONAL_DEVIATION = 110.0  # a rating with this deviation or more is shown with a question mark
SCALE = 173.7178  # points of the shown scale in one unit of Glicko-2
PERIODS_PER_DAY = 0.21436  # a deviation of 60 grows to 110 in a year without a match
TAU = 0.5  # limits changes of the volatility; Glickman advises 0.3 to 1.2

RATING_DIGITS, DEVIATION_DIGITS, VOLATILITY_DIGITS = 3, 3, 7  # as they are stored and sent

_CENTRE = 1500.0
_TOLERANCE = 1e-6  # of the logarithm of the squared volatility


class Rating(msgspec.Struct, frozen=True, gc=False):
    """A player's rating by one set of rules.

    With 95 % certainty the player's strength is within two `deviation`s of `rating`. `volatility`
    is the expected change of the strength in one rating period.
    """

    rating: Annotated[float, msgspec.Meta(ge=MIN_RATING, le=MAX_RATING)]
    deviation: Annotated[float, msgspec.Meta(ge=MIN_DEVIATION, le=MAX_DEVIATION)]
    volatility: Annotated[float, msgspec.Meta(ge=MIN_VOLATILITY, le=MAX_VOLATILITY)]

    @property
    def provisional(self) -> bool:
        """Whether the rating is still too uncertain to rank its player."""
        return self.deviation >= PROVISIONAL_DEVIATION


INITIAL_RATING = Rating(_CENTRE, MAX_DEVIATION, 0.06)


class Prospects(NamedTuple):
    """A player's rating after each outcome of a match."""

    win: Rating
    draw: Rating
    loss: Rating


def age(rating: Rating, days: float) -> Rating:
    """Return `rating` after `days` without a match: its deviation grows.

    A negative number of days counts as 0.
    """
    growth = max(days, 0.0) * PERIODS_PER_DAY * rating.volatility**2
    deviation = math.hypot(rating.deviation / SCALE, math.sqrt(growth)) * SCALE
    return _round(rating.rating, deviation, rating.volatility)


def rate(rating: Rating, games: Iterable[tuple[Rating, float]], periods: float = 0.0) -> Rating:
    """Return `rating` after `games`.

    Each game is the opponent's rating before the game, and the score: WIN, DRAW or LOSS. `periods`
    is the duration of the games in rating periods. It is 1 in Glickman's paper and 0 here, because
    `age` adds the time between matches. Without games, the rating stays the same.
    """
    mu, phi = (rating.rating - _CENTRE) / SCALE, rating.deviation / SCALE
    precision = surprise = 0.0
    for opponent, score in games:  # steps 3 and 4
        other = opponent.deviation / SCALE
        weight = 1 / math.sqrt(1 + 3 * other**2 / math.pi**2)
        odds = math.exp(-weight * (rating.rating - opponent.rating) / SCALE)
        precision += weight**2 * odds / (1 + odds) ** 2
        surprise += weight * (score - 1 / (1 + odds))
    if not precision:
        return rating
    volatility = _find_volatility(rating.volatility, phi, 1 / precision, surprise / precision)
    grown = phi**2 + periods * volatility**2  # step 6
    variance = 1 / (1 / grown + precision)  # step 7
    new_rating = (mu + variance * surprise) * SCALE + _CENTRE
    return _round(new_rating, math.sqrt(variance) * SCALE, volatility)


def predict(rating: Rating, opponent: Rating) -> Prospects:
    """Return `rating` after a win, a draw and a loss against `opponent`."""
    return Prospects(*(rate(rating, [(opponent, score)]) for score in (WIN, DRAW, LOSS)))


def _find_volatility(before: float, phi: float, variance: float, delta: float) -> float:
    """Return the new volatility. This is step 5 of the paper, with its symbols as parameters.

    `before` is the old volatility. The root is found by the Illinois algorithm.
    """
    start = math.log(before**2)

    def slope(x: float) -> float:
        spread = phi**2 + variance + math.exp(x)
        return math.exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - start) / TAU**2

    low, high = start, start - TAU
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        while slope(high) < 0:
            high -= TAU
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > _TOLERANCE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return math.exp(low / 2)


def _round(rating: float, deviation: float, volatility: float) -> Rating:
    """Return a Rating of these numbers, limited to their bounds and rounded as they are stored."""
    return Rating(
        round(min(max(rating, MIN_RATING), MAX_RATING), RATING_DIGITS),
        round(min(max(deviation, MIN_DEVIATION), MAX_DEVIATION), DEVIATION_DIGITS),
        round(min(max(volatility, MIN_VOLATILITY), MAX_VOLATILITY), VOLATILITY_DIGITS),
    )
