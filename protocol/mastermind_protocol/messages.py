"""Messages from the server: answers to requests, and notifications of followed matches.

docs/protocol/messages.md documents them. An answer has the `id` of its request. The answer to a
request that changes a match is the event message.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

import msgspec

from mastermind_protocol.chat import ChatLine
from mastermind_protocol.days import DAY_RULES
from mastermind_protocol.errors import MAX_DETAIL_LENGTH, MastermindError
from mastermind_protocol.events import (
    AnyEvent,
    ClockName,
    Commitment,
    Guessed,
    MatchCode,
    MatchEnd,
    Name,
    Nonce,
    Player,
    PlayerId,
    RoundEnd,
    Rounds,
    Seat,
    WireCode,
)
from mastermind_protocol.glicko import Rating
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import (
    Count,
    DayNumber,
    Month,
    Number,
    RequestId,
    Token,
    TransferCode,
    Version,
)

# The rules of days alone: a client asks for no others, and needs no text for them.
DayRules = Annotated[str, msgspec.Meta(pattern=rf"^({'|'.join(DAY_RULES)})\Z")]

SUBPROTOCOL = "mastermind.v3"
OLD_SUBPROTOCOLS = ("mastermind.v2", "mastermind.v1")  # see `dialects`
MAX_MESSAGE_ITEMS = 256  # of an array or a map; the longest array is a log of 64 rows
MAX_ROWS = 64  # in one log message, which keeps it below 16 KiB
MAX_SNAPSHOT_GUESSES = 8  # in one message: enough for a small picture of a match
MAX_LISTED_MATCHES = 50  # matches in a listing, newest first
MAX_REVIEWED_GUESSES = 64  # guesses in one message, which keeps it below 16 KiB
MAX_ARCHIVED_MATCHES = 20  # matches in one page
MAX_RANKED_PLAYERS = 25  # players in one page of the leaderboard, which keeps it below 16 KiB
MAX_UNPLACED_PLAYERS = 10  # players without a place in the last page of the leaderboard
MAX_PROFILE_RECORDS = 20  # rules in one profile
MAX_PROFILE_RATINGS = 60  # ratings in one profile: the width of a chart
MAX_PROFILE_MATCHES = 10  # matches in one profile
MAX_FORM_MATCHES = (
    30  # matches in the recent results of one profile: few enough to show how a player does
)
MAX_COUNTED_GAMES = 10_000  # counted for one profile: counting more would take longer than 1 ms
MAX_STATISTICS_MATCHES = 10_000  # the last ones of one player: counting these takes 20 ms
MAX_STATISTICS_RULES = 12  # rules in one message: less than 6 KiB
MAX_STATISTICS_OPPONENTS = 50  # opponents in one message: usually 6 KiB
MAX_STATISTICS_BYTES = 16 * 1024 - 1  # of a message; the last opponents are omitted
MAX_PEOPLE = 50  # in one message: at most 11 KiB
MAX_DISTRIBUTION = 99  # numbers of guesses in one distribution: two digits, as on the board
MAX_DAY_GUESSES = 12  # the limit of guesses of DAY_RULES
MAX_PLACED_TRIES = 25  # in one page, as of the leaderboard
MAX_OWN_MATCHES = 50  # unfinished matches in one page
MAX_ANNOUNCEMENT_LENGTH = 200  # characters: two sentences
MAX_DETAILS = 12  # values of an error, and items of a list value; this version uses at most 6

Epoch = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
DetailText = Annotated[str, msgspec.Meta(max_length=MAX_DETAIL_LENGTH)]
DetailTexts = Annotated[tuple[DetailText, ...], msgspec.Meta(max_length=MAX_DETAILS)]
Details = Annotated[
    dict[DetailText, int | float | DetailText | DetailTexts], msgspec.Meta(max_length=MAX_DETAILS)
]


class ServerMessage(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", omit_defaults=True):
    """The base of all messages. Clients ignore unknown fields."""


class Allowance(msgspec.Struct, frozen=True):
    """A rate limit: `burst` requests at once, then `per_second` requests in a second."""

    burst: Count
    per_second: float


class Rates(msgspec.Struct, frozen=True):
    """The rate limits of a server. Each limits the requests of one kind.

    docs/protocol/limits.md lists the requests that a limit counts.
    """

    requests: Allowance
    openings: Allowance
    advice: Allowance
    reviews: Allowance
    chat: Allowance


class Bounds(msgspec.Struct, frozen=True):
    """The limits of a server, in the units that docs/protocol/values.md gives.

    `name`, `chat` and `request_bytes` limit lengths: characters of a name, characters of a chat
    line, and bytes of a request. `phrases` is the largest number of a canned phrase. `followed`
    limits the matches that one connection follows, `rounds` the rounds of a match, and `pegs`,
    `colours` and `guesses` the rules.
    """

    request_bytes: Count
    followed: Count
    name: Count
    chat: Count
    phrases: Count
    rounds: Count
    pegs: Count
    colours: Count
    guesses: Count


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The features and limits of a server.

    `can` lists the `op` of each request that the server accepts, among them requests that an older
    client does not know. `bounds` are limits of size and number. `rates` limit requests per second.
    `page` is the address of the server's web page, with a slash at the end: a URL, or "/" for the
    address to which the client has connected. It is absent if the server has no page. The link to a
    match is `page` followed by the match code. `host` is the name of the player whose own program
    runs the server, and absent for other servers. Such a server stops with the program.
    """

    can: tuple[str, ...]
    bounds: Bounds
    rates: Rates
    page: str | None = None
    host: Name | None = None


