"""One session with a server: connect, ask, follow matches, reconnect, resume.

Every face uses it. What happens comes as updates in order, whoever caused it; a request returns
when the server has acknowledged it. When the connection is lost the session comes back by
itself: it says the last version it has of every match and is sent exactly the rest, and it asks
again, under the same ids, whatever was not answered.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
import time
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Literal, TypeVar, assert_never
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.typing import Subprotocol

from mastermind_client.mirror import Mirror
from mastermind_client.trouble import (
    ServerUnreachable,
    explain,
    is_retryable,
    reconnect_delays,
)
from mastermind_client.updates import (
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    Update,
)
from mastermind_protocol import match as game
from mastermind_protocol import messages as wire
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.errors import ErrorCode, FrameError, InvalidRules, Refused
from mastermind_protocol.events import Player
from mastermind_protocol.messages import SUBPROTOCOL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_client.identity import Identity
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Seat

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
MAX_MESSAGE_BYTES = 256 * 1024  # far above a full log message; bounds what a server can send
OPEN_SECONDS = 5.0  # for a handshake, before the server counts as unreachable
CLOSE_SECONDS = 1.0  # for the closing handshake: nobody waits longer for a prompt
STABLE_SECONDS = 5.0  # a connection that lasted so long makes the next tries quick again
PATIENCE_SECONDS = 5.0  # a request is asked again by itself if it is to wait no longer than that
LOOPBACK = {"localhost", "127.0.0.1", "::1"}  # never by way of a proxy
GIVE_UP_SECONDS = 300.0  # of trying to reconnect: a restart takes seconds, a reboot minutes


@dataclass(slots=True)
class _Pending:
    request: wire.AnyRequest
    answer: asyncio.Future[wire.AnyMessage]


class Session:
    """A player's session, made by `Session.connect`.

    `player` is who the server says we are; `activity` is set whenever there is an update.
    """

    def __init__(self, server: str, identity: Identity, name: str | None) -> None:
        self.server = server
        self.player = Player(id="?", name="?")
        self._identity, self._name = identity, name
        self._mirrors: dict[str, Mirror] = {}
        self._pending: dict[int, _Pending] = {}
        self._updates: deque[Update] = deque()
        self.activity = asyncio.Event()
        self._ids = itertools.count(secrets.randbits(52) + 1)  # another run's ids are not met again
        self._websocket: ClientConnection | None = None
        self._welcomed = asyncio.Event()
        self._known = False  # whether the server has ever welcomed us
        self._closing = False
        self._connected_at = 0.0
        self._random = Random()  # noqa: S311 - jitter
        self._failure: Exception | None = None

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, server: str, identity: Identity, name: str | None = None
    ) -> AsyncIterator[Session]:
        """Be connected while the block lasts. Raises ServerUnreachable, Refused."""
        session = cls(server, identity, name)
        runner = asyncio.create_task(session._run(), name="session")
        try:
            await session._until_welcomed(runner)
            yield session
        finally:
            session._closing = True
            if session._websocket is not None:
                await session._websocket.close()
            runner.cancel()
            await asyncio.gather(runner, return_exceptions=True)

    def poll(self) -> Update | None:
        """Return the next thing that happened, if anything has; sets no `activity`.

        Raises what ended the session, once all that happened before it has been returned.
        """
        if self._updates:
            return self._updates.popleft()
        if self._failure is not None:
            raise self._failure
        return None

    @property
    def has_update(self) -> bool:
        """Whether `poll` has something to return or to raise."""
        return bool(self._updates) or self._failure is not None

    async def next_update(self) -> Update:
        """Wait for the next thing that happens. Raises what ended the session."""
        while True:
            self.activity.clear()
            if update := self.poll():
                return update
            await self.activity.wait()

    async def open(
        self,
        rules: str,
        *,
        maker: str,
        breaker: str,
        rounds: int = 1,
        public: bool = False,
        seed: int | None = None,
        secret: Code | None = None,
    ) -> Mirror:
        """Open a match and follow it; the seats are as in `messages.Open`."""
        return await self._enter(
            wire.Open(
                id=self._next_id(), rules=rules, maker=maker, breaker=breaker, rounds=rounds,
                public=public, seed=seed, secret=secret,
            )
        )  # fmt: skip

    async def seek(self, rules: str, *, rounds: int = 1, seat: Seat | None = None) -> Mirror:
        """Take a seat in a waiting public match of these rules, or open one."""
        return await self._enter(
            wire.Seek(id=self._next_id(), rules=rules, rounds=rounds, seat=seat)
        )

    async def join(self, code: str) -> Mirror:
        """Take the free seat of a match, or get our own back."""
        return await self._enter(wire.Join(id=self._next_id(), match=code))

    async def follow(self, code: str) -> Mirror:
        """Follow a match without a seat."""
        return await self._enter(wire.Follow(id=self._next_id(), match=code))

    async def rematch(self, mirror: Mirror) -> Mirror:
        """Offer a rematch, or take the one that is offered; returns the new match."""
        return await self._enter(wire.Rematch(id=self._next_id(), match=mirror.code))

    async def list_matches(self, what: Literal["waiting", "running"]) -> tuple[wire.Listed, ...]:
        """Return the public matches that are waiting, or running."""
        answer = await self._ask(wire.ListMatches(id=self._next_id(), what=what))
        return _expect(answer, wire.Listing).matches

    async def set_secret(self, mirror: Mirror, code: Code) -> None:
        """Set the secret. Refused at once, with nothing sent, if the rules forbid it."""
        self._check(mirror, game.SetSecret(code, b""))
        await self._ask(
            wire.Secret(id=self._next_id(), match=mirror.code, v=mirror.version, code=code)
        )

    async def guess(self, mirror: Mirror, code: Code) -> None:
        """Guess. Refused at once, with nothing sent, if the rules forbid it."""
        self._check(mirror, game.Guess(code))
        await self._ask(
            wire.Guess(id=self._next_id(), match=mirror.code, v=mirror.version, code=code)
        )

    async def resign(self, mirror: Mirror) -> None:
        """Give the round up."""
        self._check(mirror, game.Resign())
        await self._ask(wire.Resign(id=self._next_id(), match=mirror.code, v=mirror.version))

    async def leave(self, mirror: Mirror) -> None:
        """Leave a match for good, and follow it no more."""
        self._mirrors.pop(mirror.code, None)
        self._check(mirror, game.Leave())
        await self._ask(wire.Leave(id=self._next_id(), match=mirror.code))

    async def unfollow(self, mirror: Mirror) -> None:
        """Follow a match no more; a seat in it is kept."""
        self._mirrors.pop(mirror.code, None)
        await self._ask(wire.Unfollow(id=self._next_id(), match=mirror.code))

    def _check(self, mirror: Mirror, command: game.Command) -> None:
        if refusal := game.refuse(mirror.state, command, self.player.id):
            raise refusal

    async def _enter(self, request: wire.AnyRequest) -> Mirror:
        answer = _expect(await self._ask(request), wire.Log)
        return self._mirrors[answer.match]

    async def _ask(self, request: wire.AnyRequest) -> wire.AnyMessage:
        """Send a request until it is answered. Raises Refused, or what ended the session."""
        while True:
            try:
                return await self._ask_once(request)
            except Refused as refusal:
                if refusal.retry_after is None or refusal.retry_after > PATIENCE_SECONDS:
                    raise
                await asyncio.sleep(refusal.retry_after)

    async def _ask_once(self, request: wire.AnyRequest) -> wire.AnyMessage:
        if self._failure is not None:
            raise self._failure
        answer: asyncio.Future[wire.AnyMessage] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = _Pending(request, answer)
        if self._welcomed.is_set():
            await self._send(request)
        return await answer

    async def _send(self, request: wire.AnyRequest) -> None:
        if self._websocket is None:
            return  # it stays pending, and is sent when the connection is back
        try:
            await self._websocket.send(encode(request))
        except ConnectionClosed:
            _LOG.debug("the connection went while a request was sent; it will be sent again")

    async def _until_welcomed(self, runner: asyncio.Task[None]) -> None:
        welcomed = asyncio.create_task(self._welcomed.wait())
        try:
            await asyncio.wait({welcomed, runner}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            welcomed.cancel()
        if self._failure is not None:
            raise self._failure

    async def _run(self) -> None:
        try:
            await self._stay_connected()
        except (ServerUnreachable, Refused) as failure:
            self._failure = failure
        except Exception as error:
            _LOG.exception("the session failed")
            self._failure = ServerUnreachable(f"the session with {self.server} failed: {error!r}")
        finally:
            self.activity.set()
            for pending in self._pending.values():
                if self._failure is not None and not pending.answer.done():
                    pending.answer.set_exception(self._failure)

    async def _stay_connected(self) -> None:
        """Connect, and again whenever the connection ends, until that makes no sense."""
        delays, attempt, since = reconnect_delays(self._random), 0, time.monotonic()
        while True:
            try:
                await self._live()
                reason = "the server closed the connection"
            except (OSError, WebSocketException) as error:
                reason = explain(error)
                if not self._known or not is_retryable(error):
                    raise ServerUnreachable(
                        f"cannot reach {self.server}: {reason}. Is the address right, and is a "
                        "server running there? One is started by: mastermind-server"
                    ) from error
            if self._closing:
                return
            now = time.monotonic()
            if self._welcomed.is_set():
                self._welcomed.clear()
                self._tell(ConnectionLost(reason))
                if now - self._connected_at > STABLE_SECONDS:
                    delays, attempt = reconnect_delays(self._random), 0
                since = now
            elif now - since > GIVE_UP_SECONDS:
                raise ServerUnreachable(
                    f"lost {self.server}: {reason}; gave up after {GIVE_UP_SECONDS:.0f} s"
                )
            attempt += 1
            await asyncio.sleep(next(delays))
            self._tell(Reconnecting(attempt))

    async def _live(self) -> None:
        """Go through one connection, from its handshake to its end."""
        local = urlsplit(self.server).hostname in LOOPBACK
        async with connect(
            self.server,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            open_timeout=OPEN_SECONDS,
            close_timeout=CLOSE_SECONDS,
            max_size=MAX_MESSAGE_BYTES,
            proxy=None if local else True,
        ) as websocket:
            await self._greet(websocket)
            self._connected_at = time.monotonic()
            if self._known:
                self._tell(Reconnected())
            self._known = True
            await self._resume(websocket)
            async for frame in websocket:
                await self._receive(_read(frame), websocket)

    async def _greet(self, websocket: ClientConnection) -> None:
        """Say who we are and wait for the welcome. Raises Refused."""
        while True:
            hello = wire.Hello(id=self._next_id(), name=self._name, token=self._identity.token)
            await websocket.send(encode(hello))
            answer = _read(await websocket.recv())
            if isinstance(answer, wire.Welcome):
                self.player = answer.player
                if answer.token is not None:
                    self._identity.keep(answer.token)
                return
            error = _expect(answer, wire.Error)
            if error.code != ErrorCode.UNKNOWN_TOKEN or self._known:
                raise _refused(error)
            self._identity.token = None  # another server is there now: be a new player on it

    async def _resume(self, websocket: ClientConnection) -> None:
        """Ask for what is missing of every match, and again for what was not answered."""
        for mirror in self._mirrors.values():
            await websocket.send(encode(self._catch_up(mirror)))
        for pending in list(self._pending.values()):
            await websocket.send(encode(pending.request))
        self._websocket = websocket
        self._welcomed.set()

    def _catch_up(self, mirror: Mirror) -> wire.Follow:
        return wire.Follow(id=self._next_id(), match=mirror.code, v=mirror.version)

    async def _receive(self, message: wire.AnyMessage, websocket: ClientConnection) -> None:
        match message:
            case wire.Log():
                await self._take_log(message, websocket)
            case wire.Happened():
                await self._take_event(message, websocket)
            case wire.Presence():
                if mirror := self._mirrors.get(message.match):
                    self._note_presence(mirror, message.player, here=message.here)
            case wire.Error():
                self._refuse(message)
            case wire.Welcome() | wire.Listing() | wire.Done():
                self._settle(message.id, message)
            case _:
                assert_never(message)

    async def _take_log(self, message: wire.Log, websocket: ClientConnection) -> None:
        asked = self._pending.get(message.id)
        mirror = self._mirrors.get(message.match)
        if mirror is None:
            if asked is None:
                return  # the answer to a request of a match that we have left meanwhile
            mirror = self._mirrors[message.match] = Mirror(message.match)
        for row in message.rows:
            self._move(mirror, row)
        for player in mirror.state.players:
            if player.bot is None and player.id != self.player.id:
                self._note_presence(mirror, player.id, here=player.id in message.present)
        if message.more:
            follow = self._catch_up(mirror)
            if asked is not None:  # it is answered when the whole log is here
                del self._pending[message.id]
                self._pending[follow.id] = _Pending(follow, asked.answer)
            await websocket.send(encode(follow))
        else:
            self._settle(message.id, message)

    async def _take_event(self, message: wire.Happened, websocket: ClientConnection) -> None:
        mirror = self._mirrors.get(message.match)
        if mirror is not None:
            if message.v > mirror.version + 1:
                await websocket.send(encode(self._catch_up(mirror)))
            else:
                self._move(mirror, wire.Row(message.v, message.events))
        if message.id is not None:
            self._settle(message.id, message)

    def _move(self, mirror: Mirror, row: wire.Row) -> None:
        before = mirror.state if mirror.version else None
        try:
            news = mirror.apply(row)
        except (ValueError, InvalidRules) as error:
            raise ServerUnreachable(f"{self.server} contradicts itself: {error}") from error
        if news:
            self._tell(Moved(mirror, row.events, before))

    def _note_presence(self, mirror: Mirror, player: str, *, here: bool) -> None:
        if mirror.note_presence(player, here=here):
            self._tell(PresenceChanged(mirror, player, here))

    def _settle(self, request: int, answer: wire.AnyMessage) -> None:
        pending = self._pending.pop(request, None)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(answer)

    def _refuse(self, error: wire.Error) -> None:
        pending = self._pending.pop(error.id, None) if error.id is not None else None
        if pending is None:
            raise _refused(error)  # our own catching up was refused: the match is lost to us
        if not pending.answer.done():
            pending.answer.set_exception(_refused(error))

    def _tell(self, update: Update) -> None:
        self._updates.append(update)
        self.activity.set()

    def _next_id(self) -> int:
        return next(self._ids)


def _read(frame: bytes | str) -> wire.AnyMessage:
    if isinstance(frame, str):
        raise ServerUnreachable("the server sent text: it is no Mastermind server")
    try:
        return decode_message(frame)
    except FrameError as error:
        raise ServerUnreachable(f"the server speaks another version: {error}") from error


def _expect(answer: wire.AnyMessage, kind: type[_T]) -> _T:
    if not isinstance(answer, kind):
        raise ServerUnreachable(f"the server answered with {type(answer).__name__.lower()}")
    return answer


def _refused(error: wire.Error) -> Refused:
    return Refused(
        error.code,
        error.message,
        field=error.field,
        limit=error.limit,
        retry_after=error.retry_after,
    )
