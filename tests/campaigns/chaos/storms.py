"""Matches under play while servers are killed; what came of it is compared with the log."""

from __future__ import annotations

import asyncio
import sqlite3
import statistics
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from unittest.mock import patch

import psycopg
import sqlalchemy as sa

from campaigns.ledger import Fault, Flaw, Ledger, find_faults
from campaigns.traffic import Traffic, play
from kit.matches import SeededRandom
from kit.node import Node
from kit.postgres import PostgresServer, find_socket
from kit.proxy import Proxy
from mastermind_client.net import link
from mastermind_server.storage.postgresql import migrate_database
from mastermind_server.storage.rows import LogRow
from mastermind_server.tuning import DATABASE_SECONDS

QUIET_SECONDS = 60.0  # without a message, after which nothing goes on any more
SETTLE_SECONDS = 120.0  # for all matches to be finished when nobody is killed any more
MESSAGES = 8  # of each match, at most, between two kills: a second of play
MOMENT_SECONDS = 0.01  # at most, from a message to the kill: what it asks for is under way
DRAIN_SECONDS = 0.2  # of a node that is to restart
AWAY_SECONDS = 1.5  # at most, that PostgreSQL is not to be reached
PLAIN = {"sslmode": "disable", "gssencmode": "disable"}  # what it says on a line can be read there
WATCHED = 5  # of so many matches one has a spectator
_READ_LOG = f"SELECT {', '.join(LogRow._fields)} FROM log ORDER BY match, version"  # noqa: S608 - ours


@dataclass
class Storm:
    """What was done, and what came of it. It lasts no longer than so many `minutes`."""

    matches: int
    minutes: float = inf
    began: float = field(default_factory=time.monotonic)
    done: dict[str, int] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    faults: list[Fault] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether it has lasted long enough."""
        return time.monotonic() > self.began + 60 * self.minutes

    def count(self, what: str) -> None:
        """Count something that was done to the servers."""
        self.done[what] = self.done.get(what, 0) + 1

    def check(self, log: Iterable[LogRow], nodes: Iterable[Node]) -> None:
        """Find the faults of the log that is left, and what the nodes have crashed by."""
        self.faults = find_faults(self.ledger, log)
        for node in nodes:
            if (crash := node.find_crash()) is not None:
                self.faults.append(Fault(Flaw.CRASHED, "", crash))

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


async def kill_one_node(folder: Path, storm: Storm, *, seed: int, kills: int) -> None:
    """Kill a server on SQLite at moments that the seed draws, while matches are played."""
    dice, database = SeededRandom(seed), folder / "matches.sqlite3"
    async with (
        Node.running(f"--database={database}", folder / "node.log") as node,
        playing(storm, node.address, seed) as traffic,
    ):
        for _ in range(kills):
            if storm.over:
                break
            await _come(traffic, dice, storm)
            await node.kill()
            await node.start()
            storm.count("SIGKILL of the node")
    with closing(sqlite3.connect(database)) as connection:
        storm.check(read_log(connection), [node])


@dataclass
class Fleet:
    """Nodes with one PostgreSQL, each by a line of its own, and one address before all of them."""

    store: PostgresServer
    nodes: list[Node]
    lines: list[Proxy]
    front: Proxy

    @classmethod
    @asynccontextmanager
    async def running(
        cls, folder: Path, store: PostgresServer, size: int, *options: str
    ) -> AsyncIterator[Fleet]:
        """Run so many nodes with these options while the block lasts."""
        await asyncio.to_thread(migrate_database, store.url())
        async with AsyncExitStack() as stack:
            lines = [
                await stack.enter_async_context(Proxy.to(find_socket(store.url())))
                for _ in range(size)
            ]
            nodes = [
                Node(
                    f"--store={write_url(line, store.url())}",
                    folder / f"node-{number}.log",
                    *options,
                )
                for number, line in enumerate(lines)
            ]
            for node in nodes:
                stack.push_async_callback(node.kill)
            await asyncio.gather(*(node.start() for node in nodes))
            front = await stack.enter_async_context(Proxy.to(*(node.port for node in nodes)))
            yield cls(store, nodes, lines, front)

    async def kill_a_node(self, dice: SeededRandom) -> None:
        """Kill one, and start it again."""
        node = dice.choice(self.nodes)
        await node.kill()
        await node.start()

    async def kill_the_store(self, dice: SeededRandom) -> None:
        """Kill PostgreSQL, and start it again a little later."""
        await asyncio.to_thread(self.store.kill)
        await asyncio.sleep(dice.uniform(0, AWAY_SECONDS))
        await asyncio.to_thread(self.store.start)

    async def cut_a_node(self, dice: SeededRandom) -> None:
        """Drop one's connections with PostgreSQL, and let it make no others for a while."""
        line = dice.choice(self.lines)
        line.cut()
        await asyncio.sleep(dice.uniform(0, AWAY_SECONDS))
        line.mend()

    async def freeze_a_node(self, dice: SeededRandom) -> None:
        """Let nothing pass between one and PostgreSQL, at times for longer than it waits."""
        line = dice.choice(self.lines)
        line.freeze()
        await asyncio.sleep(dice.uniform(0, 1.5 * DATABASE_SECONDS))
        line.mend()


