"""All clients of one load driver: who plays, who looks on, and who comes back."""

from __future__ import annotations

import asyncio
import itertools
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, TypeVar

from bench.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence

    from bench.matches import House, Match

AT_HOME = 8  # connections at one address: what one address may ask for is limited
AT_ONCE = 64  # clients that come, or sit down, at the same time
PATIENCE = 60.0  # seconds for spectators to have read in what they were told
EVENT = b"\xa2op\xa5event"  # of a message, near its beginning: other news come unasked too

Item = TypeVar("Item")


def is_event(payload: bytes) -> bool:
    """Tell whether a message tells of a move."""
    return EVENT in payload[:16]


class Crowd:
    """The connections and matches of one driver."""

    def __init__(self, addresses: Sequence[str], house: House) -> None:
        self._addresses, self._house = itertools.cycle(addresses), house
        self._homes = _list_homes()
        self.idle: list[Connection] = []
        self.matches: list[Match] = []
        self.audience = Audience()

    async def come(self, connections: int) -> None:
        """Have so many connections that have said hello and do nothing."""
        coming = [
            self._house.connection(next(self._addresses), next(self._homes))
            for _ in range(connections - len(self.idle))
        ]

        async def come(connection: Connection) -> None:
            await connection.open()
            await self._house.greet(connection)

        await do_each(coming, come)
        self.idle += coming

    async def open(self, wanted: int, each: int) -> None:
        """Have so many matches open, `each` of them between the same two.

        These come from two addresses, if there are more than one: neighbours do.
        """
        couples = [each] * ((wanted - len(self.matches)) // each)
        if rest := (wanted - len(self.matches)) % each:
            couples.append(rest)
        if len(self.idle) < 2 * len(couples):
            await self.come(2 * len(couples))

        async def sit_down(matches: int) -> None:
            maker, breaker = self.idle.pop(), self.idle.pop()
            for _ in range(matches):
                self.matches.append(await self._house.open(maker, breaker))

        await do_each(couples, sit_down)

    async def look_on(self) -> None:
        """Let all who do nothing follow the first match."""
        match = self.matches[0]

        async def follow(connection: Connection) -> None:
            await self._house.follow(connection, match)

        await do_each(self.idle, follow)
        self.audience.add(self.idle)
        self.idle = []

    async def drop(self) -> None:
        """Drop the lines of all who play."""
        await do_each(self._list_players(), Connection.drop)

    async def come_back(self) -> None:
        """Let all who play be back at their matches, everybody at once."""
        places: dict[Connection, list[Match]] = {}
        for match in self.matches:
            places.setdefault(match.maker, []).append(match)
            places.setdefault(match.breaker, []).append(match)

        async def resume(connection: Connection) -> None:
            await connection.open()
            await self._house.greet(connection)
            for match in places[connection]:
                await self._house.resume(connection, match)

        await do_each(places, resume, at_once=len(places))

    async def end(self) -> None:
        """Have all matches end."""
        await do_each(self.matches, self._house.end)
        self.matches = []

    def _list_players(self) -> set[Connection]:
        return {player for match in self.matches for player in (match.maker, match.breaker)}


class Audience:
    """Spectators of one match.

    While it is measured what they cost they do not read, so that no driver takes time from the
    server; what was sent to them is counted afterwards.
    """

    def __init__(self) -> None:
        self._connections: list[Connection] = []
        self._heard = 0
        self._more = asyncio.Event()

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connections: Iterable[Connection]) -> None:
        """Take more in, who have followed."""
        for connection in connections:
            connection.receive = self._hear
            self._connections.append(connection)

    def pause(self) -> None:
        """Read nothing for now."""
        for connection in self._connections:
            connection.pause()

    async def check(self, events: int) -> None:
        """Read on; return when all have read of so many moves since the last time.

        Raises TimeoutError, and AssertionError if there were more.
        """
        wanted = events * len(self._connections)
        for connection in self._connections:
            connection.resume()
        async with asyncio.timeout(PATIENCE):
            while self._heard < wanted:
                self._more.clear()
                await self._more.wait()
        assert self._heard == wanted, f"{self._heard} frames for {wanted}"
        self._heard = 0

    def _hear(self, payload: bytes) -> None:
        if is_event(payload):
            self._heard += 1
            self._more.set()


async def do_each(
    items: Iterable[Item], work: Callable[[Item], Awaitable[None]], at_once: int = AT_ONCE
) -> None:
    """Do the same for all items, some of them at the same time."""
    left = iter(items)

    async def go_on() -> None:
        for item in left:
            await work(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(go_on())


def _list_homes() -> Iterator[str]:
    """Yield loopback addresses, each for some connections."""
    for number in itertools.count(2):
        yield from [str(IPv4Address("127.0.0.0") + number)] * AT_HOME
