"""The connection to a server. It reconnects by itself, and has no state of matches.

The link discards requests while it is disconnected. After a reconnection its `MessageHandler`
returns the requests to repeat.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidURI,
    WebSocketException,
)

from mastermind_client.context import DEFAULT_NETWORK, Network
from mastermind_client.network.connection.keepalive import Keepalive
from mastermind_client.network.connection.line import (
    Line,
    make_match_address,
    open_connection,
    receive_answer,
)
from mastermind_client.network.connection.reconnecting import (
    add_jitter,
    find_disconnect_reason,
    find_retry_after,
    is_retryable,
    iterate_reconnect_delays,
    iterate_replacement_seconds,
    to_refused,
)
from mastermind_client.network.failures import (
    ANSWERED_FAULTS,
    Cause,
    DisconnectReason,
    Fault,
    ServerUnreachable,
)
from mastermind_client.network.updates import Connection, ConnectionLost, Reconnected, Reconnecting
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from websockets.asyncio.client import ClientConnection

    from mastermind_client.network.players.identity import Identity
    from mastermind_client.network.updates import Publisher


_LOG = logging.getLogger(__name__)
OPEN_SECONDS = 5.0  # for a handshake and a welcome
OVERLAP_SECONDS = 1.0  # of the old connection after a move: the new node stores our presence
STABLE_SECONDS = 5.0  # the lifetime of a connection that resets the delays
RECONNECT_SECONDS = 300.0  # of trying for a person: a restart takes seconds, a reboot minutes


class _Loss(NamedTuple):
    """Why a connection is lost, and the seconds that the server asked us to wait."""

    reason: DisconnectReason
    retry_after: float | None = None


class MessageHandler(Protocol):
    """Handles what a link receives. A link calls nothing else of the session that it serves."""

    def resume(self, welcome: wire.Welcome) -> list[requests.AnyRequest]:
        """Return the requests to send after a welcome, before any other request is sent."""

    def receive(self, message: wire.AnyMessage) -> list[requests.AnyRequest]:
        """Handle a message. Return the requests to send in reaction.

        Raises Refused or ServerUnreachable to end the session, OSError to reconnect.
        """

    def is_urgent(self) -> bool:
        """Return whether a lost connection must be detected within seconds."""

    def find_meeting(self) -> str | None:
        """Return the match to whose address the connection should move, or None to stay."""


class Link:
    """A connection that is replaced when it is lost or silent, or when its match has an address.

    Players of a match meet at one node of a server if their connections name the match: a proxy
    sends equal addresses to one node. `match` is the match whose address is used at first, if any.
    This is a hint, and a connection that cannot move stays where it is.

    `welcomed` is set while the connection works. `updates` publishes its state. Each hello has one
    of the `ids`, which it shares with the other requests of the session.
    """

    def __init__(
        self,
        server: str,
        identity: Identity,
        name: str | None,
        handler: MessageHandler,
        updates: Publisher,
        ids: Iterator[int],
        *,
        program: bool = False,
        match: str | None = None,
        network: Network = DEFAULT_NETWORK,
    ) -> None:
        self.welcomed = asyncio.Event()
        self._match = match
        self._moving = asyncio.Event()  # set when the connection should move
        self._unmoved: str | None = None  # the match of the last move that failed
        self._left: Line | None = None  # before the last move
        self._server, self._identity, self._name = server, identity, name
        self._program, self._network = program, network
        self._handler, self._updates, self._ids = handler, updates, ids
        # Nobody waits for a program, and its opponents need it whenever the server is back.
        self._reconnect_seconds = math.inf if program else RECONNECT_SECONDS
        self._random = Random()  # noqa: S311 - jitter
        self._line: Line  # the last one; it may have ended
        self._token: str | None = None
        self._known = False  # whether the server has sent a welcome before
        self._connected_at = 0.0
        self._delays, self._attempt = iterate_reconnect_delays(self._random), 0

    async def send(self, *sent: requests.AnyRequest) -> None:
        """Send requests, or discard them if the connection is lost. Called after the welcome."""
        try:
            await self._line.send(*sent)
        except ConnectionClosed:
            _LOG.debug("the connection was lost during a request; it will be repeated")

    async def stay_connected(self) -> NoReturn:
        """Connect, and replace each lost or silent connection, until this task is cancelled.

        Raises ServerUnreachable or Refused if another attempt cannot succeed.
        """
        try:
            await self._open_first()
            while True:
                loss = await self._wait_for_loss(self._line)
                if loss is None:
                    await self._move()
                else:
                    await self._replace(self._line, loss)
        finally:
            self.welcomed.clear()
            self._end_left()
            if self._known:
                await self._line.close()

    async def _open_first(self) -> None:
        try:
            try:
                await self._open(OPEN_SECONDS)
            except (InvalidHandshake, InvalidURI) as error:
                if self._match is None or is_retryable(error):
                    raise
                self._match = None  # a proxy that knows only the address of the server
                await self._open(OPEN_SECONDS)
        except (OSError, WebSocketException) as error:
            reason = find_disconnect_reason(error)
            if reason.fault not in ANSWERED_FAULTS and (host := self._identity.stored.host):
                raise ServerUnreachable(Cause.HOST_AWAY, server=self._server, host=host) from error
            cause = Cause.CANNOT_REACH if reason.fault in ANSWERED_FAULTS else Cause.NEVER_REACHED
            raise ServerUnreachable(cause, server=self._server, reason=reason) from error

    async def _wait_for_loss(self, line: Line) -> _Loss | None:
        """Wait until the connection is lost, or its line is suspected to be dead.

        Returns None if the connection should move instead. Raises ServerUnreachable or Refused if
        another attempt cannot succeed.
        """
        await _wait_for_any(line.reading, line.keepalive.suspected, self._moving)
        if not line.reading.done():
            if not line.keepalive.suspected.is_set():
                return None
            return _Loss(DisconnectReason(Fault.NO_ANSWER))
        line.abort()
        try:
            line.reading.result()
        except (OSError, WebSocketException) as error:
            return self._find_loss(error)
        return _Loss(DisconnectReason(Fault.CLOSED))

    def _find_loss(self, error: OSError | WebSocketException) -> _Loss:
        """Return the loss that `error` reports. Raises ServerUnreachable if it is permanent."""
        reason = find_disconnect_reason(error)
        if reason.fault is Fault.RESTARTING and (host := self._identity.stored.host):
            reason = DisconnectReason(Fault.HOST_CLOSED, host)
        if is_retryable(error):
            return _Loss(reason, find_retry_after(error))
        raise ServerUnreachable(Cause.CANNOT_REACH, server=self._server, reason=reason) from error

    async def _move(self) -> None:
        """Open a connection at the address of a match beside the present one, and use it.

        The old connection stays open for OVERLAP_SECONDS, so that opponents see no absence. If the
        move fails, or the old connection is lost before, the old one stays the present one.
        """
        self._moving.clear()
        line, before, match = self._line, self._match, self._handler.find_meeting()
        if match is None:  # a clock has started since
            return
        self._match = match
        opening = asyncio.create_task(self._open(OPEN_SECONDS, self._leave), name="move")
        try:
            await asyncio.wait({opening, line.reading}, return_when=asyncio.FIRST_COMPLETED)
            if opening.done() or self._line is not line:
                await opening
                return
        except (OSError, WebSocketException, ServerUnreachable, Refused) as error:
            _LOG.debug("not moved to match %s: %s", match, error)
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
        self._match, self._unmoved = before, match

    def _check_meeting(self) -> None:
        """Begin a move if the connection should be at the address of another match."""
        if self._handler.find_meeting() not in (None, self._match, self._unmoved):
            self._moving.set()

    def _leave(self, line: Line) -> None:
        """Stop reading a line, and close it after OVERLAP_SECONDS."""
        self._end_left()
        line.stop_reading()
        self._left = line
        asyncio.get_running_loop().call_later(OVERLAP_SECONDS, line.abort)

    def _end_left(self) -> None:
        if self._left is not None:
            self._left.abort()

    async def _replace(self, old: Line, loss: _Loss) -> None:
        """Open another connection, unless data arrives on a suspected line before its welcome.

        Raises ServerUnreachable or Refused if another attempt cannot succeed.
        """
        self.welcomed.clear()
        lost = Connection(lost=loss.reason, until=time.monotonic() + self._reconnect_seconds)
        self._updates.change_connection(lost, ConnectionLost(loss.reason))
        opening = asyncio.create_task(self._reconnect(old, loss), name="reconnect")
        try:
            await _wait_for_any(opening, old.keepalive.alive)
            if opening.done():
                opening.result()
            else:
                self._set_connected()
        finally:
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)

    async def _reconnect(self, old: Line, loss: _Loss) -> None:
        """Try to open another connection until it succeeds.

        Raises ServerUnreachable or Refused if another attempt cannot succeed.
        """
        began, first = time.monotonic(), loss
        if loss.retry_after is not None or began - self._connected_at > STABLE_SECONDS:
            self._delays, self._attempt = iterate_reconnect_delays(self._random), 0
        replacement_seconds = iterate_replacement_seconds(self._random)
        while True:
            self._attempt += 1
            pause = add_jitter(loss.retry_after or 0.0, self._random)
            await asyncio.sleep(max(next(self._delays), pause))
            trying = replace(self._updates.connection, attempt=self._attempt)
            self._updates.change_connection(trying, Reconnecting(self._attempt))
            try:
                return await self._open(
                    OPEN_SECONDS if old.reading.done() else next(replacement_seconds)
                )
            except (OSError, WebSocketException) as error:
                loss = self._find_loss(error)
            if time.monotonic() - began > self._reconnect_seconds:
                if first.reason.fault is Fault.HOST_CLOSED:
                    raise ServerUnreachable(
                        Cause.HOST_AWAY, server=self._server, host=first.reason.quote
                    )
                seconds = round(self._reconnect_seconds)
                raise ServerUnreachable(
                    Cause.LOST, server=self._server, reason=loss.reason, seconds=seconds
                )

    async def _open(self, seconds: float, end: Callable[[Line], None] = Line.abort) -> None:
        """Open a connection, which replaces the last one when the server has welcomed us.

        The handshake and the welcome may each take `seconds`. Then `end` ends the last one. Raises
        OSError, WebSocketException, ServerUnreachable, Refused.
        """
        address = self._server
        if self._match is not None:
            address = make_match_address(address, self._match)
        try:
            websocket = await open_connection(address, self._network, seconds)
        except ImportError as error:
            reason = DisconnectReason(Fault.OTHER, str(error))
            raise ServerUnreachable(
                Cause.CANNOT_REACH, server=self._server, reason=reason
            ) from error
        try:
            async with asyncio.timeout(seconds):
                welcome = await self._send_hello(websocket)
        except BaseException:
            websocket.transport.abort()
            raise
        if self._known:
            end(self._line)
        self._connected_at = time.monotonic()
        again = self._handler.resume(welcome)
        keepalive = Keepalive(
            self._network.clock, self._random, self._handler.is_urgent, websocket.send_ping
        )
        self._line = Line(websocket, keepalive, self._handle_message)
        self._set_connected()  # without an await since `resume`: no request is sent in between
        await self.send(*again)

    def _set_connected(self) -> None:
        if self._known and not self.welcomed.is_set():
            self._updates.change_connection(Connection(), Reconnected())
        self._known = True
        self.welcomed.set()

    async def _handle_message(self, message: wire.AnyMessage) -> None:
        await self.send(*self._handler.receive(message))
        self._check_meeting()
        # A client that is killed after its first move finds its seat again, not the other
        # seat of a player at the same computer.
        await self._identity.flush_new_seat()

    async def _send_hello(self, websocket: ClientConnection) -> wire.Welcome:
        """Send a hello and return the welcome. Raises Refused.

        The first connection tries the tokens of `list_hello_tokens` until the server knows one.
        """
        tokens = (self._token,) if self._known else self._identity.list_hello_tokens()
        for token in tokens:
            hello = requests.Hello(
                id=next(self._ids),
                name=self._identity.find_hello_name(self._name),
                token=token,
                transfer=None if self._known else self._identity.transfer,
                program=self._program,
            )
            await websocket.send(encode(hello))
            answer = await receive_answer(websocket, hello.id)
            if isinstance(answer, wire.Welcome):
                self._store_token(answer.token or token)
                return answer
            if not isinstance(answer, wire.Error):
                break
            if self._known and answer.code in TRANSIENT_CODES:
                raise ConnectionAbortedError(str(to_refused(answer)))
            if answer.code != ErrorCode.UNKNOWN_TOKEN or token is tokens[-1]:
                raise to_refused(answer)
        raise ServerUnreachable(Cause.NO_GREETING, server=self._server)

    def _store_token(self, token: str | None) -> None:
        self._token = token
        if token is None:
            return  # this server does not recognise players
        try:
            self._identity.store_token(token)
        except OSError as error:
            raise ServerUnreachable(Cause.IDENTITY_NOT_KEPT, reason=error) from error


async def _wait_for_any(task: asyncio.Task[Any], *events: asyncio.Event) -> None:
    """Wait until the task is done or one of the events is set."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait({task, *waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()
