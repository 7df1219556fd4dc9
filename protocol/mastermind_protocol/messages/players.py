"""Players: the leaderboard, profiles, statistics, and people."""

from __future__ import annotations

import msgspec

from mastermind_protocol.events import MatchCode, Name, PlayerId
from mastermind_protocol.glicko import Rating
from mastermind_protocol.messages.base import ServerMessage
from mastermind_protocol.requests import Number, RequestId

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
