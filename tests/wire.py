"""Test tools at the level of the wire: a client that hides nothing, and a whole server to try.

Everything that waits is bounded by `PATIENCE`: a test that hangs fails, and says where.
"""

from __future__ import annotations

import asyncio
import itertools
import resource
import socket
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager
from functools import cache
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from manual_clock import ManualClock
from mastermind_protocol.code import Code
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.events import AnyEvent, Player
from mastermind_protocol.match import Match
from mastermind_protocol.messages import (
    SUBPROTOCOL,
    Advice,
    AnyMessage,
    Archived,
    Done,
    Error,
    Happened,
    Listing,
    Log,
    OwnMatches,
    Reviewing,
    Said,
    Transferable,
    Welcome,
)
from mastermind_protocol.requests import (
    Advise,
    Archive,
    Follow,
    Guess,
    Hello,
    Join,
    Leave,
    ListMatches,
    ListOwn,
    Logout,
    Open,
    Rematch,
    Request,
    Resign,
    Review,
    Say,
    Secret,
    Seek,
    Transfer,
    Unfollow,
)
from mastermind_protocol.transitions import fold
from mastermind_server.app import Server, listen, running
from mastermind_server.bots.runner import BotRunner
from mastermind_server.clock import Clock
from mastermind_server.limits import USUAL, Limiter, Limits
from mastermind_server.network.sockets.access import PLAIN, Access
from mastermind_server.services import Services
from mastermind_server.storage.schema import migrate
from mastermind_server.storage.store import Store

PATIENCE = 10.0  # seconds for one answer: far more than any takes
_M = TypeVar("_M", bound=AnyMessage)
_R = TypeVar("_R", bound=Request)


def pegs(digits: str) -> Code:
    """Return a code from its colours' numbers, from 0: `pegs("0011")`."""
    return tuple(int(digit, 16) for digit in digits)


class Dice(Random):
    """Chance that can be repeated, from a seed."""


