"""A client that records all frames of a real connection, and a stub without a socket.

Every wait times out after `PATIENCE`, so a test that hangs fails at the wait.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Self, TypeVar

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from kit.matches import pegs
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.dialects import NEWEST_DIALECT
from mastermind_protocol.events import Player
from mastermind_protocol.match import Match
from mastermind_protocol.messages import (
    SUBPROTOCOL,
    Advice,
    Analysed,
    AnyMessage,
    Archived,
    Day,
    Days,
    Done,
    Error,
    Happened,
    Leaderboard,
    Listing,
    Log,
    OwnMatches,
    People,
    Places,
    PositionAnalysis,
    Profile,
    Puzzle,
    Reviewing,
    Row,
    Said,
    Snapshot,
    Statistics,
    Transferable,
    Welcome,
)
from mastermind_protocol.requests import (
    Advise,
    Analyse,
    Archive,
    EnterDay,
    Follow,
    GivenTurn,
    Guess,
    Hello,
    Join,
    Leave,
    ListDays,
    ListMatches,
    ListOwn,
    ListPeople,
    ListPlaces,
    Logout,
    Open,
    Rematch,
    Request,
    Resign,
    Review,
    Say,
    Secret,
    Seek,
    ShowDay,
    ShowLeaderboard,
    ShowProfile,
    ShowPuzzle,
    ShowSnapshot,
    ShowStatistics,
    Transfer,
    Unfollow,
)
from mastermind_protocol.transitions import fold
from mastermind_server.matches.tables.call import Call, R
from mastermind_server.storage.idempotency import RequestKey

PATIENCE = 10.0  # seconds to wait for an answer, far more than any needs
_M = TypeVar("_M", bound=AnyMessage)
_R = TypeVar("_R", bound=Request)


@cache
def _requires_version(kind: type[Request]) -> bool:
    """Return whether a kind of request has a version; cached because msgspec reads the types."""
    return any(field.name == "v" and field.required for field in msgspec.structs.fields(kind))


class RawClient:
    """One connection, which records all received frames unchanged in `frames`.

    A method named after a request sends that request, waits for the answer, and fails if the
    answer has another type; `set`, `guess` and `resign` first wait for this player's turn.
    `matches` and `versions` hold the state of each match as received on this connection.
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
    async def connect(cls, address: str, ids: Iterator[int] | None = None, **options: Any) -> Self:
        """Open a connection without sending `hello`."""
        usual = {"subprotocols": [Subprotocol(SUBPROTOCOL)], "compression": None, "proxy": None}
        # Unbounded, so that the client reads the close frame even behind unread frames.
        usual |= {"max_size": None, "max_queue": None}
        async with asyncio.timeout(PATIENCE):
            return cls(await connect(address, **{**usual, **options}), ids)

    async def close(self) -> None:
        """Close the connection."""
        await self.websocket.close()

    @property
    def player(self) -> Player:
        """The player identified by `hello`."""
        assert self._player is not None, "nobody has said hello"
        return self._player

    @property
    def id(self) -> str:
        """The id of `player`."""
        return self.player.id

    async def send(self, frame: bytes | str) -> None:
        """Send a frame unchanged."""
        await self.websocket.send(frame)

    async def settle(self) -> None:
        """Wait until the server has started to handle all frames sent before."""
        async with asyncio.timeout(PATIENCE):
            for _ in range(3):  # one iteration of both event loops for each of: send, read, start
                await (await self.websocket.ping())

    async def next(self) -> AnyMessage:
        """Return the next message."""
        return self._unread.popleft() if self._unread else await self._receive()

    async def until(self, kind: type[_M], fits: Callable[[_M], bool] = lambda _: True) -> _M:
        """Return the next message of a type that `fits`, discarding others."""
        while True:
            message = await self.next()
            if isinstance(message, kind) and fits(message):
                return message

    async def ask(self, request: Request) -> AnyMessage:
        """Send a request and return its answer; keep earlier messages for `next`."""
        await self.send(encode(request))
        while True:
            message = await self._receive()
            if getattr(message, "id", None) == request.id:
                return message
            self._unread.append(message)

    async def closed(self) -> tuple[int | None, str | None]:
        """Read until the server closes the connection; return close code and reason."""
        try:
            while True:
                self._unread.append(await self._receive())
        except ConnectionClosed:
            return self.websocket.close_code, self.websocket.close_reason

    def unread(self) -> list[AnyMessage]:
        """Return and clear the messages kept for `next`."""
        messages = list(self._unread)
        self._unread.clear()
        return messages

    def new(self, kind: type[_R], **fields: Any) -> _R:
        """Return a request with a fresh id."""
        if _requires_version(kind):
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

    async def enter(self, day: int, rules: str = "classic") -> Log:
        return await self._get(Log, self.new(EnterDay, rules=rules, day=day))

    async def day(self, **which: Any) -> Day:
        return await self._get(Day, self.new(ShowDay, **which))

    async def places(self, day: int, rules: str = "classic", after: int = 0) -> Places:
        return await self._get(Places, self.new(ListPlaces, rules=rules, day=day, after=after))

    async def days(self, **which: Any) -> Days:
        return await self._get(Days, self.new(ListDays, **which))

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

    async def set(self, match: str, typed: str) -> Happened:
        return await self._move(Secret, match, code=pegs(typed))

    async def guess(self, match: str, typed: str) -> Happened:
        return await self._move(Guess, match, code=pegs(typed))

    async def advise(self, match: str, **more: Any) -> Advice:
        return await self._get(Advice, self.new(Advise, match=match, **more))

    async def review(self, match: str, **more: Any) -> Reviewing:
        return await self._get(Reviewing, self.new(Review, match=match, **more))

    async def analyse(
        self, rules: str, turns: Sequence[GivenTurn] = (), **more: Any
    ) -> PositionAnalysis:
        """Return the analysis of a position of a game that is played elsewhere."""
        request = self.new(Analyse, rules=rules, turns=tuple(turns), **more)
        return (await self._get(Analysed, request)).analysis

    async def show_puzzle(self, **name: Any) -> tuple[GivenTurn, ...]:
        """Return the turns of a puzzle."""
        return (await self._get(Puzzle, self.new(ShowPuzzle, **name))).turns

    async def say(self, match: str, text: str | None = None, **more: Any) -> Said:
        return await self._get(Said, self.new(Say, match=match, text=text, **more))

    async def archive(self, before: str | None = None, player: str | None = None) -> Archived:
        return await self._get(Archived, self.new(Archive, before=before, player=player))

    async def list_own(self) -> OwnMatches:
        return await self._get(OwnMatches, self.new(ListOwn))

    async def leaderboard(self, rules: str = "classic", after: int = 0) -> Leaderboard:
        return await self._get(Leaderboard, self.new(ShowLeaderboard, rules=rules, after=after))

    async def profile(self, **whose: str) -> Profile:
        return await self._get(Profile, self.new(ShowProfile, **whose))

    async def snapshot(self, match: str) -> Snapshot:
        return await self._get(Snapshot, self.new(ShowSnapshot, match=match))

    async def statistics(self) -> Statistics:
        return await self._get(Statistics, self.new(ShowStatistics))

    async def people(self) -> People:
        return await self._get(People, self.new(ListPeople))

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
        """Send a request that the server must refuse, and return the error."""
        return await self._get(Error, self.new(kind, **fields))

    async def wait_for_turn(self, match: str) -> Match:
        """Wait for this player's turn, and return the match."""
        while (mover := self.matches[match].to_move) is None or mover.id != self.id:
            self._unread.append(await self._receive())
        return self.matches[match]

    async def _move(self, kind: type[Request], match: str, **fields: Any) -> Happened:
        await self.wait_for_turn(match)
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
            self._learn(message.match, Row(message.v, message.events, message.at))
        elif isinstance(message, Log):
            for row in message.rows:
                self._learn(message.match, row)
        return message

    def _learn(self, match: str, row: Row) -> None:
        if row.v == self.versions.get(match, 0) + 1:
            self.matches[match] = fold(row.events, self.matches.get(match), row.at)
            self.versions[match] = row.v


