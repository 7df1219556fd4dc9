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
READ_BYTES = 1024  # read of one client in one go, about a request: some 170 pings, 2 ms of work
RECEIVE_QUEUE = 16  # messages read ahead of one client; the rest waits in its own socket
UNREAD_BYTES = 64 * 1024  # sent and not read: whoever has so much is asked to read before it asks
OUTBOX_BYTES = 256 * 1024  # some ten matches' whole logs: who is behind by more is cut off
MAX_CONNECTIONS = 5000  # some 80 MiB of idle connections
MAX_CONNECTIONS_PER_ADDRESS = 200  # a classroom behind one address, not a flood
REFUSED_AT_ONCE = 32  # connections above either limit that are told so; beyond, they are just cut
REFUSED_SECONDS = 5.0  # after which a connection that found no room may try again
ACCEPTED_AT_ONCE = 128  # sockets that wait to be accepted, all in one turn: SPARE_DESCRIPTORS hold
SPARE_DESCRIPTORS = 256  # kept back from sockets: the database, threads, processes of bots
HANDSHAKE_BYTES = 8 * 1024  # of a whole handshake: browsers with many cookies send some 4 KiB
MAX_FOLLOWED = 64  # matches on one connection: more than a screen of boards
HANDSHAKE_SECONDS = 5.0  # for a WebSocket handshake: a silent socket is not a player
CLOSE_SECONDS = 2.0  # for a client's half of the closing: a stop must not wait for a silent one
STOP_SECONDS = 1.0  # for requests under way when the server stops: a commit takes milliseconds
HELLO_SECONDS = 10.0  # to say hello in: an idle socket is not a player
TURN_SECONDS = 0.005  # of one turn of the event loop go to requests: nobody's move waits for many
RELEASED_PER_TURN = 8  # requests that waited for a turn and begin in it: a long log takes 1.6 ms
PING_SECONDS = 20.0  # so that a line that dropped without a word is noticed within 40 s
LOBBY_GRACE_SECONDS = 60.0  # a public lobby outlives its player's lost connection by this
SPECTATORS_SECONDS = 1.0  # between two counts told of one match: a crowd comes as one number
MAX_SEARCHED = 500  # of the last public matches, when those are listed whose players are here
TABLES_KEPT = 256  # that nobody uses, for those who come back: loading one takes a while
ROWS_KEPT = 50_000  # in all of these, some 30 MiB: the longest match has 40,000
TABLES_LOADED_AT_ONCE = 2  # so many pieces of logs may be folded in one turn of the loop
READ_AT_ONCE = 64  # rows read and folded in one turn of the loop, in some 2 ms
READ_QUICKLY = 1024  # rows, a few evenings' match: beyond, most of the time is left to others,
LEISURE_SECONDS = 0.01  # by so long a pause between two pieces
BOTS_ONLY_AT_ONCE = 1  # matches of two bots in which one moves: a thread is left for people's
RETRY_SECONDS = 1.0  # a full disk or a crowded machine is not helped by asking more often
REVIEWED_KEPT = 10_000  # guesses of which the review is remembered: some 6 MiB
MAX_CHAT_LINES = 1000  # kept of one room of one match, an evening's talk: the oldest go
MAX_ANALYSES = 64  # advice and reviews that wait: four minutes of a core, were all of the heaviest
MAX_ANALYSES_OF_ADDRESS = 24  # of all at one address: others find room whatever they ask for
MAX_ANALYSES_OF_PLAYER = 8  # of one player, who needs one; they are done one after another
REQUESTS_KEPT = 50_000  # requests remembered, to know an id and its refusal again: some 20 MiB


@dataclass(frozen=True, slots=True)
class Rate:
    """A limit over time: `burst` at once, then `per_second` as time goes by."""

    name: str
    burst: int
    per_second: float


MAX_DEBT = 2  # bursts on account: whoever comes later must not wait for long gone crowds
ARRIVALS = Rate("connections", burst=400, per_second=20)  # two classrooms, come back as one
REQUESTS = Rate("requests", burst=60, per_second=40)  # far above a person; more is read later
# What requests cost together, over all of a player's connections, and of an address's: a move
# is 1, some 0.4 ms of a core. A classroom asks for 30 a second, and 300 as it comes in.
WORK = Rate("cost of requests", burst=200, per_second=40)
WORK_FROM = Rate("cost of requests", burst=2000, per_second=400)
LOG_COST = 4  # of what is answered with a log, at most 64 rows: 1.6 ms
LIST_COST = 8  # of what goes through the lists: 3 ms
NEW_PLAYERS = Rate("new players", burst=200, per_second=2)  # a classroom, not a flood of rows
OPENINGS = Rate("matches opened", burst=30, per_second=1)  # each is a row for ever
ADVICE = Rate("advice", burst=20, per_second=0.5)  # each at most some 200 ms of a core
# Each is of at most 64 guesses: measured, 40 to 110 ms of a core at 4x6, the last of 999 guesses,
# and 3.5 s at 6x10. Those of a finished match are remembered.
REVIEWS = Rate("reviews", burst=20, per_second=0.2)
CHAT = Rate("chat lines", burst=5, per_second=0.5)  # a talk, not a flood across somebody's board
CHAT_FROM = Rate("chat lines", burst=60, per_second=3)  # a classroom, not ids made for a flood
BAD_FRAMES = Rate("bad frames", burst=16, per_second=0.1)  # a bug shows, abuse is cut off
WRONG_CODES = Rate("unknown match codes", burst=20, per_second=0.2)  # codes cannot be tried out
WRONG_CODES_FROM = Rate("unknown match codes", burst=200, per_second=1)  # nor by many new players


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

    def reserve(self, cost: int = 1) -> float:
        """Use so many credits, on account if need be; return the seconds to wait for them."""
        self._refill()
        self._credit = max(self._credit - cost, -MAX_DEBT * self._rate.burst)
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

    def reserve(self, key: str, cost: int = 1) -> float:
        """Use so many credits of this key, on account if need be; return the seconds to wait."""
        return self._find(key).reserve(cost)

    def check(self, key: str) -> None:
        """Raise Refused if this key has no credit; uses none."""
        self._find(key).check()

    def _find(self, key: str) -> TokenBucket:
        bucket = self._buckets.pop(key, None) or TokenBucket(self._rate, self._now)
        self._buckets[key] = bucket
        if len(self._buckets) > self._kept:
            self._buckets.popitem(last=False)
        return bucket
