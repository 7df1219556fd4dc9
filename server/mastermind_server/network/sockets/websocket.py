"""The server side of one WebSocket and its HTTP handshake, without I/O."""

from __future__ import annotations

from http import HTTPStatus
from math import ceil
from typing import TYPE_CHECKING, cast

from websockets.exceptions import InvalidMessage
from websockets.frames import CloseCode, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Origin, Subprotocol

from mastermind_protocol.dialects import DIALECTS
from mastermind_server.monitoring.overload import RESTART_RETRY_SECONDS
from mastermind_server.network.sockets.frames import MessageAssembler, unpack_messages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from websockets.frames import Frame
    from websockets.http11 import Request, Response
    from websockets.protocol import Event

    from mastermind_server.limits import Limiter

TLS_HANDSHAKE_BYTE = 0x16  # first byte of a TLS ClientHello; no HTTP method begins with it


class BadHandshake(Exception):
    """The client sent data before the answer to its handshake. The connection is aborted."""


class WebSocket:
    """Parses the data that a client sends, and collects the data to send in `protocol`.

    `request` is the handshake request that waits for `answer_handshake`, or None. `violation_code`
    is the close code that the server sent because the client broke RFC 6455 or exceeded the limit
    `frame_bytes`, or None. `has_pong`: the last received data contained a pong.

    A browser sends the header Origin. It must be one of `origins` or, with `own_origin`, have the
    host of the requested URL.
    """

    __slots__ = (
        "_assembler",
        "_between_messages",
        "_handshake_bytes",
        "_limiter",
        "_origins",
        "_own_origin",
        "has_pong",
        "protocol",
        "request",
        "violation_code",
    )

    def __init__(self, limiter: Limiter, origins: Sequence[str], *, own_origin: bool) -> None:
        self._limiter, self._origins, self._own_origin = limiter, origins, own_origin
        self.protocol = self._make_protocol()
        self.request: Request | None = None
        self.violation_code: int | None = None
        self.has_pong = False
        self._handshake_bytes = 0
        self._between_messages = False
        self._assembler = MessageAssembler()

    def _make_protocol(self) -> ServerProtocol:
        return ServerProtocol(
            # clients other than browsers send no origin
            origins=[None, *map(Origin, self._origins)],
            subprotocols=list(map(Subprotocol, DIALECTS)),
            max_size=self._limiter.limits.frame_bytes,
        )

    @property
    def connecting(self) -> bool:
        """Whether the handshake is incomplete or was rejected."""
        return self.protocol.state is State.CONNECTING

    @property
    def close_code(self) -> int | None:
        """The close code that the client has sent, if any."""
        received = self.protocol.close_rcvd
        return received.code if received else None

    def receive(self, data: bytes) -> tuple[list[bytes | None], int, int]:
        """Return the messages that `data` completes, the number of frames, and the bytes to charge.

        A text message is returned as None. Short messages of one frame, which `unpack_messages`
        reads, are charged as 0 bytes, because the rate limit on frames suffices for them. Data
        without a complete frame counts as one frame. Raises BadHandshake.
        """
        messages, frames = list[bytes | None](), 0
        if self._between_messages:
            messages, data = unpack_messages(data)
            frames = len(messages)
        if data:
            frames = max(1, frames + self._parse_frames(data, messages))
        return messages, frames, len(data)

    def answer_handshake(self, *, draining: bool) -> None:
        """Accept or reject the handshake `request`. A draining node rejects it."""
        request, self.request = cast("Request", self.request), None
        response = self._make_response(request, draining=draining)
        if request.method == "HEAD":
            response.body = b""
        self.protocol.send_response(response)

    def answer_page(self, response: Response, *, keep: bool) -> None:
        """Answer the page request `request` with `response`. Expect another request if `keep`."""
        self.request = None
        if not keep:
            self.protocol.send_response(response)
            return
        self.break_cycles()
        self.protocol, self._handshake_bytes = self._make_protocol(), 0
        self.protocol.writes.append(response.serialize())

    def close(self, code: CloseCode, reason: str) -> None:
        """Send a close frame. `receive` still returns later messages of the client."""
        self._between_messages = False
        self.protocol.send_close(code, reason)

    def fail(self, code: CloseCode, reason: str) -> None:
        """Send a close frame, and end the stream without waiting for the client's close frame."""
        self._between_messages = False
        self.protocol.fail(code, reason)

    def break_cycles(self) -> None:
        """Break the reference cycles between protocol, parser and tracebacks of parsing errors.

        The cycles hold about 22 KB, and the garbage collector runs rarely.
        """
        protocol = self.protocol
        protocol.parser.close()
        errors: tuple[BaseException | None, ...] = (protocol.parser_exc, protocol.handshake_exc)
        for error in errors:
            while error is not None:
                error.__traceback__ = None
                error = error.__cause__ or error.__context__

    def _parse_frames(self, data: bytes, messages: list[bytes | None]) -> int:
        """Append the messages that `data` completes to `messages`; return the number of frames.

        A text message is appended as None.
        """
        protocol = self.protocol
        state, answered = protocol.state, protocol.eof_sent
        protocol.receive_data(data)
        events = protocol.events_received()
        if state is State.CONNECTING:
            if not answered:
                self._read_handshake(events, data)
            return len(events)
        self.has_pong = any(cast("Frame", each).opcode is Opcode.PONG for each in events)
        messages += self._assembler.add(cast("list[Frame]", events), len(data))
        if state is State.OPEN and protocol.parser_exc is not None and protocol.close_sent:
            self.violation_code = protocol.close_sent.code
            if self.violation_code == CloseCode.MESSAGE_TOO_BIG:
                self._limiter.exceeded["frame_bytes"] += 1
        self._between_messages = not (
            self._assembler.unfinished  # for example, part of a frame arrived with the handshake
            or protocol.state is not State.OPEN
            or protocol.current_size is not None
        )
        return len(events)

    def _read_handshake(self, events: list[Event], data: bytes) -> None:
        """Set `request` if the handshake is complete and valid. Reject an invalid handshake."""
        protocol, limit = self.protocol, self._limiter.limits.handshake_bytes
        begins = not self._handshake_bytes
        self._handshake_bytes += len(data)
        if begins and data[0] == TLS_HANDSHAKE_BYTE and protocol.handshake_exc is None:
            # TLS clients recognise an answer in plain HTTP, and can report the mistake.
            protocol.send_response(protocol.reject(HTTPStatus.BAD_REQUEST, "no TLS on this port\n"))
            return
        if events and (len(events) > 1 or protocol.eof_sent):  # data before the answer
            raise BadHandshake
        error = protocol.handshake_exc
        if isinstance(error, InvalidMessage):
            response = protocol.reject(HTTPStatus.BAD_REQUEST, f"{error}\n")
            protocol.writes.insert(0, response.serialize())  # before the end of the stream
        elif error is not None:  # a line too long, or too many lines: websockets answered
            self._limiter.exceeded["handshake_bytes"] += 1
        elif self._handshake_bytes > limit:
            self._limiter.exceeded["handshake_bytes"] += 1
            text = f"a handshake has at most {limit} bytes\n"
            response = protocol.reject(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text)
            protocol.send_response(response)
        elif events:
            self.request = cast("Request", events[0])

    def _make_response(self, request: Request, *, draining: bool) -> Response:
        protocol = self.protocol
        if request.path.partition("?")[0] == "/healthz" and request.method in ("GET", "HEAD"):
            return protocol.reject(HTTPStatus.OK, "ok\n")
        if draining:
            response = protocol.reject(HTTPStatus.SERVICE_UNAVAILABLE, "restarting\n")
            response.headers["Retry-After"] = str(ceil(RESTART_RETRY_SECONDS))
            return response
        if self._own_origin and _has_own_origin(request):
            protocol.origins = None
        response = protocol.accept(request)
        accepted = response.status_code == HTTPStatus.SWITCHING_PROTOCOLS
        if accepted and len(request.headers.get_all("Host")) != 1:
            return protocol.reject(HTTPStatus.BAD_REQUEST, "a handshake has one Host header\n")
        if response.status_code == HTTPStatus.BAD_REQUEST:
            response.headers["Sec-WebSocket-Version"] = "13"
        return response


def _has_own_origin(request: Request) -> bool:
    """Return whether the headers Origin and Host have the same host and port.

    The schemes are not compared, because the scheme is unknown behind a proxy.
    """
    origins = request.headers.get_all("Origin")
    hosts = [origin.partition("://")[2].lower() for origin in origins]
    return len(hosts) == 1 and hosts == [host.lower() for host in request.headers.get_all("Host")]
