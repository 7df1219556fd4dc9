"""The bots that search one guess ahead: they minimize a cost, computed from cell sizes.

A guess divides the candidates into cells, one for each score (see `solver`). Cells that are not
empty are parts. The costs are:

`knuth`: the size of the largest cell. D. E. Knuth, "The computer as Master Mind", Journal of
Recreational Mathematics 9(1), 1976-77.

`expected-size`: the average number of remaining candidates. R. W. Irving, "Towards an optimum
Mastermind strategy", Journal of Recreational Mathematics 11(2), 1978-79.

`entropy`: the remaining uncertainty, in bits. E. Neuwirth, "Some strategies for Mastermind",
Zeitschrift für Operations Research 26, 1982.

`most-parts`: minus the number of parts. B. Kooi, "Yet another Mastermind strategy", ICGA Journal
28(1), 2005.

Of guesses with equal costs, the bots prefer candidates, and then the lowest code. Knuth's guarantee
of five guesses at 4 pegs and 6 colours depends on this rule.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.text import gettext_noop as N_
from mastermind_server.bots.bot import MAX_LISTED_CODES, DeterministicBot
from mastermind_server.bots.hiding import BY_CHANCE, FEW_COLOURS, MANY_COLOURS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from mastermind_server.bots.hiding import Hiding
    from mastermind_server.bots.position import BreakerPosition
    from mastermind_server.bots.solver import Numbers, Sizes

    Costs: TypeAlias = NDArray[np.int64]
    CostFunction: TypeAlias = Callable[[Sizes], Costs]

MAX_SCORED_PAIRS = 1 << 22  # pairs of guess and candidate, scored and counted in some 25 ms
CELL_COST_IN_CANDIDATES = 2  # the time for a cell of a guess, as a multiple of that for a candidate
MIN_SAMPLED_CANDIDATES = 1 << 11  # candidates: entropies of such a sample are off by some 0.001 bit
MAX_SAMPLED_GUESSES = 1 << 9  # of a sample of candidates, scored in some 30 ms
MAX_PAIRS_WITH_SYMMETRIES = 1 << 17  # pairs: scoring these is faster than finding symmetries


class GreedyBot(DeterministicBot):
    """Plays the guess with the least cost. Of equals, prefers a candidate, then the lowest code.

    `measure` computes the costs, shape (guesses,), from the sizes of the cells, shape (guesses,
    cells).
    """

    def __init__(
        self, name: str, about: str, measure: CostFunction, hiding: Hiding = BY_CHANCE
    ) -> None:
        self.name = name
        self.about = about
        self.hiding = hiding
        self.measure = measure

    def choose_code_number(self, position: BreakerPosition) -> int:
        """Return the number of the code with the least cost in `position`."""
        from mastermind_server.bots import solver

        if len(position.candidates) <= 2:  # no other guess is better
            return int(position.candidates[0])
        separating = find_separating_candidate(position)
        if separating is not None:
            return separating
        guesses, candidates, possible = select_guesses_to_score(position)
        sizes = solver.find_cell_sizes_of_numbers(position.space, guesses, candidates)
        costs = 2 * self.measure(sizes) + ~possible
        return int(guesses[costs.argmin()])  # the first, and so the lowest, of equals


def find_separating_candidate(position: BreakerPosition) -> int | None:
    """Return the lowest candidate to which every candidate gives a different feedback, or None.

    No other guess is better, by any measure or in the number of further guesses.
    """
    from mastermind_server.bots import solver

    space, candidates = position.space, position.candidates
    # All pegs black but one, and that one white, is impossible.
    feedbacks = (space.pegs + 1) * (space.pegs + 2) // 2 - 1
    if len(candidates) > feedbacks:
        return None
    scores = solver.score_pairs(space, candidates)
    scores.sort(axis=1)
    separating = (scores[:, 1:] != scores[:, :-1]).all(axis=1)
    first = int(separating.argmax())
    return int(candidates[first]) if separating[first] else None


def select_guesses_to_score(
    position: BreakerPosition,
) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Return the guesses to compare, the candidates to score, and a mask of the guesses.

    Guesses and candidates are numbers of codes. The mask, shape (guesses,), is true for guesses
    that are candidates. The caller scores each pair of a guess and a candidate, so their number is
    limited. If there are more than `MAX_PAIRS_WITH_SYMMETRIES` pairs, the lowest guess represents
    all guesses that are symmetric to it. If more than `MAX_SCORED_PAIRS` pairs remain, samples of
    the candidates and of the guesses are returned, except before the first guess. Up to half of the
    sampled guesses are candidates. Above MAX_LISTED_CODES codes, only candidates are guesses.
    """
    import numpy as np

    from mastermind_server.bots import solver

    space, candidates = position.space, position.candidates
    codes = space.codes
    if codes > MAX_LISTED_CODES:
        guesses = _sample_numbers(candidates, MAX_SAMPLED_GUESSES)
        return guesses, candidates, np.ones(len(guesses), dtype=np.bool_)
    overhead = CELL_COST_IN_CANDIDATES * (space.pegs + 1) ** 2
    possible = np.zeros(codes, dtype=np.bool_)
    possible[candidates] = True
    if codes * (len(candidates) + overhead) <= MAX_PAIRS_WITH_SYMMETRIES:
        return np.arange(codes, dtype=np.int32), candidates, possible
    guesses = solver.find_distinct_guesses(space, position.turns)
    # There are about a dozen distinct openings: scoring them against all codes is fast.
    if position.turns and len(guesses) * (len(candidates) + overhead) > MAX_SCORED_PAIRS:
        candidates = _sample_numbers(
            candidates, max(MIN_SAMPLED_CANDIDATES, MAX_SCORED_PAIRS // len(guesses))
        )
        most = MAX_SCORED_PAIRS // (len(candidates) + overhead)
        if len(guesses) > most:
            among = _sample_numbers(guesses[possible[guesses]], most // 2)
            guesses = np.union1d(among, _sample_numbers(guesses, most - len(among)))
    return guesses, candidates, possible[guesses]


def _sample_numbers(numbers: Numbers, limit: int) -> Numbers:
    """Return a deterministic sample of `numbers`, at most `limit` of them.

    Takes one number from each of `limit` equal ranges, at a pseudo-random index. Codes at equal
    distances would all have the same last colours.
    """
    import numpy as np

    if len(numbers) <= limit:
        return numbers
    ends = np.arange(limit + 1, dtype=np.int64) * len(numbers) // limit
    offset = np.arange(limit) * 40503 % (1 << 16)  # Fibonacci hashing: 2**16 over the golden ratio
    sample: Numbers = numbers[ends[:-1] + (np.diff(ends) * offset >> 16)]
    return sample


def measure_worst(sizes: Sizes) -> Costs:
    """Return the size of the largest cell of each guess."""
    costs: Costs = sizes.max(axis=1)
    return costs


def measure_expected_size(sizes: Sizes) -> Costs:
    """Return the sum of n * n over the cells of each guess; n is the size of a cell.

    This is the expected number of remaining candidates, times the number before the guess.
    """
    costs: Costs = (sizes * sizes).sum(axis=1)
    return costs


def measure_entropy(sizes: Sizes) -> Costs:
    """Return the sum of n * log2(n) over the cells of each guess; n is the size of a cell.

    The sum is the expected remaining uncertainty, times the number of candidates before the guess.
    The unit is 2**-32 bits. Rounding never makes equal sums differ, or different sums equal.
    """
    costs: Costs = _list_entropy_weights(1 << int(sizes.max()).bit_length())[sizes].sum(axis=1)
    return costs


def measure_parts(sizes: Sizes) -> Costs:
    """Return minus the number of parts of each guess: its cells that are not empty."""
    import numpy as np

    costs: Costs = -np.count_nonzero(sizes, axis=1)
    return costs


@lru_cache(maxsize=21)  # powers of two up to the largest: 16 MB in all
def _list_entropy_weights(end: int) -> Costs:
    """Return n * log2(n) for each n below `end`, shape (end,), in units of 2**-32.

    The logarithm of n is the sum of the rounded logarithms of its prime factors. So an equation
    such as 6 log 6 = 3 log 3 + 3 log 3 + 6 log 2 also holds for the rounded numbers.
    """
    import numpy as np

    number = np.arange(end, dtype=np.int64)
    rest = np.maximum(number, 1)
    logs = np.zeros(end, dtype=np.int64)

    def rounded_log(prime: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.rint(np.log2(prime) * 2.0**32).astype(np.int64)

    for factor in range(2, int(end**0.5) + 1):
        prime = rest[factor]  # 1 if the factor is composite, as its own factors are divided out
        power = factor
        while prime > 1 and power < end:
            rest[power::power] //= prime
            logs[power::power] += rounded_log(prime)
            power *= factor
    return number * (logs + rounded_log(rest))


KNUTH = GreedyBot(
    "knuth",
    N_(
        "Plays the guess whose worst answer leaves the fewest codes, and needs at most five "
        "guesses with four pegs and six colours."
    ),
    measure_worst,
    FEW_COLOURS,
)
EXPECTED_SIZE = GreedyBot(
    "expected-size",
    N_("Plays the guess whose answer leaves the fewest codes on average."),
    measure_expected_size,
    FEW_COLOURS,
)
ENTROPY = GreedyBot(
    "entropy",
    N_("Plays the guess whose answer tells the most, in bits."),
    measure_entropy,
    MANY_COLOURS,
)
MOST_PARTS = GreedyBot(
    "most-parts",
    N_("Plays the guess to which the most different answers are possible."),
    measure_parts,
    MANY_COLOURS,
)