class Wire:
    """One connection, which keeps every frame it was sent (`frames`) as it came.

    The methods named after requests send one, wait for its answer, and fail if that is of
    another kind; `set`, `guess` and `resign` first wait until it is this player's turn.
    `matches` and `versions` are what was seen here of the matches.
    """

    def __init__(self, websocket: ClientConnection, ids: Iterator[int] | None = None) -> None:
        self.websocket = websocket
        self.ids = ids or itertools.count(1)
        self.frames: list[bytes] = []
        self.matches: dict[str, Match] = {}
        self.versions: dict[str, int] = {}
        self.token: str | None = None
        self._player: Player | None = None
        self._unread: deque[AnyMessage] = deque()

    @classmethod
    async def connect(cls, address: str, ids: Iterator[int] | None = None, **options: Any) -> Wire:
        """Open a connection, without saying hello."""
        usual = {"subprotocols": [Subprotocol(SUBPROTOCOL)], "compression": None, "proxy": None}
        # Without a bound it reads the closing behind frames that a test leaves unread.
        usual |= {"max_size": None, "max_queue": None}
        async with asyncio.timeout(PATIENCE):
            return cls(await connect(address, **{**usual, **options}), ids)

    async def close(self) -> None:
        """Close the connection."""
        await self.websocket.close()

    @property
    def player(self) -> Player:
        """Who has said hello here."""
        assert self._player is not None, "nobody has said hello"
        return self._player

    @property
    def id(self) -> str:
        """The id of that player."""
        return self.player.id

    async def send(self, frame: bytes | str) -> None:
        """Send a frame as it is."""
        await self.websocket.send(frame)

    async def settle(self) -> None:
        """Return when the server has begun to work on all that was sent before."""
        async with asyncio.timeout(PATIENCE):
            for _ in range(3):  # a turn of both loops each: sent, read, begun
                await (await self.websocket.ping())

    async def next(self) -> AnyMessage:
        """Return the next message."""
        return self._unread.popleft() if self._unread else await self._receive()

    async def until(self, kind: type[_M], fits: Callable[[_M], bool] = lambda _: True) -> _M:
        """Return the next message of a kind, passing over others."""
        while True:
            message = await self.next()
            if isinstance(message, kind) and fits(message):
                return message

    async def ask(self, request: Request) -> AnyMessage:
        """Send a request and return its answer; what comes before that stays to be read."""
        await self.send(encode(request))
        while True:
            message = await self._receive()
            if getattr(message, "id", None) == request.id:
                return message
            self._unread.append(message)

    async def closed(self) -> tuple[int | None, str | None]:
        """Read on until the server closes the connection; return the code and the reason."""
        try:
            while True:
                self._unread.append(await self._receive())
        except ConnectionClosed:
            return self.websocket.close_code, self.websocket.close_reason

    def unread(self) -> list[AnyMessage]:
        """Return, once, the messages that came before some answer and nobody has read."""
        messages = list(self._unread)
        self._unread.clear()
        return messages

    def new(self, kind: type[_R], **fields: Any) -> _R:
        """Return a request with a fresh id."""
        if kind in (Secret, Guess, Advise, Resign):
            fields.setdefault("v", self.versions.get(fields["match"], 0))
        fields.setdefault("id", next(self.ids))
        return kind(**fields)

    async def hello(
        self,
        name: str | None = None,
        token: str | None = None,
        *,
        transfer: str | None = None,
        program: bool = False,
    ) -> Welcome:
        request = self.new(Hello, name=name, token=token, transfer=transfer, program=program)
        welcome = await self._get(Welcome, request)
        self._player, self.token = welcome.player, token or welcome.token
        return welcome

    async def open(
        self, maker: str = "me", breaker: str = "open", rules: str = "classic", **more: Any
    ) -> Log:
        return await self._get(
            Log, self.new(Open, rules=rules, maker=maker, breaker=breaker, **more)
        )

    async def seek(self, rules: str = "classic", **more: Any) -> Log:
        return await self._get(Log, self.new(Seek, rules=rules, **more))

    async def join(self, match: str) -> Log:
        return await self._get(Log, self.new(Join, match=match))

    async def follow(self, match: str, v: int = 0) -> Log:
        return await self._get(Log, self.new(Follow, match=match, v=v))

    async def unfollow(self, match: str) -> Done:
        return await self._get(Done, self.new(Unfollow, match=match))

    async def list(self, what: str) -> Listing:
        return await self._get(Listing, self.new(ListMatches, what=what))

    async def set(self, match: str, digits: str) -> Happened:
        return await self._move(Secret, match, code=pegs(digits))

    async def guess(self, match: str, digits: str) -> Happened:
        return await self._move(Guess, match, code=pegs(digits))

    async def advise(self, match: str, **more: Any) -> Advice:
        return await self._get(Advice, self.new(Advise, match=match, **more))

    async def review(self, match: str, **more: Any) -> Reviewing:
        return await self._get(Reviewing, self.new(Review, match=match, **more))

    async def say(self, match: str, text: str | None = None, **more: Any) -> Said:
        return await self._get(Said, self.new(Say, match=match, text=text, **more))

    async def archive(self, before: str | None = None) -> Archived:
        return await self._get(Archived, self.new(Archive, before=before))

    async def list_own(self) -> OwnMatches:
        return await self._get(OwnMatches, self.new(ListOwn))

    async def transfer(self) -> Transferable:
        return await self._get(Transferable, self.new(Transfer))

    async def log_out(self, *, others: bool = False) -> Done:
        return await self._get(Done, self.new(Logout, others=others))

    async def resign(self, match: str) -> Happened:
        return await self._move(Resign, match)

    async def leave(self, match: str, **more: Any) -> Happened:
        return await self._get(Happened, self.new(Leave, match=match, **more))

    async def rematch(self, match: str) -> Log:
        return await self._get(Log, self.new(Rematch, match=match))

    async def refused(self, kind: type[Request], **fields: Any) -> Error:
        """Ask for what is refused, and return the refusal."""
        return await self._get(Error, self.new(kind, **fields))

    async def turn(self, match: str) -> Match:
        """Return the match as soon as it waits for this player."""
        while (mover := self.matches[match].to_move) is None or mover.id != self.id:
            self._unread.append(await self._receive())
        return self.matches[match]

    async def _move(self, kind: type[Request], match: str, **fields: Any) -> Happened:
        await self.turn(match)
        return await self._get(Happened, self.new(kind, match=match, **fields))

    async def _get(self, kind: type[_M], request: Request) -> _M:
        answer = await self.ask(request)
        assert isinstance(answer, kind), f"{request} was answered with {answer}"
        return answer

    async def _receive(self) -> AnyMessage:
        async with asyncio.timeout(PATIENCE):
            frame = await self.websocket.recv()
        assert isinstance(frame, bytes)
        self.frames.append(frame)
        message = decode_message(frame)
        if isinstance(message, Happened):
            self._learn(message.match, message.v, message.events)
        elif isinstance(message, Log):
            for row in message.rows:
                self._learn(message.match, row.v, row.events)
        return message

    def _learn(self, match: str, version: int, events: tuple[AnyEvent, ...]) -> None:
        if version == self.versions.get(match, 0) + 1:
            self.matches[match] = fold(events, self.matches.get(match))
            self.versions[match] = version


def events_of(log: Log) -> list[AnyEvent]:
    """Return the events of a log's rows, one after another."""
    return [event for row in log.rows for event in row.events]


