"""Matches under play while servers are killed; what came of it is compared with the log."""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from unittest.mock import patch

from chaos.checker import Fault, Flaw, Ledger, find_faults
from chaos.nodes import Node
from chaos.players import Traffic, play
from mastermind_client.net import link
from mastermind_server.storage.rows import LogRow
from processes import free_port
from wire import Dice

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

QUIET_SECONDS = 60.0  # without a message, after which nothing goes on any more
SETTLE_SECONDS = 120.0  # for all matches to be finished when nobody is killed any more
MESSAGES = 20  # of each match, at most, between two kills: a second of play
MOMENT_SECONDS = 0.01  # at most, from a message to the kill: what it asks for is under way
WATCHED = 5  # of so many matches one has a spectator


@dataclass
class Storm:
    """What was done, and what came of it."""

    matches: int
    done: dict[str, int] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    faults: list[Fault] = field(default_factory=list)

    def count(self, what: str) -> None:
        """Count something that was done to the servers."""
        self.done[what] = self.done.get(what, 0) + 1

    def check(self, log: Iterable[LogRow]) -> None:
        """Find the faults of the log that is left."""
        self.faults = find_faults(self.ledger, log)

    def list_figures(self) -> dict[str, str]:
        """Return what the report tells, in its order."""
        ledger = self.ledger
        flaws = {flaw: sum(fault.flaw is flaw for fault in self.faults) for flaw in Flaw}
        resumed = sorted(ledger.resumed) or [0.0]
        return {
            "matches at once": f"{self.matches}",
            **{name: f"{number:,}" for name, number in self.done.items()},
            "requests acknowledged": f"{len(ledger.acknowledged):,}",
            **{str(flaw): f"{number:,}" for flaw, number in flaws.items()},
            "refused for the time being": f"{sum(ledger.refused.values()):,}",
            "connections resumed": f"{len(ledger.resumed):,}",
            "resumed after, median": f"{statistics.median(resumed):.2f} s",
            "resumed after, worst": f"{resumed[-1]:.2f} s",
            "answered after, worst": f"{max(ledger.waited, default=0.0):.2f} s",
        }


async def kill_one_node(folder: Path, *, matches: int, seed: int, kills: int = 500) -> Storm:
    """Kill a server on SQLite at moments that the seed draws, while matches are played."""
    dice, storm, database = Dice(seed), Storm(matches), folder / "matches.sqlite3"
    async with (
        Node.running(f"--database={database}", free_port(), folder / "node.log") as node,
        _playing(storm, node.address, seed) as traffic,
    ):
        for _ in range(kills):
            await _come(traffic, dice, matches)
            await node.kill()
            await node.start()
            storm.count("SIGKILL of the node")
    with closing(sqlite3.connect(database)) as connection:
        storm.check(map(LogRow._make, connection.execute(_READ_LOG)))
    return storm


_READ_LOG = f"SELECT {', '.join(LogRow._fields)} FROM log ORDER BY match, version"  # noqa: S608 - ours


@asynccontextmanager
async def _playing(storm: Storm, address: str, seed: int) -> AsyncIterator[Traffic]:
    """Let all matches be played while the block lasts; then finish them, if that can be."""
    traffic = Traffic(storm.ledger)
    # A connection is killed within seconds here, and is to count as one that has lasted.
    with patch.object(link, "STABLE_SECONDS", 0.0):
        async with asyncio.TaskGroup() as group:
            plays = [
                group.create_task(
                    play(traffic, address, seed + number, watched=number % WATCHED == 0)
                )
                for number in range(storm.matches)
            ]
            yield traffic
            traffic.settling = True
            _, left = await asyncio.wait(plays, timeout=SETTLE_SECONDS)
            for stuck in left:
                stuck.cancel()


async def _come(traffic: Traffic, dice: Dice, matches: int) -> None:
    """Return at a moment that is drawn, not by the clock: whatever goes on, how fast ever."""
    async with asyncio.timeout(QUIET_SECONDS):
        await traffic.after(dice.randrange(MESSAGES * matches))
    await asyncio.sleep(dice.uniform(0, MOMENT_SECONDS))


STORMS = {"sqlite": kill_one_node}
