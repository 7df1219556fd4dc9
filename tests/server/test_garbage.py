"""What ends leaves nothing for the garbage collector, which is why that runs so rarely."""

from __future__ import annotations

import asyncio
import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire import Hall


@contextmanager
def collected() -> Iterator[list[object]]:
    """Collect what the block leaves in cycles: that of it which is the server's."""
    found: list[object] = []
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        server = ("mastermind_server", "websockets.server")
        found += [each for each in gc.garbage if type(each).__module__.startswith(server)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def play(hall: Hall, *, abrupt: bool) -> None:
    ada, bob, eve = [await hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open(maker="me", breaker="open")).match
    await bob.join(match)
    await eve.follow(match)
    await ada.set(match, "0012")
    await bob.guess(match, "0011")
    await bob.guess(match, "0012")
    for wire in (ada, bob, eve):
        if abrupt:
            wire.websocket.transport.abort()
        await wire.close()
    await until_all_are_gone(hall)


async def until_all_are_gone(hall: Hall) -> None:
    gateway = hall.server.gateway
    await gateway._admission.all_closed.wait()
    await asyncio.gather(*(each.worker for each in gateway._connections if each.worker))


@pytest.mark.parametrize("abrupt", [False, True])
async def test_a_match_and_its_connections_leave_no_cycles(hall: Hall, *, abrupt: bool) -> None:
    await play(hall, abrupt=abrupt)
    with collected() as found:
        await play(hall, abrupt=abrupt)
    assert found == []
