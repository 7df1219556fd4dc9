"""Concurrent attackers that reconnect after a disconnect."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import TYPE_CHECKING

from websockets.exceptions import ConnectionClosed, InvalidHandshake

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PER_ADDRESS = 150  # connections: the server's limit is 200
CONNECTING = 50  # at the same time: more would overload the attacker
AGAIN_SECONDS = 0.1  # before an attacker reconnects
DONE: Counter[str] = Counter()
"""The number of sockets that this process opened and of messages that it sent."""


async def act(number: int, action: Callable[[int], Awaitable[None]]) -> None:
    """Run `number` actions until cancelled; repeat each action that ends or is cut off."""

    async def repeat(index: int) -> None:
        while True:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError, EOFError):
                await action(index)
            await asyncio.sleep(AGAIN_SECONDS)

    await asyncio.gather(*map(repeat, range(number)))


def find_source(number: int) -> str:
    """Return a source address; PER_ADDRESS attackers share it."""
    return f"127.1.{number // PER_ADDRESS}.1"
