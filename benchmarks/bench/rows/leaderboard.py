"""*leaderboard*: pages and places of leaderboards of 500, 5,000 and 50,000 players."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import sqlalchemy as sa

from bench.processes import DATABASE, WIDE_LIMITS, read_family_cpu
from bench.rows.row import Measure, Row, Run
from kit.client import RawClient
from kit.processes import Server, serving
from kit.rated import store_ranked
from mastermind_server.storage.engines.sqlite import SqliteSession

if TYPE_CHECKING:
    from bench.processes import Subject

SIZES = {"mini": 500, "classic": 5_000, "eight": 50_000}  # players, by rules
PAGES, QUICK_PAGES = 200, 50  # spread over a leaderboard
MANY = "{burst = 100000, per_second = 100000.0}"
LIMITS = {**WIDE_LIMITS, "request_cost": MANY, "request_cost_of_address": MANY, "frames": MANY}


def _name(measure: str, size: int) -> str:
    return f"{measure}, {size:,} players"


async def _run(subject: Subject, quick: bool) -> Run:
    wide = replace(subject, limits=LIMITS)
    with TemporaryDirectory() as name:
        folder = Path(name)
        process = Server(wide.command(folder), folder / "errors", wide.environment())
        async with serving(process):
            _fill(folder / DATABASE)
            figures = await _measure(process, QUICK_PAGES if quick else PAGES)
    return Run(figures)


async def _measure(process: Server, pages: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    client = await RawClient.connect(process.address)
    await client.hello()
    for rules, size in SIZES.items():
        before = read_family_cpu(process.pid)
        await client.leaderboard(rules)
        first = read_family_cpu(process.pid)
        for number in range(pages):
            await client.leaderboard(rules, number * size // pages)
        listed = read_family_cpu(process.pid)
        for number in range(pages):
            await client.profile(player=f"player-{1 + number * (size - 1) // pages}", rules=rules)
        placed = read_family_cpu(process.pid)
        figures[_name("CPU of the first page", size)] = (first - before) * 1e3
        figures[_name("CPU of a page", size)] = (listed - first) / pages * 1e3
        figures[_name("CPU of a profile", size)] = (placed - listed) / pages * 1e3
    await client.close()
    return figures


def _fill(database: Path) -> None:
    """Store the players by SQL, because another checkout may have other tables."""
    engine = sa.create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        for rules, size in SIZES.items():
            store_ranked(SqliteSession(connection), rules, size, int(time.time() * 1000))
    engine.dispose()


LEADERBOARD = Row(
    name="leaderboard",
    measures={
        _name(measure, size): Measure("ms", most=most if size == max(SIZES.values()) else None)
        for measure, most in (
            ("CPU of the first page", 1000.0),
            ("CPU of a page", 2.0),
            ("CPU of a profile", 3.0),
        )
        for size in SIZES.values()
    },
    run=_run,
    baselines=(),
)
