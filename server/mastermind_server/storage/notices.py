"""Notices from one node to the others: a match in the store has changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from mastermind_server.monitoring.usage import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REWRITTEN = 0  # the version in a notice of a log whose rows were replaced
LOGGED_OUT = -1  # the version in a notice of revoked tokens
IS_CONNECTED = -2  # the version in a notice that asks where a player is connected
CONNECTED = -3  # the version in the answer of a node where it is
CHALLENGED = -4  # the version in a notice of a match that challenges a player
NOT_CONNECTED = -5  # the version in the answer of another node
NOTICES_PER_MESSAGE = 256  # of at most 30 bytes each: PostgreSQL takes 8,000 bytes
SAMPLE_SECONDS = 10.0  # before a sampled notice counts as lost


class Notice(NamedTuple):
    """A change that other nodes may have to read.

    The log of `match` has reached `version`. If `version` is None, chat or presence of the match
    has changed. If `version` is REWRITTEN, a name in the log was replaced, and nodes must drop
    their copies of the match. If `version` is LOGGED_OUT, tokens of a player were revoked, and
    `match` is the player's id, as with IS_CONNECTED and CONNECTED. With NOT_CONNECTED it is the id,
    "@" and the name of the answering node. A lost notice does no harm, because nodes also poll.
    """

    match: str
    version: int | None = None

    @classmethod
    def parse(cls, text: str) -> Notice:
        """Return the notice of which `text` is the result of `str`."""
        match, _, version = text.partition(":")
        return cls(match, int(version) if version else None)

    def __str__(self) -> str:
        return self.match if self.version is None else f"{self.match}:{self.version}"


def encode_notices(notices: Iterable[Notice]) -> list[str]:
    """Return the payloads for NOTIFY, which together contain each notice once."""
    words = list(dict.fromkeys(map(str, notices)))
    starts = range(0, len(words), NOTICES_PER_MESSAGE)
    return [" ".join(words[start : start + NOTICES_PER_MESSAGE]) for start in starts]


def decode_notices(text: str) -> list[Notice]:
    """Return the notices in a payload that `encode_notices` returned."""
    return [Notice.parse(word) for word in text.split()]


class NotifyLatency:
    """Measures the time from a commit until this node receives its notice, one sample at a time.

    Threads call `start_timing`, and the event loop calls `stop_timing`. If they run at the same
    time, one sample can be lost.
    """

    def __init__(self) -> None:
        self.delays = Histogram()
        self._pending: tuple[Notice, float] | None = None

    def start_timing(self, notices: Sequence[Notice]) -> None:
        """Start to time the last of the sent `notices`, unless another notice is being timed."""
        now = time.monotonic()
        if notices and (self._pending is None or now - self._pending[1] > SAMPLE_SECONDS):
            self._pending = notices[-1], now

    def stop_timing(self, notices: Sequence[Notice]) -> None:
        """Record the latency of the notice that is being timed, if `notices` contain it.

        `notices` are those that this node has just received.
        """
        if (pending := self._pending) is not None and pending[0] in notices:
            self._pending = None
            self.delays.add(time.monotonic() - pending[1])
