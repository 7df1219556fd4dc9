from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_server.commands.serve import new_event_loop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Mapping


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], AbstractEventLoop]]:
    """Connections are tested on the loop of the server's command; all else is on Python's own."""
    return {"server": new_event_loop}
