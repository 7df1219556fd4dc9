from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.tui.seats import seats_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from client.people import RestartableServer
    from client.tui.seats import Seats


@pytest.fixture
async def offline() -> AsyncIterator[Seats]:
    """Seats in this process, across from bots."""
    async with seats_at() as seats:
        yield seats


@pytest.fixture
async def online(server: RestartableServer) -> AsyncIterator[Seats]:
    """Seats at a server."""
    async with seats_at(server.address) as seats:
        yield seats
