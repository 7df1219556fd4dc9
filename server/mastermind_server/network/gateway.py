"""WebSocket in, WebSocket out: who is let in, and what is done with the messages that come.

Nothing here knows the game. A client is never waited for: what it is sent goes to its transport,
and whoever reads too slowly is cut off, which costs it nothing, for it resumes by version.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from websockets.frames import CloseCode

from mastermind_protocol.codec import decode_request, encode
from mastermind_protocol.errors import FrameError, Reason, Refused
from mastermind_protocol.messages import Error
from mastermind_server import tuning
from mastermind_server.bans import explain_ban
from mastermind_server.broadcast import Audience
from mastermind_server.logs import about
from mastermind_server.network.handlers import ROUTES
from mastermind_server.network.rate_limits import InboundRates, WorkLimits
from mastermind_server.network.sessions import BANNED
from mastermind_server.network.sockets.access import PLAIN, Access, Certificate
from mastermind_server.network.sockets.address import find_client
from mastermind_server.network.sockets.admission import Admission
from mastermind_server.network.sockets.connection import Connection, Stage
from mastermind_server.network.sockets.entrance import Entrance
from mastermind_server.network.sockets.outboxes import Outboxes
from mastermind_server.network.sockets.tls import SecureTransport
from mastermind_server.network.sockets.turns import Turns

if TYPE_CHECKING:
    import socket
    from collections.abc import Collection, Coroutine

    from mastermind_protocol.requests import AnyRequest
    from mastermind_server.clock import Clock
    from mastermind_server.health.histogram import Histogram
    from mastermind_server.network.dispatch import Dispatcher
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What has come and gone since a gateway was made.

    Frames, those of control too, what was refused by why, how long requests took by what they are,
    and what those addresses have cost that cost most. Of limits `Limiter.met` tells.
    """

    connections: Counter[Stage]
    taken: int
    sent: int
    refusals: Counter[Reason | None]
    times: dict[str, Histogram]
    costs: list[tuple[str, int]]


