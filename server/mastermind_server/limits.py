"""Every limit on what clients may do: its name, its number, the reason for it.

An operator changes them by a file or the environment (docs/OPERATIONS.md), and sees by a metric how
often each is met. The numbers by which the server does its own work are in tuning.py.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.errors import Reason

VARIABLE = "MASTERMIND_LIMIT_"  # and the name of a limit in capitals: what it holds is TOML

Count = Annotated[int, Meta(ge=0)]
Bytes = Annotated[int, Meta(ge=1024)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]  # a day: what is never over is no limit


class Rate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A limit over time: `burst` at once, then `per_second` as time goes by."""

    burst: Annotated[int, Meta(ge=1, le=10**9)]
    per_second: Annotated[float, Meta(gt=0, le=1e9)]


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the clients of one server may do at most."""

    # Connections.
    connections: Count = 5000  # some 80 MiB of idle connections
    connections_per_address: Count = 200  # a classroom behind one address, not a flood
    connections_per_site: Count = 1000  # of a /48 of IPv6: a campus, and four fifths for others
    arrivals: Rate = Rate(burst=250, per_second=20)  # of an address: all of its 200, back as one
    arrivals_of_site: Rate = Rate(burst=400, per_second=60)  # of a /48: others have the rest
    handshakes: Rate = Rate(burst=500, per_second=200)  # in all: a seventh of a core
    newcomers: Count = 1000  # that have not said hello, some 20 MiB; the oldest go
    newcomers_per_address: Count = 100  # a classroom that comes in at once; the oldest go
    handshake_bytes: Bytes = 8 * 1024  # of a whole one: browsers with many cookies send some 4 KiB
    handshake_seconds: Seconds = 5.0  # for a WebSocket handshake: a silent socket is not a player
    hello_seconds: Seconds = 10.0  # to say hello in: an idle socket is not a player
    ping_seconds: Seconds = 20.0  # so that a line that dropped without a word is noticed within 40
    frame_bytes: Bytes = 16 * 1024  # up to here a frame gets a typed error, beyond it code 1009
    frames: Rate = Rate(burst=60, per_second=40)  # of a connection, those of control too; slowed
    bytes: Rate = Rate(burst=64 * 1024, per_second=16 * 1024)  # of a connection; 16 long requests
    bad_frames: Rate = Rate(burst=16, per_second=0.1)  # a bug shows, abuse is cut off
    unread_bytes: Bytes = 64 * 1024  # sent and not read: who has so much reads before it asks
    outbox_bytes: Bytes = 256 * 1024  # some ten matches' whole logs: who is behind by more is cut
    outbox_bytes_in_all: Bytes = 64 * 1024 * 1024  # of all who are behind; the longest behind goes

    # Requests. What they cost together, over all of a player's connections, and of an address's: a
    # move is 1, some 0.2 ms of a core. A classroom asks for 30 a second, and 300 as it comes in.
    work: Rate = Rate(burst=200, per_second=40)  # of a player; slowed
    work_of_address: Rate = Rate(burst=2000, per_second=400)  # but for what costs as a move; slowed
    moves_of_address: Rate = Rate(burst=2000, per_second=400)  # and what costs as one; slowed
    followed: Count = 64  # matches on one connection: more than a screen of boards
    rows_followed_of_address: Count = 100_000  # of matches in memory for it, some 70 MiB
    shows_of_address: Count = 100  # of two bots: a classroom, where everybody looks on at one
    watchers: Count = 1000  # of a match, by way of this node: a move to each is 50 ms of a core
    new_players: Rate = Rate(burst=200, per_second=2)  # of an address: a classroom, no flood
    tokens: Count = 16  # of a player: nobody plays from more computers
    transfers: Rate = Rate(burst=5, per_second=0.05)  # of a player: codes to come by elsewhere
    transfer_seconds: Seconds = 300.0  # for which one is good: to walk over and type it
    wrong_transfers: Rate = Rate(burst=20, per_second=0.05)  # of an address: one of 30**8 is right
    openings: Rate = Rate(burst=30, per_second=1)  # of a player: each is a row for ever
    lobbies: Count = 16  # of a player who waits in them: nobody can play more of them at once
    lobbies_of_address: Count = 100  # a classroom; a fifth of those that lists are searched for
    wrong_codes: Rate = Rate(burst=20, per_second=0.2)  # of a player: codes cannot be tried out
    wrong_codes_of_address: Rate = Rate(burst=200, per_second=1)  # nor by many new players
    # Rows that are kept for ever, some 230 bytes each; a match takes 50 as it begins. A player has
    # 400 matches at once and 860 a day, 10 MB; a classroom 4,000 and 8,600, 100 MB.
    rows: Rate = Rate(burst=20_000, per_second=0.5)  # of a player
    rows_of_address: Rate = Rate(burst=200_000, per_second=5)

    # Chat, advice and reviews.
    chat: Rate = Rate(burst=5, per_second=0.5)  # of a player: a talk, no flood across a board
    chat_of_address: Rate = Rate(burst=60, per_second=3)  # a classroom, no ids for a flood
    chat_lines: Count = 1000  # kept of one room of one match, an evening's talk: the oldest go
    advice: Rate = Rate(burst=20, per_second=0.5)  # of a player: each up to 200 ms of a core
    # Milliseconds of a core that advice, reviews and a dodging codemaker have taken for somebody.
    thought: Rate = Rate(burst=8000, per_second=100)  # of a player: two of the largest reviews
    thought_of_address: Rate = Rate(burst=20_000, per_second=300)  # a classroom that asks as one
    # Each is of at most 64 guesses: measured, 40 to 110 ms of a core at 4x6, the last of 999
    # guesses, and 3.5 s at 6x10. Those of a finished match are remembered.
    reviews: Rate = Rate(burst=20, per_second=0.2)  # of a player
    analyses: Count = 64  # advice and reviews that wait: four minutes of a core at most
    analyses_of_address: Count = 24  # of all at one address: others find room
    analyses_of_player: Count = 8  # who needs one; they are done one after another

    # The log. What is above is left out, and a line says how many were.
    log_lines: Count = 100  # of a level, in one second: strangers are not to fill a disk by coming
    log_bytes: Bytes = 2 * 1024 * 1024  # that wait for whoever reads it


NAMES = Limits.__struct_fields__
UNCOUNTED = {"transfer_seconds"}  # a code that expired is the same to the server as a wrong one
USUAL = Limits()


class Limiter:
    """The limits of a server. `met` counts by name how often each was met, except UNCOUNTED."""

    __slots__ = ("limits", "met")

    def __init__(self, limits: Limits = USUAL) -> None:
        self.limits = limits
        self.met: Counter[str] = Counter({name: 0 for name in NAMES if name not in UNCOUNTED})

    def check(
        self, name: str, count: int, reason: Reason, retry_after: float | None = None
    ) -> None:
        """Raise Refused if one more than `count` would exceed the limit `name`."""
        limit = getattr(self.limits, name)
        if count >= limit:
            self.met[name] += 1
            raise Refused(reason, limit=limit, retry_after=retry_after)


def read_limits(file: str, environment: Mapping[str, str]) -> Limits:
    """Return the limits that a text in TOML gives, or variables, which come first.

    What neither names is as usual. Raises ValueError, which names what is wrong.
    """
    given = _parse("the file", file)
    for variable, value in environment.items():
        if variable.startswith(VARIABLE):
            name = variable.removeprefix(VARIABLE).lower()
            given[name] = _parse(variable, f"value = {value}").get("value")
    if unknown := sorted(set(given) - set(NAMES)):
        raise ValueError(f"there is no limit {unknown[0]!r}: {', '.join(NAMES)}")
    try:
        return msgspec.convert(given, Limits)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace("$.", "")) from None


def _parse(origin: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{origin} is no TOML: {error}") from None
