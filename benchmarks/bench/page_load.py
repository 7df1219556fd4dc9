"""The HTTP requests of a browser that opens the page for the first time."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urlsplit

SOCKETS = 6  # of a browser to one server at once
_FILE = re.compile(rb'(?:href|src)="(/s/[^"]+)"')
_LENGTH = re.compile(rb"\r\nContent-Length: (\d+)", re.IGNORECASE)


async def load_page(address: str, source: str, path: str = "/") -> int:
    """Request the page at `path` and all files that it names; return the number of bytes received.

    `address` is the server's ws:// address, and `source` the address of the client.
    """
    first = await _Socket.open(address, source)
    page = await first.get(path, identity=True)
    files = [path.decode() for path in dict.fromkeys(_FILE.findall(page))]
    others = await asyncio.gather(*(_Socket.open(address, source) for _ in range(SOCKETS - 1)))
    sockets = [first, *others]
    left = iter(files)

    async def load(socket: _Socket) -> int:
        return sum([len(await socket.get(path)) for path in left])

    received = await asyncio.gather(*(load(socket) for socket in sockets))
    for socket in sockets:
        socket.close()
    return len(page) + sum(received)


class _Socket:
    """A socket that is kept alive between requests."""

    def __init__(
        self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._host, self._reader, self._writer = host, reader, writer

    @classmethod
    async def open(cls, address: str, source: str) -> _Socket:
        parts = urlsplit(address)
        streams = await asyncio.open_connection(parts.hostname, parts.port, local_addr=(source, 0))
        return cls(parts.netloc, *streams)

    async def get(self, path: str, *, identity: bool = False) -> bytes:
        """Return the body of a response, uncompressed if `identity`."""
        coding = "identity" if identity else "gzip"
        lines = (f"GET {path} HTTP/1.1", f"Host: {self._host}", f"Accept-Encoding: {coding}")
        self._writer.write("\r\n".join([*lines, "", ""]).encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        assert head.startswith(b"HTTP/1.1 200 "), head
        assert length is not None, head
        return await self._reader.readexactly(int(length[1]))

    def close(self) -> None:
        self._writer.close()
