"""What can happen in a match: one closed union of frozen structs.

A match is the list of its events. The server stores them whole; what others may not see
(`Opened.seed`, `drawn` and `secret`, the code and nonce of `SecretSet`, `Guessed.held`) is left out
of what they are sent, so that everybody folds the same events.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec

from mastermind_protocol.commitment import COMMITMENT_BYTES, NONCE_BYTES
from mastermind_protocol.rules import MAX_COLOURS, MAX_PEGS, MAX_ROUNDS, UNLIMITED_GUESSES

MAX_SEED = 2**63 - 1  # what msgpack and every language can carry, either sign
MAX_NAME = 24  # fits beside a board, and in a small frame
MATCH_CODE_LENGTH = 6
MATCH_CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # none that are read or heard as another

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
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME)]
Seed = Annotated[int, msgspec.Meta(ge=-MAX_SEED, le=MAX_SEED)]


class Seat(StrEnum):
    """The two seats of a round."""

    MAKER = "maker"
    BREAKER = "breaker"

    @property
    def other(self) -> Seat:
        """The seat across the board."""
        return Seat.BREAKER if self is Seat.MAKER else Seat.MAKER


class RoundEnd(StrEnum):
    """How a round ended."""

    BROKEN = "broken"
    EXHAUSTED = "exhausted"
    RESIGNED = "resigned"
    LEFT = "left"


class MatchEnd(StrEnum):
    """How a match ended: all rounds played, a player left, or nobody ever came."""

    PLAYED = "played"
    LEFT = "left"
    CLOSED = "closed"


class Forfeit(StrEnum):
    """Why a bot had to leave: it raised an exception, took too long, or played no legal code."""

    FAILED = "failed"
    SLOW = "slow"
    ILLEGAL = "illegal"


class Player(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Who sits in a seat. `name` is shown and never trusted.

    `bot` names the method of a bot that the server plays; `program` tells that a player's moves
    are made by somebody's own program.
    """

    id: PlayerId
    name: Name
    bot: str | None = None
    program: bool = False

    @property
    def is_bot(self) -> bool:
        """Whether this is no person: the server's bot or somebody's own."""
        return self.program or self.bot is not None


class Event(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="event",
    tag=True,
    gc=False,  # they are made of what was there before, and never in a cycle
):
    """The base of all events."""


class Opened(Event, frozen=True, tag="opened"):
    """A match exists and waits for its seats to be filled.

    `public` matches are listed. `previous` is the match this is the rematch of, and `reserved`
    the player whom the free seat is kept for. In a `rated` match two people play without help.
    `seed` and `secret` fix the bot codemaker's secrets; `drawn` counts the secrets that this seed
    gave before.
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


class Joined(Event, frozen=True, tag="joined"):
    """A player sat down."""

    player: Player
    seat: Seat


class SecretSet(Event, frozen=True, tag="secret"):
    """The codemaker `by` has set a secret; `code` and `nonce` are for that codemaker alone.

    Without a `commitment` the codemaker keeps no code: it is a bot that answers every guess as
    suits it, always by some code that agrees with all its answers.
    """

    by: PlayerId
    commitment: Commitment | None = None
    code: WireCode | None = None
    nonce: Nonce | None = None


class Guessed(Event, frozen=True, tag="guessed"):
    """The codebreaker guessed, and this is the feedback.

    `held` is the code by which a codemaker that keeps none has answered; it is for nobody.
    """

    code: WireCode
    black: PegCount
    white: PegCount
    held: WireCode | None = None


class Advised(Event, frozen=True, tag="advised"):
    """The codebreaker `by` took the server's advice for its next guess."""

    by: PlayerId


class RoundEnded(Event, frozen=True, tag="round_ended"):
    """The round is over and the code is shown; `points` go to its codemaker.

    There is a `nonce` where there was a commitment.
    """

    how: RoundEnd
    code: WireCode
    points: Annotated[int, msgspec.Meta(ge=0)]
    nonce: Nonce | None = None


class Left(Event, frozen=True, tag="left"):
    """A player left for good; `why`, if it was a bot that had to.

    `absent` if it did not say so: the match has waited for it for too long.
    """

    player: PlayerId
    why: Forfeit | None = None
    absent: bool = False


class Finished(Event, frozen=True, tag="finished"):
    """The match is over; no `winner` means a draw, or a match that was closed unplayed."""

    how: MatchEnd
    winner: PlayerId | None = None


class RematchOffered(Event, frozen=True, tag="rematch"):
    """A rematch waits under this code, with the seats its players will have."""

    by: PlayerId
    match: MatchCode


Answer: TypeAlias = Joined | SecretSet | Advised | Guessed | RoundEnded | Left | RematchOffered
"""The events that a command causes at once; what else happens comes by itself."""
LaterEvent: TypeAlias = Answer | Finished
AnyEvent: TypeAlias = Opened | LaterEvent
