"""Stores with a fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mastermind_server.storage.news import News
from mastermind_server.storage.store import Store


class Deaf(Store):
    """A store that delivers no notifications of other nodes."""

    def listen(self, hear: Callable[[Sequence[News]], None]) -> Callable[[], None]:
        del hear
        return lambda: None
