"""The operator port: its HTTP server, with /healthz, /readyz and /metrics."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from websockets.asyncio.server import serve

from mastermind_server.app import find_authority
from mastermind_server.network.web.pages import PROBE_METHODS, get_path
from mastermind_server.network.web.targets import resolve_target
from mastermind_server.operator_port.collector import make_registry
from mastermind_server.storage.engines.database import summarize_error
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator

    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

    from mastermind_server.app import Server

_LOG = logging.getLogger(__name__)
_SILENT_LOG = logging.getLogger(f"{__name__}.http")
_SILENT_LOG.setLevel(logging.CRITICAL)  # clients could log tracebacks by requests that are not HTTP
RESERVED_DISK_BYTES = 64 * 1024 * 1024  # of the database's disk: its log files and an hour of moves
READY_LAG_SECONDS = 0.5  # moves take as long as the lag
READY_STORE_SECONDS = 1.0  # for one short query: Kubernetes waits no longer for a probe


class OperatorPort:
    """Answers the HTTP requests of monitoring systems.

    /healthz answers while the event loop runs. /readyz reports whether the server can take new
    clients. /metrics returns the metrics of the server.
    """

    def __init__(self, server: Server) -> None:
        self._server, self._registry = server, make_registry(server)

    async def answer(self, connection: ServerConnection, request: Request) -> Response:
        """Return the HTTP response to a request."""
        resolve_target(request)
        path = get_path(request)
        try:
            if request.method not in PROBE_METHODS:
                response = connection.respond(HTTPStatus.METHOD_NOT_ALLOWED, "use GET or HEAD\n")
                response.headers["Allow"] = ", ".join(PROBE_METHODS)
                return response
            response = await self._answer_path(connection, path)
        except Exception:  # websockets would log it to the silenced logger
            _LOG.exception("request for %s failed", path)
            text = "internal error: see the log\n"
            response = connection.respond(HTTPStatus.INTERNAL_SERVER_ERROR, text)
        if request.method == "HEAD":
            response.body = b""
        return response

    async def _answer_path(self, connection: ServerConnection, path: str) -> Response:
        match path:
            case "/healthz":
                return connection.respond(HTTPStatus.OK, "ok\n")
            case "/readyz":
                obstacles = await self.find_unready_reasons()
                if obstacles:
                    text = "".join(f"{obstacle}\n" for obstacle in obstacles)
                    return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, text)
                return connection.respond(HTTPStatus.OK, "ready\n")
            case "/metrics":
                with suppress(TimeoutError):
                    async with asyncio.timeout(READY_STORE_SECONDS):
                        await self._server.services.store.refresh_standbys()
                metrics = generate_latest(self._registry).decode()
                response = connection.respond(HTTPStatus.OK, metrics)
                del response.headers["Content-Type"]
                response.headers["Content-Type"] = CONTENT_TYPE_LATEST
                return response
        return connection.respond(HTTPStatus.NOT_FOUND, "use /healthz, /readyz or /metrics\n")

    async def find_unready_reasons(self) -> list[str]:
        """Return the reasons why the server cannot take new clients; empty if it can."""
        obstacles = []
        if self._server.services.readiness.draining:
            obstacles.append("draining: the server is about to stop")
        if (late := self._server.lag.sustained_lag) > READY_LAG_SECONDS:
            obstacles.append(f"the event loop is {late:.1f} s late")
        try:
            async with asyncio.timeout(READY_STORE_SECONDS):
                room = await self._server.services.store.check_health()
            if room is not None and room < RESERVED_DISK_BYTES:
                reserved = RESERVED_DISK_BYTES >> 20
                obstacles.append(f"the disk is full: {room >> 20} MiB are left, of {reserved} kept")
        except TimeoutError:
            obstacles.append(f"the store does not answer in {READY_STORE_SECONDS:g} s")
        except StorageFailed as failure:
            obstacles.append(failure.explain())
        except OSError as error:
            obstacles.append(f"the database's disk cannot be read: {summarize_error(error)}")
        return obstacles


@asynccontextmanager
async def open_operator_port(server: Server, listener: socket.socket) -> AsyncIterator[str]:
    """Within the block, answer HTTP requests on a listening socket. Yield its http:// address."""
    endpoint = await serve(
        _fail_websocket,
        sock=listener,
        process_request=OperatorPort(server).answer,
        compression=None,
        open_timeout=server.services.limiter.limits.handshake_seconds,
        logger=_SILENT_LOG,
        server_header=None,
    )
    try:
        yield f"http://{find_authority(listener)}"
    finally:
        endpoint.close()  # without waiting: a silent connection would delay the stop


async def _fail_websocket(_connection: ServerConnection) -> None:
    raise AssertionError("every request is answered before it becomes a WebSocket")
