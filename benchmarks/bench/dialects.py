"""The load driver's requests, to the server or to the baseline."""

from __future__ import annotations

import asyncio
import itertools
import os
from typing import TYPE_CHECKING, Any, Protocol

import msgpack

from bench.connection import Lost

if TYPE_CHECKING:
    from bench.connection import Connection

RULES = "knuth"  # 4 pegs of 6 colours, up to 999 guesses
SECRET, WRONG = [0, 1, 2, 3], [0, 0, 1, 1]
FIRST_VERSION = 3  # of a match with two players and a secret
CLOCK = "30+0"  # the longest: no time ends during a measurement
RETRY_SECONDS = 0.2
MISSED = 3  # rows that a reconnecting player missed


class Match:
    """A match whose codebreaker always guesses the same wrong code."""

    def __init__(self, code: str, maker: Connection, breaker: Connection) -> None:
        self.code, self.maker, self.breaker = code, maker, breaker
        self.version = FIRST_VERSION  # after all guesses that were sent

    def guess(self) -> int:
        """Send the next guess and return its request id. Earlier guesses may be pending."""
        number = self.breaker.next_id()
        fields = {"op": "guess", "match": self.code, "v": self.version, "code": WRONG}
        self.version += 1
        self.breaker.send(msgpack.packb({**fields, "id": number}))
        return number


class Dialect(Protocol):
    """The requests of clients, except guesses."""

    async def hello(self, connection: Connection) -> None:
        """Say hello, as the connection's earlier player if it has one."""

    async def open(self, maker: Connection, breaker: Connection, *, clock: bool) -> Match:
        """Return a match of these two with a secret, and with the clock CLOCK if `clock`."""

    async def follow(self, connection: Connection, match: Match) -> None:
        """Spectate at a match."""

    async def resume(self, connection: Connection, match: Match) -> None:
        """Read the missed rows of a match and follow it again."""

    async def end(self, match: Match) -> None:
        """End a match; its players unfollow it."""


async def ask(connection: Connection, op: str, **fields: object) -> dict[str, Any]:
    """Return the answer to a request; repeat it while the server is overloaded, as clients do."""
    while True:
        try:
            return await connection.ask(op, **fields)
        except Lost as error:
            if "overloaded" not in str(error):
                raise
        await asyncio.sleep(RETRY_SECONDS)


class ServerDialect:
    """Requests to this project's server."""

    async def hello(self, connection: Connection) -> None:
        """Say hello, with the token if there is one."""
        given = {"token": connection.token} if connection.token else {}
        welcome = await ask(connection, "hello", **given)
        connection.token = connection.token or welcome["token"]

    async def open(self, maker: Connection, breaker: Connection, *, clock: bool) -> Match:
        """Open a match, join it, and set the secret."""
        chosen = {"clock": CLOCK} if clock else {}
        log = await ask(maker, "open", rules=RULES, maker="me", breaker="open", **chosen)
        code = log["match"]
        await ask(breaker, "join", match=code)
        await ask(maker, "secret", match=code, v=FIRST_VERSION - 1, code=SECRET)
        return Match(code, maker, breaker)

    async def follow(self, connection: Connection, match: Match) -> None:
        """Follow the match from its present version on."""
        await ask(connection, "follow", match=match.code, v=match.version)

    async def resume(self, connection: Connection, match: Match) -> None:
        """Follow the match from an earlier version on."""
        await ask(connection, "follow", match=match.code, v=max(0, match.version - MISSED))

    async def end(self, match: Match) -> None:
        """Leave as the codemaker, unfollow as the codebreaker."""
        await ask(match.maker, "leave", match=match.code)
        await ask(match.breaker, "unfollow", match=match.code)


class BaselineDialect:
    """Requests to the baseline, which has neither players nor permissions."""

    def __init__(self) -> None:
        self._prefix = f"{os.getpid() % 100:02}"  # two drivers never share a room
        self._numbers = itertools.count()

    async def hello(self, connection: Connection) -> None:
        """Do nothing."""

    async def open(self, maker: Connection, breaker: Connection, *, clock: bool) -> Match:
        """Take both seats of a room and set its secret; a room has no clock."""
        del clock
        code = f"{self._prefix}{next(self._numbers):04}"
        for seat in (breaker, maker):
            await seat.ask("join", match=code, code=SECRET)
        return Match(code, maker, breaker)

    async def follow(self, connection: Connection, match: Match) -> None:
        """Spectate at a room."""
        await connection.ask("follow", match=match.code)

    async def resume(self, connection: Connection, match: Match) -> None:
        """Take the seat again; the baseline resends nothing."""
        await connection.ask("join", match=match.code, code=SECRET)

    async def end(self, match: Match) -> None:
        """Leave both seats."""
        for seat in (match.maker, match.breaker):
            await seat.ask("leave", match=match.code)
