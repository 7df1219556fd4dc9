"""One WebSocket connection to a server: the handshake, its TLS context, and frames."""

from __future__ import annotations

import ssl
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from mastermind_client.network.failures import Cause, CertificatesUnreadable, ServerUnreachable
from mastermind_protocol import messages as wire
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.errors import ErrorCode, FrameError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_client.context import Network
    from mastermind_protocol import requests

MAX_MESSAGE_BYTES = 256 * 1024  # far above a full log message; bounds what a server can send
CLOSE_SECONDS = 1.0  # for the closing handshake; the player waits meanwhile
LOOPBACK = {"localhost", "127.0.0.1", "::1"}  # never through a proxy


def open_connection(server: str, network: Network, seconds: float) -> connect:
    """Return the WebSocket connection to an address, to be entered as a block.

    The handshake may take `seconds`.
    """
    host = urlsplit(server).hostname
    return connect(
        server,
        ssl=find_tls_context(server, network.cafile),
        subprotocols=[Subprotocol(wire.SUBPROTOCOL), Subprotocol(wire.OLD_SUBPROTOCOL)],
        compression=None,
        open_timeout=seconds,
        close_timeout=CLOSE_SECONDS,
        max_size=MAX_MESSAGE_BYTES,
        proxy=True if network.proxies and host not in LOOPBACK else None,
    )


async def receive_answer(websocket: ClientConnection, request: int) -> wire.AnyMessage | None:
    """Return the next message. Errors that do not answer the request id `request` are skipped.

    Returns None for a message of an unknown type.
    """
    while True:
        answer = read_message(await websocket.recv())
        if not isinstance(answer, wire.Error) or answer.id == request:
            return answer


async def send_all(websocket: ClientConnection, requests: Iterable[requests.AnyRequest]) -> None:
    """Send requests. Raises ConnectionClosed."""
    for request in requests:
        await websocket.send(encode(request))


def read_message(frame: bytes | str) -> wire.AnyMessage | None:
    """Return the message in a frame, or None if this client does not know its type."""
    if isinstance(frame, str):
        raise ServerUnreachable(Cause.TEXT)
    try:
        return decode_message(frame)
    except FrameError as error:
        if error.code == ErrorCode.UNKNOWN_MESSAGE:
            return None
        raise ServerUnreachable(Cause.OTHER_PROTOCOL) from error


def find_tls_context(server: str, cafile: str | None = None) -> ssl.SSLContext | None:
    """Return the TLS context for a wss:// address, and None for ws://."""
    return make_tls_context(cafile) if urlsplit(server).scheme == "wss" else None


@lru_cache(maxsize=4)  # reading certificates is slow, and contexts are never changed
def make_tls_context(cafile: str | None) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates and those in the PEM file `cafile`.

    Raises CertificatesUnreadable.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # the system may allow older ones
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # trusts a server's own certificate
    if cafile is not None:
        try:
            context.load_verify_locations(cafile)
        except ssl.SSLError:
            raise CertificatesUnreadable(cafile) from None
        except OSError as error:
            raise CertificatesUnreadable(cafile, error.strerror or str(error)) from None
    return context
