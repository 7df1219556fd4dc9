"""Requests from clients; docs/protocol/requests.md documents them.

Each request has an `id`. The server answers it by one message with the same id: see `messages`.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from mastermind_protocol.chat import ChatText, PhraseNumber
from mastermind_protocol.days import MAX_DAY
from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    ClockName,
    Forfeit,
    GuessNumber,
    MatchCode,
    Name,
    PegCount,
    PlayerId,
    Rounds,
    Seat,
    Seed,
    WireCode,
)

MAX_REQUEST_BYTES = 1024  # a chat line of 120 wide characters has 550
MAX_REQUEST_ITEMS = 32  # of an array or a map: an `analyse` of MAX_GIVEN_TURNS
MAX_REQUEST_ID = 2**53 - 1  # exact in every language's numbers
MAX_PLACE = 10**6  # of the leaderboard; a server has fewer players
MAX_ADVISED_GUESSES = 20  # guesses in one advice
MAX_GIVEN_TURNS = 32  # of a game that is played elsewhere: twice those of a long one, in 450 bytes
MAX_PUZZLE_LEVEL = 3  # from easy to hard
MAX_PUZZLE_SEED = 10**9 - 1  # nine digits: short enough to send to a friend
TRANSFER_CODE_LENGTH = 8  # 39 bits: enough for a code that expires within minutes

RequestId = Annotated[int, msgspec.Meta(ge=1, le=MAX_REQUEST_ID)]
Version = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Token = Annotated[str, msgspec.Meta(min_length=43, max_length=43)]
TransferCode = Annotated[
    str, msgspec.Meta(pattern=rf"^[{MATCH_CODE_ALPHABET}]{{{TRANSFER_CODE_LENGTH}}}\Z")
]
RulesName = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
SeatChoice = Annotated[str, msgspec.Meta(min_length=1, max_length=24)]

DayNumber = Annotated[int, msgspec.Meta(ge=0, le=MAX_DAY)]
Month = Annotated[str, msgspec.Meta(pattern=r"^2\d{3}-(0[1-9]|1[0-2])\Z")]

Count = Annotated[int, msgspec.Meta(ge=1)]
Number = Annotated[int, msgspec.Meta(ge=0)]

PuzzleLevel = Annotated[int, msgspec.Meta(ge=1, le=MAX_PUZZLE_LEVEL)]
PuzzleSeed = Annotated[int, msgspec.Meta(ge=0, le=MAX_PUZZLE_SEED)]

Measure: TypeAlias = Literal["bits", "size", "worst", "parts"]

SEAT_FOR_ME = "me"  # for the player who sends the request
SEAT_FOR_ANYONE = "open"  # for any player who has the match code
GUEST = "guest"  # this name clears the player's own name; the player is then `guest-...`


class Request(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="op",
    omit_defaults=True,
):
    """The base of all requests. A repeated request, with the same `id`, has no second effect."""

    id: RequestId


class Hello(Request, frozen=True, tag="hello"):
    """Identify the client. This is the first request of a connection.

    Without a `token` or `transfer` the server creates a player. A `transfer` code identifies the
    player that requested the code. The `name` GUEST clears the player's name. `program` marks the
    player as a program, and opponents see the mark.
    """

    name: Name | None = None
    token: Token | None = None
    transfer: TransferCode | None = None
    program: bool = False


class Open(Request, frozen=True, tag="open"):
    """Open a match and take a seat, or watch two bots.

    Each seat is `me`, `open` (for any player who has the match code) or the name of a bot. `seed`
    determines the secrets of a bot; it requires a bot as `maker` and `me` as `breaker`. `secret` is
    the secret of a bot; it requires two bots. `rated` requires two people, a live clock, rules with
    a limit of guesses, and two or four rounds.
    """

    rules: RulesName
    maker: SeatChoice
    breaker: SeatChoice
    rounds: Rounds = 1
    public: bool = False
    rated: bool = False
    seed: Seed | None = None
    secret: WireCode | None = None
    clock: ClockName | None = None


class Seek(Request, frozen=True, tag="seek"):
    """Join a waiting public match with these settings, or open one. No `seat` means either seat."""

    rules: RulesName
    rounds: Rounds = 1
    seat: Seat | None = None
    rated: bool = False
    clock: ClockName | None = None


class Join(Request, frozen=True, tag="join"):
    """Take the free seat of a match. A seated player keeps its seat."""

    match: MatchCode


class Follow(Request, frozen=True, tag="follow"):
    """Subscribe to a match: receive its log after version `v`, then each new row."""

    match: MatchCode
    v: Version = 0


class ShowSnapshot(Request, frozen=True, tag="snapshot"):
    """Show the guesses of the running round of a match, without subscribing to the match."""

    match: MatchCode


class Unfollow(Request, frozen=True, tag="unfollow"):
    """Unsubscribe from a match. A seated player keeps its seat."""

    match: MatchCode


class ListMatches(Request, frozen=True, tag="list"):
    """List the public matches that are `waiting` for a player, or `running`."""

    what: Literal["waiting", "running"]


class Secret(Request, frozen=True, tag="secret"):
    """Set the secret. `v` is the version of the match that the client knows."""

    match: MatchCode
    v: Version
    code: WireCode


class Guess(Request, frozen=True, tag="guess"):
    """Guess the code. `v` is the version of the match that the client knows."""

    match: MatchCode
    v: Version
    code: WireCode


class Advise(Request, frozen=True, tag="advise"):
    """Take advice for the next guess: at most `most` guesses, ranked `by` a measure.

    The measures are the expected information (`bits`), the expected number of remaining codes
    (`size`), the largest number of remaining codes (`worst`), and the number of different feedbacks
    (`parts`). `v` is the version of the match that the client knows.
    """

    match: MatchCode
    v: Version
    by: Measure = "bits"
    most: Annotated[int, msgspec.Meta(ge=1, le=MAX_ADVISED_GUESSES)] = 5


class GivenTurn(msgspec.Struct, frozen=True, array_like=True):
    """A guess and its feedback in a game that is played elsewhere, or in a puzzle."""

    code: WireCode
    black: PegCount
    white: PegCount


class Analyse(Request, frozen=True, tag="analyse"):
    """Analyse a position of a game that is played elsewhere. The server keeps nothing of it.

    `turns` are the guesses so far, by `rules`. The answer has at most `most` guesses, ranked `by` a
    measure as in `advise`, and a page of the remaining codes after the first `after`. With `bot`,
    it has the next guess of that bot.
    """

    rules: RulesName
    turns: Annotated[tuple[GivenTurn, ...], msgspec.Meta(max_length=MAX_GIVEN_TURNS)] = ()
    by: Measure = "bits"
    most: Annotated[int, msgspec.Meta(ge=0, le=MAX_ADVISED_GUESSES)] = 5
    after: Number = 0
    bot: SeatChoice | None = None


class ShowPuzzle(Request, frozen=True, tag="puzzle"):
    """Show puzzle number `seed` of a `level`: guesses with their feedback that leave one code."""

    level: PuzzleLevel
    seed: PuzzleSeed
    rules: RulesName = "classic"


class Resign(Request, frozen=True, tag="resign"):
    """Give up the round. `v` is the version of the match that the client knows."""

    match: MatchCode
    v: Version


class Leave(Request, frozen=True, tag="leave"):
    """Leave the match for good. A running match is then lost.

    Only programs give a reason, `why`.
    """

    match: MatchCode
    why: Forfeit | None = None


class Rematch(Request, frozen=True, tag="rematch"):
    """Offer a rematch, or accept the opponent's offer."""

    match: MatchCode


