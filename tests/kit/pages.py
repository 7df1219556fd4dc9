"""A server with the web page, and sockets that request pages."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from kit.client import PATIENCE
from kit.server import PROXIED, GameServer
from mastermind_server.network.sockets.access import Access
from mastermind_server.network.web.files import read_web_files
from mastermind_server.network.web.pages import Pages

PAGES = Pages(read_web_files())
WEB = Access(pages=PAGES)
WEB_PROXIED = Access(proxies=PROXIED.proxies, pages=PAGES)
"""For a server behind a proxy on this machine."""


class Answer(NamedTuple):
    """An HTTP response; the names of its headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


def make_request(path: str, method: str = "GET", version: str = "1.1", **headers: str) -> bytes:
    """Return an HTTP request. Underscores in the names of `headers` stand for hyphens."""
    given = {"Host": "game.test", "Accept-Encoding": "gzip"} | headers
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in given.items()]
    return "\r\n".join([f"{method} {path} HTTP/{version}", *lines, "", ""]).encode()


class PageSocket:
    """A socket that sends page requests, one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, hall: GameServer) -> PageSocket:
        """Connect to a server; the caller closes the socket."""
        return cls(*await hall.open_socket())

    async def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """Send a request; return the response."""
        self.writer.write(make_request(path, method, **headers))
        return await self.read(has_body=method != "HEAD")

    async def read(self, *, has_body: bool = True) -> Answer:
        """Return the next response."""
        async with asyncio.timeout(PATIENCE):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            pairs = [line.partition(": ") for line in head[1:-2]]
            headers = {name.lower(): value for name, _, value in pairs}
            size = int(headers.get("content-length", 0)) if has_body else 0
            return Answer(int(head[0].split()[1]), headers, await self.reader.readexactly(size))

    async def ended(self) -> bool:
        """Return whether the server ends the stream without another byte."""
        async with asyncio.timeout(PATIENCE):
            try:
                return await self.reader.read() == b""
            except ConnectionResetError:
                return True

    def close(self) -> None:
        """Close the socket."""
        self.writer.close()
