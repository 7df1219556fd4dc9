import pytest

from kit.screen.seats import seats_at
from kit.screen.slate import Slate
from kit.screen.stage import stage
from kit.screen.toolkit import toolkit_made_once  # noqa: F401 - a fixture


@pytest.fixture
async def offline():
    """Seats in this process, across from bots."""
    async with seats_at() as seats:
        yield seats


@pytest.fixture
async def online(server, people):  # noqa: ARG001 - the relay of `people` is closed after the seats
    """Seats at a server."""
    async with seats_at(server.address) as seats:
        yield seats


@pytest.fixture
async def shown():
    """A running app that shows a slate."""
    async with stage(opening=Slate) as shown:
        yield shown
