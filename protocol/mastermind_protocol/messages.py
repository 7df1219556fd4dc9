"""What a server sends, as docs/protocol/messages.md tells it: answers to requests, and news.

An answer carries the `id` of its request. A request that changes a match is answered by the event
it caused.
"""

from __future__ import annotations

import math
from typing import Annotated, TypeAlias

import msgspec

from mastermind_protocol.chat import ChatLine
from mastermind_protocol.errors import MAX_DETAIL, MastermindError
from mastermind_protocol.events import (
    AnyEvent,
    MatchCode,
    MatchEnd,
    Name,
    Player,
    PlayerId,
    Rounds,
    Seat,
    WireCode,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import (
    Count,
    Number,
    RequestId,
    Token,
    TransferCode,
    Version,
)

SUBPROTOCOL = "mastermind.v1"
MAX_MESSAGE_ITEMS = 256  # of an array or a map: the longest is a log with its 64 rows
MAX_ROWS = 64  # in one log message, so that it stays under 16 KiB
MAX_LISTED = 50  # more than anybody reads; the newest come first
MAX_REVIEWED = 64  # guesses in one message, so that it stays under 16 KiB
MAX_ARCHIVED = 20  # matches in one page: a screen of them
MAX_OWN = 50  # of one's own running matches: more than anybody plays; those to move in come first
MAX_ANNOUNCEMENT = 200  # characters: a sentence or two across a board
MAX_DETAILS = 12  # of an error: today's have at most 6, and none is a list longer than that

DetailText = Annotated[str, msgspec.Meta(max_length=MAX_DETAIL)]
DetailTexts = Annotated[tuple[DetailText, ...], msgspec.Meta(max_length=MAX_DETAILS)]
Details = Annotated[
    dict[DetailText, int | float | DetailText | DetailTexts], msgspec.Meta(max_length=MAX_DETAILS)
]


class ServerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", omit_defaults=True):
    """The base of all that the server sends. Clients ignore fields they do not know."""


class Allowance(msgspec.Struct, frozen=True):
    """A rate: `burst` at once, then `per_second` as time goes by."""

    burst: Count
    per_second: float


class Rates(msgspec.Struct, frozen=True):
    """How much of something a server takes in a time, of a connection or a player."""

    requests: Allowance
    openings: Allowance
    advice: Allowance
    reviews: Allowance
    chat: Allowance


class Bounds(msgspec.Struct, frozen=True):
    """The numbers beyond which a server refuses what it is asked; docs say what they count."""

    request_bytes: Count
    followed: Count
    name: Count
    chat: Count
    phrases: Count
    rounds: Count
    pegs: Count
    colours: Count
    guesses: Count


class Terms(msgspec.Struct, frozen=True):
    """What a server has: the words for what it `can` do, its bounds and its rates.

    The words are the requests that it knows; later servers may know other words.
    """

    can: tuple[str, ...]
    bounds: Bounds
    rates: Rates


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """Answer to `hello`: who you are. Who came without a token is given one that proves it.

    `terms` are the server's, so that nobody need find them out by being refused.
    """

    id: RequestId
    player: Player
    token: Token | None = None
    terms: Terms | None = None


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row of a match's log: its version and the events that one command caused."""

    v: Version
    events: tuple[AnyEvent, ...]


class Absent(msgspec.Struct, frozen=True):
    """A seated player who follows the match from no connection, and for how many seconds."""

    player: PlayerId
    seconds: Number


class Log(ServerMessage, frozen=True, tag="log"):
    """Answer to whatever brings you to a match: its log after the version you have.

    `present` are the ids of the seated players who follow the match from some connection, `absent`
    those who do not, and `spectators` is the number of other players who follow it. With `more`,
    follow again from the last row's version; only then does what happens from now on come by
    itself.
    """

    id: RequestId
    match: MatchCode
    rows: tuple[Row, ...]
    present: tuple[PlayerId, ...] = ()
    absent: tuple[Absent, ...] = ()
    spectators: Number = 0
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


class Spectators(ServerMessage, frozen=True, tag="spectators"):
    """So many players without a seat follow the match now."""

    match: MatchCode
    count: Number


class Said(ServerMessage, frozen=True, tag="said"):
    """Somebody said something in a match you follow; to whoever said it, with its `id`."""

    match: MatchCode
    line: ChatLine
    id: RequestId | None = None


class Chat(ServerMessage, frozen=True, tag="chat"):
    """What was said in one room of a match before: after a log, or when you may read it."""

    match: MatchCode
    lines: tuple[ChatLine, ...]


class Listed(msgspec.Struct, frozen=True, omit_defaults=True):
    """One match of a list; `bots` are the seats of the bots in it."""

    match: MatchCode
    rules: str
    rounds: Rounds
    phase: Phase
    maker: str | None = None
    breaker: str | None = None
    bots: tuple[Seat, ...] = ()
    rated: bool = False


class Listing(ServerMessage, frozen=True, tag="listing"):
    """Answer to `list`, the newest first."""

    id: RequestId
    matches: tuple[Listed, ...]


class Weighed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A guess that is advised, and what its feedback may bring.

    Every code that is left is as likely. `possible` tells whether it may be the secret. `worst` is
    the largest number of codes that any feedback leaves (Knuth 1977), `size` the expected one, the
    sum of n * n / total over the feedbacks with n codes each (Irving 1978), `bits` the expected
    information, the sum of n / total * log2(total / n): the entropy of the feedback (C. E. Shannon,
    "A mathematical theory of communication", 1948; Neuwirth 1982). `parts` is the number of
    feedbacks that it may get (Kooi 2005).
    """

    code: WireCode
    possible: bool
    worst: Count
    size: float
    bits: float
    parts: Count


class Advice(ServerMessage, frozen=True, tag="advice"):
    """Answer to `advise`: for guess number `guess`, with `left` codes left, the best come first.

    What is said of each is exact; but if `sampled`, not all was weighed to find them.
    """

    id: RequestId
    match: MatchCode
    guess: Count
    left: Count
    guesses: tuple[Weighed, ...]
    sampled: bool = False


class Reviewed(msgspec.Struct, frozen=True, omit_defaults=True):
    """One guess of a review, and what the bot `optimal` would have guessed.

    `before` and `after` are the numbers of codes that agree with all feedback without and with
    that to this guess; after the right one it is 1.
    """

    guess: Weighed
    best: Weighed
    before: Count
    after: Count

    @property
    def earned(self) -> float:
        """The information that the feedback gave, in bits; `guess.bits` is its expectation.

        Over all guesses of a round it adds up to log2(codes) if one code is left.
        """
        return math.log2(self.before / self.after)

    @property
    def luck(self) -> float:
        """What was earned above expectation, in bits. Over all secrets that might be, it is 0."""
        return self.earned - self.guess.bits

    @property
    def beaten(self) -> bool:
        """Whether fewer codes were left than expected: `after` is less than `guess.size`.

        A guess whose feedback was known beforehand (`guess.parts` is 1) leaves what is expected and
        beats nothing.
        """
        return self.after < self.guess.size


class Reviewing(ServerMessage, frozen=True, tag="reviewing"):
    """Answer to `review`: guess after guess. With `more`, ask again from the next one."""

    id: RequestId
    match: MatchCode
    round: Rounds
    turns: tuple[Reviewed, ...]
    more: bool = False


class KnownBot(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bot of this server; `largest` is the number of codes up to which it breaks one."""

    name: str
    about: str
    largest: Number
    aliases: tuple[str, ...] = ()


class Bots(ServerMessage, frozen=True, tag="bots"):
    """Answer to `bots`, the weakest first."""

    id: RequestId
    bots: tuple[KnownBot, ...]


class ArchivedMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the asker's own matches that are over.

    `at` is when it finished, in milliseconds since 1970 (UTC). `seat` is the asker's in the first
    round, `bot` tells whether the opponent is no person. `won` is None for a draw. `guesses` are
    those of all rounds, `points` the asker's and the opponent's. `tries` are the guesses that the
    asker needed, for each round in which it was codebreaker and which nobody left: 0 where the code
    stood. An older server does not tell them.
    """

    match: MatchCode
    rules: str
    rounds: Rounds
    rated: bool = False
    at: Number
    seat: Seat
    opponent: Name | None = None
    bot: bool = False
    won: bool | None = None
    how: MatchEnd
    guesses: Number
    points: tuple[Number, Number]
    tries: tuple[Number, ...] = ()


class Archived(ServerMessage, frozen=True, tag="archived"):
    """Answer to `archive`. With `more`, ask again for what is before the last of these."""

    id: RequestId
    matches: tuple[ArchivedMatch, ...]
    more: bool = False


class OwnMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of the asker's own matches that are not over.

    `seat` is the asker's now, `turn` tells whether the match waits for its move, `guesses` how many
    there are in round number `round`. `opponent` is None while nobody has sat down, `bot` tells
    whether it is no person. `since` is when the match last changed, in milliseconds since 1970
    (UTC); `away` likewise, since when the opponent follows it no more: None if it does, or is a bot
    of the server.
    """

    match: MatchCode
    rules: str
    rounds: Rounds
    round: Rounds
    guesses: Number = 0
    phase: Phase
    rated: bool = False
    seat: Seat
    opponent: Name | None = None
    bot: bool = False
    turn: bool = False
    since: Number
    away: Number | None = None


class OwnMatches(ServerMessage, frozen=True, tag="own_matches"):
    """Answer to `own`: those that wait for the asker first. With `more`, there are others."""

    id: RequestId
    matches: tuple[OwnMatch, ...]
    more: bool = False


class Transferable(ServerMessage, frozen=True, tag="transferable"):
    """Answer to `transfer`: the code, and for how many seconds it is good."""

    id: RequestId
    code: TransferCode
    seconds: Number


class Announcement(ServerMessage, frozen=True, tag="announcement"):
    """What the server's operator says to all, or of a `match` that the operator ends."""

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ANNOUNCEMENT)]
    match: MatchCode | None = None


class Done(ServerMessage, frozen=True, tag="done"):
    """Answer to a request that has nothing to tell."""

    id: RequestId


class Error(ServerMessage, frozen=True, tag="error"):
    """The request with this id (none if it could not be read) was refused; nothing changed.

    `details` are the `reason`, by its key, and the values that its sentence needs.
    """

    code: str
    message: str
    id: int | None = None
    field: str | None = None
    limit: int | None = None
    retry_after: float | None = None
    details: Details | None = None

    @classmethod
    def of(cls, error: MastermindError, request: int | None = None) -> Error:
        """Return the message that reports `error`; `request` is the id of the refused request."""
        return cls(
            id=request,
            code=error.code,
            message=error.message,
            field=error.field,
            limit=error.limit,
            retry_after=error.retry_after,
            details=error.details,
        )


AnyMessage: TypeAlias = (
    Welcome
    | Log
    | Happened
    | Presence
    | Spectators
    | Said
    | Chat
    | Listing
    | Advice
    | Reviewing
    | Bots
    | Archived
    | OwnMatches
    | Transferable
    | Announcement
    | Done
    | Error
)
