"""Every limit of the server: its name, its number and the reason for it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from mastermind_protocol.errors import ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_FRAME_BYTES = 16 * 1024  # up to here a frame gets a typed error, beyond it close code 1009
RECEIVE_QUEUE = 16  # frames read ahead of one client; the rest waits in its own socket
OUTBOX_FRAMES = 256  # some ten matches' whole logs: who reads slower than that is cut off
MAX_CONNECTIONS = 5000  # some 80 MiB of idle connections
MAX_CONNECTIONS_PER_ADDRESS = 200  # a classroom behind one address, not a flood
MAX_FOLLOWED = 64  # matches on one connection: more than a screen of boards
HANDSHAKE_SECONDS = 5.0  # for a WebSocket handshake: a silent socket is not a player
CLOSE_SECONDS = 2.0  # for a client's half of the closing: a stop must not wait for a silent one
HELLO_SECONDS = 10.0  # to say hello in: an idle socket is not a player
PING_SECONDS = 20.0  # so that a line that dropped without a word is noticed within 40 s
LOBBY_GRACE_SECONDS = 60.0  # a public lobby outlives its player's lost connection by this
SPECTATORS_SECONDS = 1.0  # between two counts told of one match: a crowd comes as one number
MAX_CHAT_LINES = 1000  # kept of one room of one match, an evening's talk: the oldest go
REFUSALS_KEPT = 10_000  # refusals remembered, to answer a repeated request alike: some 2 MiB


@dataclass(frozen=True, slots=True)
class Rate:
    """A limit over time: `burst` at once, then `per_second` as time goes by."""

    name: str
    burst: int
    per_second: float


REQUESTS = Rate("requests", burst=60, per_second=40)  # far above a person; more is read later
NEW_PLAYERS = Rate("new players", burst=200, per_second=2)  # a classroom, not a flood of rows
OPENINGS = Rate("matches opened", burst=30, per_second=1)  # each is a row for ever
ADVICE = Rate("advice", burst=20, per_second=0.5)  # each at most some 200 ms of a core
REVIEWS = Rate("reviews", burst=20, per_second=0.2)  # each 64 times 70 ms of a core at worst
CHAT = Rate("chat lines", burst=5, per_second=0.5)  # a talk, not a flood across somebody's board
CHAT_FROM = Rate("chat lines", burst=60, per_second=3)  # a classroom, not ids made for a flood
BAD_FRAMES = Rate("bad frames", burst=16, per_second=0.1)  # a bug shows, abuse is cut off
WRONG_CODES = Rate("unknown match codes", burst=20, per_second=0.2)  # codes cannot be tried out


class TokenBucket:
    """Counts one client's use of a rate. `now` tells seconds that never go back."""

    def __init__(self, rate: Rate, now: Callable[[], float]) -> None:
        self._rate = rate
        self._now = now
        self._credit = float(rate.burst)
        self._since = now()

    def take(self) -> None:
        """Use one credit; raises Refused, which says when the next one is there."""
        self._refill()
        if self._credit < 1:
            wait = ceil(1000 * (1 - self._credit) / self._rate.per_second) / 1000  # never too soon
            raise Refused(
                ErrorCode.RATE_LIMITED,
                f"too many {self._rate.name}: wait {wait} s",
                limit=self._rate.burst,
                retry_after=wait,
            )
        self._credit -= 1

    def check(self) -> None:
        """Raise Refused if there is no credit; uses none."""
        self.take()
        self._credit += 1

    def reserve(self) -> float:
        """Use one credit, on account if there is none; return the seconds to wait for it."""
        self._refill()
        self._credit -= 1
        return max(0.0, -self._credit / self._rate.per_second)

    def _refill(self) -> None:
        now = self._now()
        refill = (now - self._since) * self._rate.per_second
        self._credit, self._since = min(self._rate.burst, self._credit + refill), now


class Buckets:
    """A bucket a key, such as an address; the longest unused are forgotten first."""

    def __init__(self, rate: Rate, now: Callable[[], float], kept: int = 10_000) -> None:
        self._rate, self._now, self._kept = rate, now, kept
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, key: str) -> None:
        """Use one credit of this key; raises Refused."""
        self._find(key).take()

    def check(self, key: str) -> None:
        """Raise Refused if this key has no credit; uses none."""
        self._find(key).check()

    def _find(self, key: str) -> TokenBucket:
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate, self._now)
        self._buckets[key] = bucket
        if len(self._buckets) > self._kept:
            self._buckets.popitem(last=False)
        return bucket
