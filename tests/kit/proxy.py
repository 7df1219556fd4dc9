"""A TCP proxy with network faults, in front of nodes or between a node and PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Proxy:
    """Forwards connections round robin to those `targets` that accept them.

    A target is a port of this machine or the path of a Unix socket.
    """

    def __init__(self, *targets: int | Path) -> None:
        self.port = 0
        self._targets = list(targets)
        self._lines: set[asyncio.StreamWriter] = set()
        self._cut = False
        self._fatal: bytes | None = None
        self._doomed: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()

    @classmethod
    @asynccontextmanager
    async def to(cls, *targets: int | Path) -> AsyncIterator[Proxy]:
        """Run a proxy within the block."""
        proxy = cls(*targets)
        server = await asyncio.start_server(proxy._serve, "127.0.0.1", 0)
        proxy.port = server.sockets[0].getsockname()[1]
        async with server:
            try:
                yield proxy
            finally:
                proxy.cut()

    def cut(self) -> None:
        """Abort all connections and reject new ones until `mend`."""
        self._cut = True
        self._flowing.set()
        for line in self._lines:
            line.transport.abort()

    def freeze(self) -> None:
        """Hold all data until `mend`, like a network that silently loses packets."""
        self._flowing.clear()

    def cut_after(self, text: bytes) -> None:
        """Abort the next connection on which a client sends `text`, instead of the answer."""
        self._fatal = text

    def mend(self) -> None:
        """Forward data again, starting with the held data."""
        self._cut = False
        self._flowing.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError):
            self._lines.add(writer)
            await self._flowing.wait()
            if self._cut or (target := await self._reach()) is None:
                writer.transport.abort()
                return
            its_reader, its_writer = target
            with closing(its_writer):
                self._lines.add(its_writer)
                up = asyncio.create_task(self._carry(reader, its_writer, writer))
                down = asyncio.create_task(self._carry(its_reader, writer))
                await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
                up.cancel()
                down.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
                self._lines.discard(its_writer)
        self._lines.discard(writer)

    async def _reach(self) -> Line | None:
        for _ in self._targets:
            target = self._targets.pop(0)
            self._targets.append(target)
            with suppress(OSError):
                if isinstance(target, int):
                    return await asyncio.open_connection("127.0.0.1", target)
                return await asyncio.open_unix_connection(target)
        return None

    async def _carry(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        asker: asyncio.StreamWriter | None = None,
    ) -> None:
        while data := await reader.read(65536):
            await self._flowing.wait()
            if asker is not None and self._fatal is not None and self._fatal in data:
                self._fatal = None
                self._doomed.add(asker)
            if writer in self._doomed:
                self._doomed.remove(writer)
                writer.transport.abort()
                return
            writer.write(data)
            await writer.drain()
