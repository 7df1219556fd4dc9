"""Play matches while servers are killed, and compare the clients' record with the log."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    closing,
    suppress,
)
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path

import psycopg
import sqlalchemy as sa

from campaigns.chaos.clocks import START_SECONDS, ClockFigures, Punctual, Strike, play_by_days
from campaigns.chaos.strikes import STRIKES, STRIKES_ON_NODES, Target
from campaigns.ledger import Fault, Flaw, Ledger, find_faults
from campaigns.traffic import QUIET_SECONDS, Play, Traffic, playing
from kit.matches import SeededRandom
from kit.postgres import PostgresServer, find_socket
from kit.processes import SERVER, Server, serving
from kit.proxy import Proxy
from mastermind_server.storage.engines.postgresql import DATABASE_TIMEOUT_SECONDS, migrate_database
from mastermind_server.storage.rows import LogRow

MESSAGES = 8  # per match between two strikes, at most: a second of play
MOMENT_SECONDS = 0.01  # from a message to the strike, at most: its request is still in flight
DRAIN_SECONDS = 0.2  # of a restarting node
DAYS_SHARE = 10  # of so many matches with a live clock, one more has a clock of days
AWAY_SECONDS = 1.5  # without PostgreSQL, at most
BETWEEN_SECONDS = (2.0, 5.0)  # from one strike on clocks to the next
WIDE_LIMITS = """
rows = {burst = 10000000, per_second = 100000.0}
rows_of_address = {burst = 10000000, per_second = 100000.0}
sockets_of_address = {burst = 100000, per_second = 100000.0}
new_players = {burst = 100000, per_second = 100000.0}
connections_per_address = 4000
pending_connections_per_address = 1000
"""
PLAIN = {"sslmode": "disable", "gssencmode": "disable"}  # so that a Proxy can read the messages
_READ_LOG = f"SELECT {', '.join(LogRow._fields)} FROM log ORDER BY match, version"  # noqa: S608 - ours


@dataclass
class Storm:
    """The strikes, the clients' record and the faults of a run of at most `minutes` minutes."""

    matches: int
    minutes: float = inf
    began: float = field(default_factory=time.monotonic)
    done: dict[str, int] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    faults: list[Fault] = field(default_factory=list)
    strikes: list[Strike] = field(default_factory=list)  # on the only node
    failures: list[Strike] = field(default_factory=list)  # of one of several nodes
    punctual: Punctual | None = None
    clocks: ClockFigures | None = None
    figures: dict[str, str] = field(default_factory=dict)  # more of the report

    @property
    def over(self) -> bool:
        """Whether the time limit has passed."""
        return time.monotonic() > self.began + 60 * self.minutes

    def count(self, what: str) -> None:
        """Count a strike under the name `what`."""
        self.done[what] = self.done.get(what, 0) + 1

    def check(self, log: Iterable[LogRow], nodes: Iterable[Server]) -> None:
        """Set `faults` to the faults of the stored log and the nodes' unexpected exceptions."""
        self.faults = find_faults(self.ledger, log)
        for node in nodes:
            if (crash := node.find_crash()) is not None:
                self.faults.append(Fault(Flaw.CRASHED, "", crash))

    def check_clocks(self, log: list[LogRow], nodes: Iterable[Server]) -> None:
        """Check the log as `check` does, and the ends of the players' times."""
        assert self.punctual is not None
        self.check(log, nodes)
        self.clocks = ClockFigures(self.punctual.refusals, self.strikes, self.failures)
        self.clocks.check(log)
        self.faults += self.clocks.faults

    def move_back(self, moved: int) -> None:
        """Move the times of the record back by `moved` milliseconds, as those in the store."""
        assert self.punctual is not None
        self.strikes = [each.move_back(moved) for each in self.strikes]
        self.punctual.refusals = [each.move_back(moved) for each in self.punctual.refusals]

    async def check_ratings(self, place: str) -> None:
        """Add a fault if the ratings in a store differ from its log."""
        command = (*SERVER, "ratings", "--check", place)
        check = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
        if check.returncode:
            self.faults.append(Fault(Flaw.CHANGED, "", check.stdout + check.stderr))

    def list_figures(self) -> dict[str, str]:
        """Return the figures of the report by name, in order."""
        flaws = {flaw: sum(fault.flaw is flaw for fault in self.faults) for flaw in Flaw}
        return {
            "concurrent matches": f"{self.matches}",
            **{name: f"{number:,}" for name, number in (self.done | flaws).items()},
            **(self.clocks.list_figures() if self.clocks else {}),
            **self.ledger.list_figures(),
            **self.figures,
        }


