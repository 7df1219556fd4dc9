"""Matches that the load driver's clients have open: with a server, or in the bare room."""

from __future__ import annotations

import itertools
import os
from typing import ClassVar, Protocol

import msgpack

from bench.connection import Connection

RULES = "knuth"  # 4 pegs of 6 colours, and as many guesses as it takes: 999
SECRET, WRONG = [0, 1, 2, 3], [0, 0, 1, 1]
FIRST_VERSION = 3  # of a match with two players and a secret
MISSED = 3  # rows that somebody has missed who comes back


class Match:
    """One in which a client guesses, wrongly, as often as it is told to."""

    def __init__(self, code: str, maker: Connection, breaker: Connection) -> None:
        self.code, self.maker, self.breaker = code, maker, breaker
        self.version = FIRST_VERSION  # that it has once all guesses were taken

    @property
    def guesses(self) -> int:
        """How many were sent."""
        return self.version - FIRST_VERSION

    def guess(self) -> int:
        """Send the next guess, and return its id. Those before need not have been answered."""
        number = self.breaker.next_id()
        fields = {"op": "guess", "match": self.code, "v": self.version, "code": WRONG}
        self.version += 1
        self.breaker.send(msgpack.packb({**fields, "id": number}))
        return number


class House(Protocol):
    """How clients and matches come to be at what is measured."""

    connection: ClassVar[type[Connection]]

    async def greet(self, connection: Connection) -> None:
        """Say hello, where that is due: as the player of before, if there was one."""

    async def open(self, maker: Connection, breaker: Connection) -> Match:
        """Return a match of the two with a secret."""

    async def follow(self, connection: Connection, match: Match) -> None:
        """Look on at a match from now on."""

    async def resume(self, connection: Connection, match: Match) -> None:
        """Be told what one has missed of a match, and follow it again."""

    async def end(self, match: Match) -> None:
        """End a match: nobody follows it then."""


class ServerHouse:
    """Of a server of this project."""

    connection: ClassVar[type[Connection]] = Connection

    async def greet(self, connection: Connection) -> None:
        """Say hello, with the token if there is one."""
        given = {"token": connection.token} if connection.token else {}
        welcome = await connection.ask("hello", **given)
        connection.token = connection.token or welcome["token"]

    async def open(self, maker: Connection, breaker: Connection) -> Match:
        """Open a match, sit down at it, and set the secret."""
        log = await maker.ask("open", rules=RULES, maker="me", breaker="open")
        code = log["match"]
        await breaker.ask("join", match=code)
        await maker.ask("secret", match=code, v=FIRST_VERSION - 1, code=SECRET)
        return Match(code, maker, breaker)

    async def follow(self, connection: Connection, match: Match) -> None:
        """Follow the match from its present version on."""
        await connection.ask("follow", match=match.code, v=match.version)

    async def resume(self, connection: Connection, match: Match) -> None:
        """Follow the match from the version on that one has seen last."""
        await connection.ask("follow", match=match.code, v=max(0, match.version - MISSED))

    async def end(self, match: Match) -> None:
        """Let the codemaker leave, and the codebreaker look at it no more."""
        await match.maker.ask("leave", match=match.code)
        await match.breaker.ask("unfollow", match=match.code)


class BareHouse:
    """Of the bare room, which knows neither players nor who may do what."""

    connection: ClassVar[type[Connection]] = Connection

    def __init__(self) -> None:
        self._home = f"{os.getpid() % 100:02}"  # one driver's rooms are no other's
        self._numbers = itertools.count()

    async def greet(self, connection: Connection) -> None:
        """Nobody is asked who they are."""

    async def open(self, maker: Connection, breaker: Connection) -> Match:
        """Take both seats of a room, in which the secret is known."""
        code = f"{self._home}{next(self._numbers):04}"
        for seat in (breaker, maker):
            await seat.ask("join", match=code, code=SECRET)
        return Match(code, maker, breaker)

    async def follow(self, connection: Connection, match: Match) -> None:
        """Be sent what the seats are sent."""
        await connection.ask("follow", match=match.code)

    async def resume(self, connection: Connection, match: Match) -> None:
        """Take the seat again: the bare room tells nothing of what was."""
        await connection.ask("join", match=match.code, code=SECRET)

    async def end(self, match: Match) -> None:
        """Let both leave."""
        for seat in (match.maker, match.breaker):
            await seat.ask("leave", match=match.code)
