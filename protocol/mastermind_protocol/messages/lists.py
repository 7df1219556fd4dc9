"""Lists of matches, and challenges."""

from __future__ import annotations

from typing import Literal

import msgspec

from mastermind_protocol.events import ClockName, MatchCode, MatchEnd, Name, Player, Rounds, Seat
from mastermind_protocol.glicko import Rating
from mastermind_protocol.match import Phase
from mastermind_protocol.messages.base import ServerMessage
from mastermind_protocol.requests import Number, RequestId

MAX_LISTED_MATCHES = 50  # matches in a listing, newest first
MAX_ARCHIVED_MATCHES = 20  # matches in one page
MAX_OWN_MATCHES = 50  # unfinished matches in one page


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
