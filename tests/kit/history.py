"""A store that goes back under a running server, as when a standby that was behind is promoted."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from kit.client import PATIENCE, RawClient
from kit.server import GameServer
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import AnyMessage, Error
from mastermind_protocol.requests import Request
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.storage.engines.sqlite import begin_history
from mastermind_server.storage.threads import StorageFailed


async def go_back(hall: GameServer, *changes: str) -> None:
    """Execute statements in the file of a server, which begins another history.

    The sessions of the server then read the epoch anew, as after the loss of their connections.
    """
    with closing(sqlite3.connect(hall.database, isolation_level=None)) as driver:
        begin_history(driver)
        for change in changes:
            driver.execute(change)
    for thread, _ in hall.store._queues.values():
        if thread._session is not None:
            thread._session.epoch = ""
    with pytest.raises(StorageFailed):
        await hall.store.check_health()


async def insist(hall: GameServer, wire: RawClient, request: Request) -> AnyMessage:
    """Repeat a request, as clients do, until the store does not fail."""
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await wire.ask(request)
            if not isinstance(answer, Error) or answer.code != ErrorCode.STORAGE_FAILED:
                return answer
            hall.clock.skip(RETRY_SECONDS)
            await asyncio.sleep(0)
