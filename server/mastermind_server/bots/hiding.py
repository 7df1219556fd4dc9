"""How the server's bots hide codes.

A bot draws some codes at random and hides the best of them by a measure of its own. So its code is
fixed before the first guess, and every code can occur: a player who knows the measure knows more
likely codes, and no more. The arena measures the guesses that each way of hiding costs.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.feedback import score
from mastermind_protocol.text import gettext_noop as N_

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules

    Measure = Callable[[Rules, Sequence[Code]], Callable[[Code], float]]

CANDIDATES = 8  # drawn codes, the best of which is hidden: more would make it easy to predict
SAMPLED_CODES = 200  # drawn codes that estimate how common an answer is; scoring them takes 2 ms


@dataclass(frozen=True, slots=True)
class Hiding:
    """A way of hiding a code. `about` describes it, in English; clients translate it.

    `measure` takes the rules and a random sample of codes, and returns the function whose largest
    value the hidden code has among CANDIDATES codes. Without a measure, all codes are equally
    likely.
    """

    about: str
    measure: Measure | None = None

    def hide(self, rules: Rules, random: Random) -> Code:
        """Return the code to hide, for rules of any size."""
        if self.measure is None:
            return draw_code(rules, random)
        sample = [draw_code(rules, random) for _ in range(SAMPLED_CODES)]
        return max(sample[:CANDIDATES], key=self.measure(rules, sample))


def draw_code(rules: Rules, random: Random) -> Code:
    """Return a uniformly random code.

    Draws one `random.randint(0, n - 1)` for each peg, in order of the pegs, from the n colours that
    the peg may have, in order of the palette. This must not change, so that a player who gives a
    seed gets the same secrets from every version.
    """
    if rules.repeats:
        return tuple(random.randint(0, rules.colours - 1) for _ in range(rules.pegs))
    left = list(range(rules.colours))
    return tuple(left.pop(random.randint(0, len(left) - 1)) for _ in range(rules.pegs))


def list_common_openings(rules: Rules) -> list[Code]:
    """Return the first guesses that players like: 1122, 1112, 1123 and 1234 at four pegs.

    Without repeats, 0123, 1234, 4567 and 9876.
    """
    pegs, half = rules.pegs, (rules.pegs + 1) // 2
    openings: tuple[Iterable[int], ...] = (
        [0] * half + [1] * (pegs - half),
        [0] * (pegs - 1) + [1],
        [0] * half + list(range(1, pegs - half + 1)),
        list(range(pegs)),
    )
    if not rules.repeats:
        ascending = (range(first, first + pegs) for first in (0, 1, pegs))
        openings = (*ascending, range(rules.colours - 1, rules.colours - 1 - pegs, -1))
    return [tuple(colour % rules.colours for colour in opening) for opening in openings]


def _measure_secrecy(rules: Rules, sample: Sequence[Code]) -> Callable[[Code], float]:
    """Return a function that measures how little the common openings reveal about a code.

    It adds the logarithms of the number of codes in `sample` that answer each opening alike.
    """
    openings = list_common_openings(rules)
    counts = [Counter(score(code, opening) for code in sample) for opening in openings]

    def measure(code: Code) -> float:
        answers = (score(code, opening) for opening in openings)
        return sum(math.log(count[answer]) for count, answer in zip(counts, answers, strict=True))

    return measure


def _measure_openness(rules: Rules, sample: Sequence[Code]) -> Callable[[Code], float]:
    secrecy = _measure_secrecy(rules, sample)
    return lambda code: -secrecy(code)


def _count_colours(_rules: Rules, _sample: Sequence[Code]) -> Callable[[Code], float]:
    return lambda code: len(set(code))


def _count_repeated_colours(_rules: Rules, _sample: Sequence[Code]) -> Callable[[Code], float]:
    return lambda code: -len(set(code))


BY_CHANCE = Hiding(N_("Hides any code, each as likely as another."))
OPEN = Hiding(
    N_("Prefers to hide codes about which common first guesses reveal much."), _measure_openness
)
FEW_COLOURS = Hiding(N_("Prefers to hide codes of few colours."), _count_repeated_colours)
MANY_COLOURS = Hiding(N_("Prefers to hide codes of many colours."), _count_colours)
SECRETIVE = Hiding(
    N_("Prefers to hide codes about which common first guesses reveal little."), _measure_secrecy
)
