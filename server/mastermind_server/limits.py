"""All limits on clients: names, numbers and reasons.

An operator can set limits in a file or the environment (docs/OPERATIONS.md). A metric counts how
often each limit is met. Other constants of the server are in the modules that use them.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.errors import Reason

VARIABLE_PREFIX = "MASTERMIND_LIMIT_"  # with the name of a limit in capitals; the value is TOML

Count = Annotated[int, Meta(ge=0)]
Bytes = Annotated[int, Meta(ge=1024)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]  # at most a day


class Rate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rate limit: a token bucket of `burst` tokens, which gains `per_second` tokens a second."""

    burst: Annotated[int, Meta(ge=1, le=10**9)]
    per_second: Annotated[float, Meta(gt=0, le=1e9)]


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one server, with their defaults. Files and variables use these names."""

    # Connections.
    connections: Count = 5000  # about 80 MiB of idle connections
    connections_per_address: Count = 200  # a classroom behind one address, not a flood
    connections_per_site: Count = 1000  # of a /48 of IPv6: a campus; four fifths remain for others
    # Browsers open some 8 sockets for a page: a classroom opens 60 pages at once.
    sockets_of_address: Rate = Rate(burst=500, per_second=40)  # new sockets of an address
    sockets_of_site: Rate = Rate(burst=800, per_second=120)  # of a /48; the rest is for others
    sockets: Rate = Rate(burst=2000, per_second=400)  # in all: a tenth of a core
    handshakes: Rate = Rate(burst=500, per_second=200)  # of WebSockets in all: a seventh of a core
    pending_connections: Count = 1000  # before hello, about 20 MiB; the oldest are evicted
    pending_connections_per_address: Count = 100  # a classroom that connects at once
    page_requests: Rate = Rate(burst=20, per_second=800)  # a sixth of a core; delayed
    idle_pages: Count = 2500  # browsers' connections between requests; half is left for players
    idle_pages_per_address: Count = 60  # ten browsers that load; more open new connections
    handshake_bytes: Bytes = 8 * 1024  # of a handshake: browsers with many cookies send 4 KiB
    handshake_seconds: Seconds = 5.0  # until the end of the handshake, or the next page request
    hello_seconds: Seconds = 10.0  # from handshake to hello
    ping_seconds: Seconds = 20.0  # between pings: detects a lost connection within 40 s
    frame_bytes: Bytes = 16 * 1024  # above, the connection is closed with 1009
    frames: Rate = Rate(burst=60, per_second=40)  # of a connection, with control frames; delayed
    bytes: Rate = Rate(burst=64 * 1024, per_second=16 * 1024)  # of a connection; delayed
    bad_frames: Rate = Rate(burst=16, per_second=0.1)  # of a connection; above, it is closed
    unread_bytes: Bytes = 64 * 1024  # sent to a client; above, its requests wait
    send_buffer_bytes: Bytes = 256 * 1024  # about ten logs; above, the client is cut off
    send_buffer_bytes_in_all: Bytes = 64 * 1024 * 1024  # above, the slowest client is cut off

    # Requests. Their cost is summed over all connections of a player, and of an address. A move
    # costs 1, about 0.2 ms of a core. A classroom needs 30 a second, and 300 when it connects.
    request_cost: Rate = Rate(burst=200, per_second=40)  # of a player; delayed
    request_cost_of_address: Rate = Rate(burst=2000, per_second=400)  # cost above 1; delayed
    moves_of_address: Rate = Rate(burst=2000, per_second=400)  # requests of cost 1; delayed
    followed: Count = 64  # matches that a connection follows: more than a screen shows
    rows_followed_of_address: Count = 100_000  # rows of followed matches, about 70 MiB
    bot_matches_of_address: Count = 100  # followed matches of two bots: one for each in a classroom
    spectators: Count = 1000  # of a match: a move to all is 50 ms of a core
    new_players: Rate = Rate(burst=200, per_second=2)  # of an address: a classroom
    tokens: Count = 16  # of a player: one for each computer
    transfers: Rate = Rate(burst=5, per_second=0.05)  # transfer codes of a player
    transfer_seconds: Seconds = 300.0  # lifetime of a transfer code: time to type it elsewhere
    wrong_transfers: Rate = Rate(burst=20, per_second=0.05)  # of an address; 30**8 codes exist
    openings: Rate = Rate(burst=30, per_second=1)  # of a player: each stores rows for ever
    challenges: Rate = Rate(burst=5, per_second=0.05)  # of a player: each interrupts another one
    challenges_of_address: Rate = Rate(burst=60, per_second=1)  # a classroom; bounds new players
    lobbies: Count = 16  # open ones of a player, who can hardly play more
    lobbies_of_address: Count = 100  # a classroom; a fifth of the lobbies that a list reads
    wrong_codes: Rate = Rate(burst=20, per_second=0.2)  # of a player: prevents guessing of codes
    wrong_codes_of_address: Rate = Rate(burst=200, per_second=1)  # the same with many new players
    # Rows of logs are stored for ever, about 230 bytes each; a new match takes 50. A player can
    # begin 400 matches at once and 860 a day, 10 MB; a classroom 4,000 and 8,600, 100 MB.
    rows: Rate = Rate(burst=20_000, per_second=0.5)  # of a player
    rows_of_address: Rate = Rate(burst=200_000, per_second=5)

    # Chat, advice and reviews.
    chat: Rate = Rate(burst=5, per_second=0.5)  # of a player: enough for a conversation
    chat_of_address: Rate = Rate(burst=60, per_second=3)  # a classroom; bounds new players too
    chat_lines: Count = 1000  # of a chat room: a long evening
    advice: Rate = Rate(burst=20, per_second=0.5)  # of a player: each takes up to 200 ms of a core
    # Milliseconds of a core for advice, reviews and adaptive codemakers.
    analysis_ms: Rate = Rate(burst=8000, per_second=100)  # of a player: two of the largest reviews
    analysis_ms_of_address: Rate = Rate(burst=20_000, per_second=300)  # a classroom
    # Each review has at most 64 guesses. Measured: 40 to 110 ms of a core at 4x6 for the last of
    # 999 guesses, 3.5 s at 6x10. Reviews of finished matches are cached.
    reviews: Rate = Rate(burst=20, per_second=0.2)  # of a player
    analyses: Count = 64  # pending advice and reviews: four minutes of a core
    analyses_of_address: Count = 24  # of one address, so that others get a place
    analyses_of_player: Count = 8  # served one after the other

    # Log lines. Those above a limit are dropped, and one line gives their number.
    log_lines: Count = 100  # of a level, per second: clients must not fill a disk
    log_bytes: Bytes = 2 * 1024 * 1024  # queued for writing


LIMIT_NAMES = Limits.__struct_fields__
UNCOUNTED_LIMITS = {"transfer_seconds"}  # an expired code is rejected like any wrong one
DEFAULT_LIMITS = Limits()
FORMER_NAMES = MappingProxyType(
    {
        "arrivals": "sockets_of_address",
        "arrivals_of_site": "sockets_of_site",
        "newcomers": "pending_connections",
        "newcomers_per_address": "pending_connections_per_address",
        "outbox_bytes": "send_buffer_bytes",
        "outbox_bytes_in_all": "send_buffer_bytes_in_all",
        "shows_of_address": "bot_matches_of_address",
        "thought": "analysis_ms",
        "thought_of_address": "analysis_ms_of_address",
        "watchers": "spectators",
        "work": "request_cost",
        "work_of_address": "request_cost_of_address",
    }
)
"""The names of limits by their former names, which files and variables can still use."""


class Limiter:
    """The limits of a server.

    `met` counts refusals, delays and closed connections, by the name of the limit.
    """

    __slots__ = ("limits", "met")

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.met: Counter[str] = Counter(
            {name: 0 for name in LIMIT_NAMES if name not in UNCOUNTED_LIMITS}
        )

    def check_count(
        self, name: str, count: int, reason: Reason, retry_after: float | None = None
    ) -> None:
        """Raise Refused if `count` has reached the limit `name`."""
        limit = getattr(self.limits, name)
        if count >= limit:
            self.met[name] += 1
            raise Refused(reason, limit=limit, retry_after=retry_after)


def read_limits(file: str, environment: Mapping[str, str]) -> Limits:
    """Return the limits in the TOML text `file`, which variables in `environment` override.

    Limits in neither have their defaults. Raises ValueError for unknown names and invalid values.
    """
    given = {
        FORMER_NAMES.get(name, name): value for name, value in _parse_toml("the file", file).items()
    }
    for variable, value in environment.items():
        if variable.startswith(VARIABLE_PREFIX):
            name = variable.removeprefix(VARIABLE_PREFIX).lower()
            name = FORMER_NAMES.get(name, name)
            given[name] = _parse_toml(variable, f"value = {value}").get("value")
    if unknown := sorted(set(given) - set(LIMIT_NAMES)):
        raise ValueError(f"unknown limit {unknown[0]!r}; the limits are {', '.join(LIMIT_NAMES)}")
    try:
        return msgspec.convert(given, Limits)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace("$.", "")) from None


def _parse_toml(origin: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{origin} is not valid TOML: {error}") from None
