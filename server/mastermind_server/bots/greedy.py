"""The bots that look one guess ahead: each has a measure of what a guess leaves, to be made small.

`knuth`: the most candidates that any feedback leaves. D. E. Knuth, "The computer as Master Mind",
Journal of Recreational Mathematics 9(1), 1976-77.

`expected-size`: the candidates that are left on average. R. W. Irving, "Towards an optimum
Mastermind strategy", Journal of Recreational Mathematics 11(2), 1978-79.

`entropy`: what is not learnt, in bits. E. Neuwirth, "Some strategies for Mastermind", Zeitschrift
für Operations Research 26, 1982.

`most-parts`: as many different feedbacks as there can be. B. Kooi, "Yet another Mastermind
strategy", ICGA Journal 28(1), 2005.

Of guesses that measure the same, all play one that may be the secret, and the lowest of several.
On that hangs Knuth's guarantee of five guesses at 4 pegs and 6 colours.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.text import gettext_noop as N_
from mastermind_server.bots.bot import Deterministic

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from mastermind_server.bots.position import BreakerPosition
    from mastermind_server.bots.solver import Numbers, Sizes

    Costs: TypeAlias = NDArray[np.int64]
    Measure: TypeAlias = Callable[[Sizes], Costs]

BUDGET = 1 << 22  # pairs of guess and candidate, scored and counted in some 25 ms
OVERHEAD = 2  # candidates that could be counted in the time that a cell takes for each guess
SAMPLE = 1 << 11  # candidates: as good as all but for some 0.001 bit
WHOLE = 1 << 17  # pairs that are scored sooner than symmetries would be found


class Greedy(Deterministic):
    """Plays the guess of least cost. No chance in it: equal views get equal guesses.

    The measure turns the sizes of the cells, shape (guesses, cells), into costs, shape (guesses,).
    Every guess is weighed against every candidate before the first turn, and later where that takes
    no more than `BUDGET` pairs; else a sample of guesses, candidates among them, is weighed against
    a sample of the candidates.
    """

    def __init__(self, name: str, about: str, measure: Measure) -> None:
        self.name = name
        self.about = about
        self.measure = measure

    def pick(self, position: BreakerPosition) -> int:
        """Return a guess as `Deterministic.pick` says."""
        from mastermind_server.bots import solver

        if len(position.candidates) <= 2:  # neither can be told from the other without guessing one
            return int(position.candidates[0])
        separating = find_separating(position)
        if separating is not None:
            return separating
        guesses, candidates, possible = gather(position)
        sizes = solver.count_numbered(position.pegs, position.colours, guesses, candidates)
        costs = 2 * self.measure(sizes) + ~possible
        return int(guesses[costs.argmin()])  # the first, and so the lowest, of equals


def find_separating(position: BreakerPosition) -> int | None:
    """Return the lowest candidate whose feedback would tell all candidates apart, if one does.

    No guess can do better, by any measure and to the end of the game.
    """
    from mastermind_server.bots import solver

    pegs, colours, candidates = position.pegs, position.colours, position.candidates
    feedbacks = (pegs + 1) * (pegs + 2) // 2 - 1  # one peg that is not black cannot be white
    if len(candidates) > feedbacks:
        return None
    scores = solver.score_each(pegs, colours, candidates)
    scores.sort(axis=1)
    separating = (scores[:, 1:] != scores[:, :-1]).all(axis=1)
    first = int(separating.argmax())
    return int(candidates[first]) if separating[first] else None


def gather(position: BreakerPosition) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Return the guesses to weigh, against which candidates, and which guesses are candidates."""
    import numpy as np

    from mastermind_server.bots import solver

    pegs, colours, candidates = position.pegs, position.colours, position.candidates
    codes = colours**pegs
    overhead = OVERHEAD * (pegs + 1) ** 2
    possible = np.zeros(codes, dtype=np.bool_)
    possible[candidates] = True
    if codes * (len(candidates) + overhead) <= WHOLE:
        return np.arange(codes, dtype=np.int32), candidates, possible
    guesses = solver.find_distinct(pegs, colours, position.turns)
    # Openings are a dozen or so, and quickly weighed against all codes.
    if position.turns and len(guesses) * (len(candidates) + overhead) > BUDGET:
        candidates = _thin(candidates, max(SAMPLE, BUDGET // len(guesses)))
        most = BUDGET // (len(candidates) + overhead)
        if len(guesses) > most:
            among = _thin(guesses[possible[guesses]], most // 2)
            guesses = np.union1d(among, _thin(guesses, most - len(among)))
    return guesses, candidates, possible[guesses]


def _thin(numbers: Numbers, most: int) -> Numbers:
    """Return so many of the numbers, from all parts of their range, always the same.

    One of each equal part, at a place that looks random: at equal distances they would be codes
    with the same last colours.
    """
    import numpy as np

    if len(numbers) <= most:
        return numbers
    ends = np.arange(most + 1, dtype=np.int64) * len(numbers) // most
    place = np.arange(most) * 40503 % (1 << 16)  # Fibonacci hashing: 2**16 over the golden ratio
    thinned: Numbers = numbers[ends[:-1] + (np.diff(ends) * place >> 16)]
    return thinned


def measure_worst(sizes: Sizes) -> Costs:
    """Return the largest size."""
    costs: Costs = sizes.max(axis=1)
    return costs


def measure_expected(sizes: Sizes) -> Costs:
    """Return the sum of the squares: the expected size times the number of candidates."""
    costs: Costs = (sizes * sizes).sum(axis=1)
    return costs


def measure_entropy(sizes: Sizes) -> Costs:
    """Return the sum of n * log2(n), in units of 2**-32 bits: what stays unknown of each candidate.

    Equal exactly where the real sums are equal.
    """
    costs: Costs = _weights(1 << int(sizes.max()).bit_length())[sizes].sum(axis=1)
    return costs


def measure_parts(sizes: Sizes) -> Costs:
    """Return the number of sizes other than 0, negative."""
    import numpy as np

    costs: Costs = -np.count_nonzero(sizes, axis=1)
    return costs


@lru_cache(maxsize=21)  # powers of two up to the largest: 16 MB in all
def _weights(end: int) -> Costs:
    """Return n * log2(n) for each n below `end`, in units of 2**-32.

    The logarithm of a product is made the sum of its factors' ones, rounded as these are: only so
    are sums equal whenever the real ones are, as 6 log 6 = 3 log 3 + 3 log 3 + 6 log 2.
    """
    import numpy as np

    number = np.arange(end, dtype=np.int64)
    rest = np.maximum(number, 1)
    logs = np.zeros(end, dtype=np.int64)

    def round_log(prime: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.rint(np.log2(prime) * 2.0**32).astype(np.int64)

    for factor in range(2, int(end**0.5) + 1):
        prime = rest[factor]  # 1 if the factor is composite, as its own factors are divided out
        power = factor
        while prime > 1 and power < end:
            rest[power::power] //= prime
            logs[power::power] += round_log(prime)
            power *= factor
    return number * (logs + round_log(rest))


KNUTH = Greedy(
    "knuth",
    N_(
        "Plays the guess whose worst answer leaves the fewest codes, and needs at most five "
        "guesses with four pegs and six colours."
    ),
    measure_worst,
)
EXPECTED_SIZE = Greedy(
    "expected-size",
    N_("Plays the guess whose answer leaves the fewest codes on average."),
    measure_expected,
)
ENTROPY = Greedy(
    "entropy",
    N_("Plays the guess whose answer tells the most, in bits."),
    measure_entropy,
)
MOST_PARTS = Greedy(
    "most-parts",
    N_("Plays the guess to which the most different answers are possible."),
    measure_parts,
)