class Review(Request, frozen=True, tag="review"):
    """Request the review of a round of a finished match, starting at guess number `start`."""

    match: MatchCode
    round: Rounds = 1
    start: GuessNumber = 1


class ListBots(Request, frozen=True, tag="bots"):
    """List the bots of the server."""


class Say(Request, frozen=True, tag="say"):
    """Send a chat line to a followed match: a text, or the number of a phrase."""

    match: MatchCode
    text: ChatText | None = None
    phrase: PhraseNumber | None = None


class Archive(Request, frozen=True, tag="archive"):
    """List finished matches, newest first: all, or those `before` a match.

    Without `player`, they are the matches of the requesting player. With `player`, they are the
    public ones among the last matches of that player.
    """

    before: MatchCode | None = None
    player: PlayerId | None = None


class ListOwn(Request, frozen=True, tag="own"):
    """List the unfinished matches in which the player has a seat, and the offered rematches."""


class Challenge(Request, frozen=True, tag="challenge"):
    """Challenge a player: open a match whose free seat is reserved for that player.

    The player is given by id (`player`) or by `name`. A name means the rated player who owns it,
    else the challenger's last opponent with this name, else a connected player.

    `seat` is the challenger's seat in the first round; without it, the server draws one. `rated` is
    as in `open`.
    """

    rules: RulesName
    player: PlayerId | None = None
    name: Name | None = None
    rounds: Rounds = 2
    seat: Seat | None = None
    rated: bool = False
    clock: ClockName | None = None