def list_frames(received: bytes | bytearray) -> list[bytes]:
    """Return the payloads of a server's frames, which are unmasked."""
    frames, start = list[bytes](), 0
    while start < len(received):
        size, start = received[start + 1], start + 2
        if size == 126:  # the size is in two more bytes
            size, start = int.from_bytes(received[start : start + 2], "big"), start + 2
        frames.append(bytes(received[start : start + size]))
        start += size
    return frames


class PeerStub:
    """A `Peer` without a socket: a player's connection as seen by matches and lobbies."""

    address = "within"
    number = 0
    ended = False
    dialect = NEWEST_DIALECT
    round_trip = 0.0

    def __init__(self, wire: RawClient | Player) -> None:
        self.player: Player | None = wire.player if isinstance(wire, RawClient) else wire
        self.followed: set[str] = set()
        self.frames: list[bytes] = []
        self.unhandled: list[tuple[bytes | None, float]] = []

    def push(self, *frames: bytes) -> None:
        self.frames.extend(frames)

    def encode(self, message: bytes) -> bytes:
        return message

    def push_encoded(self, encoded: Sequence[bytes]) -> None:
        self.push(*encoded)

    def list_unhandled(self) -> list[tuple[bytes | None, float]]:
        return self.unhandled

    def measure_round_trip(self) -> None:
        """Do nothing, because there is no socket."""

    def end(self, _code: CloseCode, _reason: str) -> None:
        self.ended = True

    def call(self, request: R) -> Call[R]:
        """Return a request of this peer as a handler takes it."""
        assert self.player is not None
        return Call(self, self.player, request, RequestKey.of(request), time.monotonic())

    def take_messages(self) -> list[AnyMessage]:
        """Return and clear the messages pushed to this peer."""
        messages = [decode_message(frame) for frame in self.frames]
        self.frames.clear()
        return messages
