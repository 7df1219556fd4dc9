"""The command of `make bench-peers`: the same match on Colyseus, in memory, in turn with ours.

make bench-peers                          moving and watching
make bench-peers ARGS="move --quick"      a short look at one
make bench-peers ARGS="--write"           and its tables into docs/PERFORMANCE.md
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bench import page
from bench.__main__ import QUICK_RUNS, RUNS, measure
from bench.machine import find_circumstances
from bench.page import Record
from bench.processes import ROOM, SERVER, Subject
from bench.report import lay_out, summarise, tabulate
from bench.rows.move import Move
from bench.rows.watching import Watching
from peers.node import Node, find_node, install, read_version

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.rows.row import Measure, Row

ROWS: dict[str, Row] = {row.name: row for row in (Move(), Watching())}
PEER = "colyseus"
NAMES = {name: f"{name}_{PEER}" for name in ROWS}  # of the records, by those of the rows
NO_NODE = (
    "Colyseus is not measured: it needs Node.js with npm, and they are not both on the PATH here."
)
NOT_INSTALLED = "Colyseus is not measured: npm could not install it; what it says is above."


@dataclass(frozen=True, slots=True)
class Peer(Subject):
    """A room on Colyseus."""

    node: str
    program: Path

    @property
    def house(self) -> str:
        """Where the class is by which the load driver's clients come to their matches."""
        return "peers.colyseus:ColyseusHouse"

    def command(self, folder: Path) -> list[str]:  # noqa: ARG002 - it stores nothing
        """Return what starts it."""
        return [self.node, str(self.program)]

    def environment(self) -> dict[str, str]:
        """Return the environment in which packages of Node.js do not look for faults."""
        return {**os.environ, "NODE_ENV": "production"}


def aim(bare: Measure) -> Measure:
    """Return a measure with what is to be reached beside a peer: to cost no more than it."""
    return replace(bare, most=None, ratio=1.0 if bare.ratio else None)


async def run(node: Node, rows: Sequence[str], runs: int, *, quick: bool) -> list[Record]:
    """Measure the bare room, the peer and the server in turn; ratios are to the peer."""
    peer = Peer(PEER, None, node.node, install(node))
    records = []
    for name in rows:
        circumstances = find_circumstances()
        figures, notes = await measure(name, [ROOM, peer, SERVER], runs, quick=quick)
        measures = [aim(bare) for bare in ROWS[name].measures]
        lines = summarise(NAMES[name], measures, figures, PEER)
        stated = f"{PEER} runs on Node.js {read_version(node)}", *sorted(notes)
        records.append(Record(NAMES[name], circumstances, runs, tuple(lines), stated))
    return records


def publish(records: Sequence[Record]) -> None:
    """Put the tables into docs/PERFORMANCE.md, and their runs beside it."""
    for record in records:
        page.keep(record)
    text = page.PAGE.read_text(encoding="utf-8")
    page.PAGE.write_text(page.write(text, records), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or say why not; return the status of the command."""
    parser = argparse.ArgumentParser(
        prog="make bench-peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("row", nargs="?", choices=ROWS, help="both, unless one is named")
    parser.add_argument("--quick", action="store_true", help="two short runs: a look, no figures")
    parser.add_argument("--write", action="store_true", help="write docs/PERFORMANCE.md anew")
    parser.add_argument("--runs", type=int, help=f"how often each row is run ({RUNS})")
    options = parser.parse_args(arguments)
    node = find_node()
    if node is None:
        print(NO_NODE)
        return 0
    runs = options.runs or (QUICK_RUNS if options.quick else RUNS)
    rows = [options.row] if options.row else list(ROWS)
    try:
        records = asyncio.run(run(node, rows, runs, quick=options.quick))
    except subprocess.CalledProcessError:
        print(NOT_INSTALLED, file=sys.stderr)
        return 1
    print(lay_out(tabulate(line for record in records for line in record.lines)))
    print(*(f"{record.row}: {note}" for record in records for note in record.notes), sep="\n")
    if options.write:
        publish(records)
    return 0


if __name__ == "__main__":
    sys.exit(main())
