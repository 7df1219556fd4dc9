"""Loads of the web page: by a crowd, as after a link in a busy chat, and as a flood."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import itertools
import re
from typing import TYPE_CHECKING

from campaigns.attacks.attackers import DONE, act
from campaigns.attacks.sockets import HELLO, closing, open_socket
from kit.frames import HANDSHAKE
from kit.pages import PageSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

LOADS = 1000  # pages that are loaded for the first time
AT_ONCE = 100  # browsers that load at the same time: this process cannot serve more sockets
SOCKETS = 6  # of a browser to one host
RETRY_SECONDS = 0.5  # after a refused handshake
FLOODING, FLOODING_PER_ADDRESS = 1000, 50  # sockets


class PageBroken(AssertionError):
    """A browser has not received the page or one of its files."""


class Browser:
    """A browser with nothing in its cache."""

    def __init__(self, address: str, source: str) -> None:
        self._address, self._source = address, source

    async def load(self) -> None:
        """Load the page and its files, and connect. Raises PageBroken."""
        text = gzip.decompress(await self._get_all(iter(["/"]))).decode()
        files = iter(sorted(set(re.findall(r'"(/s/[^"]+)"', text))))
        await asyncio.gather(*(self._get_all(files) for _ in range(SOCKETS)))
        while not await self._connect():  # noqa: ASYNC110 - as the page does
            await asyncio.sleep(RETRY_SECONDS)

    async def _get_all(self, paths: Iterator[str]) -> bytes:
        """Request `paths` on one socket, or on others if the server closes it; return the last."""
        body, path = b"", next(paths, None)
        while path is not None:
            reader, writer = await open_socket(self._address, self._source)
            used = False
            with closing(writer):
                page = PageSocket(reader, writer)
                while path is not None:
                    try:
                        answer = await page.get(path)
                    except (OSError, EOFError) as error:
                        if not used:  # browsers try again only after a kept connection
                            raise PageBroken(f"{path}: {error!r}") from error
                        break
                    if answer.status != 200:
                        raise PageBroken(f"{path}: {answer.status}")
                    body, used, path = answer.body, True, next(paths, None)
        return body

    async def _connect(self) -> bool:
        """Connect as a new player; return whether the server has accepted."""
        with contextlib.suppress(OSError, EOFError):
            reader, writer = await open_socket(self._address, self._source)
            with closing(writer):
                writer.write(HANDSHAKE)
                await reader.readuntil(b"\r\n\r\n")
                writer.write(HELLO)
                return bool(await reader.readexactly(4))
        return False


async def load_pages(address: str) -> None:
    """Load the page by LOADS browsers, each at an address of its own; then begin again."""
    room = asyncio.Semaphore(AT_ONCE)

    async def browse(number: int) -> None:
        async with room:
            await Browser(address, f"127.2.{number // 250}.{number % 250 + 1}").load()
            DONE["loads"] += 1

    for _ in itertools.count():
        await asyncio.gather(*map(browse, range(LOADS)))


async def flood(address: str) -> None:
    """Request pages of unknown matches without a pause, on FLOODING sockets."""
    codes = map("".join, itertools.product("23456789", repeat=6))

    async def ask(number: int) -> None:
        source = f"127.3.{number // FLOODING_PER_ADDRESS}.1"
        reader, writer = await open_socket(address, source)
        with closing(writer):
            page = PageSocket(reader, writer)
            while True:
                await page.get(f"/{next(codes)}")
                DONE["sent"] += 1

    await act(FLOODING, ask)
