"""The first stage of a connection: HTTP requests, until a WebSocket handshake is accepted."""

from __future__ import annotations

import asyncio
from functools import partial
from http import HTTPStatus
from math import ceil
from typing import TYPE_CHECKING, cast

from websockets.exceptions import InvalidMessage
from websockets.protocol import State
from websockets.server import ServerProtocol
from websockets.typing import Origin, Subprotocol

from mastermind_protocol.dialects import DIALECTS
from mastermind_server.monitoring.overload import RESTART_RETRY_SECONDS
from mastermind_server.network.addresses import PROXY_ADDRESS, find_client_address
from mastermind_server.network.sockets.websocket_stage import break_cycles
from mastermind_server.network.web.pages import (
    HOME_PREVIEW,
    PROBE_METHODS,
    PROBE_PATHS,
    find_match_code,
    get_path,
    is_file_request,
    is_kept_alive,
    is_page_request,
    is_probe,
)
from mastermind_server.network.web.targets import resolve_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from websockets.http11 import Request, Response
    from websockets.protocol import Event

    from mastermind_server.network.sockets.connection import Connection
    from mastermind_server.network.sockets.connection_services import ConnectionServices
    from mastermind_server.network.web.pages import Pages, Preview

TLS_HANDSHAKE_BYTE = 0x16  # first byte of a TLS ClientHello; no HTTP method begins with it


