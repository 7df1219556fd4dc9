"""Kill and disconnect servers during play, and print the figures and faults of each storm.

make chaos                              all storms
make chaos ARGS="sqlite --kills 50"     one shorter storm
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
from campaigns.chaos.days import strike_the_close_of_a_day
from campaigns.chaos.failover import lose_by_an_asynchronous_standby, strike_a_cluster
from campaigns.chaos.storms import (
    Storm,
    kill_one_node,
    strike_a_fleet,
    strike_clocks_on_a_fleet,
    strike_clocks_on_one_node,
)
from campaigns.report import Report, parse_options
from kit.patroni import PatroniMissing
from kit.postgres import NONE, PostgresServer, find_programs
from mastermind_server.storage.engines.postgresql import migrate_database


async def strike_sqlite(folder: Path, options: argparse.Namespace) -> Storm:
    """Kill one node on SQLite, 500 times by default."""
    storm = Storm(options.matches, options.minutes)
    await kill_one_node(folder, storm, seed=options.seed, kills=options.kills or 500)
    return storm


async def strike_postgresql(folder: Path, options: argparse.Namespace) -> Storm:
    """Strike three nodes and their PostgreSQL.

    By default: 200 kills of nodes, 20 of PostgreSQL, 50 cut and 10 frozen connections.
    """
    storm = Storm(options.matches, options.minutes)
    kills = options.kills or 200
    with closing(await asyncio.to_thread(_start_postgres)) as store:
        await strike_a_fleet(
            folder, store, storm, seed=options.seed,
            nodes=3, kills=kills, store_kills=kills // 10, cuts=kills // 4, freezes=kills // 20,
        )  # fmt: skip
    return storm


async def strike_clocks(folder: Path, options: argparse.Namespace) -> Storm:
    """Kill and stop one node on SQLite while the times of players end, 40 times by default."""
    storm = Storm(options.matches, options.minutes)
    strikes = options.kills or 40
    await strike_clocks_on_one_node(folder, storm, seed=options.seed, strikes=strikes)
    return storm


async def strike_clocks_on_three(folder: Path, options: argparse.Namespace) -> Storm:
    """Kill and stop three nodes on PostgreSQL while times end, 40 times by default."""
    storm = Storm(options.matches, options.minutes)
    strikes = options.kills or 40
    with closing(await asyncio.to_thread(_start_postgres)) as store:
        await strike_clocks_on_a_fleet(
            folder, store, storm, seed=options.seed, nodes=3, strikes=strikes
        )
    return storm


async def strike_a_day(folder: Path, options: argparse.Namespace) -> Storm:
    """Kill three nodes on PostgreSQL through the close of a day, 100 times by default."""
    storm = Storm(options.matches, options.minutes)
    with closing(await asyncio.to_thread(_start_postgres)) as store:
        await strike_the_close_of_a_day(
            folder, store, storm, seed=options.seed, nodes=3, kills=options.kills or 100
        )
    return storm


async def fail_over(folder: Path, options: argparse.Namespace) -> Storm:
    """Strike a PostgreSQL with a standby under Patroni, with 20 promotions by default.

    As a control, an asynchronous standby is promoted, which must lose moves.
    """
    storm = Storm(options.matches, options.minutes)
    try:
        await strike_a_cluster(folder, storm, seed=options.seed, promotions=options.kills or 20)
    except PatroniMissing as missing:
        sys.exit(str(missing))
    await lose_by_an_asynchronous_standby(folder, storm, seed=options.seed)
    return storm


async def contend(_: Path, options: argparse.Namespace) -> Contest:
    """Append the same row from two nodes, 10,000 times."""
    with closing(await asyncio.to_thread(_start_postgres)) as store:
        migrate_database(store.url())
        return await contend_for_versions(store.url(), 10_000, options.seed)


async def repeat(_: Path, options: argparse.Namespace) -> Contest:
    """Perform the same request on two nodes, 2,000 times."""
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
    "clocks": strike_clocks,
    "clocks-nodes": strike_clocks_on_three,
    "day": strike_a_day,
    "failover": fail_over,
    "conflicts": contend,
    "requests": repeat,
}


OPTIONS = {
    "kills": (
        0,
        "kills or promotions; 0: 500 on SQLite, 200 on PostgreSQL, 40 with clocks, 100 a day, 20",
    ),
    "matches": (50, "concurrent matches"),
    "minutes": (inf, "time limit of each storm"),
    "seed": (1, "random seed"),
}


async def main(arguments: list[str]) -> int:
    """Run the chosen storms; return 1 if there was a fault."""
    options = parse_options("chaos", __doc__, arguments, OPTIONS, STORMS)
    report = Report()
    for name in options.runs:
        with tempfile.TemporaryDirectory() as folder:
            storm = await STORMS[name](Path(folder), options)
        report.add(name, storm.list_figures(), storm.faults)
    return report.status
