"""TLS between a socket's transport and a connection.

asyncio's own TLS is not used: it reads 256 KiB at once, and reports a socket only after the TLS
handshake, so that no limit would count the socket before.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from mastermind_server.network.sockets.connection import READ_BYTES

if TYPE_CHECKING:
    from mastermind_server.limits import Limiter
    from mastermind_server.network.sockets.connection import Connection
    from mastermind_server.network.sockets.scheduler import LoopScheduler

_LOG = logging.getLogger(__name__)
_PLAIN_HTTP_ERRORS = {"HTTP_REQUEST", "HTTPS_PROXY_REQUEST"}
_TLS_ADVICE = b"this port speaks TLS: use wss:// or https://\n"
_TLS_REQUIRED_RESPONSE = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_TLS_ADVICE), _TLS_ADVICE)
)


class SecureTransport(asyncio.Transport, asyncio.BufferedProtocol):
    """A TLS layer between a socket's transport and a connection.

    The layer is the protocol of the socket's transport, and the transport of the connection. The
    connection exists before the TLS handshake: the connection limits the time of the handshake and
    the rate of reads.
    """

    def __init__(
        self,
        connection: Connection,
        context: ssl.SSLContext,
        scheduler: LoopScheduler,
        limiter: Limiter,
    ) -> None:
        super().__init__()
        self._connection, self._scheduler, self._limiter = connection, scheduler, limiter
        self._transport: asyncio.Transport
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._secure = False
        self._handshake_bytes = 0
        self._postponed = False
        self._reading = True
        self._ended = False  # by the server: further data is ignored

    # Called by the socket's transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the `Connection`, which uses this object as its transport."""
        self._transport = cast("asyncio.Transport", transport)
        self._connection.connection_made(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - the size is fixed
        """Return the buffer into which the socket's transport reads."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Decrypt received data, or continue the handshake when the scheduler has time."""
        if self._ended:
            return
        self._incoming.write(self._buffer[:nbytes])
        if self._secure:
            if not self._pass_decrypted():
                self._connection.charge(1, 0)
            return
        self._handshake_bytes += nbytes
        if self._handshake_bytes > self._limiter.limits.handshake_bytes:
            self._limiter.exceeded["handshake_bytes"] += 1
            self.abort()
            return
        self._connection.charge(1, 0)
        self._postponed = self._scheduler.postpone_pending(self._continue_handshake)
        if self._postponed:
            self._pause_or_resume_reading()
        else:
            self._continue_handshake()

    def eof_received(self) -> bool | None:
        """Report the end of the TCP stream to the connection."""
        return self._connection.eof_received()

    def pause_writing(self) -> None:
        """Report to the connection that the socket's transport cannot send more."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Report to the connection that the socket's transport can send again."""
        self._connection.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Report to the connection that the socket is closed."""
        self._connection.connection_lost(exc)
        del self._connection  # breaks a reference cycle, because the garbage collector runs rarely

    # Called by the connection.

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Encrypt and send data. The TLS handshake must be complete."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._tls.write(rest) :]
        self._send_encrypted()

    def get_write_buffer_size(self) -> int:
        """Return the number of encrypted bytes in the buffer of the socket's transport."""
        return self._transport.get_write_buffer_size()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Set the sizes in bytes at which writing is paused (`high`) and resumed (`low`)."""
        self._transport.set_write_buffer_limits(high, low)

    def pause_reading(self) -> None:
        """Stop passing received data to the connection."""
        self._reading = False
        self._pause_or_resume_reading()

    def resume_reading(self) -> None:
        """Resume reading. Received data is passed on in the next iteration of the event loop."""
        self._reading = True
        self._pause_or_resume_reading()
        if self._secure:
            asyncio.get_running_loop().call_soon(self._pass_decrypted)

    def is_closing(self) -> bool:
        """Return whether the socket's transport is closed or closing."""
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information about the socket, as asyncio.BaseTransport does."""
        return self._transport.get_extra_info(name, default)

    def write_eof(self) -> None:
        """End the sent stream after all written data. Ignore received data from now on."""
        self._send_close_notify()
        self._transport.write_eof()

    def close(self) -> None:
        """Close the transport after all written data."""
        self._send_close_notify()
        self._transport.close()

    def abort(self) -> None:
        """Close the transport at once."""
        self._transport.abort()

    def _pause_or_resume_reading(self) -> None:
        """Read from the socket unless the connection has paused or a handshake step is queued."""
        if self._reading and not self._postponed:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    def _continue_handshake(self) -> None:
        if self._postponed:
            self._postponed = False
            self._pause_or_resume_reading()
        if self._transport.is_closing():
            return
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._send_encrypted()
        except ssl.SSLError as error:
            self._close_after_error(error)
        else:
            self._secure = True
            self._pass_decrypted()

    def _pass_decrypted(self) -> bool:
        """Decrypt data and pass it to the connection. Return whether any data was passed.

        Stops early if the connection pauses reading.
        """
        data, found = b"?", False
        try:
            while data and self._unread_bytes and self._reading and not self.is_closing():
                if data := self._tls.read(READ_BYTES):
                    memoryview(self._connection.get_buffer(len(data)))[: len(data)] = data
                    self._connection.buffer_updated(len(data))
                    found = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._close_after_error(error)
        self._send_encrypted()
        if not data and not self._connection.eof_received():  # the client ended its stream
            self.close()
        return found

    @property
    def _unread_bytes(self) -> int:
        """The number of received bytes to decrypt or, if there are none, of decrypted ones to read.

        The number is checked before each read of the TLS object, because failed reads are slow.
        """
        return 0 if self._ended else self._incoming.pending or self._tls.pending()

    def _send_encrypted(self) -> None:
        if self._outgoing.pending and not self.is_closing():
            self._transport.write(self._outgoing.read())

    def _send_close_notify(self) -> None:
        self._ended = True
        if self._secure:
            with suppress(ssl.SSLError):  # the client has not sent its own close_notify
                self._tls.unwrap()
            self._send_encrypted()

    def _close_after_error(self, error: ssl.SSLError) -> None:
        """Send a TLS alert, or an HTTP answer to a client without TLS, and close the transport."""
        _LOG.debug("TLS failed: %s", error.reason)
        self._ended = True
        self._send_encrypted()  # the alert
        if error.reason in _PLAIN_HTTP_ERRORS:
            self._transport.write(_TLS_REQUIRED_RESPONSE)
        self._transport.close()