class HttpStage:
    """Answers WebSocket handshakes, health checks and, with `Access.pages`, page requests.

    An accepted handshake begins the stage of the WebSocket; any other answer ends the connection,
    except that of a page request. After a page the connection is idle: it waits up to
    `handshake_seconds` for another page request or a handshake. A browser that is still reading
    the page gets more time.

    A browser sends the header Origin. It must be one of `Access.origins` or, with pages, have the
    host of the requested URL.
    """

    __slots__ = ("_connection", "_limits", "_protocol", "_received", "_services", "_unsent")

    def __init__(self, connection: Connection, services: ConnectionServices) -> None:
        self._connection, self._services = connection, services
        self._limits = services.connection_limits
        self._protocol = self._make_protocol()
        self._received = 0  # bytes of the request
        self._unsent = 0  # bytes of a page, when the timeout was started

    def begin(self) -> None:
        """Wait for a request, or abort the connection if it exceeds a limit."""
        connection = self._connection
        connection.address = self._find_address(())
        if self._limits.add(connection.address):
            self._start_timeout()
            self._limits.change_pool(connection, self._limits.pending)
        else:
            connection.transport.abort()

    def receive(self, data: bytes, _at: float) -> tuple[list[bytes | None], int, int]:
        """Answer the request that `data` completes, if any.

        Return no messages, the number of frames to charge, and the number of bytes.
        """
        protocol = self._protocol
        answered = protocol.eof_sent
        protocol.receive_data(data)
        events = protocol.events_received()
        request = None if answered else self._read_request(events, data)
        if request is None:
            self._connection.send_buffer.write_output(self._protocol)
        else:
            self._admit_request(request)
        return [], 1, len(data)

    def evict(self, _limit: str) -> None:
        """Abort the connection. If it is idle, send the rest of its page first."""
        if self._idle:
            self._connection.transport.close()
        else:
            self._connection.transport.abort()

    def release(self) -> None:
        """Break reference cycles after the connection is lost."""
        break_cycles(self._protocol)
        del self._connection

    @property
    def _idle(self) -> bool:
        return self._connection.pool is self._limits.idle_pages

    def _find_address(self, forwarded: Sequence[str]) -> str:
        """Return the address of the client; `forwarded` has the values of X-Forwarded-For."""
        return find_client_address(self._peer, forwarded, self._services.access.proxies)

    @property
    def _peer(self) -> str:
        name = self._connection.transport.get_extra_info("peername")
        return str(name[0]) if name else ""

    def _make_protocol(self) -> ServerProtocol:
        return ServerProtocol(
            # clients other than browsers send no origin
            origins=[None, *map(Origin, self._services.access.origins)],
            subprotocols=list(map(Subprotocol, DIALECTS)),
            max_size=self._services.limiter.limits.frame_bytes,
        )

    def _read_request(self, events: list[Event], data: bytes) -> Request | None:
        """Return the request if it is complete and valid. Reject an invalid one."""
        protocol, limiter = self._protocol, self._services.limiter
        limit = limiter.limits.handshake_bytes
        begins = not self._received
        self._received += len(data)
        if begins and data[0] == TLS_HANDSHAKE_BYTE and protocol.handshake_exc is None:
            # TLS clients recognise an answer in plain HTTP, and can report the mistake.
            protocol.send_response(protocol.reject(HTTPStatus.BAD_REQUEST, "no TLS on this port\n"))
            return None
        if events and (len(events) > 1 or protocol.eof_sent):  # data before the answer
            self._connection.transport.abort()
            return None
        error = protocol.handshake_exc
        if isinstance(error, InvalidMessage):
            response = protocol.reject(HTTPStatus.BAD_REQUEST, f"{error}\n")
            protocol.writes.insert(0, response.serialize())  # before the end of the stream
        elif error is not None or self._received > limit:
            limiter.exceeded["handshake_bytes"] += 1
            if error is None:  # otherwise websockets answered: a line too long, or too many lines
                text = f"a handshake has at most {limit} bytes\n"
                response = protocol.reject(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text)
                protocol.send_response(response)
        elif events:
            return cast("Request", events[0])
        return None

    def _admit_request(self, request: Request) -> None:
        """Answer a request, if limits admit the client."""
        resolve_target(request)
        connection, limits = self._connection, self._limits
        proxied = connection.address == PROXY_ADDRESS
        forwarded = request.headers.get_all("X-Forwarded-For")
        if proxied and not limits.change_address(connection, self._find_address(forwarded)):
            connection.transport.abort()
            return
        if forwarded:
            proxies = self._services.unlisted_proxies
            proxies.record(connection.address, self._peer, forwarded)
        if self._services.access.pages is not None and is_page_request(request):
            connection.answering = True
            limits.change_pool(connection, None)
            answer = partial(self._answer_page, request, proxied=proxied)
            self._services.page_queue.run(
                connection.address,
                partial(connection.run_unless_lost, answer),
                page=not is_file_request(request),
            )
        else:
            if self._idle:
                limits.change_pool(connection, limits.pending)
            self._answer_handshake(request, proxied=proxied)

    def _answer_handshake(self, request: Request, *, proxied: bool) -> None:
        """Answer a WebSocket handshake or a health check. A proxy has sent it if `proxied`."""
        connection, protocol = self._connection, self._protocol
        if not self._limits.admits_handshake(connection.address, proxied=proxied):
            connection.transport.abort()
            return
        response = self._make_response(request)
        if request.method == "HEAD":
            response.body = b""
        protocol.send_response(response)
        connection.send_buffer.write_output(protocol)
        if protocol.state is State.OPEN:
            connection.begin_websocket(protocol)

    def _make_response(self, request: Request) -> Response:
        """Return the response to a health check or a handshake.

        A draining node answers 503, except to /healthz: it is alive.
        """
        protocol, path = self._protocol, get_path(request).lower()
        if path in PROBE_PATHS and request.method in PROBE_METHODS:
            if path == "/healthz":
                return protocol.reject(HTTPStatus.OK, "ok\n")
            return protocol.reject(HTTPStatus.NOT_FOUND, "the metrics port has /readyz\n")
        if self._limits.draining:
            response = protocol.reject(HTTPStatus.SERVICE_UNAVAILABLE, "restarting\n")
            response.headers["Retry-After"] = str(ceil(RESTART_RETRY_SECONDS))
            return response
        if is_probe(request):
            return protocol.reject(HTTPStatus.OK, "ok\n")
        if self._services.access.pages is not None and _has_own_origin(request):
            protocol.origins = None
        response = protocol.accept(request)
        accepted = response.status_code == HTTPStatus.SWITCHING_PROTOCOLS
        if accepted and len(request.headers.get_all("Host")) != 1:
            return protocol.reject(HTTPStatus.BAD_REQUEST, "a handshake has one Host header\n")
        if response.status_code == HTTPStatus.BAD_REQUEST:
            response.headers["Sec-WebSocket-Version"] = "13"
        return response

    def _answer_page(self, request: Request, *, proxied: bool) -> None:
        match_code = find_match_code(request)
        if match_code is None:
            self._send_page(request, HOME_PREVIEW, proxied=proxied)
        else:
            first = self._answer_match_page(request, match_code, proxied=proxied)
            work = self._connection.handle_messages(first)
            self._connection.worker = asyncio.get_running_loop().create_task(work)

    async def _answer_match_page(self, request: Request, match_code: str, *, proxied: bool) -> None:
        connection = self._connection
        preview = await self._services.describe(match_code, connection.address)
        connection.run_unless_lost(partial(self._send_page, request, preview, proxied=proxied))

    def _send_page(self, request: Request, preview: Preview, *, proxied: bool) -> None:
        """Answer a page request, and wait for the next one unless the connection closes."""
        connection, limits = self._connection, self._limits
        pages = cast("Pages", self._services.access.pages)
        schemes = request.headers.get_all("X-Forwarded-Proto") if proxied else ()
        response = pages.answer(request, forwarded_schemes=schemes, preview=preview)
        if is_kept_alive(request) and not (limits.draining or connection.half_closed):
            break_cycles(self._protocol)
            self._protocol, self._received = self._make_protocol(), 0
            self._protocol.writes.append(response.serialize())
        else:
            response.headers["Connection"] = "close"
            self._protocol.send_response(response)
        connection.send_buffer.write_output(self._protocol)
        self._unsent = connection.send_buffer.size
        self._start_timeout()
        limits.change_pool(connection, limits.idle_pages)
        if proxied:  # the next request may be another client's
            limits.change_address(connection, PROXY_ADDRESS)
        connection.answering = False
        connection.update_flow_control()

    def _start_timeout(self) -> None:
        services, connection = self._services, self._connection
        end = partial(connection.run_unless_lost, self._end_wait)
        work = partial(services.scheduler.run_or_postpone_pending, end)  # a crowd may time out
        connection.start_timeout(services.limiter.limits.handshake_seconds, work)

    def _end_wait(self) -> None:
        """Handle the timeout of a handshake or a page request.

        An idle connection is closed if its page is sent. It gets more time if a part of the page
        was sent since the last timeout. Any other connection is aborted.
        """
        connection, unsent = self._connection, self._connection.send_buffer.size
        if connection.answering or connection.websocket is not None:
            return  # the client waits, or its handshake was accepted while this was queued
        if self._idle and not unsent:
            connection.transport.close()
        elif self._idle and unsent < self._unsent:
            self._unsent = unsent
            self._start_timeout()
        else:
            self._services.limiter.exceeded["handshake_seconds"] += 1
            connection.transport.abort()


def _has_own_origin(request: Request) -> bool:
    """Return whether the headers Origin and Host have the same host and port.

    The schemes are not compared, because the scheme is unknown behind a proxy.
    """
    origins, hosts = request.headers.get_all("Origin"), request.headers.get_all("Host")
    if len(origins) != 1 or len(hosts) != 1 or not hosts[0]:  # the origin "null" has no host either
        return False
    return origins[0].partition("://")[2].lower() == hosts[0].lower()
