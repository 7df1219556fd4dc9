"""Notices that nodes send to each other, for example that a match has changed in the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from mastermind_server.monitoring.usage import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

REWRITTEN = 0  # the version in a notice of a log whose rows were replaced
LOGGED_OUT = -1  # the version in a notice of revoked tokens
IS_CONNECTED = -2  # the version in a notice that asks whether a player is connected
CONNECTED = -3  # the version in the answer of the player's node
CHALLENGED = -4  # the version in a notice of a match that challenges a player
NOT_CONNECTED = -5  # the version in the answer of any other node
RENEW = -6  # the version in a notice that asks the other nodes to renew their leases
NOTICES_PER_MESSAGE = 256  # of at most 30 bytes each: PostgreSQL takes 8,000 bytes
NOTIFY_SAMPLE_SECONDS = 10.0  # before a sampled notice counts as lost


class Notice(NamedTuple):
    """A message to all nodes. `version` gives its kind.

    `match` is a match code, except where the list gives another meaning. A lost notice does no
    harm, because nodes also poll. The kinds, by `version`:

        1 or above      the log of the match has reached this version
        None            chat or presence of the match has changed
        REWRITTEN       rows of the log were replaced: nodes drop their copies of the match
        CHALLENGED      the match challenges a player
        LOGGED_OUT      tokens of a player were revoked; `match` is the player id
        IS_CONNECTED    asks whether a player is connected to a node; `match` is the player id
        CONNECTED       the answer yes; `match` is the player id
        NOT_CONNECTED   the answer no; `match` is the player id, "@", and the name of the node
        RENEW           asks all other nodes to renew their leases; `match` is empty
    """

    match: str
    version: int | None = None

    @classmethod
    def parse(cls, text: str) -> Notice:
        """Return the notice whose `str` is `text`."""
        match, _, version = text.partition(":")
        return cls(match, int(version) if version else None)

    def __str__(self) -> str:
        return self.match if self.version is None else f"{self.match}:{self.version}"


def encode_notices(notices: Iterable[Notice]) -> list[str]:
    """Return the payloads of NOTIFY for `notices`. Equal notices are sent once."""
    words = list(dict.fromkeys(map(str, notices)))
    starts = range(0, len(words), NOTICES_PER_MESSAGE)
    return [" ".join(words[start : start + NOTICES_PER_MESSAGE]) for start in starts]


def decode_notices(text: str) -> list[Notice]:
    """Return the notices in `text`, a payload from `encode_notices`."""
    return [Notice.parse(word) for word in text.split()]


class NotifyLatency:
    """Measures the time from a commit until this node receives its notice.

    Only one notice is timed at a time. Threads call `start_timing`, and the event loop calls
    `stop_timing`. If both run at the same time, one measurement can be lost.
    """

    def __init__(self) -> None:
        self.delays = Histogram()
        self._pending: tuple[Notice, float] | None = None

    def start_timing(self, notices: Sequence[Notice]) -> None:
        """Start to time the last of the sent `notices`, unless an earlier notice is being timed."""
        now = time.monotonic()
        if notices and (self._pending is None or now - self._pending[1] > NOTIFY_SAMPLE_SECONDS):
            self._pending = notices[-1], now

    def stop_timing(self, notices: Sequence[Notice]) -> None:
        """Record the latency of the timed notice if the received `notices` contain it."""
        if (pending := self._pending) is not None and pending[0] in notices:
            self._pending = None
            self.delays.add(time.monotonic() - pending[1])
