"""All limits on clients: names, numbers and reasons.

An operator can set limits in a file or the environment (docs/OPERATIONS.md). A metric counts how
often each limit is met. Other constants of the server are in the modules that use them.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, get_args

import msgspec
from msgspec import Meta

from mastermind_protocol.chat import MAX_CHAT_LENGTH, MAX_PHRASE_NUMBER
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import MAX_NAME_LENGTH
from mastermind_protocol.messages import Allowance, Bounds, Rates, Terms
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    AnyRequest,
    EnterDay,
    ListDays,
    ListPlaces,
    ShowDay,
)
from mastermind_protocol.rules import MAX_COLOURS, MAX_GUESSES, MAX_PEGS, MAX_ROUNDS

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
    """The limits of one server, with their defaults. Files and variables use these names.

    The comment at a limit is its reason. If clients can notice a limit, a string below it
    describes it, and `make vectors` writes this string to the limit's row in
    docs/protocol/limits.md. The string of a count, size or time has two columns: what is limited,
    and what happens beyond the limit. The string of a rate has the key of its buckets, and the
    requests that it counts.
    """

    # Connections.
    connections: Count = 5000  # about 80 MiB of idle connections
    """connections of a server | `too_many`, then close code 1013"""
    connections_per_address: Count = 200  # a classroom behind one address, not a flood
    """connections from one address | likewise; sockets count once accepted"""
    connections_per_site: Count = 1000  # of a /48 of IPv6: a campus; four fifths remain for others
    """connections from one site | likewise"""
    # Browsers open some 8 sockets for a page: a classroom opens 60 pages at once.
    sockets_of_address: Rate = Rate(burst=500, per_second=40)  # new sockets of an address
    """address | every socket; others are closed"""
    sockets_of_site: Rate = Rate(burst=800, per_second=120)  # of a /48; the rest is for others
    """site | likewise"""
    sockets: Rate = Rate(burst=2000, per_second=400)  # in all: a tenth of a core
    """server | likewise"""
    handshakes: Rate = Rate(burst=500, per_second=200)  # of WebSockets in all: a seventh of a core
    """server | every WebSocket handshake; others are closed"""
    pending_connections: Count = 1000  # before hello, about 20 MiB; the oldest are evicted
    """connections of a server before `hello` | likewise for the oldest; closed if its handshake is
    pending"""
    pending_connections_per_address: Count = 100  # a classroom that connects at once
    """connections from one address before `hello` | likewise for its oldest"""
    page_requests: Rate = Rate(burst=20, per_second=800)  # a sixth of a core; delayed
    """server | every page or file; others wait, one address after another"""
    idle_pages: Count = 2500  # browsers' connections between requests; half is left for players
    """browser connections between pages | the oldest is closed"""
    idle_pages_per_address: Count = 60  # ten browsers that load; more open new connections
    """browser connections of one address between pages | likewise"""
    handshake_bytes: Bytes = 8 * 1024  # of a handshake: browsers with many cookies send 4 KiB
    """bytes of a handshake | HTTP 431"""
    handshake_seconds: Seconds = 5.0  # until the end of the handshake, or the next page request
    """seconds for the handshake | closed; the same between requests for pages"""
    hello_seconds: Seconds = 10.0  # from handshake to hello
    """seconds until a successful `hello` | close code 1008, `no hello`"""
    ping_seconds: Seconds = 20.0  # between pings: detects a lost connection within 40 s
    """seconds between pings | close code 1011 after as long without a pong"""
    frame_bytes: Bytes = 16 * 1024  # above, the connection is closed with 1009
    """bytes of any message to the server | close code 1009"""
    frames: Rate = Rate(burst=60, per_second=40)  # of a connection, with control frames; delayed
    """connection | every frame, with control frames and fragments; others are read later"""
    bytes: Rate = Rate(burst=64 * 1024, per_second=16 * 1024)  # of a connection; delayed
    """connection | every byte, but not of unfragmented messages of at most 125 bytes that arrive
    whole; others are read later"""
    bad_frames: Rate = Rate(burst=16, per_second=0.1)  # of a connection; above, it is closed
    """connection | `not_msgpack` to `invalid_message` in [Error codes](errors.md#error-codes);
    beyond it close code 1008"""
    unread_bytes: Bytes = 64 * 1024  # sent to a client; above, its requests wait
    """bytes sent to one connection and not read | its requests wait until it reads"""
    send_buffer_bytes: Bytes = 256 * 1024  # about ten logs; above, the client is cut off
    """bytes queued for one connection | closed without close frame"""
    send_buffer_bytes_in_all: Bytes = 64 * 1024 * 1024  # above, the slowest client is cut off
    """bytes queued for all connections | likewise the slowest with more than 1024 bytes"""

    # Requests. Their cost is summed over all connections of a player, and of an address. A move
    # costs 1, about 0.2 ms of a core. A classroom needs 30 a second, and 300 when it connects.
    request_cost: Rate = Rate(burst=200, per_second=40)  # of a player; delayed
    """player | the cost of every request: `open`, `rematch`, `challenge`, `enter`, `join`,
    `decline`, `follow`, `snapshot` 4; `seek`, `list`, `archive`, `own`, `leaderboard`, `profile`,
    `statistics`, `people`, `day`, `places`, `days` 8; else 1; others are handled later"""
    request_cost_of_address: Rate = Rate(burst=2000, per_second=400)  # cost above 1; delayed
    """address | likewise, costs above 1"""
    moves_of_address: Rate = Rate(burst=2000, per_second=400)  # requests of cost 1; delayed
    """address | likewise, cost 1, such as moves"""
    followed: Count = 64  # matches that a connection follows: more than a screen shows
    """matches followed by one connection | `too_many` for requests that
    [subscribe](../PROTOCOL.md#following-a-match)"""
    rows_followed_of_address: Count = 100_000  # rows of followed matches, about 70 MiB
    """log rows of matches followed from one address | likewise; a match counts once *"""
    bot_matches_of_address: Count = 100  # followed matches of two bots: one for each in a classroom
    """running matches of two bots followed from one address | `too_many` for `open` and `follow`
    *"""
    spectators: Count = 1000  # of a match: a move to all is 50 ms of a core
    """spectator connections of one match | `too_many` for `follow` *"""
    new_players: Rate = Rate(burst=200, per_second=2)  # of an address: a classroom
    """address | `hello` without a token"""
    tokens: Count = 16  # of a player: one for each computer
    """tokens of a player | `too_many` for `transfer`"""
    transfers: Rate = Rate(burst=5, per_second=0.05)  # transfer codes of a player
    """player | `transfer`"""
    transfer_seconds: Seconds = 300.0  # lifetime of a transfer code: time to type it elsewhere
    """lifetime of a transfer code in seconds | `unknown_transfer`"""
    wrong_transfers: Rate = Rate(burst=20, per_second=0.05)  # of an address; 30**8 codes exist
    """address | `unknown_transfer`; beyond it for every `hello` with a transfer code"""
    openings: Rate = Rate(burst=30, per_second=1)  # of a player: each stores rows for ever
    """player | `open`, `seek`, `rematch`, `challenge`, `enter`"""
    challenges: Rate = Rate(burst=5, per_second=0.05)  # of a player: each interrupts another one
    """player | `challenge`"""
    challenges_of_address: Rate = Rate(burst=60, per_second=1)  # a classroom; bounds new players
    """address | likewise"""
    challenges_to_player: Count = 8  # without an answer: more questions than two minutes answer
    """challenges to one player that wait | `too_many` for `challenge`"""
    challenges_of_pair: Count = 1  # without an answer, to one player: another asks nothing new
    """challenges of one player to another that wait | likewise"""
    # Of a challenged player, at each node, as all rates: more would interrupt it for ever.
    challenges_received: Rate = Rate(burst=8, per_second=0.02)
    """challenged player | opened challenges to the player, also those taken back; others get
    `too_many`"""
    lobbies: Count = 16  # open ones of a player, who can hardly play more
    """followed lobbies of one player | `too_many` for `open` and `seek` *"""
    lobbies_of_address: Count = 100  # a classroom; a fifth of the lobbies that a list reads
    """lobbies opened from one address | likewise; a lobby without its player counts for a minute
    more"""
    wrong_codes: Rate = Rate(burst=20, per_second=0.2)  # of a player: prevents guessing of codes
    """player | `unknown_match`; beyond it for every match that the connection does not follow,
    unless the player has a seat"""
    wrong_codes_of_address: Rate = Rate(burst=200, per_second=1)  # the same with many new players
    """address | the same, and pages of unknown matches; it refuses only players that never had a
    seat"""
    # Milliseconds of the database thread for lists, which has 1000 a second. A list takes 1 to 10,
    # and statistics of 10,000 matches 30.
    query_ms: Rate = Rate(burst=2000, per_second=50)  # of a player: five lists a second
    """player | milliseconds in which the database ran `list`, `archive`, `own`, `leaderboard`,
    `profile`, `statistics`, `people`, `day`, `places` and `days`, counted afterwards"""
    query_ms_of_address: Rate = Rate(burst=10_000, per_second=250)  # a quarter of the thread
    """address | the same requests"""
    # Rows of logs are stored for ever, about 230 bytes each; a new match takes 50. A player can
    # begin 400 matches at once and 860 a day, 10 MB; a classroom 4,000 and 8,600, 100 MB.
    rows: Rate = Rate(burst=20_000, per_second=0.5)  # of a player
    """player | stored rows: requests that open a match 50, or 10 for each round if that is more;
    `say`, and a move in a match with more rows, 1; a refused request 0"""
    rows_of_address: Rate = Rate(burst=200_000, per_second=5)
    """address | the same requests"""

    # Chat and analyses.
    chat: Rate = Rate(burst=5, per_second=0.5)  # of a player: enough for a conversation
    """player | `say`"""
    chat_of_address: Rate = Rate(burst=60, per_second=3)  # a classroom; bounds new players too
    """address | `say`"""
    chat_lines: Count = 1000  # of a chat room: a long evening
    """lines of one room of a match | the oldest is deleted, and its `say` not
    recognised"""
    advice: Rate = Rate(burst=20, per_second=0.5)  # of a player: each takes up to 200 ms of a core
    """player | `advise`"""
    # Milliseconds of a core for advice, reviews, positions, puzzles and adaptive codemakers.
    analysis_ms: Rate = Rate(burst=8000, per_second=100)  # of a player: two of the largest reviews
    """player | milliseconds of a core for `advise`, `review`, `analyse`, `puzzle` and a `guess`
    against an adaptive codemaker, counted afterwards"""
    analysis_ms_of_address: Rate = Rate(burst=20_000, per_second=300)  # a classroom
    """address | the same requests"""
    # Each review has at most 64 guesses. Measured: 40 to 110 ms of a core at 4x6 for the last of
    # 999 guesses, 3.5 s at 6x10. Reviews of finished matches are cached.
    reviews: Rate = Rate(burst=20, per_second=0.2)  # of a player
    """player | `review`"""
    analyses: Count = 64  # pending ones of all kinds: four minutes of a core
    """queued `advise`, `review`, `analyse` and `puzzle` | `rate_limited`"""
    analyses_of_address: Count = 24  # of one address, so that others get a place
    """the same of one address | `rate_limited`"""
    analyses_of_player: Count = 8  # served one after the other
    """the same of one player | `rate_limited`; handled one after another, over all connections"""

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

    `exceeded` has the number of refusals, delays and closed connections, by the name of the limit.
    """

    __slots__ = ("exceeded", "limits")

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self.exceeded: Counter[str] = Counter(
            {name: 0 for name in LIMIT_NAMES if name not in UNCOUNTED_LIMITS}
        )

    def check_count(
        self, name: str, count: int, reason: Reason, retry_after: float | None = None
    ) -> None:
        """Raise Refused, with `reason`, if `count` has reached the limit `name`.

        `retry_after` is the number of seconds after which a client may retry, or None.
        """
        limit = getattr(self.limits, name)
        if count >= limit:
            self.exceeded[name] += 1
            raise Refused(reason, limit=limit, retry_after=retry_after)


def read_limits(file: str, environment: Mapping[str, str]) -> Limits:
    """Return the limits in the TOML text `file`. Variables in `environment` override them.

    A limit that is in neither has its default. Raises ValueError for unknown names and invalid
    values.
    """
    given = {
        FORMER_NAMES.get(name, name): value
        for name, value in _parse_toml("the file of --limits", file).items()
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


_DAY_REQUESTS = (ShowDay, EnterDay, ListPlaces, ListDays)


def make_terms(
    limits: Limits,
    page: str | None = None,
    host: str | None = None,
    *,
    has_days: bool = True,
    match_addresses: bool = False,
) -> Terms:
    """Return the features and limits of a server, which its welcome message contains.

    `page` is the URL of the web page, or None without one. `host` is the name of the player whose
    program runs the server, or None. `has_days` is whether the server has codes of days.
    `match_addresses` is whether several nodes can use its store.
    """
    kinds = [kind for kind in get_args(AnyRequest) if has_days or kind not in _DAY_REQUESTS]
    return Terms(
        can=tuple(str(kind.__struct_config__.tag) for kind in kinds),
        bounds=Bounds(
            request_bytes=MAX_REQUEST_BYTES,
            followed=limits.followed,
            name=MAX_NAME_LENGTH,
            chat=MAX_CHAT_LENGTH,
            phrases=MAX_PHRASE_NUMBER,
            rounds=MAX_ROUNDS,
            pegs=MAX_PEGS,
            colours=MAX_COLOURS,
            guesses=MAX_GUESSES,
        ),
        rates=Rates(
            requests=_make_allowance(limits.frames),
            openings=_make_allowance(limits.openings),
            advice=_make_allowance(limits.advice),
            reviews=_make_allowance(limits.reviews),
            chat=_make_allowance(limits.chat),
        ),
        page=page,
        host=host,
        match_addresses=match_addresses,
    )


def _make_allowance(rate: Rate) -> Allowance:
    return Allowance(burst=rate.burst, per_second=float(rate.per_second))