def write_url(line: Proxy, url: str) -> str:
    """Return the URL of a database by way of a line."""
    far = sa.make_url(url).difference_update_query(["host"]).update_query_dict(PLAIN)
    return far.set(host="127.0.0.1", port=line.port).render_as_string(hide_password=False)


async def strike_a_fleet(
    folder: Path,
    store: PostgresServer,
    storm: Storm,
    *,
    seed: int,
    nodes: int,
    kills: int,
    store_kills: int,
    cuts: int,
    freezes: int,
) -> None:
    """Kill and cut off nodes and their PostgreSQL in an order that the seed draws."""
    dice = SeededRandom(seed)
    async with (
        Fleet.running(folder, store, nodes) as fleet,
        playing(storm, f"ws://127.0.0.1:{fleet.front.port}", seed) as traffic,
    ):
        strikes = [
            *[("SIGKILL of a node", fleet.kill_a_node)] * kills,
            *[("SIGKILL of PostgreSQL", fleet.kill_the_store)] * store_kills,
            *[("a node cut from PostgreSQL", fleet.cut_a_node)] * cuts,
            *[("PostgreSQL silent for a node", fleet.freeze_a_node)] * freezes,
        ]
        dice.shuffle(strikes)
        for name, strike in strikes:
            if storm.over:
                break
            await _come(traffic, dice, storm)
            await strike(dice)
            storm.count(name)
    storm.check(_read_logs(store), fleet.nodes)


async def roll_a_fleet(
    folder: Path, store: PostgresServer, storm: Storm, *, seed: int, nodes: int
) -> None:
    """Stop one node after the other as an upgrade does, each replaced before the next one goes."""
    dice = SeededRandom(seed)
    async with (
        Fleet.running(folder, store, nodes, f"--drain={DRAIN_SECONDS}") as fleet,
        playing(storm, f"ws://127.0.0.1:{fleet.front.port}", seed) as traffic,
    ):
        for node in fleet.nodes:
            await _come(traffic, dice, storm)
            await node.stop()
            await node.start()
            storm.count("restart of a node")
    storm.check(_read_logs(store), fleet.nodes)


def read_log(connection: sqlite3.Connection) -> list[LogRow]:
    """Return all rows of a SQLite store."""
    return list(map(LogRow._make, connection.execute(_READ_LOG)))


def _read_logs(store: PostgresServer) -> list[LogRow]:
    with psycopg.connect(store.url()) as connection:
        return list(map(LogRow._make, connection.execute(_READ_LOG.encode()).fetchall()))


@asynccontextmanager
async def playing(storm: Storm, address: str, seed: int) -> AsyncIterator[Traffic]:
    """Let all matches be played while the block lasts; then finish them, if that can be."""
    traffic = Traffic(storm.ledger)
    # A connection is killed within seconds here, and is to count as one that has lasted.
    with patch.object(link, "STABLE_SECONDS", 0.0):
        plays = [
            asyncio.create_task(
                play(traffic, address, seed + number, watched=number % WATCHED == 0)
            )
            for number in range(storm.matches)
        ]
        try:
            async with asyncio.timeout(
                QUIET_SECONDS
            ):  # who has never been there does not come again
                for _ in plays:
                    await traffic.seated.acquire()
            yield traffic
            traffic.settling = True
            _, stuck = await asyncio.wait(plays, timeout=SETTLE_SECONDS)
            storm.ledger.given_up += [TimeoutError("a client was told of no end") for _ in stuck]
        finally:
            for unfinished in plays:
                unfinished.cancel()
            results = await asyncio.gather(*plays, return_exceptions=True)
            storm.ledger.given_up += [error for error in results if isinstance(error, Exception)]


async def _come(traffic: Traffic, dice: SeededRandom, storm: Storm) -> None:
    """Return at a moment that is drawn, not by the clock: whatever goes on, how fast ever."""
    with suppress(TimeoutError):  # who gave up will be told of, and what is stuck will be found
        async with asyncio.timeout(QUIET_SECONDS):
            await traffic.after(dice.randrange(MESSAGES * storm.matches))
    await asyncio.sleep(dice.uniform(0, MOMENT_SECONDS))
