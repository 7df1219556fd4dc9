"""TLS between a socket's transport and the protocol that is served there.

Not asyncio's own, which tells of a socket only when its handshake is done: until then it would be
counted by nobody, and it reads 256 KiB at once.
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
_TOLD = b"this port speaks TLS: use wss:// or https://\n"
_TLS_WANTED = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_TOLD), _TOLD)
)


class SecureTransport(asyncio.Transport, asyncio.BufferedProtocol):
    """The transport of the connection above, and the protocol of the transport below.

    The connection above hears of it when there is a socket: how long the handshake may take is its
    business, and how fast is read, also of what brings it nothing yet.
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
        self._ended = False  # by us: nothing more is read

    # What the transport below tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Tell of a socket."""
        self._below = cast("asyncio.Transport", transport)
        self._above.connection_made(self)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - the size is ours to choose
        """Return where to read to."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take what was read; a step of the handshake in a turn of the loop that has time."""
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
        """Tell that nothing more comes."""
        return self._above.eof_received()

    def pause_writing(self) -> None:
        """Tell that what was written is not read."""
        self._above.pause_writing()

    def resume_writing(self) -> None:
        """Tell that most of it is read."""
        self._above.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell that the socket is gone."""
        self._above.connection_lost(exc)
        del self._above  # which knows this, and the garbage collector comes rarely

    # What the protocol above asks for.

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send data, when the handshake is done."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._tls.write(rest) :]
        self._send()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes wait, as they are sent."""
        return self._below.get_write_buffer_size()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Say between which bytes that wait writing is paused."""
        self._below.set_write_buffer_limits(high, low)

    def pause_reading(self) -> None:
        """Read no more."""
        self._reading = False
        self._regulate()

    def resume_reading(self) -> None:
        """Read on: what has come already in a turn to come."""
        self._reading = True
        self._regulate()
        if self._secure:
            asyncio.get_running_loop().call_soon(self._read)

    def is_closing(self) -> bool:
        """Tell whether it is closed, or about to be."""
        return self._below.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the socket."""
        return self._below.get_extra_info(name, default)

    def write_eof(self) -> None:
        """Say, behind what was written, that nothing more comes; nothing more is read either."""
        self._say_goodbye()
        self._below.write_eof()

    def close(self) -> None:
        """Close it behind what was written."""
        self._say_goodbye()
        self._below.close()

    def abort(self) -> None:
        """Close it at once."""
        self._below.abort()

    def _regulate(self) -> None:
        """Read on only while that is wanted, and what was read has had its turn."""
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
        """Hand on what has come, as long as it is wanted; tell whether it was anything."""
        data, found = b"?", False
        try:
            while data and self._waiting and self._reading and not self.is_closing():
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
    def _waiting(self) -> int:
        """How many bytes have come and are to be read: to try costs ten times what to ask does."""
        return 0 if self._ended else self._incoming.pending or self._tls.pending()

    def _send(self) -> None:
        if self._outgoing.pending and not self.is_closing():
            self._below.write(self._outgoing.read())

    def _say_goodbye(self) -> None:
        self._ended = True
        if self._secure:
            with suppress(ssl.SSLError):  # it has not said the same yet, for which nobody waits
                self._tls.unwrap()
            self._send()

    def _fail(self, error: ssl.SSLError) -> None:
        """Close a connection on which no TLS is spoken, or not ours, and tell the other side."""
        _LOG.debug("TLS failed: %s", error.reason)
        self._ended = True
        self._send()  # the alert
        if error.reason in _PLAIN_HTTP:
            self._below.write(_TLS_WANTED)
        self._below.close()
