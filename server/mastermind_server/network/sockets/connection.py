"""One client's connection: a WebSocket on a transport of the event loop.

Receiving or sending a frame needs no task and no lock. Queues are bounded. While a client does not
read its answers, its requests are queued.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from websockets.frames import CloseCode
from websockets.protocol import State

from mastermind_protocol.dialects import DIALECTS
from mastermind_server.monitoring.logs import with_context
from mastermind_server.network.addresses import PROXY_ADDRESS, UNKNOWN_ADDRESS, find_client_address
from mastermind_server.network.sockets.access import DEFAULT_ACCESS
from mastermind_server.network.sockets.connection_limits import REFUSED_RETRY_SECONDS
from mastermind_server.network.sockets.frames import encode_frame
from mastermind_server.network.sockets.send_buffers import SendBuffer, SendBuffers
from mastermind_server.network.sockets.websocket import BadHandshake, WebSocket

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from websockets.http11 import Request

    from mastermind_protocol.dialects import Dialect
    from mastermind_protocol.events import Player
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.network.rate_limits import ReceiveRates
    from mastermind_server.network.sockets.access import Access
    from mastermind_server.network.sockets.connection_limits import (
        ConnectionLimits,
        PendingConnections,
    )
    from mastermind_server.network.sockets.scheduler import LoopScheduler

_LOG = logging.getLogger(__name__)
ROUND_TRIPS_KEPT = 8  # of pings: three minutes; the shortest has no delay in a queue
READ_BYTES = 1024  # per read from a client, about one request; at most 170 pings, 2 ms of work
RECEIVE_QUEUE_MESSAGES = 16  # messages read ahead of one client; the rest stays in its socket
CLOSE_SECONDS = 2.0  # for the client's half of the closing handshake
_CONNECTION_NUMBERS = itertools.count(1)
_RETRY_REASON = f"retry_after={REFUSED_RETRY_SECONDS:.3f}"


class Stage(StrEnum):
    """The stage of a connection: before the handshake, before the hello, in use, or closing."""

    HANDSHAKE = "handshake"
    HELLO = "hello"
    PLAYER = "player"
    CLOSING = "closing"


class Connection(asyncio.BufferedProtocol):
    """A client's connection. Implements `Peer`.

    `on_message` is called with each binary message, or None for a text message, and the time when
    it was read, in seconds of `clock`. `on_end` is called after the connection is lost and its last
    request is handled. A callback can return an awaitable, which the task `worker` awaits before
    the next message.

    `number` identifies the connection. `received` and `sent` are numbers of frames, and `refused`
    is the number of invalid messages. `ended` is true after `end`. One timer limits the time until
    the client's next step: handshake, hello, pong or close frame.
    """

    # A dict of 40 keys takes 1 KiB more. Broadcasts to browsers took a fifth longer with it: their
    # page requests scatter these dicts in memory.
    __slots__ = (
        "_active_since_ping",
        "_answering",
        "_buffer",
        "_cleaned_up",
        "_clock",
        "_closing",
        "_connection_limits",
        "_exceeded",
        "_half_closed",
        "_handling",
        "_inbox",
        "_limits",
        "_lost",
        "_on_end",
        "_on_message",
        "_peer",
        "_pinged_at",
        "_pool",
        "_postponed",
        "_proxies",
        "_rates",
        "_read_at",
        "_reading",
        "_resume_timer",
        "_round_trips",
        "_scheduler",
        "_send_buffer",
        "_send_buffers",
        "_timer",
        "_transport",
        "address",
        "ended",
        "followed",
        "number",
        "player",
        "received",
        "refused",
        "sent",
        "websocket",
        "worker",
    )

    def __init__(
        self,
        clock: Clock,
        scheduler: LoopScheduler,
        connection_limits: ConnectionLimits,
        send_buffers: SendBuffers,
        rates: ReceiveRates,
        limiter: Limiter,
        on_message: Callable[[Connection, bytes | None, float], Awaitable[None] | None],
        on_end: Callable[[Connection], Coroutine[Any, Any, None] | None],
        access: Access = DEFAULT_ACCESS,
    ) -> None:
        self._limits = limiter.limits
        self._exceeded = limiter.exceeded
        self.player: Player | None = None
        self.followed: set[str] = set()
        self.address = UNKNOWN_ADDRESS
        self.number = next(_CONNECTION_NUMBERS)
        self.refused = 0
        self.received = self.sent = 0
        self.ended = False
        self.worker: asyncio.Task[None] | None = None
        self._clock, self._scheduler = clock, scheduler
        self._connection_limits, self._send_buffers = connection_limits, send_buffers
        self._on_message, self._on_end = on_message, on_end
        self.websocket = WebSocket(limiter, access.origins, own_origin=access.pages is not None)
        self._peer, self._proxies = "", access.proxies
        self._answering = False  # a page request is being answered, so reading pauses
        self._pool: PendingConnections | None = None  # counts this connection until its hello
        self._transport: asyncio.Transport
        self._send_buffer: SendBuffer
        self._timer: asyncio.TimerHandle | None = None
        self._buffer = bytearray(READ_BYTES)
        self._rates = rates
        self._resume_timer: asyncio.TimerHandle | None = None  # until reading resumes
        self._postponed = b""  # received, to be parsed in a later iteration
        self._reading = True
        self._active_since_ping = True  # data was received since the last ping
        self._inbox: deque[tuple[bytes | None, float]] = deque()  # with the time of reading
        self._read_at = 0.0  # the time of the last read, or of the first postponed one
        self._pinged_at: float | None = None  # the time of a ping without a pong
        self._round_trips: deque[float] = deque(maxlen=ROUND_TRIPS_KEPT)
        self._handling: tuple[bytes | None, float] | None = None  # the message being handled
        self._closing = False
        self._half_closed = False  # the client has ended its stream, and may wait for answers
        self._lost = self._cleaned_up = False

    @property
    def open(self) -> bool:
        """Whether messages can be sent: the handshake is done, and no close frame was sent."""
        return self.websocket.protocol.state is State.OPEN and not self._transport.is_closing()

    @property
    def stage(self) -> Stage:
        """The current stage of the connection."""
        if self.websocket.connecting:
            return Stage.HANDSHAKE
        if not self.open:
            return Stage.CLOSING
        return Stage.HELLO if self.player is None else Stage.PLAYER

    def push(self, *messages: bytes) -> None:
        """Send messages if the connection is open. Cut off a client that reads too slowly."""
        if self.open:
            self.sent += len(messages)
            self._send_buffer.write(b"".join(map(encode_frame, messages)))

    def push_encoded(self, encoded: Sequence[bytes]) -> None:
        """Send the frames `encoded` if the connection is open."""
        if self.open:
            self.sent += len(encoded)
            self._send_buffer.write(b"".join(encoded))

    encode = staticmethod(encode_frame)

    def end(self, code: CloseCode, reason: str) -> None:
        """Send a close frame after the pushed messages. Drop messages that are not handled yet."""
        self.ended = True
        self._inbox.clear()
        if self.open:
            self.websocket.close(code, reason)
            self._send_output()
        elif self._timer is not None and not self._closing:  # there is a transport
            self._transport.abort()

    @property
    def dialect(self) -> Dialect:
        """What the client understands. Known after the handshake."""
        return DIALECTS[cast("str", self.websocket.protocol.subprotocol)]

    def list_unhandled(self) -> list[tuple[bytes | None, float]]:
        """Return the messages that are not handled yet, each with the seconds since it was read.

        None stands for a text message, and for data that is not parsed yet. If the client reads its
        answers too slowly, its waiting messages are left out.
        """
        found = [] if self._handling is None else [self._handling]
        if not self._send_buffer.full:
            found += self._inbox
            if self._postponed:
                found.append((None, self._read_at))
        now = self._clock.now()
        return [(message, now - at) for message, at in found]

    @property
    def round_trip(self) -> float:
        """The shortest of the newest ROUND_TRIPS_KEPT round trips of pings, in seconds.

        It is 0 before the first pong.
        """
        return min(self._round_trips, default=0.0)

    def measure_round_trip(self) -> None:
        """Send a ping. Its pong ends the measurement of a round trip."""
        if self.open and self._pinged_at is None:
            self._pinged_at = self._clock.now()
            self.websocket.protocol.send_ping(b"")
            self._send_output()

    def charge_read(self) -> None:
        """Charge one frame to the rate limit, because TLS data arrived without a message."""
        self._charge_rates(1, 0)

    def evict(self, limit: str) -> None:
        """Refuse the client, which has sent no hello, because the limit `limit` is exceeded."""
        self._pool = None
        self.push(self._connection_limits.make_refusal(limit))
        self.end(CloseCode.TRY_AGAIN_LATER, f"no hello in time; {_RETRY_REASON}")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the handshake timeout, or abort the connection if it exceeds a limit."""
        self._transport = cast("asyncio.Transport", transport)
        if name := transport.get_extra_info("peername"):
            self._peer = str(name[0])
            self.address = find_client_address(self._peer, (), self._proxies)
        self._send_buffer = SendBuffer(self._send_buffers, self._transport, self.number)
        if self._connection_limits.add(self.address):
            self._start_timeout(self._limits.handshake_seconds, self._on_handshake_timeout)
            self._change_pool(self._connection_limits.pending)
        else:
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - the size is fixed
        """Return the buffer into which the transport reads."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Process the received data, now or in a later iteration of the event loop."""
        data = bytes(memoryview(self._buffer)[:nbytes])
        if self._postponed:
            self._postponed += data
            self._update_flow_control()
            return
        self._read_at = self._clock.now()
        if self._pool is not None:
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
        if self._half_closed:
            return True
        self._process_postponed()
        self._send_buffer.flush()
        self._start_close_timeout()
        awaited = self._answering or (self.open and (self._inbox or self.worker))
        self._half_closed = bool(awaited)
        return self._half_closed

    def pause_writing(self) -> None:
        """Buffer data from now on. While the buffer is full, the client's requests wait."""
        self._send_buffer.pause()
        self._update_flow_control()

    def resume_writing(self) -> None:
        """Send the buffered data: the client has read most of the earlier data."""
        self._send_buffer.resume()
        self._update_flow_control()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the log has the code
        """Drop received messages, and release resources when the scheduler has time."""
        self._lost = True
        self._inbox.clear()
        self._scheduler.run_or_postpone_pending(self._cleanup)  # a crowd may be lost at once

    def _cleanup(self) -> None:
        """Release the timers, buffers and WebSocket of a lost connection.

        While a request is running, `ConnectionLimits` still counts the connection.
        """
        self._cleaned_up = True
        self._change_pool(None)
        self._send_buffer.close()
        self._connection_limits.record_close()
        if self._resume_timer is not None:
            self._resume_timer.cancel()
        if self._timer is not None:
            self._timer.cancel()
        if not self.websocket.connecting:
            self._log_end()
        self.websocket.break_cycles()
        if self.worker is None and (work := self._uncount_and_call_on_end()):
            self.worker = asyncio.get_running_loop().create_task(work)

    def _log_end(self) -> None:
        if code := self.websocket.violation_code:
            how = f"closed by the server with {code}"
        elif code := self.websocket.close_code:
            how = f"closed with {code}"
        else:
            how = "lost"
        level = logging.INFO if self.player or self.refused else logging.DEBUG  # not for strangers
        with_context(_LOG, connection=self.number).log(
            level, "%s, %d frames refused", how, self.refused
        )

    def _process_postponed(self) -> None:
        data, self._postponed = self._postponed, b""
        if data and not self._lost:
            self._process_data(data)

    def _process_data(self, data: bytes) -> None:
        self._active_since_ping = True
        try:
            messages, frames, size = self.websocket.receive(data)
        except BadHandshake:
            self._transport.abort()
            return
        if size:
            if (request := self.websocket.request) is not None:
                self._receive_request(request)
            self._send_output()
        if self.websocket.has_pong:
            self.websocket.has_pong = False
            if self._pinged_at is not None:
                # A read that was postponed before the ping has the pong too.
                self._round_trips.append(max(0.0, self._read_at - self._pinged_at))
                self._pinged_at = None
        if not self.ended:
            self._inbox += [(message, self._read_at) for message in messages]
        self.received += frames
        self._charge_rates(frames, size)

    def _charge_rates(self, frames: int, size: int) -> None:
        """Charge frames and bytes to the rate limits. Pause reading while a limit is exceeded.

        `size` is the total size of the frames in bytes.
        """
        wait = self._rates.reserve(self.number, frames, size)
        if wait > 0:
            if self._resume_timer is not None:
                self._resume_timer.cancel()
            self._resume_timer = self._clock.call_later(wait, self._resume_reading)
        self._update_flow_control()

    def _resume_reading(self) -> None:
        self._resume_timer = None
        self._update_flow_control()

    def _receive_request(self, request: Request) -> None:
        """Answer an HTTP request, if limits admit the client."""
        proxied = self.address == PROXY_ADDRESS
        if proxied and not self._use_forwarded_address(request):
            self._transport.abort()
        else:
            self._answer_request(request, proxied=proxied)

    def _answer_request(self, request: Request, *, proxied: bool) -> None:  # noqa: ARG002
        """Answer a WebSocket handshake or a health check. A proxy has sent it if `proxied`."""
        limits = self._connection_limits
        if not limits.admits_handshake(self.address, proxied=proxied):
            self._transport.abort()
            return
        self.websocket.answer_handshake(draining=limits.draining)
        if self.open:
            self._send_output()
            with_context(_LOG, connection=self.number).debug("open")
            self._start_timeout(self._limits.hello_seconds, self._on_hello_timeout)
            if refusal := limits.find_refusal(self.address):
                self.push(refusal)  # a script in a browser cannot read an HTTP status
                self.end(CloseCode.TRY_AGAIN_LATER, f"too many connections; {_RETRY_REASON}")

    def _use_forwarded_address(self, request: Request) -> bool:
        """Count the connection for the client that the proxy names.

        Return whether limits admit the connection.
        """
        forwarded = request.headers.get_all("X-Forwarded-For")
        return self._change_address(find_client_address(self._peer, forwarded, self._proxies))

    def _change_address(self, address: str) -> bool:
        """Count the connection for another address. Return whether limits admit it."""
        pool, old = self._pool, self.address
        self._change_pool(None)  # which counts it under the old address
        self.address = address
        admitted = self._connection_limits.change_address(old, address)
        if admitted:
            self._change_pool(pool)
        return admitted

    def _change_pool(self, pool: PendingConnections | None) -> None:
        """Count the connection in `pool`, as the newest one, and no longer in its earlier pool."""
        if self._pool is not None:
            self._pool.remove(self)
        self._pool = pool
        if pool is not None:
            pool.add(self)

    def _send_output(self) -> None:
        """Send the output of the WebSocket, and end the sent stream after the last output."""
        protocol = self.websocket.protocol
        for data in protocol.data_to_send():
            if self._transport.is_closing():
                return
            if data:
                self._send_buffer.write(data)
                continue
            self._send_buffer.flush()
            if protocol.state is State.CONNECTING:
                self._transport.close()
            else:
                with suppress(OSError):  # reset by the client; connection_lost will follow
                    self._transport.write_eof()
        if protocol.state is State.CLOSING:
            self._start_close_timeout()

    def _start_close_timeout(self) -> None:
        if not self._closing:
            self._closing = True
            self._start_timeout(CLOSE_SECONDS, self._transport.abort)

    def _update_flow_control(self) -> None:
        """Pause reading while a buffer is full or a limit is exceeded. Otherwise resume reading.

        Start the worker if messages are waiting.
        """
        reading = not (
            self._send_buffer.full
            or self._resume_timer is not None
            or len(self._inbox) >= RECEIVE_QUEUE_MESSAGES
            or len(self._postponed) > READ_BYTES
            or self._answering
        )
        if reading is not self._reading and not self._half_closed:
            self._reading = reading
            if reading:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()
        if self._inbox and self.worker is None and not self._send_buffer.full:
            self.worker = asyncio.get_running_loop().create_task(self._handle_messages())

    async def _handle_messages(self, first: Awaitable[None] | None = None) -> None:
        """Await `first`, then handle the received messages, one after the other.

        Afterwards call `on_end` if the connection was lost meanwhile.
        """
        try:
            if first is not None:
                await first
            while self._inbox and not self._send_buffer.full:
                self._handling = message, at = self._inbox.popleft()
                if work := self._on_message(self, message, at):
                    await work
                self._handling = None
                if self._pool is not None and self.player is not None:
                    self._change_pool(None)
                if not self._reading:
                    self._update_flow_control()
                if self._inbox:  # the scheduler had time for the first message
                    await self._scheduler.wait_for_time(self.address)
        except Exception:  # otherwise the connection would stay open without a worker
            with_context(_LOG, connection=self.number).exception(
                "closed: handling a message failed"
            )
            self.end(CloseCode.INTERNAL_ERROR, "internal error")
        if self._cleaned_up and (work := self._uncount_and_call_on_end()):
            await work
        self.worker = None
        if self._half_closed and not self._inbox and not self._lost:
            self._send_buffer.flush()
            self._transport.close()

    def _uncount_and_call_on_end(self) -> Coroutine[Any, Any, None] | None:
        """Stop counting the connection, call `on_end`, and return its coroutine or None."""
        self._connection_limits.stop_counting(self.address)
        return self._on_end(self)

    def _on_handshake_timeout(self) -> None:
        self._scheduler.run_or_postpone_pending(
            self._abort_handshake
        )  # a crowd may time out at once

    def _abort_handshake(self) -> None:
        if self.websocket.connecting and not self._lost:
            self._exceeded["handshake_seconds"] += 1
            self._transport.abort()

    def _on_hello_timeout(self) -> None:
        if self.player is None:
            self._scheduler.run_or_postpone_pending(self._close_without_hello)
        else:
            self._ping_or_fail()

    def _close_without_hello(self) -> None:
        if not self.open:
            return
        if self.player is None:
            self._exceeded["hello_seconds"] += 1
            self.end(CloseCode.POLICY_VIOLATION, "no hello")
        else:  # hello arrived while this was queued
            self._ping_or_fail()

    def _ping_or_fail(self) -> None:
        """Send a ping, or fail the connection if nothing was received since the last ping.

        While reading is paused, the client counts as alive, unless its send buffer is full.
        """
        if self._active_since_ping or not (self._reading or self._send_buffer.full):
            self._active_since_ping = False
            self.measure_round_trip()
            self._start_timeout(self._limits.ping_seconds, self._ping_or_fail)
        else:
            self._exceeded["ping_seconds"] += 1
            self.websocket.fail(CloseCode.INTERNAL_ERROR, "no pong in time")
        self._send_output()

    def _start_timeout(self, seconds: float, callback: Callable[[], object]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.call_later(seconds, callback)
