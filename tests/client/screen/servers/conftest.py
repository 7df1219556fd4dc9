import asyncio

import pytest

from kit.people import PATIENCE
from kit.screen.listener import Listener


@pytest.fixture
async def listener():
    """A player's servers; closing them ends all their tasks."""
    before = asyncio.all_tasks()
    listener = Listener()
    yield listener
    async with asyncio.timeout(PATIENCE):
        await listener.servers.close()
    assert not listener.failures
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert [task for task in left if not task.done()] == []
