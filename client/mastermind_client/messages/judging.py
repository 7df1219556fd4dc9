"""The judgement of guesses for a review: worth, verdict and luck."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_protocol.match import find_excluding_guess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Round
    from mastermind_protocol.messages import ReviewedGuess
    from mastermind_protocol.rules import Rules


# The minimum share of the best guess's expected bits.
EXCELLENT_WORTH, GOOD_WORTH, WEAK_WORTH = 0.97, 0.85, 0.1
LUCKY_BITS, VERY_LUCKY_BITS = 0.5, 1.5  # bits above expectation


class Verdict(Enum):
    """The grade of a guess, from best to worst."""

    FOUND = N_("found it")
    EXCELLENT = N_("excellent")
    GOOD = N_("good")
    WEAK = N_("weak")
    WASTED = N_("wasted")


class Luck(Enum):
    """Whether feedback gave more information than expected."""

    LUCKY = N_("lucky")
    EVEN = ""
    UNLUCKY = N_("unlucky")


@dataclass(frozen=True, slots=True)
class JudgedGuess:
    """A guess of a round with its analysis and its grade.

    `worth` is the expected information divided by that of the best guess, from 0 to 1. `excluded`
    is the number of the earlier guess that ruled this guess out, or None. `found` is whether the
    guess was the secret. `advised` is whether the player took advice for it.
    """

    number: int
    review: ReviewedGuess
    worth: float
    found: bool
    excluded: int | None = None
    advised: bool = False

    @property
    def verdict(self) -> Verdict:
        """The grade of the guess."""
        if self.found:
            return Verdict.FOUND
        if self.worth >= EXCELLENT_WORTH:
            return Verdict.EXCELLENT
        if self.worth >= GOOD_WORTH:
            return Verdict.GOOD
        return Verdict.WEAK if self.worth >= WEAK_WORTH else Verdict.WASTED

    @property
    def luck(self) -> Luck:
        """Whether the feedback gave more or less information than expected."""
        if self.review.luck >= LUCKY_BITS:
            return Luck.LUCKY
        return Luck.UNLUCKY if self.review.luck <= -LUCKY_BITS else Luck.EVEN


def judge_round(
    reviews: Sequence[ReviewedGuess], played: Round, rules: Rules
) -> tuple[JudgedGuess, ...]:
    """Return the guesses of the round `played`, judged by their `reviews`."""
    return tuple(
        JudgedGuess(
            number,
            review,
            worth=_compute_worth(review, found=turn.feedback.black == rules.pegs),
            found=turn.feedback.black == rules.pegs,
            excluded=(
                None
                if review.guess.possible
                else find_excluding_guess(turn.code, played.turns[: number - 1])
            ),
            advised=number in played.advised,
        )
        for number, (review, turn) in enumerate(zip(reviews, played.turns, strict=False), start=1)
    )


def _compute_worth(review: ReviewedGuess, *, found: bool) -> float:
    """Return the field `worth` of JudgedGuess for a guess, from 0 to 1.

    `found` is whether the guess is the secret. The secret is worth 1. When only one code is left,
    all other codes are worth 0.
    """
    if found:
        return 1.0
    return min(1.0, review.guess.bits / review.best.bits) if review.best.bits > 0 else 0.0


def compute_mean(judged: Sequence[JudgedGuess]) -> int:
    """Return the mean worth of the guesses, from 0 to 100. 100 means that each was the best guess.

    Raises ValueError if there are no guesses.
    """
    if not judged:
        raise ValueError("the mean of no guesses")
    mean = round(100 * sum(guess.worth for guess in judged) / len(judged))
    return min(mean, 99) if any(guess.worth < 1 for guess in judged) else mean
