"""The events of a match: one closed union of frozen structs.

A match is the fold of its events. The server stores complete events. It removes secret fields from
the copies that it sends to players: `seed`, `drawn` and `secret` of `Opened`, `code` and `nonce` of
`SecretSet` (except for its codemaker), and `held` of `Guessed`. A fold of such copies lacks only
these values.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec

from mastermind_protocol.clock import MAX_CLOCK_NAME_LENGTH, MAX_CREDIT_MS
from mastermind_protocol.commitment import COMMITMENT_BYTES, NONCE_BYTES
from mastermind_protocol.glicko import Rating
from mastermind_protocol.rules import MAX_COLOURS, MAX_PEGS, MAX_ROUNDS, UNLIMITED_GUESSES

MAX_SEED = 2**63 - 1  # within the signed 64-bit integers of msgpack and all languages
MAX_NAME_LENGTH = 24  # fits next to a board, and in a small message
MAX_CONTEST_LENGTH = 24  # "day/147"
MATCH_CODE_LENGTH = 6
MATCH_CODE_ALPHABET = (
    "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # without letters and digits that resemble others
)
# The last characters of a match code: 900 parts, which nodes share. With few parts for each node,
# most of them would be in use at every node.
MATCH_PART_LENGTH = 2
RESERVED_MATCH_CODE = "READYZ"  # no match has it, because proxies ask /readyz about the server
LINK_END = r"(?:%[0-9A-F]{2}|_|[^\w?#])*(?:[?#].*)?"
"""Characters that chats append to the match code of a link, as a pattern without regard to case.

These are punctuation, slashes, percent-encoded characters, a query and a fragment.
"""

Colour = Annotated[int, msgspec.Meta(ge=0, le=MAX_COLOURS - 1)]
WireCode = Annotated[tuple[Colour, ...], msgspec.Meta(min_length=1, max_length=MAX_PEGS)]
MatchCode = Annotated[
    str, msgspec.Meta(pattern=rf"^[{MATCH_CODE_ALPHABET}]{{{MATCH_CODE_LENGTH}}}\Z")
]
Nonce = Annotated[bytes, msgspec.Meta(min_length=NONCE_BYTES, max_length=NONCE_BYTES)]
Commitment = Annotated[
    bytes, msgspec.Meta(min_length=COMMITMENT_BYTES, max_length=COMMITMENT_BYTES)
]
PegCount = Annotated[int, msgspec.Meta(ge=0, le=MAX_PEGS)]
Rounds = Annotated[int, msgspec.Meta(ge=1, le=MAX_ROUNDS)]
GuessNumber = Annotated[int, msgspec.Meta(ge=1, le=UNLIMITED_GUESSES)]
PlayerId = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
ContestName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CONTEST_LENGTH)]
ClockName = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CLOCK_NAME_LENGTH)]
Credit = Annotated[int, msgspec.Meta(ge=0, le=MAX_CREDIT_MS)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME_LENGTH)]
Seed = Annotated[int, msgspec.Meta(ge=-MAX_SEED, le=MAX_SEED)]

SERVER = "server"  # in the place of a player id: the server drew the secret


def find_part(match: str) -> str:
    """Return the part of the matches to which a match code belongs.

    The players of a part meet at one node of a server, and their nodes notify each other.
    """
    return match[-MATCH_PART_LENGTH:]


class Seat(StrEnum):
    """The two seats of a round."""

    MAKER = "maker"
    BREAKER = "breaker"

    @property
    def other(self) -> Seat:
        """The opposite seat."""
        return Seat.BREAKER if self is Seat.MAKER else Seat.MAKER


class RoundEnd(StrEnum):
    """How a round ended.

    By the right guess (`broken`), a wrong last guess (`exhausted`), a resignation, a player who
    left, or the end of the codebreaker's time.
    """

    BROKEN = "broken"
    EXHAUSTED = "exhausted"
    RESIGNED = "resigned"
    LEFT = "left"
    TIME = "time"


class MatchEnd(StrEnum):
    """How a match ended: all rounds were played, a player left, or the match closed.

    A closed match has no winner. A lobby closes when it is left or declined. A match with a live
    clock closes if its first code is not set in time, or if a player leaves before the first guess.
    """

    PLAYED = "played"
    LEFT = "left"
    CLOSED = "closed"


class Forfeit(StrEnum):
    """Why a bot left: it failed by an exception, exceeded a timeout, or made an illegal code."""

    FAILED = "failed"
    SLOW = "slow"
    ILLEGAL = "illegal"


class Player(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A seated player. `name` is untrusted text.

    `bot` is the name of a bot of the server, or None for other players. `program` is true for a
    player whose moves a user's own program makes.
    """

    id: PlayerId
    name: Name
    bot: str | None = None
    program: bool = False

    @property
    def is_bot(self) -> bool:
        """Whether the player is a bot of the server or a user's program."""
        return self.program or self.bot is not None


class Event(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="event",
    tag=True,
    gc=False,  # frozen structs never form a cycle
):
    """The base of all events."""


