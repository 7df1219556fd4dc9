"""Players who try the code of a day on two devices each, through failures of nodes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any, Protocol

from websockets.exceptions import WebSocketException

from campaigns.traffic import RETRY_SECONDS, Traffic
from kit.client import RawClient
from kit.matches import SeededRandom
from mastermind_protocol.code import Code
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode
from mastermind_protocol.messages import AnyMessage, Error, Happened, Log, Row, Welcome
from mastermind_protocol.requests import EnterDay, Follow, Guess, Hello, Request, Resign

RULES = "mini"
CLOSED_CODES = (ErrorCode.CONTEST, ErrorCode.WRONG_PHASE)  # the second if a node has ended the try


class Plan(StrEnum):
    """The plan of a player for its try."""

    BREAKS = "breaks the code at the third guess"
    EXHAUSTS = "makes all guesses"
    RESIGNS = "resigns after a guess"
    CONTINUES = "breaks the code after midnight"
    IS_LATE = "makes a guess before and another after the close"


class Nodes(Protocol):
    """Several nodes on one PostgreSQL database, at `url`."""

    url: str

    def choose(self, dice: SeededRandom) -> str:
        """Return the URL of a node for a client."""

    async def kill_one(self, dice: SeededRandom) -> None:
        """Kill a node and restart it."""

    async def set_time(self, time: int) -> None:
        """Set the time of day of all nodes, in milliseconds since 1970; never back."""


class _Wire(RawClient):
    """A connection that records the rows it receives."""

    traffic: Traffic

    def _learn(self, match: str, row: Row) -> None:
        self.traffic.ledger.receive(self.id, match, row.v, row.events)
        super()._learn(match, row)

    async def _receive(self) -> AnyMessage:
        message = await super()._receive()
        self.traffic.note()
        return message


@dataclass
class Device:
    """One of the devices of a player. It connects again until a node answers."""

    nodes: Nodes
    traffic: Traffic
    dice: SeededRandom
    ids: Iterator[int]
    name: str
    token: str | None = None
    match: str | None = None
    wire: _Wire | None = None

    async def ask(self, request: Request) -> AnyMessage:
        """Return the final answer to a request, which may be sent several times."""
        asked_at = time.monotonic()
        while True:
            try:
                wire = self.wire or await self._connect()
                answer = await wire.ask(request)
            except (OSError, WebSocketException, TimeoutError):
                await self.close()
                await asyncio.sleep(self.dice.uniform(0, RETRY_SECONDS))
                continue
            if not isinstance(answer, Error) or answer.code not in TRANSIENT_CODES:
                self.traffic.ledger.waited.append(time.monotonic() - asked_at)
                return answer
            self.traffic.ledger.refused[answer.code] += 1
            await asyncio.sleep(self.dice.uniform(0, RETRY_SECONDS))

    async def close(self) -> None:
        """Close the connection, if there is one."""
        wire, self.wire = self.wire, None
        if wire is not None:
            with suppress(OSError, WebSocketException):
                await wire.close()

    async def _connect(self) -> _Wire:
        wire = await _Wire.connect(self.nodes.choose(self.dice), self.ids)
        wire.traffic = self.traffic
        greeted = await wire.ask(wire.new(Hello, name=self.name, token=self.token))
        if not isinstance(greeted, Welcome):
            await wire.close()
            raise OSError(f"hello was answered with {greeted}")
        wire._player, self.token = greeted.player, self.token or greeted.token
        if self.match is not None:
            await wire.ask(wire.new(Follow, match=self.match, v=0))
        self.wire = wire
        return wire


@dataclass
class Entrant:
    """A player with two devices, and the codes of its matches."""

    plan: Plan
    nodes: Nodes
    traffic: Traffic
    dice: SeededRandom
    pace: float  # seconds before a request, at most
    devices: tuple[Device, ...] = ()
    version: int = 1
    matches: set[str] = field(default_factory=set)
    closed: bool = False  # the try could not be continued, because tries were over

    @property
    def id(self) -> str:
        """The player's id."""
        wire = self.devices[0].wire
        assert wire is not None
        return wire.id

    async def arrive(self, name: str) -> None:
        """Connect two devices of a new player."""
        ids = count(1)
        first = Device(self.nodes, self.traffic, self.dice, ids, name)
        await first._connect()
        second = Device(self.nodes, self.traffic, self.dice, ids, name, first.token)
        self.devices = (first, second)
        self.player = self.id

    async def enter(self, day: int) -> Error | None:
        """Begin or continue the try on both devices at once. Return an error, or None."""
        await asyncio.sleep(self.dice.uniform(0, self.pace))
        asked = [EnterDay(id=next(one.ids), rules=RULES, day=day) for one in self.devices]
        for request in asked:
            self.traffic.ledger.ask(self.player, request)
        answers = await asyncio.gather(*map(Device.ask, self.devices, asked))
        for device, answer in zip(self.devices, answers, strict=True):
            if isinstance(answer, Error):
                return answer
            assert isinstance(answer, Log)
            self.matches.add(answer.match)
            device.match = answer.match
        return None

    async def guess(self, *codes: Code) -> None:
        """Make guesses, each on the next device, until the day is closed."""
        for code in codes:
            await self._move(Guess, code=code)

    async def resign(self) -> None:
        """Give the try up."""
        await self._move(Resign)

    async def _move(self, kind: type[Guess | Resign], **fields: Any) -> None:
        await asyncio.sleep(self.dice.uniform(0, self.pace))
        device = self.devices[self.version % len(self.devices)]
        (match,) = self.matches
        request = kind(id=next(device.ids), match=match, v=self.version, **fields)
        self.traffic.ledger.ask(self.player, request)
        answer = await device.ask(request)
        if isinstance(answer, Error):
            assert answer.code in CLOSED_CODES, f"{request}: {answer}"
            self.closed = True
        else:
            assert isinstance(answer, Happened)
            self.version = answer.v
            self.traffic.ledger.acknowledge(self.player, request.id, answer.match, answer.v)
