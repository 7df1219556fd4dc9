"""How a connection begins: what a client's handshake is answered with, and whose address counts.

Without I/O: what is to be sent waits in websockets' protocol, as all that it has to say does.
"""

from __future__ import annotations

from http import HTTPStatus
from math import ceil
from typing import TYPE_CHECKING, cast

from websockets.exceptions import InvalidMessage
from websockets.server import ServerProtocol
from websockets.typing import Origin, Subprotocol

from mastermind_protocol.messages import SUBPROTOCOL
from mastermind_server import tuning
from mastermind_server.network.sockets.address import find_client

if TYPE_CHECKING:
    from websockets.http11 import Request, Response
    from websockets.protocol import Event

    from mastermind_server.limits import Limiter
    from mastermind_server.network.sockets.access import Access
    from mastermind_server.network.sockets.admission import Admission


class NoClient(Exception):
    """No client begins like this, and it is not worth an answer."""


class Handshake:
    """One client's, for a WebSocket or plain HTTP; `protocol` serves the connection afterwards.

    `peer` is the address of whoever is at the socket's other end, which may be a proxy.
    """

    __slots__ = ("_admission", "_bytes", "_limiter", "_proxies", "peer", "protocol")

    def __init__(self, limiter: Limiter, admission: Admission, access: Access) -> None:
        self._limiter, self._admission, self._proxies = limiter, admission, access.proxies
        self.protocol = ServerProtocol(
            origins=[None, *map(Origin, access.origins)],  # None is that of what is no browser
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            max_size=limiter.limits.frame_bytes,
        )
        self.peer = ""
        self._bytes = 0

    def find_client(self, request: Request | None = None) -> str:
        """Return whose address counts: a proxy tells it in its request."""
        forwarded = request.headers.get_all("X-Forwarded-For") if request else ()
        return find_client(self.peer, forwarded, self._proxies)

    def read(self, events: list[Event], size: int) -> Request | None:
        """Return the request if it has come, with these bytes; what is none is refused.

        Raises NoClient.
        """
        protocol, most = self.protocol, self._limiter.limits.handshake_bytes
        self._bytes += size
        if events:
            if len(events) > 1 or protocol.eof_sent:  # frames before our half, or broken ones
                raise NoClient
            return cast("Request", events[0])
        if isinstance(protocol.handshake_exc, InvalidMessage):
            refusal = protocol.reject(HTTPStatus.BAD_REQUEST, f"{protocol.handshake_exc}\n")
            protocol.writes.insert(0, refusal.serialize())  # it has only said that this is the end
        elif self._bytes > most and not protocol.eof_sent:
            self._limiter.met["handshake_bytes"] += 1
            told = f"a handshake has at most {most} bytes\n"
            refusal = protocol.reject(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, told)
            protocol.send_response(refusal)
        return None

    def answer(self, request: Request) -> None:
        """Answer a request: the protocol is open then if it is let in."""
        response = self._respond(request)
        if request.method == "HEAD":
            response.body = b""
        self.protocol.send_response(response)

    def close(self) -> None:
        """Free the protocol, to which nothing more comes: the garbage collector comes rarely.

        Its parser knows it, and so does, by its traceback, what it has found wrong: some 22 KB.
        """
        protocol = self.protocol
        protocol.parser.close()
        faults: tuple[BaseException | None, ...] = (protocol.parser_exc, protocol.handshake_exc)
        for fault in faults:
            while fault is not None:
                fault.__traceback__ = None
                fault = fault.__cause__ or fault.__context__

    def _respond(self, request: Request) -> Response:
        protocol = self.protocol
        if request.path.partition("?")[0] == "/healthz" and request.method in ("GET", "HEAD"):
            return protocol.reject(HTTPStatus.OK, "ok\n")
        if self._admission.draining:
            response = protocol.reject(HTTPStatus.SERVICE_UNAVAILABLE, "restarting\n")
            response.headers["Retry-After"] = str(ceil(tuning.RETURN_SECONDS))
            return response
        return protocol.accept(request)
