from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping

import pytest

from kit.clock import ManualClock
from mastermind_server.commands.serve import new_event_loop


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], AbstractEventLoop]]:
    """Connections are tested on the event loop of the command, other tests on Python's own.

    TLS, which sits between both, runs on either.
    """
    if item.path.name == "test_tls.py":
        return {"server": new_event_loop, "python": asyncio.new_event_loop}
    return {"server": new_event_loop}
