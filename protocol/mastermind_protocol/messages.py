"""The messages of the protocol: closed unions of frozen structs, as docs/PROTOCOL.md tells them.

Requests go from client to server and carry an `id`; the server answers each with one message
that carries the same id. A request that changes a match is answered by the event it caused.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from mastermind_protocol.events import (
    AnyEvent,
    MatchCode,
    Name,
    Player,
    PlayerId,
    Rounds,
    Seat,
    Seed,
    WireCode,
)
from mastermind_protocol.match import Phase

SUBPROTOCOL = "mastermind.v1"
MAX_REQUEST_BYTES = 1024  # the largest sensible request has some 250
MAX_ROWS = 64  # in one log message, so that it stays under 16 KiB
MAX_LISTED = 50  # more than anybody reads; the newest come first
MAX_REQUEST_ID = 2**53 - 1  # exact in every language's numbers

RequestId = Annotated[int, msgspec.Meta(ge=1, le=MAX_REQUEST_ID)]
Version = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Token = Annotated[str, msgspec.Meta(min_length=43, max_length=43)]
RulesName = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Chair = Annotated[str, msgspec.Meta(min_length=1, max_length=24)]

ME = "me"
OPEN = "open"


class Request(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="op",
    omit_defaults=True,
):
    """The base of all requests. The same id again, from the same player, does nothing twice."""

    id: RequestId


class Hello(Request, frozen=True, tag="hello"):
    """Say who you are: first on every connection. Without a token a new player is made."""

    name: Name | None = None
    token: Token | None = None


class Open(Request, frozen=True, tag="open"):
    """Open a match and take part in it, or look on at two bots.

    Each seat is `me`, `open` (somebody else's, by invite code) or the name of a bot.
    `seed` needs a bot codemaker across from you, `secret` two bots.
    """

    rules: RulesName
    maker: Chair
    breaker: Chair
    rounds: Rounds = 1
    public: bool = False
    seed: Seed | None = None
    secret: WireCode | None = None


class Seek(Request, frozen=True, tag="seek"):
    """Take a seat in a waiting public match of the same rules and rounds, or open one."""

    rules: RulesName
    rounds: Rounds = 1
    seat: Seat | None = None


class Join(Request, frozen=True, tag="join"):
    """Take the free seat of a match; whoever has a seat in it already gets it back."""

    match: MatchCode


class Follow(Request, frozen=True, tag="follow"):
    """Be sent what happens in a match after version `v`, and what happens from now on."""

    match: MatchCode
    v: Version = 0


class Unfollow(Request, frozen=True, tag="unfollow"):
    """Be sent no more of a match. A seat is kept."""

    match: MatchCode


class ListMatches(Request, frozen=True, tag="list"):
    """Ask for the public matches that wait for a player, or for those that are being played."""

    what: Literal["waiting", "running"]


class Secret(Request, frozen=True, tag="secret"):
    """Set the secret; `v` is the match's version as you know it."""

    match: MatchCode
    v: Version
    code: WireCode


class Guess(Request, frozen=True, tag="guess"):
    """Guess; `v` is the match's version as you know it."""

    match: MatchCode
    v: Version
    code: WireCode


class Resign(Request, frozen=True, tag="resign"):
    """Give the round up; `v` is the match's version as you know it."""

    match: MatchCode
    v: Version


class Leave(Request, frozen=True, tag="leave"):
    """Leave the match for good: a running one is lost."""

    match: MatchCode


class Rematch(Request, frozen=True, tag="rematch"):
    """Offer a rematch, or take the one that is offered."""

    match: MatchCode


AnyRequest: TypeAlias = (
    Hello
    | Open
    | Seek
    | Join
    | Follow
    | Unfollow
    | ListMatches
    | Secret
    | Guess
    | Resign
    | Leave
    | Rematch
)


class ServerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", omit_defaults=True):
    """The base of all that the server sends. Clients ignore fields they do not know."""


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """Answer to `hello`: who you are. A new player is given the token that proves it."""

    id: RequestId
    player: Player
    token: Token | None = None


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row of a match's log: its version and the events that one command caused."""

    v: Version
    events: tuple[AnyEvent, ...]


class Log(ServerMessage, frozen=True, tag="log"):
    """Answer to whatever brings you to a match: its log after the version you have.

    `present` are the ids of the seated players who follow the match from some connection. With
    `more`, follow again from the last row's version; only then does what happens from now on
    come by itself.
    """

    id: RequestId
    match: MatchCode
    rows: tuple[Row, ...]
    present: tuple[PlayerId, ...] = ()
    more: bool = False


class Happened(ServerMessage, frozen=True, tag="event"):
    """One command's events in a match you follow; to whoever gave it, with its `id`."""

    match: MatchCode
    v: Version
    events: tuple[AnyEvent, ...]
    id: RequestId | None = None


class Presence(ServerMessage, frozen=True, tag="presence"):
    """A seated player follows the match no more from any connection, or does so again."""

    match: MatchCode
    player: PlayerId
    here: bool


class Listed(msgspec.Struct, frozen=True, omit_defaults=True):
    """One match of a list."""

    match: MatchCode
    rules: str
    rounds: Rounds
    phase: Phase
    maker: str | None = None
    breaker: str | None = None


class Listing(ServerMessage, frozen=True, tag="listing"):
    """Answer to `list`, the newest first."""

    id: RequestId
    matches: tuple[Listed, ...]


class Done(ServerMessage, frozen=True, tag="done"):
    """Answer to a request that has nothing to tell."""

    id: RequestId


class Error(ServerMessage, frozen=True, tag="error"):
    """The request with this id (none if it could not be read) was refused; nothing changed."""

    code: str
    message: str
    id: int | None = None
    field: str | None = None
    limit: int | None = None
    retry_after: float | None = None


AnyMessage: TypeAlias = Welcome | Log | Happened | Presence | Listing | Done | Error
