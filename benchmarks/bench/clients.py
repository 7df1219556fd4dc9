"""The clients of one load driver: players, spectators and idle connections."""

from __future__ import annotations

import asyncio
import itertools
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, TypeVar

from bench.connection import Connection
from bench.page_load import load_page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

    from bench.dialects import Dialect, Match

PER_ADDRESS = 8  # connections from one source address: the server limits requests per address
AT_ONCE = 64  # concurrent connects and joins
PATIENCE = 60.0  # seconds for spectators to read their events
EVENT = b"\xa2op\xa5event"  # the start of an event's frame; other frames arrive unasked too

Item = TypeVar("Item")


def is_event(payload: bytes) -> bool:
    """Return whether a frame is the event of a move."""
    return EVENT in payload[:16]


class Clients:
    """The connections and matches of one driver."""

    def __init__(self, addresses: Sequence[str], dialect: Dialect) -> None:
        self._addresses, self._dialect = itertools.cycle(addresses), dialect
        self._sources = list_sources()
        self.idle: list[Connection] = []
        self.matches: list[Match] = []
        self.audience = Audience()

    async def connect(self, connections: int, *, load: bool = False) -> None:
        """Bring the number of idle connections up to `connections`.

        With `load` each client is a browser, which loads the page of the first match before.
        """
        path = f"/{self.matches[0].code}" if self.matches else "/"
        new = [
            Connection(next(self._addresses), next(self._sources))
            for _ in range(connections - len(self.idle))
        ]

        async def connect(connection: Connection) -> None:
            if load:
                await load_page(connection.address, connection.source, path)
            await connection.open()
            await self._dialect.hello(connection)

        await do_each(new, connect)
        self.idle += new

    async def open_matches(self, wanted: int, each: int, *, clock: bool, met: bool) -> None:
        """Bring the number of matches up to `wanted`; two connections share `each` matches.

        With several nodes the two are on different nodes: consecutive connections are. If `met`,
        they are on one node, except of at most one match for each node.
        """
        pairs = [each] * ((wanted - len(self.matches)) // each)
        if rest := (wanted - len(self.matches)) % each:
            pairs.append(rest)
        if len(self.idle) < 2 * len(pairs):
            await self.connect(2 * len(pairs))
        if met:
            self.idle.sort(key=lambda connection: connection.address)

        async def open_match(matches: int) -> None:
            maker, breaker = self.idle.pop(), self.idle.pop()
            for _ in range(matches):
                self.matches.append(await self._dialect.open(maker, breaker, clock=clock))

        await do_each(pairs, open_match)

    async def spectate(self) -> None:
        """Make all idle connections follow the first match."""
        await do_each(self.idle, lambda idle: self._dialect.follow(idle, self.matches[0]))
        self.audience.add(self.idle)
        self.idle = []

    async def cut(self) -> None:
        """Abort the connections of all players."""
        await do_each(self._find_players(), Connection.abort)

    async def reconnect(self) -> None:
        """Reconnect all players at once and resume their matches."""
        players = self._find_players()

        async def reconnect(connection: Connection) -> None:
            await connection.open()
            await self._dialect.hello(connection)
            for match in players[connection]:
                await self._dialect.resume(connection, match)

        await do_each(players, reconnect, at_once=len(players))

    async def end_matches(self) -> None:
        """End all matches."""
        await do_each(self.matches, self._dialect.end)
        self.matches = []

    def _find_players(self) -> dict[Connection, list[Match]]:
        players: dict[Connection, list[Match]] = {}
        for match in self.matches:
            players.setdefault(match.maker, []).append(match)
            players.setdefault(match.breaker, []).append(match)
        return players


class Audience:
    """Spectators of one match. They read only after the measurement, to leave the CPU to it."""

    def __init__(self) -> None:
        self._connections: list[Connection] = []
        self._received = 0
        self._more = asyncio.Event()

    def add(self, connections: Iterable[Connection]) -> None:
        """Add connections that follow the match."""
        for connection in connections:
            connection.receive = self._receive
            self._connections.append(connection)

    def pause(self) -> None:
        """Stop reading."""
        for connection in self._connections:
            connection.pause()

    async def expect(self, events: int) -> None:
        """Read `events` events on each connection.

        Raises TimeoutError if fewer arrive, and AssertionError if more do.
        """
        wanted = events * len(self._connections)
        for connection in self._connections:
            connection.resume()
        async with asyncio.timeout(PATIENCE):
            while self._received < wanted:
                self._more.clear()
                await self._more.wait()
        assert self._received == wanted, f"{self._received} frames for {wanted}"
        self._received = 0

    def _receive(self, payload: bytes) -> None:
        if is_event(payload):
            self._received += 1
            self._more.set()


async def do_each(
    items: Iterable[Item], work: Callable[[Item], Awaitable[None]], at_once: int = AT_ONCE
) -> None:
    """Do the work for all items, with `at_once` workers."""
    left = iter(items)

    async def worker() -> None:
        for item in left:
            await work(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(worker())


def list_sources() -> Iterator[str]:
    """Yield loopback addresses, each PER_ADDRESS times."""
    for number in itertools.count(2):
        yield from [str(IPv4Address("127.0.0.0") + number)] * PER_ADDRESS
