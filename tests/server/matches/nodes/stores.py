"""Stores with a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mastermind_server.storage.notices import Notice
from mastermind_server.storage.store import Store


class Deaf(Store):
    """A store that delivers no notifications of other nodes."""

    async def listen(self, callback: Callable[[Sequence[Notice]], None]) -> None:
        del callback