class Gateway:
    """Accepts connections and dispatches their requests. Create it on a running event loop."""

    def __init__(
        self, dispatcher: Dispatcher, services: Services, clock: Clock, access: Access = PLAIN
    ) -> None:
        self._dispatcher, self._clock, self._services = dispatcher, clock, services
        self._access = access
        self._limiter = limiter = services.limiter
        self._turns = Turns(clock)
        self._rates, self._work = InboundRates(limiter, clock.now), WorkLimits(limiter, clock.now)
        self._admission = Admission(limiter, clock, services.readiness, services.bans)
        self._outboxes = Outboxes(limiter)
        self._connections: set[Connection] = set()
        self._entrance: Entrance
        self._taken = self._sent = 0  # by connections that are gone
        self._refusals: Counter[Reason | None] = Counter()

    def start(self, listener: socket.socket) -> None:
        """Serve on a listening socket, which is the gateway's from now on."""
        certificate = self._access.certificate
        connect = self.connect if certificate is None else partial(self._secure, certificate)
        self._entrance = Entrance(listener, self._admits, connect, self._turns, self._clock)

    def _admits(self, peer: str) -> bool:
        return self._admission.admits(find_client(peer, (), self._access.proxies))

    def connect(self) -> Connection:
        """Return the protocol for a socket that has been accepted."""
        connection = Connection(
            self._clock,
            self._turns,
            self._admission,
            self._outboxes,
            self._rates,
            self._limiter,
            self._receive,
            self._forget,
            self._access,
        )
        self._connections.add(connection)
        return connection

    def _secure(self, certificate: Certificate) -> SecureTransport:
        return SecureTransport(self.connect(), certificate.context, self._turns, self._limiter)

    def measure(self) -> Traffic:
        """Return what has been counted."""
        here = self._connections
        return Traffic(
            connections=Counter(each.stage for each in here),
            taken=self._taken + sum(each.taken for each in here),
            sent=self._sent + sum(each.sent for each in here),
            refusals=self._refusals + self._dispatcher.refusals,
            times=self._dispatcher.times.by_kind,
            costs=self._work.costs.list_top(),
        )

    def count_connections(self) -> int:
        """Return how many connections there are."""
        return len(self._connections)

    def send_away(self, subjects: Collection[str]) -> None:
        """Close the connections of players, and from networks, that are banned from now on."""
        now = self._services.clock.time_of_day()
        for connection in list(self._connections):
            player = connection.player
            for subject in (player.id if player else None, connection.address):
                if subject is None or subject not in subjects:
                    continue
                if ban := self._services.bans.find(subject, now):
                    connection.push(encode(Error.of(explain_ban(ban, now))))
                    connection.end(CloseCode.POLICY_VIOLATION, BANNED)
                    break

    def find_addresses(self, hashes: Collection[str]) -> dict[str, str]:
        """Return the addresses by the hashes by which this node has told of them."""
        return self._work.costs.find(hashes)

    def announce(self, frame: bytes) -> None:
        """Send a frame to every player who is here, in turns of the loop."""
        audience: Audience[Connection] = Audience(self._services.broadcasts)
        for connection in self._connections:
            if connection.stage is Stage.PLAYER:
                audience.add(connection)
        audience.broadcast(frame)

    async def drain(self, seconds: float, hurry: asyncio.Event) -> None:
        """Wait until nobody is here, so many seconds at most, or until there is a hurry."""
        waits = [asyncio.create_task(event.wait()) for event in (self._admission.all_closed, hurry)]
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def stop(self) -> None:
        """Close every connection with code 1012, on which clients come back and resume.

        Each is told when: a crowd that came back as one would be turned away as one.
        What is being done is finished, if that takes no longer than tuning.STOP_SECONDS.
        """
        self._admission.end()
        await self._entrance.close()
        for number, connection in enumerate(list(self._connections)):
            retry_after = number / tuning.RETURNS_PER_SECOND
            reason = f"restarting; retry_after={retry_after:.3f}"
            connection.end(CloseCode.SERVICE_RESTART, reason)
        await self._admission.all_closed.wait()
        while working := [
            each.worker for each in self._connections if each.worker and not each.worker.done()
        ]:
            _, late = await asyncio.wait(working, timeout=tuning.STOP_SECONDS)
            for task in late:
                task.cancel()

    def _receive(
        self, connection: Connection, message: bytes | None
    ) -> Coroutine[Any, Any, None] | None:
        """Do what a message asks, None being one of text; return what takes time, if anything."""
        try:
            request = _read(message)
        except FrameError as error:
            self._refuse(connection, error)
            return None
        wait = self._work.reserve(connection, ROUTES[type(request)].cost)
        if wait > 0:
            return self._handle_later(wait, connection, request)
        return self._dispatcher.handle(connection, request)

    async def _handle_later(self, wait: float, connection: Connection, request: AnyRequest) -> None:
        await self._clock.sleep(wait)
        if not connection.ended:  # who was banned meanwhile, or logged out, is that player no more
            await self._dispatcher.handle(connection, request)

    def _forget(self, connection: Connection) -> Coroutine[Any, Any, None] | None:
        """Let go of a connection that has ended; return what takes time, if it was a player's."""
        if connection.player is not None:
            return self._leave(connection)
        self._discard(connection)
        return None

    async def _leave(self, connection: Connection) -> None:
        """Let go of what a player's connection followed, too; of a crowd's in turns of the loop."""
        await self._turns.wait(connection.address)
        try:
            await self._dispatcher.gone(connection)
        finally:
            self._discard(connection)

    def _discard(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._taken += connection.taken
        self._sent += connection.sent

    def _refuse(self, connection: Connection, error: FrameError) -> None:
        """Tell what is wrong with a message; a bug shows, abuse is cut off, in a line each."""
        connection.refused += 1
        self._refusals[error.reason] += 1
        if connection.refused == 1:
            about(_LOG, connection=connection.number).info("refused a frame: %s", error.code)
        connection.push(encode(Error.of(error, error.request)))
        try:
            self._rates.bad_frames.take(connection.number)
        except Refused:
            about(_LOG, connection=connection.number).info("abuses the protocol, closed")
            connection.end(CloseCode.POLICY_VIOLATION, "too many bad frames")


def _read(message: bytes | None) -> AnyRequest:
    if message is None:
        raise FrameError(Reason.TEXT_FRAME)
    return decode_request(message)