class Welcome(ServerMessage, frozen=True, tag="welcome"):
    """Answer to `hello`: the player of the connection.

    A new player receives a `token`. `terms` are the features and limits of the server. `epoch`
    identifies the history of the server's store.
    """

    id: RequestId
    player: Player
    token: Token | None = None
    terms: Terms | None = None
    epoch: Epoch | None = None


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row of the log of a match: its version, and the events of one command.

    `at` is the time since the first row of the match, in milliseconds; 0 without a clock.
    """

    v: Version
    events: tuple[AnyEvent, ...]
    at: Number = 0


class Absent(msgspec.Struct, frozen=True):
    """A disconnected seated player, and the `seconds` since the player disconnected."""

    player: PlayerId
    seconds: Number


class Log(ServerMessage, frozen=True, tag="log"):
    """Answer to `open`, `seek`, `join`, `follow` and `rematch`: the log of the match.

    `present` are the ids of the seated players who follow the match. `absent` are the seated people
    and programs who neither follow nor have left the match. `spectators` is the number of followers
    without a seat. With `more` the log continues: the client must `follow` again from the version
    of the last row, and receives no new rows before that. `now` is the time since the first row, in
    milliseconds, for the display of the running clock. `epoch` identifies the history of the
    server's store: versions of different epochs may be different rows.
    """

    id: RequestId
    match: MatchCode
    rows: tuple[Row, ...]
    present: tuple[PlayerId, ...] = ()
    absent: tuple[Absent, ...] = ()
    spectators: Number = 0
    more: bool = False
    now: Number = 0
    epoch: Epoch | None = None


class Snapshot(ServerMessage, frozen=True, tag="snapshot"):
    """Answer to `snapshot`: the running round or, after the match, the last one.

    `guesses` is the number of guesses in round number `round`. `turns` has the last
    MAX_SNAPSHOT_GUESSES of them.
    """

    id: RequestId
    match: MatchCode
    phase: Phase
    round: Rounds
    guesses: Number = 0
    turns: tuple[Guessed, ...] = ()


class Happened(ServerMessage, frozen=True, tag="event"):
    """A new row of a followed match. The answer to a command has the `id` of its request.

    `at` is the time since the first row of the match, in milliseconds; 0 without a clock.
    """

    match: MatchCode
    v: Version
    events: tuple[AnyEvent, ...]
    id: RequestId | None = None
    at: Number = 0


class Presence(ServerMessage, frozen=True, tag="presence"):
    """A seated `player` has started or stopped following the match.

    `here` is false if the player now follows the match on no connection.
    """

    match: MatchCode
    player: PlayerId
    here: bool


class Spectators(ServerMessage, frozen=True, tag="spectators"):
    """The number of players without a seat that follow the match."""

    match: MatchCode
    count: Number


class Said(ServerMessage, frozen=True, tag="said"):
    """A new chat line of a followed match. The answer to `say` has the `id` of its request."""

    match: MatchCode
    line: ChatLine
    id: RequestId | None = None


class Chat(ServerMessage, frozen=True, tag="chat"):
    """Earlier chat lines, sent after a log or when lines of spectators become readable."""

    match: MatchCode
    lines: tuple[ChatLine, ...]


class Listed(msgspec.Struct, frozen=True, omit_defaults=True):
    """One match of a listing. `maker` and `breaker` are names of players.

    `bots` are the seats of bots.
    """

    match: MatchCode
    rules: str
    rounds: Rounds
    phase: Phase
    maker: str | None = None
    breaker: str | None = None
    bots: tuple[Seat, ...] = ()
    rated: bool = False
    clock: ClockName | None = None


class Listing(ServerMessage, frozen=True, tag="listing"):
    """Answer to `list`: the newest matches first."""

    id: RequestId
    matches: tuple[Listed, ...]


class GuessMeasures(msgspec.Struct, frozen=True, omit_defaults=True):
    """The measures of a guess, where each remaining code is equally likely to be the secret.

    Remaining codes fit all feedback so far. `possible` is true if the guess is one. If m codes
    remain before the guess, each feedback leaves n codes. `worst` is the largest n (Knuth 1977).
    `size` is the expected n, the sum of n * n / m (Irving 1978). `bits` is the expected
    information, the sum of n / m * log2(m / n): the entropy of the feedback (C. E. Shannon, "A
    mathematical theory of communication", 1948; Neuwirth 1982). `parts` is the number of possible
    feedbacks (Kooi 2005).
    """

    code: WireCode
    possible: bool
    worst: Count
    size: float
    bits: float
    parts: Count


class Advice(ServerMessage, frozen=True, tag="advice"):
    """Answer to `advise` for guess number `guess`: the best `guesses` first.

    `left` is the number of remaining codes. If `sampled`, the search covered only a sample of the
    guesses. All measures are exact, unless `estimated`: then `left` and the measures are estimates
    from a sample of the remaining codes.
    """

    id: RequestId
    match: MatchCode
    guess: Count
    left: Count
    guesses: tuple[GuessMeasures, ...]
    sampled: bool = False
    estimated: bool = False


class ReviewedGuess(msgspec.Struct, frozen=True, omit_defaults=True):
    """The measures of one guess of a round, and of the best guess, which the bot `optimal` makes.

    `before` and `after` are the numbers of remaining codes before and after the guess. `after` is 1
    if the guess is the secret. If `estimated`, they and the measures are estimates.
    """

    guess: GuessMeasures
    best: GuessMeasures
    before: Count
    after: Count
    estimated: bool = False

    @property
    def earned_bits(self) -> float:
        """The information of the feedback, in bits; `guess.bits` is its expected value.

        If a round starts with n codes and ends with one, the sum over its guesses is log2(n).
        """
        return math.log2(self.before / self.after)

    @property
    def luck(self) -> float:
        """The bits that the feedback gave minus the expected bits. Negative after bad luck.

        The mean over all codes that were possible before the guess is 0.
        """
        return self.earned_bits - self.guess.bits


class Reviewing(ServerMessage, frozen=True, tag="reviewing"):
    """Answer to `review`: the guesses of a round in order. With `more` there is a next page."""

    id: RequestId
    match: MatchCode
    round: Rounds
    turns: tuple[ReviewedGuess, ...]
    more: bool = False


class KnownBot(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bot of the server. It guesses in games with up to `largest` possible codes.

    `hides` describes how it hides codes; older servers omit it.
    """

    name: str
    about: str
    largest: Number
    aliases: tuple[str, ...] = ()
    hides: str = ""


class Bots(ServerMessage, frozen=True, tag="bots"):
    """Answer to `bots`: the weakest bots first."""

    id: RequestId
    bots: tuple[KnownBot, ...]


class ArchivedMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finished match of the player.

    `at` is the time when the match ended, in milliseconds since 1970 (UTC). `seat` is the player's
    seat in the first round. `bot` is true for an opponent that is a bot or program. `won` is None
    for a draw. `guesses` is the number of guesses in all rounds. `points` are the player's, then
    the opponent's. `tries` has the number of guesses of each round in which the player was
    codebreaker, or 0 if the code was not broken. Rounds with advice, and rounds that a player
    left, are omitted. Older servers omit `tries`, or include rounds with advice.
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
    clock: ClockName | None = None

    @property
    def measured_bot(self) -> bool:
        """Whether the match counts neither as won nor as lost, as `Match.measures_bot`."""
        return self.rounds == 1 and self.bot and self.seat is Seat.MAKER


class Archived(ServerMessage, frozen=True, tag="archived"):
    """Answer to `archive`. If `more`, the next request continues with `before` = the last match."""

    id: RequestId
    matches: tuple[ArchivedMatch, ...]
    more: bool = False


class OwnMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One unfinished match of the player, or the rematch that an opponent offers.

    `seat` is the player's current seat, or the free one of an offered rematch. `turn` is true if
    the match waits for the player. `guesses` is the number of guesses in round number `round`.
    `opponent` is None in a lobby. `bot` is true for an opponent that is a bot or program. Times are
    in milliseconds since 1970 (UTC): `since` is the time of the last change, and `away` the time at
    which the opponent stopped following. `away` is None while the opponent follows, and for bots of
    the server. With a clock of days, `until` is the deadline of the player to move. With a live
    clock, `left` has the milliseconds that are left to this player, or None if the node of the
    server does not know them. It is no time of day, because the clocks of devices differ.
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
    clock: ClockName | None = None
    until: Number | None = None
    left: Number | None = None


class OwnMatches(ServerMessage, frozen=True, tag="own_matches"):
    """Answer to `own`: first the matches that wait for the player. With `more` some are omitted."""

    id: RequestId
    matches: tuple[OwnMatch, ...]
    more: bool = False


class RatedRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The sums of a player's rated matches by one set of rules.

    `rating` is the rating now. `last` is the time when the last match ended. `played` is the number
    of rounds as codebreaker, and `broken` that of successful ones. `guesses` is the mean number of
    guesses in these rounds, where a round without success counts as limit + 1. `less_luck` is the
    same mean without the guesses that the player lost by bad luck. Both are None before the first
    round as codebreaker. For rules with many codes, `less_luck` is always None. `best` is the
    highest rating that was not provisional, and `best_at` the time of that rating. `fewest` is the
    fewest guesses in which the player broke a code; it is None without a broken code, and from
    older servers. Times are in milliseconds since 1970 (UTC).
    """

    rules: str
    rating: Rating
    matches: Number
    wins: Number
    draws: Number
    losses: Number
    last: Number
    played: Number = 0
    broken: Number = 0
    guesses: float | None = None
    less_luck: float | None = None
    best: float | None = None
    best_at: Number | None = None
    fewest: Number | None = None


class RankedPlayer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player on the leaderboard. `place` is None for a player who does not qualify.

    A player qualifies by a rating that is not provisional, ten rated matches, three different
    opponents with a rating that was not provisional, and a match within 30 days.
    """

    player: PlayerId
    name: Name
    record: RatedRecord
    place: Number | None = None


class Challenged(ServerMessage, frozen=True, tag="challenged"):
    """The player `by` challenges this player to a match, until `seconds` have passed.

    `seat` is the seat that this player gets in the first round. In a rated match, `rating` is the
    rating of `by`. The player answers with `join` or `decline`. With `previous`, the match is a
    rematch of that one, which was offered while this player was not connected.
    """

    match: MatchCode
    by: Player
    rules: str
    rounds: Rounds
    seat: Seat
    seconds: Number
    rated: bool = False
    clock: ClockName | None = None
    rating: Rating | None = None
    previous: MatchCode | None = None


class ChallengeEnded(ServerMessage, frozen=True, tag="challenge_ended"):
    """A challenge to this player has ended.

    `how` gives the reason: the player `accepted` or `declined` by any client, the challenger has
    `withdrawn` the challenge, or it has `expired`.
    """

    match: MatchCode
    how: Literal["accepted", "declined", "withdrawn", "expired"]


class Leaderboard(ServerMessage, frozen=True, tag="leaderboard"):
    """Answer to `leaderboard`: a page of its players, the best first.

    `own` is the row of the requesting player, and `total` the number of players on the leaderboard.
    If `more`, the next request continues with `after` = the last `place`. Otherwise `unplaced` has
    up to MAX_UNPLACED_PLAYERS who played last, but have no place yet, the best first. `bot` is the
    mean number of guesses of the bot `hard` over all codes, if it was measured for these rules.
    """

    id: RequestId
    rules: str
    players: tuple[RankedPlayer, ...]
    total: Number
    own: RankedPlayer | None = None
    more: bool = False
    unplaced: tuple[RankedPlayer, ...] = ()
    bot: float | None = None


class RatedMatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rated match in a player's profile. `score` is 1 for a win, 0.5 for a draw, 0 for a loss.

    `at` is the time when the match ended, in milliseconds since 1970 (UTC). `points` are the
    player's, then the opponent's. `rating` is the player's rating after the match, and `change` the
    difference to that before. `match` is None for private matches of other players.
    """

    match: MatchCode | None = None
    at: Number
    rules: str
    opponent: Name
    score: float
    points: tuple[Number, Number]
    rating: float
    change: float


class Profile(ServerMessage, frozen=True, tag="profile"):
    """Answer to `profile`: a player's rated records. The first is by the rules played last.

    `rules` is the name of the rules of the request or, without it, of the first record. `history`,
    `matches`, `form`, `place` and `total` are for these rules only. `history` lists the recent
    ratings, the oldest first. `matches` lists the recent rated matches, the newest first. `form`
    has the numbers of wins, draws and losses in the newest MAX_FORM_MATCHES matches. `place` is the
    player's place on the leaderboard, which has `total` players.

    `against` has the numbers of wins, draws and losses of the requesting player against this one,
    in all finished matches, and from older servers in rated ones. `met` is the time at which their
    last match ended; it is None without a match, and from older servers. `games` is the number of
    finished matches, at most MAX_COUNTED_GAMES. `since` is the start of the day of the player's
    first visit. Times are in milliseconds since 1970 (UTC). `challenges` is false if the player has
    chosen to take no challenges.
    """

    id: RequestId
    player: PlayerId
    name: Name
    records: tuple[RatedRecord, ...] = ()
    history: tuple[float, ...] = ()
    matches: tuple[RatedMatch, ...] = ()
    against: tuple[Number, Number, Number] = (0, 0, 0)
    rules: str | None = None
    form: tuple[Number, Number, Number] = (0, 0, 0)
    place: Number | None = None
    total: Number = 0
    games: Number = 0
    since: Number | None = None
    met: Number | None = None
    challenges: bool = True


class Figures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The sums of a player's finished matches, and of the player's rounds as codebreaker.

    `streak` is the number of wins since the last match that was lost or drawn, and `longest` the
    largest number of wins in a row. `last` is the time when the last match ended, in milliseconds
    since 1970 (UTC); it is None without a match. `distribution` has the numbers of codes that the
    player broke with 1, 2, 3 guesses and so on, up to MAX_DISTRIBUTION; its last item counts codes
    that took more guesses, too. `unbroken` is the number of codes that the player did not break.

    Matches that measured a bot (`Match.measures_bot`) are neither wins, draws nor losses, and do
    not change a streak. `measured` is the number of those that were played to their end, and
    `measured_guesses` the number of the bots' guesses in them. `advised` is the number of rounds as
    codebreaker with advice, which `distribution` and `unbroken` do not count.
    """

    matches: Number = 0
    wins: Number = 0
    draws: Number = 0
    losses: Number = 0
    streak: Number = 0
    longest: Number = 0
    last: Number | None = None
    distribution: tuple[Number, ...] = ()
    unbroken: Number = 0
    measured: Number = 0
    measured_guesses: Number = 0
    advised: Number = 0


class RulesFigures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The figures of a player's matches by one set of rules."""

    rules: str
    figures: Figures


class OpponentFigures(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The figures of a player's matches against one opponent.

    Opponents are distinguished by id, bots of the server and opponents at older servers by name,
    and bots and programs from people. `bot` is true for a bot or program. `player` is the id of the
    opponent in the last match; it is None for bots of the server.
    """

    opponent: Name
    bot: bool = False
    player: PlayerId | None = None
    figures: Figures


class Statistics(ServerMessage, frozen=True, tag="statistics"):
    """Answer to `statistics`: figures of the player's last MAX_STATISTICS_MATCHES matches.

    `total` counts all of them. `by_rules` and `by_opponent` have at most MAX_STATISTICS_RULES rules
    and MAX_STATISTICS_OPPONENTS opponents, those with the most matches first. If `more`, the others
    are omitted.
    """

    id: RequestId
    total: Figures
    by_rules: tuple[RulesFigures, ...] = ()
    by_opponent: tuple[OpponentFigures, ...] = ()
    more: bool = False


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The results of the requesting player against another one, who is no bot or program.

    `name` is the name in their last match, which ended at `last`, in milliseconds since 1970 (UTC).
    `wins`, `draws` and `losses` count the requesting player's results in all finished matches.
    `online` is whether the server sees a connection of the other player, who takes challenges or
    plays in public. `match` is the code of a public match that the other player plays now.
    """

    player: PlayerId
    name: Name
    wins: Number = 0
    draws: Number = 0
    losses: Number = 0
    last: Number
    online: bool = False
    match: MatchCode | None = None


class People(ServerMessage, frozen=True, tag="people"):
    """Answer to `people`: connected players first, and among equals the last played.

    It has at most MAX_PEOPLE people, and counts the player's last MAX_STATISTICS_MATCHES matches.
    If `more`, others are omitted.
    """

    id: RequestId
    people: tuple[Person, ...] = ()
    more: bool = False


class OwnTry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The try of the requesting player at the code of a day.

    `match` is its match. `how` is how it ended, and absent while it runs. A try that has not ended
    when all tries end counts as not broken. `guesses` is their number, or 0 if the code was not
    broken. `milliseconds` is the time from the first guess to the last. `place` counts from 1, by
    guesses and then by time; equal results share a place. Without a place, the try has not ended,
    or the code was not broken. If not `counted`, the try is in no list of places, and its `place`
    is hypothetical. `better` is the percentage of the other ended tries with a worse result.
    """

    match: MatchCode
    how: RoundEnd | None = None
    guesses: Number = 0
    milliseconds: Number = 0
    place: Count | None = None
    counted: bool = False
    better: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None


class DayStreak(msgspec.Struct, frozen=True, omit_defaults=True):
    """Totals of a player's tries at the codes of all days, under any of the rules.

    `current` is the number of days in a row, up to today or yesterday, with a try that ended in
    time, and `longest` the greatest such number. Withdrawn days and days without a code interrupt
    neither. `days` is the number of all such days, and `broken` the number of broken codes.
    """

    current: Number = 0
    longest: Number = 0
    days: Number = 0
    broken: Number = 0


class Day(ServerMessage, frozen=True, kw_only=True, tag="day"):
    """Answer to `day`: the code of the day `day` for the rules, and the results of its players.

    `today` is the number of today, and `now` the time of the server, in milliseconds since 1970.
    `state` is `open` until the reveal, then `closed`; a `withdrawn` day does not count. A past day
    without a `commitment` had no code. `players` is the number of tries, also running ones.
    `own` is the try of the requesting player.

    `ended` and `distribution` are absent until the own try has ended, or the day is closed. `ended`
    is the number of tries that have ended. `distribution` has the number of tries that broke the
    code with 1, 2, ... guesses; its last item counts the tries that did not break it. `code` and
    `nonce` are present when the day is closed or withdrawn.
    """

    id: RequestId
    rules: DayRules
    day: DayNumber
    today: DayNumber
    now: Number
    state: Literal["open", "closed", "withdrawn"] = "open"
    commitment: Commitment | None = None
    players: Number = 0
    own: OwnTry | None = None
    streak: DayStreak
    ended: Number | None = None
    distribution: Annotated[tuple[Number, ...], msgspec.Meta(max_length=MAX_DAY_GUESSES + 1)] = ()
    code: WireCode | None = None
    nonce: Nonce | None = None


class PlacedTry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A counted try in the list of places; `guesses` is 0 if the code was not broken.

    `match` is the code of its match, which all can follow when the day is closed. It is
    absent before.
    """

    place: Count
    player: PlayerId
    name: Name
    guesses: Number = 0
    milliseconds: Number = 0
    match: MatchCode | None = None


class Places(ServerMessage, frozen=True, kw_only=True, tag="places"):
    """Answer to `places`: at most MAX_PLACED_TRIES counted tries, the best first.

    Tries that did not break the code share the last place. With `more` there is a next page.
    """

    id: RequestId
    rules: DayRules
    day: DayNumber
    places: tuple[PlacedTry, ...] = ()
    more: bool = False


class DayResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One day of a month, and the own try `match` at its code, if any.

    `players` is the number of its tries. `guesses` is 0 if the code was not broken, and absent if
    the own try runs, or does not exist.
    """

    day: DayNumber
    state: Literal["open", "closed", "withdrawn"] = "closed"
    players: Number = 0
    match: MatchCode | None = None
    guesses: Number | None = None


class Days(ServerMessage, frozen=True, kw_only=True, tag="days"):
    """Answer to `days`: the days of a month that have a code, the last first, and the own figures.

    `played` is the number of own tries that ended in time on days that were not withdrawn, and
    `broken` the number of codes broken by them. `mean` is the mean of their guesses; a code that
    was not broken counts one more than the limit. `without_luck` is this mean corrected by the
    luck of the tries, in guesses. Both are absent without such a try.
    """

    id: RequestId
    rules: DayRules
    month: Month
    days: Annotated[tuple[DayResult, ...], msgspec.Meta(max_length=31)] = ()
    played: Number = 0
    broken: Number = 0
    mean: float | None = None
    without_luck: float | None = None


class Transferable(ServerMessage, frozen=True, tag="transferable"):
    """Answer to `transfer`: a transfer code that is valid for `seconds`."""

    id: RequestId
    code: TransferCode
    seconds: Number


class Announcement(ServerMessage, frozen=True, tag="announcement"):
    """A message of the operator to all clients.

    With `match`, it goes to the followers of this match, and gives the reason why the operator ends
    the match.
    """

    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_ANNOUNCEMENT_LENGTH)]
    match: MatchCode | None = None


class Done(ServerMessage, frozen=True, tag="done"):
    """Answer to a request without a result."""

    id: RequestId


class Error(ServerMessage, frozen=True, tag="error"):
    """The refusal of a request, which had no effect.

    `id` is None if the request could not be decoded. `details` contain the key of the `reason` and
    the values of its sentence.
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
    | Snapshot
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
    | Challenged
    | ChallengeEnded
    | Leaderboard
    | Profile
    | Statistics
    | People
    | Day
    | Places
    | Days
    | Transferable
    | Announcement
    | Done
    | Error
)
