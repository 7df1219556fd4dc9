"""Compare matches with different secrets, and print how often each feature was tried.

make leaks                        10,000 pairs
make leaks ARGS="--pairs 500"     fewer
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack

from hypothesis import HealthCheck, Phase, given, seed, settings

from campaigns.leaks.comparison import Comparison, Covered
from campaigns.leaks.scripts import Action, Ending, Opening, Pair, Who, list_kinds, pairs
from campaigns.report import make_parser
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.rules import PRESETS

PAIRS_PER_SERVER = 100  # limits the history on which a pair depends


def compare_some(covered: Covered, number: int, most: int) -> None:
    """Compare at most `most` pairs, drawn from seed `number`. Raises AssertionError on a leak."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        comparison = runner.run(Comparison.between(stack, covered))

        @seed(number)
        @settings(
            max_examples=most, database=None, deadline=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(pairs())
        def compare(pair: Pair) -> None:
            runner.run(comparison.compare(*pair))

        try:
            compare()
        finally:
            runner.run(stack.aclose())


def print_coverage(covered: Covered) -> None:
    """Print the number of tries by kind and name, and the names never tried."""
    wanted: dict[str, set[str]] = {
        "rules": set(PRESETS),
        "opening": set(Opening),
        "ending": set(Ending),
        "who": set(Who),
        "act": set(Action),
        "request": set(list_kinds()),
        "refusal": set(ErrorCode),
    }
    for kind, counts in covered.kinds.items():
        print(f"{kind}: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
        if never := wanted.get(kind, set()) - set(counts):
            print(f"    never: {', '.join(sorted(never))}")


async def main(arguments: list[str]) -> int:
    """Compare pairs of secrets. Raises AssertionError, with the first difference, on a leak."""
    parser = make_parser("leaks", __doc__)
    parser.add_argument("--pairs", type=int, default=10_000, help="number of pairs (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (%(default)s)")
    options = parser.parse_args(arguments)
    covered, done = Covered(), 0
    while done < options.pairs:
        count = min(PAIRS_PER_SERVER, options.pairs - done)
        # Hypothesis is synchronous, so the comparison runs its own event loop in a thread.
        await asyncio.to_thread(compare_some, covered, options.seed + done, count)
        done += count
        print(f"{done} pairs compared without a leak", file=sys.stderr)
    print_coverage(covered)
    return 0
