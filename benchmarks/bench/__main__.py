"""The command of `make bench`.

make bench                                all rows
make bench ARGS="move"                    one
make bench ARGS="move --quick"            a short look
make bench ARGS="move --beside TREE"      and the server of another checkout, in the same runs
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bench import page
from bench.machine import find_circumstances
from bench.page import Record
from bench.processes import SERVER, Subject
from bench.report import Runs, lay_out, summarise, tabulate
from bench.rows import ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

RUNS, QUICK_RUNS = 5, 2


async def measure(
    row: str, subjects: list[Subject], runs: int, *, quick: bool
) -> tuple[Runs, set[str]]:
    """Run the subjects of a row in turn, in the other order each time."""
    figures: Runs = {}
    notes: dict[str, dict[str, None]] = {}  # to the subjects that they are of, in order
    for number in range(runs):
        for subject in subjects if number % 2 == 0 else reversed(subjects):
            if sys.stderr.isatty():
                print(
                    f"\r{row}: run {number + 1} of {runs}, {subject.name:<20}",
                    end="",
                    file=sys.stderr,
                )
            run = await ROWS[row].run(subject, quick=quick)
            for name, value in run.figures.items():
                figures.setdefault((subject.name, name), []).append(value)
            for note in run.notes:
                notes.setdefault(note, {})[subject.name] = None
    return figures, {f"{note} ({', '.join(names)})" for note, names in notes.items()}


async def main() -> None:
    """Measure all rows, or those that are named."""
    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", help=f"of: {', '.join(ROWS)}")
    parser.add_argument("--quick", action="store_true", help="two short runs: a look, no figures")
    parser.add_argument("--runs", type=int, help=f"how often each row is run ({RUNS})")
    parser.add_argument(
        "--beside",
        type=Path,
        action="append",
        default=[],
        metavar="TREE",
        help="another checkout, whose server is measured in turn with this one's",
    )
    parser.add_argument(
        "--json",
        type=Path,
        default=Path("bench.json"),
        metavar="FILE",
        help="every run (%(default)s)",
    )
    parser.add_argument("--write", action="store_true", help="write docs/PERFORMANCE.md anew")
    parser.add_argument(
        "--redraw", action="store_true", help="... of the runs that it has, and measure nothing"
    )
    options = parser.parse_args()
    if options.write and options.quick:
        parser.error("what is written down is measured at leisure: --write or --quick")
    if options.redraw:
        publish([page.find(name) for name in page.list_rows(page.PAGE.read_text("utf-8"))])
        return
    runs = options.runs or (QUICK_RUNS if options.quick else RUNS)
    others = [Subject(str(tree), tree.resolve()) for tree in options.beside]
    records = []
    for name in options.rows or ROWS:
        row = ROWS[name]
        subjects = [*row.bare, *(others if row.others else []), SERVER]
        circumstances = find_circumstances()
        figures, notes = await measure(name, subjects, runs, quick=options.quick)
        lines = tuple(summarise(name, row.measures, figures))
        records.append(Record(name, circumstances, runs, lines, tuple(sorted(notes))))
    print(records[-1].circumstances.machine)
    print(lay_out(tabulate(line for record in records for line in record.lines)))
    print(*(f"{record.row}: {note}" for record in records for note in record.notes), sep="\n")
    options.json.write_bytes(msgspec.json.format(msgspec.json.encode(records), indent=1) + b"\n")
    if options.write:
        publish([record for record in records if record.lines])


def publish(records: Sequence[Record]) -> None:
    """Put rows into docs/PERFORMANCE.md, their runs and plots beside it."""
    for record in records:
        page.keep(record)
        for plot in ROWS[record.row].plots if record.row in ROWS else ():
            drawn = page.draw_plot(plot, record)
            (page.FOLDER / f"{plot.file}.svg").write_text(drawn, encoding="utf-8")
    text = page.PAGE.read_text(encoding="utf-8")
    page.PAGE.write_text(page.write(text, records), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
