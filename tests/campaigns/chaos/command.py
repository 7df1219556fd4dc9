"""The command of `make chaos`: long storms, and a table of what came of each.

make chaos                              all storms
make chaos ARGS="sqlite --kills 50"     one, a shorter one
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from math import inf
from pathlib import Path

from campaigns.chaos.conflicts import Contest, contend_for_versions, repeat_requests
from campaigns.chaos.storms import Storm, kill_one_node, strike_a_fleet
from campaigns.report import make_parser, print_report
from kit.postgres import NONE, PostgresServer, find_programs
from mastermind_server.storage.postgresql import migrate_database


async def strike_sqlite(folder: Path, options: argparse.Namespace) -> Storm:
    """One node on SQLite, 500 kills."""
    storm = Storm(options.matches, options.minutes)
    kills = 500 if options.kills is None else options.kills
    await kill_one_node(folder, storm, seed=options.seed, kills=kills)
    return storm


async def strike_postgresql(folder: Path, options: argparse.Namespace) -> Storm:
    """Three nodes on PostgreSQL: 200 kills of nodes, 20 of it, and 50 cuts between the two."""
    storm = Storm(options.matches, options.minutes)
    kills = 200 if options.kills is None else options.kills
    with closing(await asyncio.to_thread(_start_postgres)) as store:
        await strike_a_fleet(
            folder, store, storm, seed=options.seed,
            nodes=3, kills=kills, store_kills=kills // 10, cuts=kills // 4, freezes=kills // 20,
        )  # fmt: skip
    return storm


async def contend(_: Path, options: argparse.Namespace) -> Contest:
    """Two nodes that append 10,000 times the same row."""
    with closing(await asyncio.to_thread(_start_postgres)) as store:
        migrate_database(store.url())
        return await contend_for_versions(store.url(), 10_000, options.seed)


async def repeat(_: Path, options: argparse.Namespace) -> Contest:
    """Two nodes that do 2,000 times the same request."""
    with closing(await asyncio.to_thread(_start_postgres)) as store:
        migrate_database(store.url())
        return await repeat_requests(store.url(), 2000, options.seed)


def _start_postgres() -> PostgresServer:
    programs = find_programs()
    if programs is None:
        sys.exit(NONE)
    return PostgresServer.make(programs)


STORMS: dict[str, Callable[[Path, argparse.Namespace], Awaitable[Storm | Contest]]] = {
    "sqlite": strike_sqlite,
    "postgresql": strike_postgresql,
    "conflicts": contend,
    "requests": repeat,
}


async def main(arguments: list[str]) -> int:
    """Run the storms that are named; the status is 1 if there was a fault."""
    parser = make_parser("chaos", __doc__)
    parser.add_argument("storms", nargs="*", help=f"of: {', '.join(STORMS)}")
    parser.add_argument("--kills", type=int, help="of nodes (500 on SQLite, 200 on PostgreSQL)")
    parser.add_argument("--matches", type=int, default=50, help="at once (%(default)s)")
    parser.add_argument("--minutes", type=float, default=inf, help="at most, of each storm")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (%(default)s)")
    options = parser.parse_args(arguments)
    if unknown := set(options.storms) - set(STORMS):
        parser.error(f"there is no storm {', '.join(sorted(unknown))}: {', '.join(STORMS)}")
    faults = 0
    for name in options.storms or STORMS:
        with tempfile.TemporaryDirectory() as folder:
            storm = await STORMS[name](Path(folder), options)
        print_report(name, storm.list_figures(), storm.faults)
        faults += len(storm.faults)
    return 1 if faults else 0