async def kill_one_node(folder: Path, storm: Storm, *, seed: int, kills: int) -> None:
    """Kill a server on SQLite `kills` times during play, at random moments."""
    dice, database = SeededRandom(seed), folder / "matches.sqlite3"
    async with (
        serving(Server.on(f"--database={database}", folder / "node.log")) as node,
        playing(storm.ledger, node.address, seed, storm.matches) as traffic,
    ):
        for _ in range(kills):
            if storm.over:
                break
            await wait_for_moment(traffic, dice, storm)
            node.kill()
            node.start()
            await node.listening()
            storm.count("SIGKILL of the node")
    with closing(sqlite3.connect(database)) as connection:
        storm.check(read_log(connection), [node])


@dataclass
class Fleet:
    """Nodes on one PostgreSQL, each through its own proxy, behind a single address."""

    store: PostgresServer
    nodes: list[Server]
    lines: list[Proxy]
    front: Proxy

    @classmethod
    @asynccontextmanager
    async def running(
        cls, folder: Path, store: PostgresServer, size: int, *options: str
    ) -> AsyncIterator[Fleet]:
        """Run `size` nodes with these options for the duration of the block."""
        await asyncio.to_thread(migrate_database, store.url())
        async with AsyncExitStack() as stack:
            lines = [
                await stack.enter_async_context(Proxy.to(find_socket(store.url())))
                for _ in range(size)
            ]
            urls = [write_url(line, store.url()) for line in lines]
            nodes, front = await stack.enter_async_context(serving_nodes(folder, urls, *options))
            yield cls(store, nodes, lines, front)

    @property
    def address(self) -> str:
        """The URL that clients connect to."""
        return f"ws://127.0.0.1:{self.front.port}"

    async def kill_a_node(self, dice: SeededRandom) -> None:
        """Kill a random node and restart it."""
        node = dice.choice(self.nodes)
        node.kill()
        node.start()
        await node.listening()

    async def kill_the_store(self, dice: SeededRandom) -> None:
        """Kill PostgreSQL and restart it after a random delay."""
        await asyncio.to_thread(self.store.kill)
        await asyncio.sleep(dice.uniform(0, AWAY_SECONDS))
        await asyncio.to_thread(self.store.start)

    async def cut_a_node(self, dice: SeededRandom) -> None:
        """Drop a node's connections to PostgreSQL, and reject new connections for a random time."""
        line = dice.choice(self.lines)
        line.cut()
        await asyncio.sleep(dice.uniform(0, AWAY_SECONDS))
        line.restore()

    async def freeze_a_node(self, dice: SeededRandom) -> None:
        """Stop traffic between a node and PostgreSQL, sometimes beyond the node's timeout."""
        line = dice.choice(self.lines)
        line.freeze()
        await asyncio.sleep(dice.uniform(0, 1.5 * DATABASE_TIMEOUT_SECONDS))
        line.restore()


@asynccontextmanager
async def serving_nodes(
    folder: Path, urls: Iterable[str], *options: str
) -> AsyncIterator[tuple[list[Server], Proxy]]:
    """Run a node on each URL within the block. Yield the nodes, and a proxy in front of them."""
    async with AsyncExitStack() as stack:
        nodes = [
            Server.on(f"--store={url}", folder / f"node-{number}.log", *options)
            for number, url in enumerate(urls)
        ]
        for node in nodes:
            await stack.enter_async_context(serving(node))
        yield nodes, await stack.enter_async_context(Proxy.to(*(node.port for node in nodes)))


def write_url(line: Proxy, url: str) -> str:
    """Return the URL of the database at `url` through a proxy."""
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
    """Kill, cut off and freeze nodes and their PostgreSQL during play, in random order."""
    dice = SeededRandom(seed)
    async with (
        Fleet.running(folder, store, nodes) as fleet,
        playing(storm.ledger, fleet.address, seed, storm.matches) as traffic,
    ):
        strikes = [
            *[("SIGKILL of a node", fleet.kill_a_node)] * kills,
            *[("SIGKILL of PostgreSQL", fleet.kill_the_store)] * store_kills,
            *[("a node cut from PostgreSQL", fleet.cut_a_node)] * cuts,
            *[("a node's PostgreSQL frozen", fleet.freeze_a_node)] * freezes,
        ]
        dice.shuffle(strikes)
        for name, strike in strikes:
            if storm.over:
                break
            await wait_for_moment(traffic, dice, storm)
            await strike(dice)
            storm.count(name)
    storm.check(read_logs(store.url()), fleet.nodes)


