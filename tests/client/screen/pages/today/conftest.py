import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kit.days import begin_day
from kit.players import identities
from kit.server import GameServer
from mastermind_client.network.session import Session


@pytest.fixture
async def hall(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[GameServer]:
    """A server at noon of a day, on which the user has played before as Ada."""
    caplog.set_level(logging.ERROR, "mastermind_server.monitoring.usage")
    hall = GameServer(tmp_path)
    await hall.start()
    with identities().claim(hall.address) as identity:
        async with Session.connect(hall.address, identity, "Ada"):
            pass
    await begin_day(hall, "classic", "mini")
    yield hall
    await hall.close()
