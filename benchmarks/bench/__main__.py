"""The command of `make bench`.

make bench                                all rows
make bench ARGS="move watching"           some rows
make bench ARGS="move --quick"            shorter runs
make bench ARGS="move --beside TREE"      alternate with the server of another checkout
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bench.processes import SERVER, Subject
from bench.report import Result, find_circumstances, list_cells, write_table
from bench.rows import ROWS

if TYPE_CHECKING:
    from bench.rows.row import Row

RUNS, QUICK_RUNS = 5, 2


async def measure(row: Row, subjects: list[Subject], runs: int, quick: bool) -> Result:
    """Run a row's subjects alternately, in reverse order in every other run."""
    circumstances = find_circumstances()
    figures: dict[str, dict[str, list[float]]] = {
        name: {subject.name: [] for subject in subjects} for name in row.measures
    }
    warnings: dict[str, None] = {}  # in order
    for number in range(runs):
        for subject in subjects if number % 2 == 0 else reversed(subjects):
            if sys.stderr.isatty():
                progress = f"{row.name}: run {number + 1} of {runs}, {subject.name}"
                print(f"\r{progress:<60}", end="", file=sys.stderr)
            run = await row.run(subject, quick)
            for name, value in run.figures.items():
                figures[name][subject.name].append(value)
            for warning in run.warnings:
                warnings[f"{row.name}: {warning} ({subject.name})"] = None
    taken = {name: of for name, of in figures.items() if any(of.values())}
    return Result(row.name, runs, **circumstances, figures=taken, warnings=[*warnings])


async def main() -> None:
    """Measure all rows, or the rows given; print the table and write the JSON file."""
    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of: {', '.join(ROWS)}")
    parser.add_argument("--quick", action="store_true", help=f"shorter runs, {QUICK_RUNS} of them")
    parser.add_argument("--runs", type=int, help=f"the number of runs ({RUNS})")
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="TREE",
        help="another checkout, whose server is measured in the same runs",
    )
    parser.add_argument(
        "--json", type=Path, default="bench.json", metavar="FILE", help="all runs (%(default)s)"
    )
    options = parser.parse_args()
    if unknown := set(options.rows) - set(ROWS):
        parser.error(f"no row {unknown.pop()!r}: use {', '.join(ROWS)}")
    runs = options.runs or (QUICK_RUNS if options.quick else RUNS)
    others = [Subject(str(tree), tree.resolve()) for tree in options.beside]
    results = []
    for name in options.rows or ROWS:
        subjects = [*ROWS[name].baselines, *others, SERVER]
        results.append(await measure(ROWS[name], subjects, runs, options.quick))
    print(write_table(list_cells(results, {name: row.measures for name, row in ROWS.items()})))
    print(f"\n{runs} runs; {results[0].at} UTC, commit {results[0].commit}. {results[0].machine}.")
    print(*(warning for result in results for warning in result.warnings), sep="\n")
    options.json.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")


if __name__ == "__main__":
    asyncio.run(main())
