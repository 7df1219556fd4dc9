"""The code of the day: the numbers of days, and the start, the end and the reveal of their tries.

A day is a UTC date. Its number counts from 30 June 2026: 24 November 2026 is day 147.
Each player has one try at a day's code for each of DAY_RULES. A day is a contest: `Opened.contest`
of each try has its name.

::

    00:00     24:00           00:30          00:31
    begin --- last start --- end of tries --- reveal of the code

All times are in milliseconds since 1970, by the clock of the server's database.
"""

from __future__ import annotations

import re

DAY_RULES = ("classic", "mini", "eight")
ZERO_DAYS = 20_634  # from 1 January 1970 to 30 June 2026, the day 0
MAX_DAY = 355_565  # the last day of the year 2999: `requests.Month` has no later year
DAY_MS = 24 * 3600 * 1000
FINISH_MS = 30 * 60_000  # after the day: a try that began before midnight can be finished calmly
REVEAL_DELAY_MS = 60_000  # after the end of tries: a slow node has then stored the last guess

_ZERO_MS = ZERO_DAYS * DAY_MS
_DAY_CONTEST = re.compile(r"day/(\d{1,6})\Z", re.ASCII)


def find_day(time: int) -> int:
    """Return the number of the day at `time`. It is negative before day 0."""
    return (time - _ZERO_MS) // DAY_MS


def find_day_start(day: int) -> int:
    """Return the start of `day`, from which tries at its code can begin."""
    return _ZERO_MS + day * DAY_MS


def find_tries_end(day: int) -> int:
    """Return the end of all tries at the code of `day`. A guess at this time is too late."""
    return find_day_start(day + 1) + FINISH_MS


def find_reveal(day: int) -> int:
    """Return the time of the reveal: from then on all players may see the code of `day`."""
    return find_tries_end(day) + REVEAL_DELAY_MS


def make_day_contest(day: int) -> str:
    """Return the name of the contest of `day`."""
    return f"day/{day}"


def find_contest_day(contest: str | None) -> int | None:
    """Return the number of the day with the contest `contest`, or None for any other contest.

    A day after MAX_DAY is none: an untrusted server may name one without a date.
    """
    found = _DAY_CONTEST.match(contest or "")
    return int(found[1]) if found and int(found[1]) <= MAX_DAY else None
