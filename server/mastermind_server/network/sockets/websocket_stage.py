"""The second stage of a connection: a WebSocket, from its handshake to the end."""

from __future__ import annotations

import logging
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, cast

from websockets.frames import CloseCode, Opcode
from websockets.protocol import State

from mastermind_protocol.dialects import DIALECTS
from mastermind_server.monitoring.logs import with_context
from mastermind_server.network.sockets.connection_limits import REFUSED_RETRY_SECONDS
from mastermind_server.network.sockets.frames import MessageAssembler, unpack_messages

if TYPE_CHECKING:
    from websockets.frames import Frame
    from websockets.server import ServerProtocol

    from mastermind_server.network.sockets.connection import Connection
    from mastermind_server.network.sockets.connection_services import ConnectionServices

_LOG = logging.getLogger(__name__)
ROUND_TRIPS_KEPT = 8  # of pings: three minutes; the shortest has no delay in a queue
_RETRY_REASON = f"retry_after={REFUSED_RETRY_SECONDS:.3f}"


class WebSocketStage:
    """Reads the messages of a client, and limits the time until its hello, pong and close frame.

    `protocol` has accepted the handshake. `violation_code` is the close code that the server sent
    because the client broke RFC 6455 or exceeded the limit `frame_bytes`, or None.
    """

    __slots__ = (
        "_active_since_ping", "_assembler", "_between_messages", "_connection", "_limiter",
        "_pinged_at", "_round_trips", "_services", "protocol", "violation_code",
    )  # fmt: skip

    def __init__(
        self, connection: Connection, services: ConnectionServices, protocol: ServerProtocol
    ) -> None:
        self._connection, self._services, self._limiter = connection, services, services.limiter
        self.protocol = protocol
        self.violation_code: int | None = None
        self._between_messages = False
        self._assembler = MessageAssembler()
        self._active_since_ping = True  # data was received since the last ping
        self._pinged_at: float | None = None  # the time of a ping without a pong
        self._round_trips: deque[float] = deque(maxlen=ROUND_TRIPS_KEPT)

    def begin(self) -> None:
        """Wait for a hello, up to `hello_seconds`. Refuse the client if there are too many."""
        connection = self._connection
        connection.dialect = DIALECTS[cast("str", self.protocol.subprotocol)]
        with_context(_LOG, connection=connection.number).debug("open")
        connection.start_timeout(self._limiter.limits.hello_seconds, self._on_hello_timeout)
        if refusal := self._services.connection_limits.find_refusal(connection.address):
            connection.push(refusal)  # a script in a browser cannot read an HTTP status
            connection.end(CloseCode.TRY_AGAIN_LATER, f"too many connections; {_RETRY_REASON}")

    def receive(self, data: bytes, at: float) -> tuple[list[bytes | None], int, int]:
        """Return the messages that `data` completes, the number of frames, and the bytes to charge.

        `data` was read at the time `at`. A text message is returned as None. Short messages of one
        frame, which `unpack_messages` reads, are charged as 0 bytes, because the rate limit on
        frames suffices for them. Data without a complete frame counts as one frame.
        """
        self._active_since_ping = True
        messages, frames = list[bytes | None](), 0
        if self._between_messages:
            messages, data = unpack_messages(data)
            frames = len(messages)
        if data:
            frames = max(1, frames + self._parse_frames(data, at, messages))
            self._send_output()
        return messages, frames, len(data)

    def close(self, code: CloseCode, reason: str) -> None:
        """Send a close frame. `receive` still returns later messages of the client."""
        self._between_messages = False
        self.protocol.send_close(code, reason)
        self._send_output()

    def evict(self, limit: str) -> None:
        """Refuse the client, which has sent no hello, because the limit `limit` is exceeded."""
        self._connection.push(self._services.connection_limits.make_refusal(limit))
        self._connection.end(CloseCode.TRY_AGAIN_LATER, f"no hello in time; {_RETRY_REASON}")

    @property
    def round_trip(self) -> float:
        """The shortest of the newest ROUND_TRIPS_KEPT round trips of pings, in seconds.

        It is 0 before the first pong.
        """
        return min(self._round_trips, default=0.0)

    def measure_round_trip(self) -> None:
        """Send a ping, unless the pong of an earlier one is still missing."""
        if self._pinged_at is None:
            self._pinged_at = self._services.clock.now()
            self.protocol.send_ping(b"")
            self._send_output()

    def release(self) -> None:
        """Log how the connection ended, and break reference cycles."""
        connection, received = self._connection, self.protocol.close_rcvd
        how = f"closed with {received.code}" if received else "lost"
        if self.violation_code:
            how = f"closed by the server with {self.violation_code}"
        known = connection.player or connection.refused
        level = logging.INFO if known else logging.DEBUG  # not for strangers
        log = with_context(_LOG, connection=connection.number)
        log.log(level, "%s, %d messages refused", how, connection.refused)
        break_cycles(self.protocol)
        del self._connection

    def _parse_frames(self, data: bytes, at: float, messages: list[bytes | None]) -> int:
        """Append the messages that `data` completes to `messages`; return the number of frames.

        A text message is appended as None.
        """
        protocol = self.protocol
        state = protocol.state
        protocol.receive_data(data)
        frames = cast("list[Frame]", protocol.events_received())
        if self._pinged_at is not None and any(frame.opcode is Opcode.PONG for frame in frames):
            # A read that was postponed before the ping has the pong too.
            self._round_trips.append(max(0.0, at - self._pinged_at))
            self._pinged_at = None
        messages += self._assembler.add(frames, len(data))
        if state is State.OPEN and protocol.parser_exc is not None and protocol.close_sent:
            self.violation_code = protocol.close_sent.code
            if self.violation_code == CloseCode.MESSAGE_TOO_BIG:
                self._limiter.exceeded["frame_bytes"] += 1
        self._between_messages = not (
            self._assembler.unfinished  # for example, part of a frame arrived with the handshake
            or protocol.state is not State.OPEN
            or protocol.current_size is not None
        )
        return len(frames)

    def _send_output(self) -> None:
        self._connection.send_buffer.write_output(self.protocol)
        if self.protocol.state is State.CLOSING:
            self._connection.start_close_timeout()

    def _on_hello_timeout(self) -> None:
        if self._connection.player is None:
            close = partial(self._connection.run_unless_lost, self._close_without_hello)
            self._services.scheduler.run_or_postpone_pending(close)  # a crowd may time out at once
        else:
            self._ping_or_fail()

    def _close_without_hello(self) -> None:
        if not self._connection.open:
            return
        if self._connection.player is None:
            self._limiter.exceeded["hello_seconds"] += 1
            self._connection.end(CloseCode.POLICY_VIOLATION, "no hello")
        else:  # hello arrived while this was queued
            self._ping_or_fail()

    def _ping_or_fail(self) -> None:
        """Send a ping, or fail the connection if nothing was received since the last ping.

        While reading is paused, the client counts as alive, unless its send buffer is full.
        """
        connection = self._connection
        if self._active_since_ping or not (connection.reading or connection.send_buffer.full):
            self._active_since_ping = False
            connection.measure_round_trip()
            connection.start_timeout(self._limiter.limits.ping_seconds, self._ping_or_fail)
        else:
            self._limiter.exceeded["ping_seconds"] += 1
            self._between_messages = False
            self.protocol.fail(CloseCode.INTERNAL_ERROR, "no pong in time")
        self._send_output()


def break_cycles(protocol: ServerProtocol) -> None:
    """Break the reference cycles between protocol, parser and tracebacks of parsing errors.

    The cycles hold about 22 KB, and the garbage collector runs rarely.
    """
    protocol.parser.close()
    errors: tuple[BaseException | None, ...] = (protocol.parser_exc, protocol.handshake_exc)
    for error in errors:
        while error is not None:
            error.__traceback__ = None
            error = error.__cause__ or error.__context__