class Decline(Request, frozen=True, tag="decline"):
    """Decline a challenge. This closes the match."""

    match: MatchCode


class AllowChallenges(Request, frozen=True, tag="challenges"):
    """Allow other players to challenge this player or, if not `allowed`, refuse all challenges.

    The server keeps the choice. Challenges that wait already are not affected.
    """

    allowed: bool


class ShowLeaderboard(Request, frozen=True, tag="leaderboard"):
    """List the players of the leaderboard of `rules` after the place `after`, the best first."""

    rules: RulesName
    after: Annotated[int, msgspec.Meta(ge=0, le=MAX_PLACE)] = 0


class ShowProfile(Request, frozen=True, tag="profile"):
    """Show the ratings and rated matches of a player, given by id (`player`) or by `name`.

    `name` is a name that a rated player owns. Without `player` and `name`, the requesting player is
    shown. `rules` selects the history and the matches. Without `rules` these are by the rules of
    the player's last rated match.
    """

    player: PlayerId | None = None
    name: Name | None = None
    rules: RulesName | None = None


class ShowStatistics(Request, frozen=True, tag="statistics"):
    """Show the statistics of the requesting player's finished matches."""


class ListPeople(Request, frozen=True, tag="people"):
    """List the people against whom the requesting player has finished matches."""


class ShowDay(Request, frozen=True, tag="day"):
    """Show the code of the day of `rules`: the own try, the streak, and the results of all players.

    `day` is the number of a day, today's without it.
    """

    rules: RulesName = "classic"
    day: DayNumber | None = None


class EnterDay(Request, frozen=True, tag="enter"):
    """Begin the try at the code of the day, or continue the own running try.

    `day` must be today's number, so that no try begins at another code than the player has seen.
    """

    rules: RulesName
    day: DayNumber


class ListPlaces(Request, frozen=True, tag="places"):
    """List the players of a day by place, after the first `after` players."""

    rules: RulesName
    day: DayNumber
    after: Annotated[int, msgspec.Meta(ge=0, le=MAX_PLACE)] = 0


class ListDays(Request, frozen=True, tag="days"):
    """List the days of a month, this one without `month`, with the own results."""

    rules: RulesName = "classic"
    month: Month | None = None


class Transfer(Request, frozen=True, tag="transfer"):
    """Request a transfer code: another client can log in with it once as the same player."""


class Logout(Request, frozen=True, tag="logout"):
    """Revoke the token of this connection or, if `others`, all other tokens of the player."""

    others: bool = False


class Ping(Request, frozen=True, tag="ping"):
    """Request an answer to check the connection. Browsers cannot send WebSocket pings."""


AnyRequest: TypeAlias = (
    Hello
    | Open
    | Seek
    | Join
    | Follow
    | ShowSnapshot
    | Unfollow
    | ListMatches
    | Secret
    | Guess
    | Advise
    | Analyse
    | ShowPuzzle
    | Resign
    | Leave
    | Rematch
    | Challenge
    | Decline
    | AllowChallenges
    | Review
    | ListBots
    | Say
    | Archive
    | ListOwn
    | ShowLeaderboard
    | ShowProfile
    | ShowStatistics
    | ListPeople
    | ShowDay
    | EnterDay
    | ListPlaces
    | ListDays
    | Transfer
    | Logout
    | Ping
)
