"""How long news are under way between nodes: a node hears its own, and times one at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mastermind_server.health.histogram import Histogram
from mastermind_server.tuning import ECHO_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_server.storage.news import News


class Echo:
    """Times from when something is on disk until this node has heard of it, as others have.

    One thread tells and another hears; at worst a time is lost between them.
    """

    def __init__(self) -> None:
        self.delays = Histogram()
        self._awaited: tuple[News, float] | None = None

    def tell(self, told: Sequence[News]) -> None:
        """Begin to wait for the last of what is told now, unless another is waited for."""
        now = time.monotonic()
        if told and (self._awaited is None or now - self._awaited[1] > ECHO_SECONDS):
            self._awaited = told[-1], now

    def hear(self, heard: Sequence[News]) -> None:
        """Take the time, if it is there."""
        if (awaited := self._awaited) is not None and awaited[0] in heard:
            self._awaited = None
            self.delays.add(time.monotonic() - awaited[1])
