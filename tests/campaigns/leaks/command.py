"""The command of `make leaks`: many pairs of secrets, and a table of what was tried with them.

make leaks                        10,000 pairs
make leaks ARGS="--pairs 500"     fewer
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack

from hypothesis import HealthCheck, Phase, given, seed, settings

from campaigns.leaks.comparison import Comparison, Covered
from campaigns.leaks.scripts import Act, Ending, Opening, Pair, Who, list_kinds, pairs
from campaigns.report import make_parser
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.rules import PRESETS

PAIRS_OF_A_HOUSE = 100  # so that no pair depends on more than these before it


def compare_some(covered: Covered, number: int, most: int) -> None:
    """Compare so many pairs, which follow from the number. Raises AssertionError for a leak."""
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


def tell(covered: Covered) -> None:
    """Print how often each was tried, and what never was."""
    wanted: dict[str, set[str]] = {
        "rules": set(PRESETS),
        "opening": set(Opening),
        "ending": set(Ending),
        "who": set(Who),
        "act": set(Act),
        "request": set(list_kinds()),
        "refusal": set(ErrorCode),
    }
    for kind, counts in covered.kinds.items():
        print(f"{kind}: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
        if never := wanted.get(kind, set()) - set(counts):
            print(f"    never: {', '.join(sorted(never))}")


async def main(arguments: list[str]) -> int:
    """Compare pairs of secrets; a leak raises AssertionError, which shows it."""
    parser = make_parser("leaks", __doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    covered, done = Covered(), 0
    while done < options.pairs:
        some = min(PAIRS_OF_A_HOUSE, options.pairs - done)
        # Hypothesis calls the comparison, so it needs a loop of its own, in another thread.
        await asyncio.to_thread(compare_some, covered, options.seed + done, some)
        done += some
        print(f"{done} pairs look the same", file=sys.stderr)
    tell(covered)
    return 0
