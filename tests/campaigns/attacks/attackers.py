"""A crowd of attackers: each acts for itself, and comes again when it is cut off."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import TYPE_CHECKING

from websockets.exceptions import ConnectionClosed, InvalidHandshake

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PER_ADDRESS = 150  # connections, of the 200 that a server lets in
COMING = 50  # of a large crowd at a time: more are too much for the attacker itself
AGAIN_SECONDS = 0.1  # after which who was cut off comes again
DEEDS: Counter[str] = Counter()
"""What this process has done: sockets that it has opened, and what it has sent by them."""


async def act(number: int, action: Callable[[int], Awaitable[None]]) -> None:
    """Have so many act until they are ended, whatever becomes of one of them."""

    async def insist(index: int) -> None:
        while True:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError, EOFError):
                await action(index)
            await asyncio.sleep(AGAIN_SECONDS)

    await asyncio.gather(*map(insist, range(number)))


def find_home(number: int) -> str:
    """Return the address of one of a crowd: no more of them share it than a server lets in."""
    return f"127.1.{number // PER_ADDRESS}.1"
