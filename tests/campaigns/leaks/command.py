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
from campaigns.report import Report, parse_options
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.rules import PRESETS

OPTIONS = {"pairs": (10_000, "number of pairs"), "seed": (0, "random seed")}
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


def list_figures(covered: Covered) -> dict[str, str]:
    """Return the number of tries by kind and name, with the names that were never tried."""
    wanted: dict[str, set[str]] = {
        "rules": set(PRESETS),
        "opening": set(Opening),
        "ending": set(Ending),
        "who": set(Who),
        "act": set(Action),
        "request": set(list_kinds()),
        "refusal": set(ErrorCode),
    }
    figures = {}
    for kind, counts in covered.kinds.items():
        figures[kind] = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        if never := wanted.get(kind, set()) - set(counts):
            figures[f"{kind}, never"] = ", ".join(sorted(never))
    return figures


async def main(arguments: list[str]) -> int:
    """Compare pairs of secrets until one leaks; return 1 if one does."""
    options = parse_options("leaks", __doc__, arguments, OPTIONS)
    report, covered, faults = Report(), Covered(), []
    for done in range(0, options.pairs, PAIRS_PER_SERVER):
        count = min(PAIRS_PER_SERVER, options.pairs - done)
        try:
            # Hypothesis is synchronous, so the comparison runs its own event loop in a thread.
            await asyncio.to_thread(compare_some, covered, options.seed + done, count)
        except AssertionError as leak:
            faults.append(leak)
            break
        print(f"{done + count} pairs compared without a leak", file=sys.stderr)
    report.add("leaks", list_figures(covered), faults)
    return report.status
