"""Clients and matches of the room on Colyseus, for the load driver."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from http.client import HTTPConnection
from typing import Any, ClassVar
from urllib.parse import urlsplit

import msgpack

from bench.connection import Connection, Lost
from bench.matches import FIRST_VERSION, SECRET, Match

# The first byte of a message tells its kind; a message of data has its type before its fields.
JOINED, DATA = bytes([10]), bytes([13])
GUESS, EVENT = DATA + msgpack.packb("guess"), DATA + msgpack.packb("event")
PATIENCE = 60.0  # seconds for the first message in a room


def reserve(address: str, method: str, room: str, options: object) -> dict[str, Any]:
    """Reserve a seat in a room, which Colyseus does by HTTP; raises OSError and Lost."""
    client = HTTPConnection(urlsplit(address).netloc)
    try:
        headers = {"Content-Type": "application/json"}
        client.request("POST", f"/matchmake/{method}/{room}", json.dumps(options), headers)
        response = client.getresponse()
        text = response.read()
    finally:
        client.close()
    if response.status != HTTPStatus.OK:
        raise Lost(text.decode())
    seat: dict[str, Any] = json.loads(text)
    return seat


class Client(Connection):
    """One client. Each room that it goes to is another connection."""

    def __init__(self, address: str, home: str) -> None:
        super().__init__(address, home)
        self._server = address
        self._joined: asyncio.Future[None] | None = None

    async def open(self) -> None:
        """Go to the hall, where whoever is in no match is."""
        await self.enter("joinOrCreate", "hall")

    async def enter(self, method: str, room: str, **options: object) -> str:
        """Go to a room, and return its id; raises OSError, Lost and TimeoutError."""
        if self._joined is not None:
            await self.drop()
        self._joined = asyncio.get_running_loop().create_future()
        seat = await asyncio.to_thread(reserve, self._server, method, room, options)
        entered: str = seat["roomId"]
        self._address = (
            f"{self._server}/{seat['processId']}/{entered}?sessionId={seat['sessionId']}"
        )
        await super().open()
        async with asyncio.timeout(PATIENCE):
            await self._joined
        return entered

    def send(self, payload: bytes) -> None:
        """Send a guess: nothing else is sent in a room."""
        super().send(GUESS + payload)

    def take(self, payload: bytes) -> None:
        """Give what is told of a match to whoever receives, and answer that a room was joined."""
        if payload.startswith(EVENT):
            self.receive(payload[len(EVENT) :])
            return
        assert payload.startswith(JOINED), payload
        assert self._joined is not None
        super().send(JOINED)
        self._joined.set_result(None)


class ColyseusHouse:
    """Of the room on Colyseus."""

    connection: ClassVar[type[Connection]] = Client

    async def greet(self, connection: Connection) -> None:
        """Nobody is asked who they are."""

    async def open(self, maker: Connection, breaker: Connection) -> Match:
        """Open a room by its secret, and take both seats."""
        assert isinstance(maker, Client)
        assert isinstance(breaker, Client)
        room = await maker.enter("create", "match", secret=SECRET, version=FIRST_VERSION)
        await breaker.enter("joinById", room)
        return Match(room, maker, breaker)

    async def follow(self, connection: Connection, match: Match) -> None:
        """Go to the room, whose seats are taken."""
        assert isinstance(connection, Client)
        await connection.enter("joinById", match.code)

    async def resume(self, connection: Connection, match: Match) -> None:
        """Look on again: the room keeps a seat for nobody."""
        await self.follow(connection, match)

    async def end(self, match: Match) -> None:
        """Let both go: the room is no more then."""
        for seat in (match.maker, match.breaker):
            await seat.drop()