class Opened(Event, frozen=True, tag="opened"):
    """A match was opened and waits for players.

    `public` matches are listed. `previous` is the match of which this is a rematch. The free seat
    of a rematch or a challenge is `reserved` for a player. In a `rated` match two people play
    without advice. A bot as codemaker draws its secrets from `seed`, or uses `secret`. `drawn` is
    the number of secrets that earlier matches drew from the same seed. `clock` is the name of the
    clock, or None. `contest` is the name of the contest of an entry (see `days`), or None for any
    other match. The server sets the secret of an entry, and only the contest reveals it.
    """

    rules: str
    rounds: Rounds
    public: bool = False
    rated: bool = False
    previous: MatchCode | None = None
    reserved: PlayerId | None = None
    seed: Seed | None = None
    drawn: Annotated[int, msgspec.Meta(ge=0)] = 0
    secret: WireCode | None = None
    clock: ClockName | None = None
    contest: ContestName | None = None


class Joined(Event, frozen=True, tag="joined"):
    """A player took a seat. In a rated match, `rating` is the player's rating by its rules."""

    player: Player
    seat: Seat
    rating: Rating | None = None


class Unrated(Event, frozen=True, tag="unrated"):
    """The match does not change ratings: its players have played enough rated matches today."""

    why: Literal["pair"]


class Declined(Event, frozen=True, tag="declined"):
    """The challenged player `by` declined or, if `late`, has not answered in time."""

    by: PlayerId
    late: bool = False


class SecretSet(Event, frozen=True, tag="secret"):
    """The codemaker `by` set a secret. Only this codemaker receives `code` and `nonce`.

    An adaptive codemaker makes no `commitment`: at each guess, it chooses a code that fits all its
    earlier feedback. Only bots can be adaptive. If the codemaker's time was over, and in an entry
    of a contest, the server set the secret: `by` is SERVER, and no player receives `code` and
    `nonce`. `lag` is the credited latency in milliseconds.
    """

    by: PlayerId
    commitment: Commitment | None = None
    code: WireCode | None = None
    nonce: Nonce | None = None
    lag: Credit = 0


class Guessed(Event, frozen=True, tag="guessed"):
    """The codebreaker guessed. `black` and `white` are the feedback.

    An adaptive codemaker chooses a secret for each feedback. `held` is this secret, or None for
    other codemakers. No player receives it. `lag` is the latency that was credited to the
    codebreaker's clock, in milliseconds.
    """

    code: WireCode
    black: PegCount
    white: PegCount
    held: WireCode | None = None
    lag: Credit = 0


class Resumed(Event, frozen=True, tag="resumed"):
    """The server served no moves for `lost` milliseconds, and added them to the player's time."""

    lost: Annotated[int, msgspec.Meta(ge=1)]


class Advised(Event, frozen=True, tag="advised"):
    """The codebreaker `by` took advice for its next guess."""

    by: PlayerId


class RoundEnded(Event, frozen=True, tag="round_ended"):
    """The round ended. Its codemaker gets the `points`.

    `code` is the secret. `nonce` is present if the round has a commitment. An entry of a contest
    has neither: the contest reveals them when all its tries are over.
    """

    how: RoundEnd
    points: Annotated[int, msgspec.Meta(ge=0)]
    code: WireCode | None = None
    nonce: Nonce | None = None


class Left(Event, frozen=True, tag="left"):
    """A player left the match for good.

    `why` is the reason of a bot or program. If `absent`, the server removed the player, because the
    match had waited too long for the player.
    """

    player: PlayerId
    why: Forfeit | None = None
    absent: bool = False


class Finished(Event, frozen=True, tag="finished"):
    """The match ended. A draw and a closed match have no `winner`."""

    how: MatchEnd
    winner: PlayerId | None = None


class RematchOffered(Event, frozen=True, tag="rematch"):
    """The player `by` opened a rematch; `match` is the match code of the rematch."""

    by: PlayerId
    match: MatchCode


class RatedPlayer(msgspec.Struct, frozen=True, gc=False):
    """The change of a player's rating by a match.

    `n` is the number, from 1, of the match among the player's rated matches by the same rules.
    `before` is the rating at the end of the match. Its deviation has grown with the time since the
    player's last rated match. `after` is the new rating.
    """

    player: PlayerId
    n: Annotated[int, msgspec.Meta(ge=1)]
    before: Rating
    after: Rating


class Rated(Event, frozen=True, tag="rated"):
    """The match changed the ratings of both players, the codemaker of the last round first."""

    players: tuple[RatedPlayer, RatedPlayer]


CommandEvent: TypeAlias = (
    Joined | Declined | SecretSet | Advised | Guessed | RoundEnded | Left | RematchOffered
)
"""The first event that a command causes."""
LaterEvent: TypeAlias = CommandEvent | Unrated | Resumed | Finished | Rated
"""An event after Opened: that of a command, or one due to the match, its clock or its ratings."""
AnyEvent: TypeAlias = Opened | LaterEvent
