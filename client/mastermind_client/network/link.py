"""The connection to a server. It reconnects by itself, and has no state of matches.

The link discards requests while it is disconnected. After a reconnection the exchange that owns the
link returns the requests to repeat.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, NoReturn

from websockets.exceptions import ConnectionClosed, WebSocketException

from mastermind_client.context import DEFAULT_NETWORK, Network
from mastermind_client.network.failures import (
    TLS_FAULTS,
    Cause,
    Fault,
    Outage,
    ServerUnreachable,
)
from mastermind_client.network.line import open_connection, read_message, receive_answer, send_all
from mastermind_client.network.reconnecting import (
    add_jitter,
    find_outage,
    find_retry_after,
    is_retryable,
    iterate_reconnect_delays,
    to_refused,
)
from mastermind_client.network.updates import Connection, ConnectionLost, Reconnected, Reconnecting
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from mastermind_client.network.exchange import Exchange
    from mastermind_client.network.identity import Identity


_LOG = logging.getLogger(__name__)
OPEN_SECONDS = 5.0  # for a handshake and a welcome
STABLE_SECONDS = 5.0  # the lifetime of a connection that resets the delays
RECONNECT_SECONDS = 300.0  # of trying to reconnect: a restart takes seconds, a reboot minutes


class Link:
    """A connection that is replaced when it is lost.

    `welcomed` is set while requests can be sent.
    """

    def __init__(
        self,
        server: str,
        identity: Identity,
        name: str | None,
        owner: Exchange,
        *,
        program: bool = False,
        network: Network = DEFAULT_NETWORK,
    ) -> None:
        self.welcomed = asyncio.Event()
        self._server, self._identity, self._name = server, identity, name
        self._program, self._network = program, network
        self._owner = owner
        self._random = Random()  # noqa: S311 - jitter
        self._websocket: ClientConnection | None = None
        self._token: str | None = None
        self._known = False  # whether the server has sent a welcome before
        self._connected_at = 0.0

    async def send(self, request: requests.AnyRequest) -> None:
        """Send a request, or discard it without a connection. A lost connection raises nothing."""
        if self._websocket is None or not self.welcomed.is_set():
            return
        try:
            await self._websocket.send(encode(request))
        except ConnectionClosed:
            _LOG.debug("the connection was lost during a request; it will be repeated")

    async def stay_connected(self) -> NoReturn:
        """Connect, and reconnect after every disconnection, until this task is cancelled.

        Raises ServerUnreachable or Refused if another attempt cannot succeed.
        """
        delays, attempt, since = iterate_reconnect_delays(self._random), 0, time.monotonic()
        while True:
            retry_after: float | None = None
            try:
                await self._run_connection()
                reason = Outage(Fault.CLOSED)
            except (OSError, WebSocketException) as error:
                reason, retry_after = find_outage(error), find_retry_after(error)
                if not (self._known and is_retryable(error)):
                    found = self._known or reason.fault in TLS_FAULTS
                    cause = Cause.CANNOT_REACH if found else Cause.NEVER_REACHED
                    raise ServerUnreachable(cause, server=self._server, reason=reason) from error
            except (
                ImportError
            ) as error:  # the configured proxy needs a package that is not installed
                raise ServerUnreachable(
                    Cause.CANNOT_REACH, server=self._server, reason=Outage(Fault.OTHER, str(error))
                ) from error
            now = time.monotonic()
            if self.welcomed.is_set():
                self.welcomed.clear()
                lost = Connection(lost=reason, until=now + RECONNECT_SECONDS)
                self._owner.change_connection(lost, ConnectionLost(reason))
                if retry_after is not None or now - self._connected_at > STABLE_SECONDS:
                    delays, attempt = iterate_reconnect_delays(self._random), 0
                since = now
            elif now - since > RECONNECT_SECONDS:
                seconds = round(RECONNECT_SECONDS)
                raise ServerUnreachable(
                    Cause.LOST, server=self._server, reason=reason, seconds=seconds
                )
            attempt += 1
            await asyncio.sleep(max(next(delays), add_jitter(retry_after or 0.0, self._random)))
            trying = replace(self._owner.connection, attempt=attempt)
            self._owner.change_connection(trying, Reconnecting(attempt))

    async def _run_connection(self) -> None:
        """Open one connection, and use it until it ends."""
        async with open_connection(self._server, self._network, OPEN_SECONDS) as websocket:
            try:
                await self._handle_messages(websocket)
            except asyncio.CancelledError:
                # Close here, because an exception that leaves the block counts as a failure; and
                # in another task, because timeouts fail in a cancelled one before Python 3.11.4.
                await asyncio.wait([asyncio.create_task(websocket.close())])
                raise

    async def _handle_messages(self, websocket: ClientConnection) -> None:
        """Greet the server, and pass on its messages until the connection ends."""
        async with asyncio.timeout(OPEN_SECONDS):
            welcome = await self._send_hello(websocket)
        self._connected_at = time.monotonic()
        again = self._owner.resume(welcome)
        self._websocket = websocket
        self.welcomed.set()  # without an await since `resume`: no request is sent in between
        if self._known:
            self._owner.change_connection(Connection(), Reconnected())
        self._known = True
        await send_all(websocket, again)
        async for frame in websocket:
            if (message := read_message(frame)) is not None:
                await send_all(websocket, self._owner.receive(message))
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
                id=self._owner.next_id(),
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
