"""One client's connection: a WebSocket on a transport of the event loop.

Receiving and sending a frame takes no task, queue or lock. The bytes that are read at once and the
messages that are read ahead are bounded. A client that does not read gets no further answers.
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

from mastermind_server import tuning
from mastermind_server.framing import pack
from mastermind_server.logs import about
from mastermind_server.network.addresses import NOWHERE, PROXY, find_client
from mastermind_server.network.sockets.access import PLAIN
from mastermind_server.network.sockets.send_buffers import SendBuffer, SendBuffers
from mastermind_server.network.sockets.websocket import BadHandshake, WebSocket

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from mastermind_protocol.events import Player
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.network.rate_limits import InboundRates
    from mastermind_server.network.sockets.access import Access
    from mastermind_server.network.sockets.connection_limits import ConnectionLimits
    from mastermind_server.network.sockets.scheduler import LoopScheduler

_LOG = logging.getLogger(__name__)
_NUMBERS = itertools.count(1)
_RETRY = f"retry_after={tuning.REFUSED_SECONDS:.3f}"


class Stage(StrEnum):
    """The stage of a connection: what it waits for, or that it belongs to a player."""

    HANDSHAKE = "handshake"
    HELLO = "hello"
    PLAYER = "player"
    CLOSING = "closing"


class Connection(asyncio.BufferedProtocol):
    """A Peer of the game. Its messages are received one after the other.

    `receive` gets each message, or None for a text message, and returns an awaitable if the next
    message must wait for it. `forget` is called after the connection has ended and its requests are
    done; it may return an awaitable too. The task `worker` awaits both. `taken` and `sent` count
    frames. After `end` further messages are ignored, and `ended` is True. One timer limits the next
    step of the client: the handshake, the hello, a pong, or the close frame.
    """

    def __init__(
        self,
        clock: Clock,
        scheduler: LoopScheduler,
        connection_limits: ConnectionLimits,
        send_buffers: SendBuffers,
        rates: InboundRates,
        limiter: Limiter,
        receive: Callable[[Connection, bytes | None], Awaitable[None] | None],
        forget: Callable[[Connection], Coroutine[Any, Any, None] | None],
        access: Access = PLAIN,
    ) -> None:
        self._limits = limiter.limits
        self._met = limiter.met
        self.player: Player | None = None
        self.followed: set[str] = set()
        self.address = NOWHERE
        self.number = next(_NUMBERS)
        self.refused = 0  # messages
        self.taken = self.sent = 0
        self.ended = False
        self.worker: asyncio.Task[None] | None = None
        self._clock, self._scheduler = clock, scheduler
        self._connection_limits, self._send_buffers = connection_limits, send_buffers
        self._receive, self._forget = receive, forget
        self.websocket = WebSocket(limiter, access.origins)
        self._peer, self._proxies = "", access.proxies  # the peer may be a proxy
        self._pending = False  # before hello
        self._transport: asyncio.Transport
        self._send_buffer: SendBuffer
        self._timer: asyncio.TimerHandle | None = None
        self._buffer = bytearray(tuning.READ_BYTES)
        self._rates = rates
        self._paused: asyncio.TimerHandle | None = None  # reading resumes then
        self._postponed = b""  # data that waits for a later iteration
        self._reading = True
        self._alive = True  # data was received since the last ping
        self._inbox: deque[bytes | None] = deque()
        self._closing = False
        self._half_closed = False  # the client sends nothing more, and may wait for answers
        self._lost = self._cleaned_up = False

    @property
    def open(self) -> bool:
        """Whether messages can be sent: after the handshake, and before either side closes."""
        return self.websocket.protocol.state is State.OPEN and not self._transport.is_closing()

    @property
    def stage(self) -> Stage:
        """The current stage."""
        if self.websocket.connecting:
            return Stage.HANDSHAKE
        if not self.open:
            return Stage.CLOSING
        return Stage.HELLO if self.player is None else Stage.PLAYER

    def push(self, *messages: bytes) -> None:
        """Send messages if the connection is open. A client that reads too slowly is cut off."""
        if self.open:
            self.sent += len(messages)
            self._send_buffer.write(b"".join(map(pack, messages)))

    def push_frames(self, frames: bytes, count: int) -> None:
        """Do the same with `count` messages that have their headers."""
        if self.open:
            self.sent += count
            self._send_buffer.write(frames)

    def end(self, code: CloseCode, reason: str) -> None:
        """Close the connection after the messages that were pushed; ignore received messages."""
        self.ended = True
        self._inbox.clear()
        if self.open:
            self.websocket.close(code, reason)
            self._flush()
        elif self._timer is not None and not self._closing:  # there is a transport
            self._transport.abort()

    def charge(self) -> None:
        """Count a read of the socket that has not completed a TLS record as one frame."""
        self._charge(1, 0)

    def evict(self, limit: str) -> None:
        """Close the connection: it is the oldest one without a hello, and there are too many."""
        self._pending = False
        self.push(self._connection_limits.describe(limit))
        self.end(CloseCode.TRY_AGAIN_LATER, f"no hello in time; {_RETRY}")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for a handshake, or abort the connection above a limit."""
        self._transport = cast("asyncio.Transport", transport)
        if name := transport.get_extra_info("peername"):
            self._peer = str(name[0])
            self.address = find_client(self._peer, (), self._proxies)
        self._send_buffer = SendBuffer(self._send_buffers, self._transport, self.number)
        if self._connection_limits.add(self.address):
            self._start_timeout(self._limits.handshake_seconds, self._expect_handshake)
            self._add_pending()
        else:
            self._transport.abort()

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - the size is fixed
        """Return the buffer to read into."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Process the data that was read, now or in a later iteration of the loop."""
        data = bytes(memoryview(self._buffer)[:nbytes])
        if self._postponed:
            self._postponed += data
            self._regulate()
            return
        if self._pending:
            postponed = self._scheduler.postpone_pending(self._process_postponed)
        else:
            postponed = self._scheduler.postpone(self.address, self._process_postponed)
        if postponed:
            self._postponed = data
        else:
            self._process(data)

    def eof_received(self) -> bool:
        """Process the remaining data; return whether the transport stays open for answers.

        A client that does not read them is cut off as after a close frame.
        """
        if self._half_closed:
            return True
        self._process_postponed()
        self._send_buffer.flush()
        self._close_soon()
        self._half_closed = self.open and (bool(self._inbox) or self.worker is not None)
        return self._half_closed

    def pause_writing(self) -> None:
        """Buffer further data. Above a limit, the client's requests wait."""
        self._send_buffer.pause()
        self._regulate()

    def resume_writing(self) -> None:
        """Continue: the client has read most of the data."""
        self._send_buffer.resume()
        self._regulate()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the log has the code
        """Drop received messages; clean up when the scheduler has time."""
        self._lost = True
        self._inbox.clear()
        self._scheduler.run_pending(self._cleanup)  # a proxy may lose a crowd at once

    def _cleanup(self) -> None:
        """Release all resources. `forget` is called after the request in progress."""
        self._cleaned_up = True
        self._remove_pending()
        self._send_buffer.close()
        self._connection_limits.close()
        if self._paused is not None:
            self._paused.cancel()
        if self._timer is not None:
            self._timer.cancel()
        if not self.websocket.connecting:
            self._log_end()
        self.websocket.free()
        if self.worker is None and (work := self._release()):
            self.worker = asyncio.get_running_loop().create_task(work)

    def _log_end(self) -> None:
        if code := self.websocket.violation:
            how = f"closed by the server with {code}"
        elif code := self.websocket.close_code:
            how = f"closed with {code}"
        else:
            how = "lost"
        level = logging.INFO if self.player or self.refused else logging.DEBUG  # or a stranger
        about(_LOG, connection=self.number).log(level, "%s, %d frames refused", how, self.refused)

    def _process_postponed(self) -> None:
        data, self._postponed = self._postponed, b""
        if data and not self._lost:
            self._process(data)

    def _process(self, data: bytes) -> None:
        self._alive = True
        try:
            messages, frames, size = self.websocket.receive(data)
        except BadHandshake:
            self._transport.abort()
            return
        if size:
            if self.websocket.request is not None:
                self._answer_handshake()
            self._flush()
        if not self.ended:
            self._inbox += messages
        self.taken += frames
        self._charge(frames, size)

    def _charge(self, frames: int, size: int) -> None:
        """Count received frames and bytes; pause reading while they exceed a rate."""
        wait = self._rates.reserve(self.number, frames, size)
        if wait > 0:
            if self._paused is not None:
                self._paused.cancel()
            self._paused = self._clock.call_later(wait, self._resume)
        self._regulate()

    def _resume(self) -> None:
        self._paused = None
        self._regulate()

    def _answer_handshake(self) -> None:
        if self.address == PROXY and not self._move_from_proxy():
            self._transport.abort()
            return
        self.websocket.answer(draining=self._connection_limits.draining)
        if self.open:
            self._flush()
            about(_LOG, connection=self.number).debug("open")
            self._start_timeout(self._limits.hello_seconds, self._expect_hello)
            if refusal := self._connection_limits.refuse(self.address):
                self.push(refusal)  # scripts of a web page cannot read an HTTP status
                self.end(CloseCode.TRY_AGAIN_LATER, f"too many connections; {_RETRY}")

    def _move_from_proxy(self) -> bool:
        """Count the connection for the client that the proxy names; return whether to keep it."""
        self._remove_pending()  # under the old address
        request = self.websocket.request
        forwarded = request.headers.get_all("X-Forwarded-For") if request else ()
        self.address = find_client(self._peer, forwarded, self._proxies)
        if admitted := self._connection_limits.move_from_proxy(self.address):
            self._add_pending()
        return admitted

    def _add_pending(self) -> None:
        self._pending = True
        self._connection_limits.pending.add(self)

    def _remove_pending(self) -> None:
        self._pending = False
        self._connection_limits.pending.remove(self)

    def _flush(self) -> None:
        """Send the output of the WebSocket. Empty output marks the end of the stream."""
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
            self._close_soon()

    def _close_soon(self) -> None:
        if not self._closing:
            self._closing = True
            self._start_timeout(tuning.CLOSE_SECONDS, self._transport.abort)

    def _regulate(self) -> None:
        """Pause or resume reading by rates and queues, and start the worker if there is work."""
        reading = not (
            self._send_buffer.full
            or self._paused is not None
            or len(self._inbox) >= tuning.RECEIVE_QUEUE
            or len(self._postponed) > tuning.READ_BYTES
        )
        if reading is not self._reading and not self._half_closed:
            self._reading = reading
            if reading:
                self._transport.resume_reading()
            else:
                self._transport.pause_reading()
        if self._inbox and self.worker is None and not self._send_buffer.full:
            self.worker = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Handle the received messages, one after the other."""
        try:
            while self._inbox and not self._send_buffer.full:
                if work := self._receive(self, self._inbox.popleft()):
                    await work
                if self._pending and self.player is not None:
                    self._remove_pending()
                if not self._reading:
                    self._regulate()
                if self._inbox:  # the scheduler had time for the first one when it was read
                    await self._scheduler.wait(self.address)
        except Exception:  # a connection without a worker would never be served again
            about(_LOG, connection=self.number).exception("closed: handling a message failed")
            self.end(CloseCode.INTERNAL_ERROR, "a fault of the server's")
        if self._cleaned_up and (work := self._release()):
            await work
        self.worker = None
        if self._half_closed and not self._inbox and not self._lost:
            self._send_buffer.flush()
            self._transport.close()

    def _release(self) -> Coroutine[Any, Any, None] | None:
        """Stop counting the connection. It counts as long as its requests are in progress.

        Strangers need no coroutine, because a crowd of them may disconnect at once.
        """
        self._connection_limits.release(self.address)
        return self._forget(self)

    def _expect_handshake(self) -> None:
        self._scheduler.run_pending(self._abort_handshake)  # a crowd may time out at once

    def _abort_handshake(self) -> None:
        if self.websocket.connecting and not self._lost:
            self._met["handshake_seconds"] += 1
            self._transport.abort()

    def _expect_hello(self) -> None:
        if self.player is None:
            self._scheduler.run_pending(self._close_without_hello)
        else:
            self._expect_pong()

    def _close_without_hello(self) -> None:
        if not self.open:
            return
        if self.player is None:
            self._met["hello_seconds"] += 1
            self.end(CloseCode.POLICY_VIOLATION, "no hello")
        else:  # hello arrived while this was queued
            self._expect_pong()

    def _expect_pong(self) -> None:
        """Send a ping; fail the connection if nothing was received since the last one.

        While the server does not read, the client is alive, unless it does not read either.
        """
        if self._alive or not (self._reading or self._send_buffer.full):
            self._alive = False
            self.websocket.protocol.send_ping(b"")
            self._start_timeout(self._limits.ping_seconds, self._expect_pong)
        else:
            self._met["ping_seconds"] += 1
            self.websocket.fail(CloseCode.INTERNAL_ERROR, "no pong in time")
        self._flush()

    def _start_timeout(self, seconds: float, callback: Callable[[], object]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.call_later(seconds, callback)
