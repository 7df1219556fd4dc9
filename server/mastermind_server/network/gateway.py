"""Accepts connections, decodes their requests, and passes these to the dispatcher."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from websockets.frames import CloseCode

from mastermind_protocol.codec import decode_request, encode
from mastermind_protocol.errors import MessageError, Reason, Refused
from mastermind_protocol.messages import Error
from mastermind_server.bans import make_ban_error
from mastermind_server.broadcast import Audience
from mastermind_server.matches.tables.followers import make_restart_reason
from mastermind_server.monitoring.logs import with_context
from mastermind_server.network.addresses import find_client_address
from mastermind_server.network.rate_limits import ReceiveRates
from mastermind_server.network.sessions import BANNED_CLOSE_REASON
from mastermind_server.network.sockets.acceptor import Acceptor
from mastermind_server.network.sockets.access import DEFAULT_ACCESS, Access
from mastermind_server.network.sockets.connection import Connection, Stage
from mastermind_server.network.sockets.connection_limits import ConnectionLimits
from mastermind_server.network.sockets.connection_services import ConnectionServices
from mastermind_server.network.sockets.scheduler import LoopScheduler, PageQueue
from mastermind_server.network.sockets.send_buffers import SendBuffers
from mastermind_server.network.sockets.tls import SecureTransport
from mastermind_server.network.sockets.unlisted_proxies import UnlistedProxies
from mastermind_server.network.web.previews import Previews

if TYPE_CHECKING:
    import socket
    from collections.abc import Collection, Coroutine

    from mastermind_server.clock import Clock
    from mastermind_server.monitoring.usage import Histogram
    from mastermind_server.network.dispatcher import Dispatcher
    from mastermind_server.network.sockets.certificates import Certificate
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)
STOP_SECONDS = 1.0  # for requests under way; a commit takes milliseconds


@dataclass(frozen=True, slots=True)
class Traffic:
    """The open connections by stage, and counts since the gateway was created.

    `received` is the number of frames, including control frames, and `sent` that of messages.
    `refusals` has the number of refused requests by reason. `violations` has the number of
    connections that the server closed for a protocol error, by close code. `durations` has the
    durations of requests in seconds, by the request's name. `costs` lists the addresses whose
    requests cost most: pairs of the hash of an address and the sum of its request costs, where a
    move costs 1.
    """

    connections: Counter[Stage]
    received: int
    sent: int
    refusals: Counter[Reason | None]
    violations: Counter[int]
    durations: dict[str, Histogram]
    costs: list[tuple[str, int]]


class Gateway:
    """The connections of a server. Must be created on a running event loop.

    `previews` makes the titles and descriptions that messaging apps show for links to matches.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        services: Services,
        clock: Clock,
        access: Access = DEFAULT_ACCESS,
    ) -> None:
        self._dispatcher, self._clock, self._services = dispatcher, clock, services
        self._access = access
        self._limiter = limiter = services.limiter
        self._scheduler = LoopScheduler(clock)
        self._rates = ReceiveRates(limiter, clock.now)
        readiness, bans = services.readiness, services.bans
        self._connection_limits = ConnectionLimits(limiter, clock, readiness, bans)
        self.previews = Previews(services, dispatcher.wrong_codes_of_address)
        self._connection_services = ConnectionServices(
            clock=clock,
            scheduler=self._scheduler,
            connection_limits=self._connection_limits,
            send_buffers=SendBuffers(limiter),
            rates=self._rates,
            limiter=limiter,
            access=access,
            unlisted_proxies=UnlistedProxies(access.proxies),
            page_queue=PageQueue(limiter, self._scheduler, clock),
            describe=self.previews.describe,
            on_message=self._on_message,
            on_end=self._on_connection_end,
        )
        self._connections: set[Connection] = set()
        self._acceptor: Acceptor
        self._received = self._sent = 0  # by closed connections
        self._refusals: Counter[Reason | None] = Counter()
        self._violations: Counter[int] = Counter()

    def start(self, listener: socket.socket) -> None:
        """Accept connections on a listening socket. `stop` closes the socket."""
        certificate = self._access.certificate
        connect = (
            self.make_connection
            if certificate is None
            else partial(self._make_tls_transport, certificate)
        )
        self._acceptor = Acceptor(
            listener, self._admits_socket, connect, self._scheduler, self._clock
        )

    def _admits_socket(self, peer: str) -> bool:
        return self._connection_limits.admits(find_client_address(peer, (), self._access.proxies))

    def make_connection(self) -> Connection:
        """Return a new connection, the asyncio protocol of an accepted socket."""
        connection = Connection(self._connection_services)
        self._connections.add(connection)
        return connection

    def _make_tls_transport(self, certificate: Certificate) -> SecureTransport:
        return SecureTransport(
            self.make_connection(), certificate.context, self._scheduler, self._limiter
        )

    def measure_traffic(self) -> Traffic:
        """Return the counts of connections, frames, messages and requests."""
        here = self._connections
        return Traffic(
            connections=Counter(each.stage for each in here),
            received=self._received + sum(each.received for each in here),
            sent=self._sent + sum(each.sent for each in here),
            refusals=self._refusals + self._dispatcher.refusals,
            violations=self._violations,
            durations=self._dispatcher.durations.by_kind,
            costs=self._dispatcher.costs.list_costliest(),
        )

    def count_connections(self) -> int:
        """Return the number of connections, including closed ones whose last request is running."""
        return len(self._connections)

    def disconnect_banned(self, subjects: Collection[str]) -> None:
        """Close the connections of `subjects`, which are banned player ids and addresses."""
        now = self._services.clock.unix_milliseconds()
        for connection in list(self._connections):
            player = connection.player
            for subject in (player.id if player else None, connection.address):
                if subject is None or subject not in subjects:
                    continue
                if ban := self._services.bans.find(subject, now):
                    connection.push(encode(Error.of(make_ban_error(ban, now))))
                    connection.end(CloseCode.POLICY_VIOLATION, BANNED_CLOSE_REASON)
                    break

    def find_addresses(self, hashes: Collection[str]) -> dict[str, str]:
        """Return the known addresses with a hash in `hashes`, by hash."""
        return self._dispatcher.costs.find_addresses(hashes)

    def announce(self, message: bytes) -> None:
        """Send a message to all connected players, over several iterations of the event loop."""
        audience: Audience[Connection] = Audience(self._services.broadcasts)
        for connection in self._connections:
            if connection.stage is Stage.PLAYER:
                audience.add(connection)
        audience.broadcast(message)

    async def drain(self, seconds: float, hurry: asyncio.Event) -> None:
        """Wait until all sockets are closed, `seconds` have passed or `hurry` is set."""
        events = (self._connection_limits.all_closed, hurry)
        waits = [asyncio.create_task(event.wait()) for event in events]
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def stop(self, first: Collection[str] = ()) -> None:
        """Close all connections with code 1012, after which clients reconnect and resume.

        Each close frame contains a different `retry_after`. The players with ids in `first`, whose
        clocks run, get the shortest ones. Running requests get STOP_SECONDS to finish.
        """
        self._connection_limits.reject_new_sockets()
        await self._acceptor.close()
        urgent = {c for c in self._connections if c.player is not None and c.player.id in first}
        for number, connection in enumerate([*urgent, *(self._connections - urgent)]):
            connection.end(CloseCode.SERVICE_RESTART, make_restart_reason(number))
        await self._connection_limits.all_closed.wait()
        while working := [
            each.worker for each in self._connections if each.worker and not each.worker.done()
        ]:
            _, late = await asyncio.wait(working, timeout=STOP_SECONDS)
            for task in late:
                task.cancel()

    def _on_message(
        self, connection: Connection, message: bytes | None, at: float
    ) -> Coroutine[Any, Any, None] | None:
        """Decode `message`, and return a coroutine that handles its request.

        `message` is None for a text message. `at` is the time when the message was read, in seconds
        of the connections' clock. If the message is invalid, send an error and return None.
        """
        if message is None:
            self._refuse_message(connection, MessageError(Reason.TEXT_FRAME))
            return None
        try:
            request = decode_request(message)
        except MessageError as error:
            self._refuse_message(connection, error)
            return None
        if self._clock is not self._services.clock:
            at += self._services.clock.now() - self._clock.now()
        return self._dispatcher.handle(connection, request, at)

    def _on_connection_end(self, connection: Connection) -> Coroutine[Any, Any, None] | None:
        """Stop counting a closed connection, and remove it.

        If the connection has a player, return a coroutine that removes it.
        """
        self._connection_limits.stop_counting(connection.address)
        if connection.player is not None:
            return self._unsubscribe(connection)
        self._discard_connection(connection)
        return None

    async def _unsubscribe(self, connection: Connection) -> None:
        """When the scheduler has time, unsubscribe a connection from its matches and remove it."""
        await self._scheduler.wait_for_time(connection.address)
        try:
            self._dispatcher.remove_peer(connection)
        finally:
            self._discard_connection(connection)

    def _discard_connection(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._received += connection.received
        self._sent += connection.sent
        if (websocket := connection.websocket) and websocket.violation_code:
            self._violations[websocket.violation_code] += 1

    def _refuse_message(self, connection: Connection, error: MessageError) -> None:
        """Send the error of an invalid message. Close the connection after too many errors."""
        connection.refused += 1
        self._refusals[error.reason] += 1
        if connection.refused == 1:
            with_context(_LOG, connection=connection.number).info(
                "refused a message: %s", error.code
            )
        connection.push(encode(Error.of(error, error.request)))
        try:
            self._rates.bad_frames.take(connection.number)
        except Refused:
            with_context(_LOG, connection=connection.number).info(
                "too many invalid messages, closed"
            )
            connection.end(CloseCode.POLICY_VIOLATION, "too many bad frames")