async def roll_a_fleet(
    folder: Path, store: PostgresServer, storm: Storm, *, seed: int, nodes: int
) -> None:
    """Restart the nodes one after another during play, as an upgrade does."""
    dice = SeededRandom(seed)
    async with (
        Fleet.running(folder, store, nodes, f"--drain={DRAIN_SECONDS}") as fleet,
        playing(storm.ledger, fleet.address, seed, storm.matches) as traffic,
    ):
        for node in fleet.nodes:
            await wait_for_moment(traffic, dice, storm)
            await asyncio.to_thread(node.stop)
            node.start()
            await node.listening()
            storm.count("restart of a node")
    storm.check(read_logs(store.url()), fleet.nodes)


async def strike_clocks_on_one_node(folder: Path, storm: Storm, *, seed: int, strikes: int) -> None:
    """Strike a server on SQLite while times end, `strikes` times, at random moments."""
    dice, database = SeededRandom(seed), folder / "matches.sqlite3"
    limits = write_wide_limits(folder)
    async with (
        serving(Server.on(f"--database={database}", folder / "node.log", limits)) as node,
        Proxy.to(node.port) as front,
        playing_clocks(storm, f"ws://127.0.0.1:{front.port}", seed),
    ):
        target = Target(node, front, database, dice)
        await asyncio.sleep(START_SECONDS)
        for number in range(strikes):
            if storm.over:
                break
            await asyncio.sleep(dice.uniform(*BETWEEN_SECONDS))
            strike = await STRIKES[number % len(STRIKES)](target)
            storm.move_back(strike.moved)
            storm.strikes.append(strike)
            storm.count(strike.why)
    with closing(sqlite3.connect(database)) as connection:
        storm.check_clocks(read_log(connection), [node])
    await storm.check_ratings(f"--database={database}")


async def strike_clocks_on_a_fleet(
    folder: Path, store: PostgresServer, storm: Storm, *, seed: int, nodes: int, strikes: int
) -> None:
    """Strike nodes on PostgreSQL while times end, `strikes` times, at random moments."""
    dice = SeededRandom(seed)
    limits = write_wide_limits(folder)
    async with (
        Fleet.running(folder, store, nodes, limits) as fleet,
        playing_clocks(storm, fleet.address, seed),
    ):
        await asyncio.sleep(START_SECONDS)
        for number in range(strikes):
            if storm.over:
                break
            await asyncio.sleep(dice.uniform(*BETWEEN_SECONDS))
            target = Target(dice.choice(fleet.nodes), fleet.front, None, dice)
            strike = await STRIKES_ON_NODES[number % len(STRIKES_ON_NODES)](target)
            storm.failures.append(strike)
            storm.count(strike.why)
    storm.check_clocks(read_logs(store.url()), fleet.nodes)
    await storm.check_ratings(f"--store={store.url()}")


def playing_clocks(storm: Storm, address: str, seed: int) -> AbstractAsyncContextManager[Traffic]:
    """Play rated matches with a clock, and some with days, within the block; then finish them."""
    storm.punctual = Punctual(seed)
    plays: list[Play] = [partial(storm.punctual.play, number) for number in range(storm.matches)]
    plays += [play_by_days] * (1 + storm.matches // DAYS_SHARE)
    return playing(storm.ledger, address, seed, 0, plays)


def write_wide_limits(folder: Path) -> str:
    """Write limits that all players from one address may meet, and return the option."""
    file = folder / "limits.toml"
    file.write_text(WIDE_LIMITS, encoding="utf-8")
    return f"--limits={file}"


def read_log(connection: sqlite3.Connection) -> list[LogRow]:
    """Return all rows of a SQLite store."""
    return list(map(LogRow._make, connection.execute(_READ_LOG)))


def read_logs(url: str) -> list[LogRow]:
    """Return all rows of a PostgreSQL store."""
    with psycopg.connect(url) as connection:
        return list(map(LogRow._make, connection.execute(_READ_LOG.encode()).fetchall()))


async def wait_for_moment(traffic: Traffic, dice: SeededRandom, storm: Storm) -> None:
    """Wait for a random number of messages, so that strikes do not depend on the speed of play."""
    with suppress(TimeoutError):  # the final check reports stuck matches and failed clients
        async with asyncio.timeout(QUIET_SECONDS):
            await traffic.after(dice.randrange(MESSAGES * storm.matches))
    await asyncio.sleep(dice.uniform(0, MOMENT_SECONDS))
