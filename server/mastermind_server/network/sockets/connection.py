"""One client's connection: a socket with bounded queues, and a stage that interprets its data.

The first stage is HTTP, the second is a WebSocket. Receiving or sending a frame needs no task and
no lock. While a client does not read its answers, its requests are queued.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from websockets.frames import CloseCode
from websockets.protocol import State

from mastermind_server.monitoring.logs import with_context
from mastermind_server.network.addresses import UNKNOWN_ADDRESS
from mastermind_server.network.sockets.frames import encode_frame
from mastermind_server.network.sockets.http_stage import HttpStage
from mastermind_server.network.sockets.send_buffers import SendBuffer
from mastermind_server.network.sockets.websocket_stage import WebSocketStage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from websockets.server import ServerProtocol

    from mastermind_protocol.dialects import Dialect
    from mastermind_protocol.events import Player
    from mastermind_server.network.sockets.connection_limits import PendingConnections
    from mastermind_server.network.sockets.connection_services import ConnectionServices

_LOG = logging.getLogger(__name__)
READ_BYTES = 1024  # per read from a client, about one request; at most 170 pings, 2 ms of work
RECEIVE_QUEUE_MESSAGES = 16  # messages read ahead of one client; the rest stays in its socket
CLOSE_SECONDS = 2.0  # for the client's half of the closing handshake
_CONNECTION_NUMBERS = itertools.count(1)


class Stage(StrEnum):
    """The stage of a connection: before the handshake, before the hello, in use, or closing."""

    HANDSHAKE = "handshake"
    HELLO = "hello"
    PLAYER = "player"
    CLOSING = "closing"


class Connection(asyncio.BufferedProtocol):
    """A client's connection. Implements `Peer`.

    `number` identifies the connection. `received` counts frames, `sent` counts messages, and
    `refused` counts invalid messages. `ended` is true after `end`. The task `worker` handles the
    messages, one after the other. `websocket` is None, and `dialect` not set, until a handshake is
    accepted. One timer limits the time until the client's next step.

    For its stages: `pool` counts the connection until its hello. `answering`: a page request is
    being answered, so reading pauses. `reading`: the socket is read. `half_closed`: the client has
    ended its stream, and may wait for answers.
    """

    # A dict of 40 keys takes 1 KiB more. Broadcasts to browsers took a fifth longer with it: their
    # page requests scatter these dicts in memory.
    __slots__ = (
        "_buffer", "_cleaned_up", "_clock", "_closing", "_handling", "_inbox", "_lost",
        "_postponed", "_rates", "_read_at", "_resume_timer", "_scheduler", "_services", "_stage",
        "_timer", "address", "answering", "dialect", "ended", "followed", "half_closed", "number",
        "player", "pool", "reading", "received", "refused", "send_buffer", "sent", "transport",
        "websocket", "worker",
    )  # fmt: skip

    def __init__(self, services: ConnectionServices) -> None:
        self._services, self._clock, self._rates = services, services.clock, services.rates
        self._scheduler = services.scheduler
        self.transport: asyncio.Transport
        self.send_buffer: SendBuffer
        self.dialect: Dialect
        self.websocket: WebSocketStage | None = None
        self._stage: HttpStage | WebSocketStage = HttpStage(self, services)
        self.player: Player | None = None
        self.followed: set[str] = set()
        self.address, self.number = UNKNOWN_ADDRESS, next(_CONNECTION_NUMBERS)
        self.received = self.sent = self.refused = 0
        self.worker: asyncio.Task[None] | None = None
        self.pool: PendingConnections | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._buffer = bytearray(READ_BYTES)
        self._resume_timer: asyncio.TimerHandle | None = None  # until reading resumes
        self._postponed = b""  # received, to be parsed in a later iteration
        self._inbox: deque[tuple[bytes | None, float]] = deque()  # with the time of reading
        self._read_at = 0.0  # the time of the last read, or of the first postponed one
        self._handling: tuple[bytes | None, float] | None = None  # the message being handled
        self.reading = True
        self.answering = self.half_closed = self.ended = False
        self._closing = self._lost = self._cleaned_up = False

    # Called by the game.

    @property
    def open(self) -> bool:
        """Whether messages can be sent: the handshake is done, and no close frame was sent."""
        if (websocket := self.websocket) is None or websocket.protocol.state is not State.OPEN:
            return False
        return not self.transport.is_closing()

    @property
    def stage(self) -> Stage:
        """The current stage of the connection."""
        if self.websocket is None:
            return Stage.HANDSHAKE
        if not self.open:
            return Stage.CLOSING
        return Stage.HELLO if self.player is None else Stage.PLAYER

    encode = staticmethod(encode_frame)

    def push(self, *messages: bytes) -> None:
        """Send messages if the connection is open. Cut off a client that reads too slowly."""
        if self.open:
            self.sent += len(messages)
            self.send_buffer.write(b"".join(map(encode_frame, messages)))

    def push_encoded(self, encoded: Sequence[bytes]) -> None:
        """Send the frames `encoded` if the connection is open."""
        if self.open:
            self.sent += len(encoded)
            self.send_buffer.write(b"".join(encoded))

    def end(self, code: CloseCode, reason: str) -> None:
        """Send a close frame after the pushed messages. Drop messages that are not handled yet."""
        self.ended = True
        self._inbox.clear()
        if self.open and (websocket := self.websocket):
            websocket.close(code, reason)
        elif self._timer is not None and not self._closing:  # there is a transport
            self.transport.abort()

    def list_unhandled(self) -> list[tuple[bytes | None, float]]:
        """Return the messages that are not handled yet, each with the seconds since it was read.

        None stands for a text message, and for data that is not parsed yet. If the client reads its
        answers too slowly, its waiting messages are left out.
        """
        found = [] if self._handling is None else [self._handling]
        if not self.send_buffer.full:
            found += self._inbox
            if self._postponed:
                found.append((None, self._read_at))
        now = self._clock.now()
        return [(message, now - at) for message, at in found]

    @property
    def round_trip(self) -> float:
        """The shortest of the newest round trips of pings, in seconds; 0 before the first pong."""
        return 0.0 if self.websocket is None else self.websocket.round_trip

    def measure_round_trip(self) -> None:
        """Send a ping. Its pong ends the measurement of a round trip."""
        if self.open and (websocket := self.websocket):
            websocket.measure_round_trip()

    def evict(self, limit: str) -> None:
        """Close this connection, without a hello, because the limit named `limit` is exceeded."""
        self._stage.evict(limit)

    # Called by the transport.

    def charge(self, frames: int, size: int) -> None:
        """Charge frames and bytes to the rate limits. Pause reading while a limit is exceeded.

        `size` is the total size of the frames in bytes.
        """
        wait = self._rates.reserve(self.number, frames, size)
        if wait > 0:
            if self._resume_timer is not None:
                self._resume_timer.cancel()
            self._resume_timer = self._clock.call_later(wait, self._resume_reading)
        self.update_flow_control()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the first stage."""
        self.transport = cast("asyncio.Transport", transport)
        self.send_buffer = SendBuffer(self._services.send_buffers, self.transport, self.number)
        self._stage.begin()

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - the size is fixed
        """Return the buffer into which the transport reads."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Process the received data, now or in a later iteration of the event loop."""
        data = bytes(memoryview(self._buffer)[:nbytes])
        if self._postponed:
            self._postponed += data
            self.update_flow_control()
            return
        self._read_at = self._clock.now()
        if self.pool is not None:
            postponed = self._scheduler.postpone_pending(self._process_postponed)
        else:
            postponed = self._scheduler.postpone(self.address, self._process_postponed)
        if postponed:
            self._postponed = data
        else:
            self._process_data(data)

    def eof_received(self) -> bool:
        """Process the remaining data. Return whether the transport stays open for answers.

        The client has CLOSE_SECONDS to read the answers.
        """
        if self.half_closed:
            return True
        self._process_postponed()
        self.send_buffer.flush()
        self.start_close_timeout()
        self.half_closed = self.answering or (self.open and bool(self._inbox or self.worker))
        return self.half_closed

    def pause_writing(self) -> None:
        """Buffer data from now on. While the buffer is full, the client's requests wait."""
        self.send_buffer.pause()
        self.update_flow_control()

    def resume_writing(self) -> None:
        """Send the buffered data: the client has read most of the earlier data."""
        self.send_buffer.resume()
        self.update_flow_control()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the log has the code
        """Drop received messages, and release resources when the scheduler has time."""
        self._lost = True
        self._inbox.clear()
        self._scheduler.run_or_postpone_pending(self._cleanup)  # a crowd may be lost at once

    # Called by the stages.

    def begin_websocket(self, protocol: ServerProtocol) -> None:
        """Begin the stage of the WebSocket, whose handshake `protocol` has accepted."""
        self.websocket = self._stage = WebSocketStage(self, self._services, protocol)
        self.websocket.begin()

    def start_timeout(self, seconds: float, callback: Callable[[], object]) -> None:
        """Call `callback` in `seconds`, instead of the callback of an earlier timeout."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.call_later(seconds, callback)

    def start_close_timeout(self) -> None:
        """Abort the connection in CLOSE_SECONDS. Later calls do nothing."""
        if not self._closing:
            self._closing = True
            self.start_timeout(CLOSE_SECONDS, self.transport.abort)

    def run_unless_lost(self, work: Callable[[], object]) -> None:
        """Run `work`, unless the socket is closed."""
        if not self._lost:
            work()

    def update_flow_control(self) -> None:
        """Pause reading while a buffer is full or a limit is exceeded. Otherwise resume reading.

        Start the worker if messages are waiting.
        """
        reading = not (
            self.send_buffer.full
            or self._resume_timer is not None
            or len(self._inbox) >= RECEIVE_QUEUE_MESSAGES
            or len(self._postponed) > READ_BYTES
            or self.answering
        )
        if reading is not self.reading and not self.half_closed:
            self.reading = reading
            if reading:
                self.transport.resume_reading()
            else:
                self.transport.pause_reading()
        if self._inbox and self.worker is None and not self.send_buffer.full:
            self.worker = self._scheduler.loop.create_task(self.handle_messages())

    def _process_postponed(self) -> None:
        data, self._postponed = self._postponed, b""
        if data and not self._lost:
            self._process_data(data)

    def _process_data(self, data: bytes) -> None:
        messages, frames, size = self._stage.receive(data, self._read_at)
        if not self.ended:
            self._inbox += [(message, self._read_at) for message in messages]
        self.received += frames
        self.charge(frames, size)

    def _resume_reading(self) -> None:
        self._resume_timer = None
        self.update_flow_control()

    async def handle_messages(self, first: Awaitable[None] | None = None) -> None:
        """Await `first`, then handle the received messages, one after the other.

        Afterwards call `on_end` if the connection was lost meanwhile.
        """
        try:
            if first is not None:
                await first
            while self._inbox and not self.send_buffer.full:
                self._handling = message, at = self._inbox.popleft()
                if work := self._services.on_message(self, message, at):
                    await work
                self._handling = None
                if self.pool is not None and self.player is not None:
                    self.pool.remove(self)
                if not self.reading:
                    self.update_flow_control()
                if self._inbox:  # the scheduler had time for the first message
                    await self._scheduler.wait_for_time(self.address)
        except Exception:  # otherwise the connection would stay open without a worker
            log = with_context(_LOG, connection=self.number)
            log.exception("closed: handling a message failed")
            self.end(CloseCode.INTERNAL_ERROR, "internal error")
        if self._cleaned_up and (work := self._services.on_end(self)):
            await work
        self.worker = None
        if self.half_closed and not self._inbox and not self._lost:
            self.send_buffer.flush()
            self.transport.close()

    def _cleanup(self) -> None:
        """Release the timers, buffers and stage of a lost connection.

        While a request is running, `ConnectionLimits` still counts the connection.
        """
        self._cleaned_up = True
        if self.pool is not None:
            self.pool.remove(self)
        self._services.connection_limits.record_close()
        self.send_buffer.close()
        for timer in (self._resume_timer, self._timer):
            if timer is not None:
                timer.cancel()
        self._stage.release()
        if self.worker is None and (work := self._services.on_end(self)):
            self.worker = self._scheduler.loop.create_task(work)