def state_of(log: Log) -> Match:
    """Return the match that a whole log tells."""
    return fold(events_of(log))


class Insider:
    """A player's connection as the game sees it, without a socket: the Peer of a lobby."""

    address = "within"
    number = 0

    def __init__(self, wire: Wire | Player) -> None:
        self.player: Player | None = wire.player if isinstance(wire, Wire) else wire
        self.followed: set[str] = set()
        self.frames: list[bytes] = []
        self.ended: str | None = None  # why

    def push(self, *frames: bytes) -> None:
        self.frames.extend(frames)

    def end(self, _code: CloseCode, reason: str) -> None:
        self.ended = reason

    def told(self) -> list[AnyMessage]:
        """Return, once, what it was sent."""
        messages = [decode_message(frame) for frame in self.frames]
        self.frames.clear()
        return messages


@contextmanager
def _spent(resource_number: int) -> Iterator[None]:
    limits = resource.getrlimit(resource_number)
    resource.setrlimit(resource_number, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource_number, limits)


def full_disk() -> AbstractContextManager[None]:
    """Let this process write to no file, as when the disk is full."""
    return _spent(resource.RLIMIT_FSIZE)


def no_descriptors_left() -> AbstractContextManager[None]:
    """Let this process open no file, pipe or socket more."""
    return _spent(resource.RLIMIT_NOFILE)


def lay_out(database: Path) -> None:
    """Make a database without a row in it, if there is no file yet."""
    if not database.exists():
        database.write_bytes(_migrate_once())


@cache
def _migrate_once() -> bytes:
    """Return the file that the migrations make: they take most of a server's start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.sqlite3"
        engine = sa.create_engine(f"sqlite:///{path}")
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        return path.read_bytes()


class Hall:
    """A whole server on a free port, with its file in a folder, and everybody connected to it.

    Or it is a node, and `database` the URL of a PostgreSQL database that others have too.
    The rates and waits of its game go by `clock`, which stands still unless a test lets it go;
    those of its connections go by `line_clock`, or by the time of the machine.
    """

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self.database = folder / "game.sqlite3"
        self.place: Path | str = database or self.database
        self.clock = ManualClock()
        self.store: Store
        self.services: Services
        self.server: Server
        self._running = AsyncExitStack()
        self._people = AsyncExitStack()

    async def start(
        self,
        *,
        random: Random | None = None,
        line_clock: Clock | None = None,
        lag_clock: Clock | None = None,
        limits: Limits = USUAL,
        access: Access = PLAIN,
        listener: socket.socket | None = None,
        store: type[Store] = Store,
    ) -> None:
        """Start the server; chance and more can be given."""
        if self.place == self.database:
            lay_out(self.database)
        listener = listener or listen("127.0.0.1", 0)
        self._running.callback(listener.close)
        self.store = await store.open(self.place)
        self._running.push_async_callback(self.store.close)
        random = random or SystemRandom()
        self.services = Services(
            self.store, BotRunner(random), random, self.clock, limiter=Limiter(limits)
        )
        self.server = await self._running.enter_async_context(
            running(
                self.services,
                listener,
                access,
                line_clock=line_clock or Clock(),
                lag_clock=lag_clock or ManualClock(),  # a busy machine is to refuse no test
            )
        )

    @property
    def address(self) -> str:
        """Where it listens: ws://... or wss://..."""
        return self.server.address

    def limit(self, **limits: float) -> None:
        """Set limits of the running server, those that are no rates."""
        limiter = self.services.limiter
        limiter.limits = msgspec.structs.replace(limiter.limits, **limits)

    async def stop(self) -> None:
        """Stop the server; who is connected is told so by the close code."""
        await self._running.aclose()

    async def restart(self, **options: Any) -> None:
        """Stop the server and start another on the same file."""
        await self.stop()
        await self.start(**options)

    async def close(self) -> None:
        """Send everybody away and stop."""
        await self._people.aclose()
        await self.stop()

    async def connect(self, ids: Iterator[int] | None = None, **options: Any) -> Wire:
        """Return a connection that has not said hello."""
        wire = await Wire.connect(self.address, ids, **options)
        self._people.push_async_callback(wire.close)
        return wire

    async def meet(
        self, name: str | None = None, token: str | None = None, *, program: bool = False
    ) -> Wire:
        """Return a new player's connection, or that of whoever the token belongs to."""
        wire = await self.connect()
        await wire.hello(name, token, program=program)
        return wire

    async def again(self, wire: Wire) -> Wire:
        """Return another connection of the same player."""
        other = await self.connect(wire.ids)
        await other.hello(token=wire.token)
        return other
