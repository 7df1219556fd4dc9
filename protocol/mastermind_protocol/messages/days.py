"""The code of the day: the own try, places, and months."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from mastermind_protocol.days import DAY_RULES
from mastermind_protocol.events import (
    Commitment,
    MatchCode,
    Name,
    Nonce,
    PlayerId,
    RoundEnd,
    WireCode,
)
from mastermind_protocol.messages.base import ServerMessage
from mastermind_protocol.requests import Count, DayNumber, Month, Number, RequestId

MAX_DAY_GUESSES = 12  # the limit of guesses of DAY_RULES
MAX_PLACED_TRIES = 25  # in one page, as of the leaderboard

# The rules of days alone: a client asks for no others, and needs no text for them.
DayRules = Annotated[str, msgspec.Meta(pattern=rf"^({'|'.join(DAY_RULES)})\Z")]


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
