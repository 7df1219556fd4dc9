from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.tui.seats import seats_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from client.people import People, RestartableServer
    from client.tui.seats import Seats


@pytest.fixture
async def offline() -> AsyncIterator[Seats]:
    """Seats in this process, across from bots."""
    async with seats_at() as seats:
        yield seats


@pytest.fixture
async def online(server: RestartableServer, people: People) -> AsyncIterator[Seats]:  # noqa: ARG001 - the relay is theirs
    """Seats at a server, which are left before a relay to it is gone."""
    async with seats_at(server.address) as seats:
        yield seats
