"""TLS between a socket's transport and its connection.

asyncio's TLS reads 256 KiB at once, and reports a socket only after the TLS handshake. Until then
no limit would count the socket.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from mastermind_server import tuning

if TYPE_CHECKING:
    from mastermind_server.limits import Limiter
    from mastermind_server.network.sockets.connection import Connection
    from mastermind_server.network.sockets.scheduler import LoopScheduler

_LOG = logging.getLogger(__name__)
_PLAIN_HTTP = {"HTTP_REQUEST", "HTTPS_PROXY_REQUEST"}
_TLS_ADVICE = b"this port speaks TLS: use wss:// or https://\n"
_TLS_WANTED = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_TLS_ADVICE), _TLS_ADVICE)
)


class SecureTransport(asyncio.Transport, asyncio.BufferedProtocol):
    """The transport of the connection above, and the protocol of the transport below.

    The connection exists before the TLS handshake. It limits the time of the handshake, and the
    rate of reads from the socket.
    """

    def __init__(
        self, above: Connection, context: ssl.SSLContext, scheduler: LoopScheduler, limiter: Limiter
    ) -> None:
        super().__init__()
        self._above, self._scheduler, self._limiter = above, scheduler, limiter
        self._below: asyncio.Transport
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._buffer = memoryview(bytearray(tuning.READ_BYTES))
        self._secure = False
        self._handshake_bytes = 0
        self._postponed = False
        self._reading = True
        self._ended = False  # by the server: further data is ignored

    # Callbacks of the transport below.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Pass on that there is a socket."""
        self._below = cast("asyncio.Transport", transport)
        self._above.connection_made(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - the size is fixed
        """Return the buffer to read into."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Process the data that was read. Handshake steps run when the scheduler has time."""
        if self._ended:
            return
        self._incoming.write(self._buffer[:nbytes])
        if self._secure:
            if not self._read():
                self._above.charge()
            return
        self._handshake_bytes += nbytes
        if self._handshake_bytes > self._limiter.limits.handshake_bytes:
            self._limiter.met["handshake_bytes"] += 1
            self.abort()
            return
        self._above.charge()
        self._postponed = self._scheduler.postpone_pending(self._shake_hands)
        if self._postponed:
            self._regulate()
        else:
            self._shake_hands()

    def eof_received(self) -> bool | None:
        """Pass on the end of the TCP stream."""
        return self._above.eof_received()

    def pause_writing(self) -> None:
        """Pass on that the transport cannot send more."""
        self._above.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the transport can send again."""
        self._above.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass on that the socket is closed."""
        self._above.connection_lost(exc)
        del self._above  # breaks a reference cycle, because the garbage collector runs rarely

    # Calls of the connection above.

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Encrypt and send data. The handshake must be complete."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._tls.write(rest) :]
        self._send()

    def get_write_buffer_size(self) -> int:
        """Return the number of encrypted bytes that wait to be sent."""
        return self._below.get_write_buffer_size()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Set the buffer sizes at which writing is paused and resumed."""
        self._below.set_write_buffer_limits(high, low)

    def pause_reading(self) -> None:
        """Pause reading."""
        self._reading = False
        self._regulate()

    def resume_reading(self) -> None:
        """Resume reading. Data that was already received is processed in a later iteration."""
        self._reading = True
        self._regulate()
        if self._secure:
            asyncio.get_running_loop().call_soon(self._read)

    def is_closing(self) -> bool:
        """Return whether the transport is closed or closing."""
        return self._below.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information about the socket."""
        return self._below.get_extra_info(name, default)

    def write_eof(self) -> None:
        """End the stream after all written data. Received data is ignored from now on."""
        self._send_close_notify()
        self._below.write_eof()

    def close(self) -> None:
        """Close the transport after all written data."""
        self._send_close_notify()
        self._below.close()

    def abort(self) -> None:
        """Close the transport at once."""
        self._below.abort()

    def _regulate(self) -> None:
        """Read only while the connection wants data and no handshake step is queued."""
        if self._reading and not self._postponed:
            self._below.resume_reading()
        else:
            self._below.pause_reading()

    def _shake_hands(self) -> None:
        if self._postponed:
            self._postponed = False
            self._regulate()
        if self._below.is_closing():
            return
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._send()
        except ssl.SSLError as error:
            self._fail(error)
        else:
            self._secure = True
            self._read()

    def _read(self) -> bool:
        """Pass on decrypted data while the connection reads; return whether there was any."""
        data, found = b"?", False
        try:
            while data and self._received and self._reading and not self.is_closing():
                if data := self._tls.read(tuning.READ_BYTES):
                    memoryview(self._above.get_buffer(len(data)))[: len(data)] = data
                    self._above.buffer_updated(len(data))
                    found = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._fail(error)
        self._send()
        if not data and not self._above.eof_received():  # the client ended its stream
            self.close()
        return found

    @property
    def _received(self) -> int:
        """The number of unread bytes. A read that fails is ten times as expensive."""
        return 0 if self._ended else self._incoming.pending or self._tls.pending()

    def _send(self) -> None:
        if self._outgoing.pending and not self.is_closing():
            self._below.write(self._outgoing.read())

    def _send_close_notify(self) -> None:
        self._ended = True
        if self._secure:
            with suppress(ssl.SSLError):  # the client has not sent its own close_notify
                self._tls.unwrap()
            self._send()

    def _fail(self, error: ssl.SSLError) -> None:
        """Close the connection after a TLS error; send an alert, or advice to an HTTP client."""
        _LOG.debug("TLS failed: %s", error.reason)
        self._ended = True
        self._send()  # the alert
        if error.reason in _PLAIN_HTTP:
            self._below.write(_TLS_WANTED)
        self._below.close()
