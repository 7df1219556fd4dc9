"""Clocks of matches: their names, and the time that is left to the player to move.

One clock runs at a time: that of the player to move. Times are whole milliseconds. A point in time
is the number of milliseconds since the first row of the match.
"""

from __future__ import annotations

import re

import msgspec

from mastermind_protocol.errors import InvalidClock, Reason

SECOND = 1000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE

MAX_BASE_MINUTES = 30  # a round of people who think ends within an hour
MAX_INCREMENT_SECONDS = 60
TYPICAL_GUESSES = 8  # guesses in a round: MAX_ROUND_MS includes their increments
MAX_ROUND_MS = 30 * MINUTE  # base and increments of TYPICAL_GUESSES guesses
MIN_MOVE_SECONDS = 10  # shorter times measure typing
MAX_MOVE_SECONDS = 300
MAX_MOVE_DAYS = 14
MIN_SETTING_MS = 20 * SECOND  # to set a code; typing one takes five seconds
MAX_SETTING_MS = 60 * SECOND
MAX_CREDIT_MS = 300  # for the latency of one move
MAX_ROUND_CREDIT_MS = 3 * SECOND  # for the latency of all guesses of a round
MAX_CLOCK_NAME_LENGTH = 12  # characters

_NAME_PATTERN = re.compile(
    r"(?:([1-9][0-9]?)\+([0-9]{1,2})|([1-9][0-9]{0,2})/move|([1-9][0-9]?)d/move)"
)


class Clock(msgspec.Struct, frozen=True):
    """A time control: the time that each player gets, in milliseconds.

    Fischer clocks: `base` is the codebreaker's time for a round, and each guess adds `increment`.
    Other clocks: each move has the time `move`; it is 0 in Fischer clocks. `live` is false if
    `move` is counted in days.
    """

    name: str
    base: int = 0
    increment: int = 0
    move: int = 0
    live: bool = True

    @property
    def code_setting_ms(self) -> int:
        """The time for setting a code, in milliseconds."""
        if not self.live:
            return self.move
        return max(MIN_SETTING_MS, min(self.code_breaking_ms, MAX_SETTING_MS))

    @property
    def code_breaking_ms(self) -> int:
        """The time of the codebreaker at the start of a round, in milliseconds."""
        return self.move or self.base


class Timer(msgspec.Struct, frozen=True, gc=False):
    """The time of the player to move: `remaining` milliseconds from the point in time `since`.

    `since` is in milliseconds since the first row of the match. `credited` is the latency that was
    credited since the phase began, in milliseconds.
    """

    since: int
    remaining: int
    credited: int = 0

    @property
    def deadline(self) -> int:
        """The point in time when the player's time ends, without any credit for latency."""
        return self.since + self.remaining

    def limit_credit(self, latency: int) -> int:
        """Return the part of a move's `latency` that may be credited, both in milliseconds."""
        return min(latency, MAX_CREDIT_MS, MAX_ROUND_CREDIT_MS - self.credited)

    def after_move(self, clock: Clock, at: int, credit: int) -> Timer:
        """Return the timer for the next move of the same phase, after a move at the time `at`.

        `credit` is the latency that is credited for the move at `at`, in milliseconds.
        """
        used = max(0, at - self.since - credit)
        remaining = clock.move or max(0, self.remaining - used) + clock.increment
        return Timer(at, remaining, self.credited + credit)

    def refund(self, lost: int) -> Timer:
        """Return the timer with `lost` more milliseconds, because the server served no moves."""
        return Timer(self.since, self.remaining + lost, self.credited)


def find_clock(name: str) -> Clock:
    """Return the clock of this `name`: ``MINUTES+SECONDS``, ``SECONDS/move`` or ``DAYSd/move``.

    Raises InvalidClock for any other name, and for times outside the limits.
    """
    wanted = name.strip().lower()
    if match := _NAME_PATTERN.fullmatch(wanted):
        minutes, increment, seconds, days = (int(part or 0) for part in match.groups())
        if minutes:
            base, added = minutes * MINUTE, increment * SECOND
            fits = increment <= MAX_INCREMENT_SECONDS and (
                base + TYPICAL_GUESSES * added <= MAX_ROUND_MS
            )
            clock = Clock(f"{minutes}+{increment}", base=base, increment=added)
        elif seconds:
            fits = MIN_MOVE_SECONDS <= seconds <= MAX_MOVE_SECONDS
            clock = Clock(f"{seconds}/move", move=seconds * SECOND)
        else:
            fits = days <= MAX_MOVE_DAYS
            clock = Clock(f"{days}d/move", move=days * DAY, live=False)
        if fits:
            return clock
    raise InvalidClock(
        Reason.UNKNOWN_CLOCK, field="clock", name=name[:40], minutes=MAX_BASE_MINUTES,
        guesses=TYPICAL_GUESSES, least=MIN_MOVE_SECONDS, seconds=MAX_MOVE_SECONDS,
        days=MAX_MOVE_DAYS,
    )  # fmt: skip
