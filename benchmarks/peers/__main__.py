"""The command of `make bench-peers`: the same match on Colyseus, in memory, in turn with ours.

make bench-peers                          moving and watching
make bench-peers ARGS="move --quick"      a short look at one
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.__main__ import QUICK_RUNS, RUNS, measure
from bench.figures import find_ratios, find_spread
from bench.processes import ROOM, SERVER, Subject
from bench.report import Runs, lay_out, summarise, tabulate
from bench.rows.move import Move
from bench.rows.watching import Watching
from peers.node import Node, find_node, install, read_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.rows.row import Row

ROWS: dict[str, Row] = {row.name: row for row in (Move(), Watching())}
PEER = "colyseus"
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


def compare(row: Row, runs: Runs) -> Iterator[str]:
    """Yield how many times the peer's figure each of the server's is, in the same runs."""
    for name in (each.name for each in row.measures):
        if (SERVER.name, name) in runs:  # a short look leaves some out
            ratio = find_spread(find_ratios(runs[SERVER.name, name], runs[PEER, name]))
            yield (
                f"{row.name}, {name}: {ratio.median:.2f} times {PEER} "
                f"({ratio.least:.2f}..{ratio.most:.2f})"
            )


async def run(node: Node, rows: list[str], runs: int, *, quick: bool) -> None:
    """Measure the bare room, the peer and the server in turn, and print what came of it."""
    peer = Peer(PEER, None, node.node, install(node))
    lines, ratios, notes = [], list[str](), {f"{PEER} runs on Node.js {read_version(node)}"}
    for name in rows:
        row = ROWS[name]
        figures, found = await measure(name, [ROOM, peer, SERVER], runs, quick=quick)
        lines += summarise(name, row.measures, figures)
        ratios += compare(row, figures)
        notes |= found
    print(*sorted(notes), sep="\n", file=sys.stderr)
    print(lay_out(tabulate(lines)), "", *ratios, sep="\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or say why not; return the status of the command."""
    parser = argparse.ArgumentParser(
        prog="make bench-peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("row", nargs="?", choices=ROWS, help="both, unless one is named")
    parser.add_argument("--quick", action="store_true", help="two short runs: a look, no figures")
    parser.add_argument("--runs", type=int, help=f"how often each row is run ({RUNS})")
    options = parser.parse_args(arguments)
    node = find_node()
    if node is None:
        print(NO_NODE)
        return 0
    runs = options.runs or (QUICK_RUNS if options.quick else RUNS)
    try:
        asyncio.run(
            run(node, [options.row] if options.row else list(ROWS), runs, quick=options.quick)
        )
    except subprocess.CalledProcessError:
        print(NOT_INSTALLED, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
