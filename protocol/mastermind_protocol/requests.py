"""Requests: what a client asks of a server, as docs/protocol/requests.md tells them.

Each carries an `id`, and is answered by one message with the same id: see messages.py.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from mastermind_protocol.chat import ChatText, PhraseNumber
from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    Forfeit,
    GuessNumber,
    MatchCode,
    Name,
    Rounds,
    Seat,
    Seed,
    WireCode,
)

MAX_REQUEST_BYTES = 1024  # the largest sensible request, 120 wide characters, has some 550
MAX_REQUEST_ITEMS = 16  # of an array or a map: `open` has 11 fields, a code 9 pegs
MAX_REQUEST_ID = 2**53 - 1  # exact in every language's numbers
MAX_ADVISED = 20  # guesses in one advice: nobody reads more
TRANSFER_CODE_LENGTH = 8  # some 39 bits: not to be guessed in the minutes for which one is good

RequestId = Annotated[int, msgspec.Meta(ge=1, le=MAX_REQUEST_ID)]
Version = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Token = Annotated[str, msgspec.Meta(min_length=43, max_length=43)]
TransferCode = Annotated[
    str, msgspec.Meta(pattern=rf"^[{MATCH_CODE_ALPHABET}]{{{TRANSFER_CODE_LENGTH}}}\Z")
]
RulesName = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Chair = Annotated[str, msgspec.Meta(min_length=1, max_length=24)]

Count = Annotated[int, msgspec.Meta(ge=1)]
Number = Annotated[int, msgspec.Meta(ge=0)]

Measure: TypeAlias = Literal["bits", "size", "worst", "parts"]

ME = "me"
OPEN = "open"
GUEST = "guest"  # said as a name: have none of one's own, and be called `guest-` and something


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
    """Say who you are: first on every connection. Without a token a new player is made.

    Or, with a `transfer` code, be the player who was given it. The `name` GUEST gives up the one of
    an earlier time. A `program` says so: whoever plays with it is told.
    """

    name: Name | None = None
    token: Token | None = None
    transfer: TransferCode | None = None
    program: bool = False


class Open(Request, frozen=True, tag="open"):
    """Open a match and take part in it, or look on at two bots.

    Each seat is `me`, `open` (somebody else's, by invite code) or the name of a bot.
    `seed` needs a bot codemaker across from you, `secret` two bots, `rated` two people.
    """

    rules: RulesName
    maker: Chair
    breaker: Chair
    rounds: Rounds = 1
    public: bool = False
    rated: bool = False
    seed: Seed | None = None
    secret: WireCode | None = None


class Seek(Request, frozen=True, tag="seek"):
    """Take a seat in a person's waiting public match of the same terms, or open one."""

    rules: RulesName
    rounds: Rounds = 1
    seat: Seat | None = None
    rated: bool = False


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


class Advise(Request, frozen=True, tag="advise"):
    """Take advice for the next guess: the `most` best, ranked `by` one of the measures.

    `bits` is the information to be had, `size` the expected number of codes left, `worst` the
    largest, `parts` the number of different feedbacks. `v` is the match's version as you know it.
    """

    match: MatchCode
    v: Version
    by: Measure = "bits"
    most: Annotated[int, msgspec.Meta(ge=1, le=MAX_ADVISED)] = 5


class Resign(Request, frozen=True, tag="resign"):
    """Give the round up; `v` is the match's version as you know it."""

    match: MatchCode
    v: Version


class Leave(Request, frozen=True, tag="leave"):
    """Leave the match for good: a running one is lost. A program says `why` it had to."""

    match: MatchCode
    why: Forfeit | None = None


class Rematch(Request, frozen=True, tag="rematch"):
    """Offer a rematch, or take the one that is offered."""

    match: MatchCode


class Review(Request, frozen=True, tag="review"):
    """Ask how well a round of a finished match was played, from its guess number `start` on."""

    match: MatchCode
    round: Rounds = 1
    start: GuessNumber = 1


class ListBots(Request, frozen=True, tag="bots"):
    """Ask for the bots of this server."""


class Say(Request, frozen=True, tag="say"):
    """Say something at a match that this connection follows: a text, or a phrase by its number."""

    match: MatchCode
    text: ChatText | None = None
    phrase: PhraseNumber | None = None


class Archive(Request, frozen=True, tag="archive"):
    """Ask for one's own matches that are over, the newest first; of the page `before` a match."""

    before: MatchCode | None = None


class ListOwn(Request, frozen=True, tag="own"):
    """Ask for one's own matches that are not over: those in which one has a seat."""


class Transfer(Request, frozen=True, tag="transfer"):
    """Ask for a code by which somebody on another computer is the same player, once and soon."""


class Logout(Request, frozen=True, tag="logout"):
    """Let the token of this connection be void, or those of all `others` of the same player."""

    others: bool = False


class Ping(Request, frozen=True, tag="ping"):
    """Ask for an answer, to know that the line is there: a browser cannot send WebSocket pings."""


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
    | Advise
    | Resign
    | Leave
    | Rematch
    | Review
    | ListBots
    | Say
    | Archive
    | ListOwn
    | Transfer
    | Logout
    | Ping
)
