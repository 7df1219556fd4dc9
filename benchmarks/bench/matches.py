"""Matches that the load driver's clients have open: with a server, or in the bare room."""

from __future__ import annotations

import asyncio
import itertools
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Protocol

import msgpack

from bench.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = "knuth"  # 4 pegs of 6 colours, and as many guesses as it takes: 999
SECRET, WRONG = [0, 1, 2, 3], [0, 0, 1, 1]
FIRST_VERSION = 3  # of a match with two players and a secret
AT_HOME = 8  # connections at one address: what one address may ask for is limited
AT_ONCE = 64  # clients that set their matches up


class Match:
    """One in which a client guesses, wrongly, as often as it is told to."""

    def __init__(self, code: str, maker: Connection, breaker: Connection) -> None:
        self.code, self.maker, self.breaker = code, maker, breaker
        self._version = FIRST_VERSION

    def guess(self) -> int:
        """Send the next guess, and return its id. Those before need not have been answered."""
        number = self.breaker.next_id()
        fields = {"op": "guess", "match": self.code, "v": self._version, "code": WRONG}
        self._version += 1
        self.breaker.send(msgpack.packb({**fields, "id": number}))
        return number


class House(Protocol):
    """How matches come to be at what is measured."""

    async def greet(self, connection: Connection) -> None:
        """Say hello, where that is due."""

    async def open(self, maker: Connection, breaker: Connection) -> Match:
        """Return a match of the two with a secret."""


class ServerHouse:
    """Of a server of this project."""

    async def greet(self, connection: Connection) -> None:
        """Say hello as a new player."""
        await connection.ask("hello")

    async def open(self, maker: Connection, breaker: Connection) -> Match:
        """Open a match, sit down at it, and set the secret."""
        log = await maker.ask("open", rules=RULES, maker="me", breaker="open")
        code = log["match"]
        await breaker.ask("join", match=code)
        await maker.ask("secret", match=code, v=FIRST_VERSION - 1, code=SECRET)
        return Match(code, maker, breaker)


class BareHouse:
    """Of the bare room, which knows neither players nor who may do what."""

    def __init__(self) -> None:
        self._numbers = itertools.count(100_000)

    async def greet(self, connection: Connection) -> None:
        """Nobody is asked who they are."""

    async def open(self, maker: Connection, breaker: Connection) -> Match:
        """Take both seats of a room, in which the secret is known."""
        code = str(next(self._numbers))
        for seat in (breaker, maker):
            await seat.ask("join", match=code, code=SECRET)
        return Match(code, maker, breaker)


class Crowd:
    """The connections and matches of one driver."""

    def __init__(self, address: str, house: House) -> None:
        self._address, self._house = address, house
        self._homes = _list_homes()
        self._couples: list[tuple[Connection, Connection]] = []
        self.matches: list[Match] = []

    async def connect(self) -> Connection:
        """Return a connection that has said hello."""
        connection = Connection()
        await connection.open(self._address, next(self._homes))
        await self._house.greet(connection)
        return connection

    async def open(self, wanted: int, each: int) -> None:
        """Have so many matches open, `each` of them between the same two."""
        missing = [each] * ((wanted - len(self.matches)) // each)
        if rest := (wanted - len(self.matches)) % each:
            missing.append(rest)
        queue = iter(missing)
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._sit_down(queue))

    async def _sit_down(self, queue: Iterator[int]) -> None:
        for matches in queue:
            maker, breaker = await self.connect(), await self.connect()
            self._couples.append((maker, breaker))
            for _ in range(matches):
                self.matches.append(await self._house.open(maker, breaker))


def _list_homes() -> Iterator[str]:
    """Yield loopback addresses, each for some connections."""
    for number in itertools.count(2):
        yield from [str(IPv4Address("127.0.0.0") + number)] * AT_HOME
