"""The operator's port: /healthz, /readyz and /metrics, by plain HTTP."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from websockets.asyncio.server import serve

from mastermind_server.app import find_authority
from mastermind_server.monitoring.collector import make_registry
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator

    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

    from mastermind_server.app import Server

_LOG = logging.getLogger(__name__)
_SILENT = logging.getLogger(f"{__name__}.http")
_SILENT.setLevel(logging.CRITICAL)  # strangers' lines that are no HTTP, each with a traceback
RESERVED_BYTES = 64 * 1024 * 1024  # of the database's disk: its log files and an hour of moves
READY_LAG_SECONDS = 0.5  # moves take as long as the lag
READY_STORE_SECONDS = 1.0  # for reading one row: Kubernetes waits no longer for a probe


class OperatorPort:
    """Answers whoever watches over a server.

    /healthz says that the event loop runs, /readyz whether the server may be given clients, and
    /metrics what it has counted.
    """

    def __init__(self, server: Server) -> None:
        self._server, self._registry = server, make_registry(server)

    async def answer(self, connection: ServerConnection, request: Request) -> Response:
        """Return the answer to a request."""
        path = request.path.partition("?")[0]
        try:
            return await self._answer(connection, path)
        except Exception:  # which websockets would tell its own log
            _LOG.exception("%s could not be answered", path)
            told = "it could not be answered: see the log\n"
            return connection.respond(HTTPStatus.INTERNAL_SERVER_ERROR, told)

    async def _answer(self, connection: ServerConnection, path: str) -> Response:
        match path:
            case "/healthz":
                return connection.respond(HTTPStatus.OK, "ok\n")
            case "/readyz":
                obstacles = await self.find_obstacles()
                if obstacles:
                    told = "".join(f"{obstacle}\n" for obstacle in obstacles)
                    return connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, told)
                return connection.respond(HTTPStatus.OK, "ready\n")
            case "/metrics":
                written = generate_latest(self._registry).decode()
                response = connection.respond(HTTPStatus.OK, written)
                del response.headers["Content-Type"]
                response.headers["Content-Type"] = CONTENT_TYPE_LATEST
                return response
        there = "there is /healthz, /readyz and /metrics\n"
        return connection.respond(HTTPStatus.NOT_FOUND, there)

    async def find_obstacles(self) -> list[str]:
        """Return why the server should be given no clients, if there is something."""
        obstacles = []
        if self._server.services.readiness.draining:
            obstacles.append("draining: it is about to stop")
        if (late := self._server.lag.lasting) > READY_LAG_SECONDS:
            obstacles.append(f"the event loop is {late:.1f} s late")
        try:
            async with asyncio.timeout(READY_STORE_SECONDS):
                room = await self._server.services.store.check()
            if room is not None and room < RESERVED_BYTES:
                reserved = RESERVED_BYTES >> 20
                obstacles.append(f"the disk is full: {room >> 20} MiB are left, of {reserved} kept")
        except TimeoutError:
            obstacles.append(f"the store does not answer in {READY_STORE_SECONDS:g} s")
        except (StorageFailed, OSError) as failure:
            obstacles.append(str(failure))
        return obstacles


@asynccontextmanager
async def monitoring(server: Server, listener: socket.socket) -> AsyncIterator[str]:
    """Answer on a listening socket whoever watches over a server; yields the http:// address."""
    answering = await serve(
        _refuse,
        sock=listener,
        process_request=OperatorPort(server).answer,
        compression=None,
        open_timeout=server.services.limiter.limits.handshake_seconds,
        logger=_SILENT,
        server_header=None,
    )
    try:
        yield f"http://{find_authority(listener)}"
    finally:
        answering.close()  # and not waited for: a silent line would hold a stop up


async def _refuse(_connection: ServerConnection) -> None:
    raise AssertionError("every request is answered before it becomes a WebSocket")
