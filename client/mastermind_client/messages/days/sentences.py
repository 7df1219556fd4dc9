"""Sentences about the code of a day, the own try, and the results of all players.

`day` is always the server's answer, and `now` the time of the server in milliseconds since 1970.
Times of day are in `zone`, or in the local time zone for None.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING

from mastermind_client.figures import Record
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.clocks import format_days
from mastermind_client.messages.days.dates import (
    format_countdown,
    format_date,
    format_duration,
    format_hour,
    format_place,
)
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.statistics import CHART_COLUMNS, CHART_INDENT, draw_bars
from mastermind_protocol.days import (
    DAY_RULES,
    find_day,
    find_day_start,
    find_reveal,
    find_tries_end,
)
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from mastermind_protocol.messages import Day, DayStreak, OwnTry


UNBROKEN_LABEL = "X"  # of the bar of codes that were not broken, as in a shared result


class DayStage(Enum):
    """The state of the own try at the code of a day."""

    READY = auto()  # the own try can begin
    RUNNING = auto()
    BROKEN = auto()
    UNBROKEN = auto()  # the own try has ended without breaking the code, or was not ended in time
    MISSED = auto()  # without an own try, which cannot begin
    WITHDRAWN = auto()
    NO_CODE = auto()  # the server had no code on that day


def find_stage(day: Day, now: int) -> DayStage:
    """Return the stage of a day."""
    own, is_open = day.own, day.state == "open"
    if day.state == "withdrawn":
        return DayStage.WITHDRAWN
    if day.commitment is None and day.day < day.today:
        return DayStage.NO_CODE
    if own is None:
        return DayStage.READY if is_open and find_day(now) == day.day else DayStage.MISSED
    if own.how is None and is_open and now < find_tries_end(day.day):
        return DayStage.RUNNING
    return DayStage.BROKEN if own.how is RoundEnd.BROKEN else DayStage.UNBROKEN


def name_code(day: int, today: int) -> str:
    """Return the name of the code of a day: ``today's code``, or ``code of the day``."""
    return _("today's code") if day == today else _("code of the day")


def list_day_terms(day: int, rules: str, today: int) -> list[str]:
    """Return the terms of a day in a title: ``today's code``, ``mini``, ``Tuesday 24 November``.

    The default rules are left out.
    """
    shown = [rules] if rules != DEFAULT.name else []
    return [name_code(day, today), *shown, format_date(day)]


def name_next_rules(rules: str) -> str:
    """Return the rules that follow `rules` in the order of DAY_RULES."""
    position = DAY_RULES.index(rules) if rules in DAY_RULES else -1
    return DAY_RULES[(position + 1) % len(DAY_RULES)]


# Before the own try.


def describe_code() -> str:
    """Return a short explanation of the code of the day."""
    return _("One code for everybody, one try.")


def describe_players(day: Day) -> str:
    """Return a sentence with the number of tries."""
    if not day.players:
        return _("Nobody has begun yet.")
    begun = ngettext("{number} player has begun.", "{number} players have begun.", day.players)
    return begun.format(number=day.players)


def describe_hours(day: Day, now: int, zone: tzinfo | None = None) -> str:
    """Return a sentence with the last times to begin and to end the own try."""
    if find_stage(day, now) is DayStage.RUNNING:
        return describe_keeping(day.day, zone)
    return _("Begin it until {begin}, end it until {end}.").format(
        begin=format_hour(find_day_start(day.day + 1), zone),
        end=format_hour(find_tries_end(day.day), zone),
    )


def describe_time_left(day: Day, now: int) -> str:
    """Return the time left to begin today's try, or until the next code: a line for a column.

    The line is empty for a past day.
    """
    if find_day(now) != day.day or day.state == "withdrawn":
        return ""
    end = find_day_start(day.day + 1)
    text = _("Begin within {time}") if day.own is None else _("Next code in {time}")
    return text.format(time=format_countdown(end - now))


def describe_next_start(day: int, zone: tzinfo | None = None) -> str:
    """Return a sentence with the local time of each new code. The day after `day` has the next."""
    text = _("A new code comes daily at {time}.")
    return text.format(time=format_hour(find_day_start(day + 1), zone))


# After the own try.


def format_headline(day: Day, now: int) -> str:
    """Return the result of the own try in a few words: ``Cracked in 4 of 12``."""
    own, limit = day.own, find_rules(day.rules).guess_limit
    match find_stage(day, now):
        case DayStage.READY:
            return _("Your one try")
        case DayStage.RUNNING:
            return _("Your try has begun")
        case DayStage.BROKEN if own is not None:
            return _("Cracked in {number} of {limit}").format(number=own.guesses, limit=limit)
        case DayStage.UNBROKEN if own is not None and own.how is RoundEnd.RESIGNED:
            return _("Given up")
        case DayStage.WITHDRAWN:
            return _("Withdrawn")
        case DayStage.MISSED:
            return _("You did not play")
        case DayStage.NO_CODE:
            return _("No code that day")
        case _:
            return _("Not cracked")


def name_result(day: Day, now: int) -> str:
    """Return the label of the turn line: the result of the own try in a word, ``Cracked``."""
    if find_stage(day, now) is DayStage.BROKEN:
        return _("Cracked")
    return format_headline(day, now)


def describe_streak(streak: DayStreak) -> str:
    """Return the number of days in a row: ``7 days in a row``, or an empty text without one."""
    text = ngettext("{number} day in a row", "{number} days in a row", streak.current)
    return text.format(number=streak.current) if streak.current else ""


def shorten_streak(streak: DayStreak) -> str:
    """Return the number of days in a row: ``7 in a row``, or an empty text without one."""
    return _("{number} in a row").format(number=streak.current) if streak.current else ""


def describe_totals(streak: DayStreak) -> str:
    """Return the totals of all days: the longest streak and the broken codes. Empty without one."""
    if not streak.days:
        return ""
    days = ngettext("{number} day played", "{number} days played", streak.days)
    codes = ngettext("{number} code cracked", "{number} codes cracked", streak.broken)
    parts = [days.format(number=streak.days), codes.format(number=streak.broken)]
    if streak.longest > streak.current:
        parts.append(_("longest streak {number}").format(number=streak.longest))
    return ", ".join(parts)


def describe_percentage(own: OwnTry) -> str:
    """Return ``better than 61 %``, or an empty text if the own try is better than no other."""
    if not own.better:
        return ""
    return _("better than {number} %").format(number=own.better)


def describe_place(own: OwnTry) -> str:
    """Return the place of the own try, which counts guesses and then time. Empty without a place.

    For example ``19th: 4 guesses in 01:12``. Without a counted try: ``would be 19th: ...``.
    """
    if own.place is None or not own.guesses:
        return ""
    text = (
        _("{place}: {guesses} in {time}")
        if own.counted
        else _("would be {place}: {guesses} in {time}")
    )
    guesses = ngettext("{number} guess", "{number} guesses", own.guesses)
    return text.format(
        place=format_place(own.place),
        guesses=guesses.format(number=own.guesses),
        time=format_duration(own.milliseconds),
    )


def explain_places() -> str:
    """Return sentences about the order of the places, and the tries that have one."""
    return _(
        "By guesses, then by the time from the first to the last. Counted: players with a name, "
        "known here before the day, no programs, one of an address."
    )


def describe_reveal(day: int, zone: tzinfo | None = None) -> str:
    """Return a sentence with the time at which the code of `day` is revealed."""
    return _("The code stays hidden until {time}.").format(time=format_hour(find_reveal(day), zone))


def describe_distribution(day: Day) -> str:
    """Return the heading of the chart of all ended tries."""
    number = day.ended or 0
    if day.state == "open":
        return _("Today so far: {number}").format(number=number)
    return ngettext("{number} player", "{number} players", day.players).format(number=day.players)


def make_distribution(day: Day) -> Record:
    """Return the results of all ended tries. It is empty before the own try has ended."""
    *broken, unbroken = day.distribution or (0,)
    counts = {guesses: tries for guesses, tries in enumerate(broken, start=1) if tries}
    return Record(counts, unbroken)


# The next action.


def describe_action(day: Day, now: int, zone: tzinfo | None = None) -> str:
    """Return a sentence about the next action of the reader."""
    hidden = day.state == "open"
    match find_stage(day, now):
        case DayStage.READY:
            return _("Enter begins it. There is no second one.")
        case DayStage.RUNNING:
            text = _("Enter continues it, until {time}.")
            return text.format(time=format_hour(find_tries_end(day.day), zone))
        case DayStage.WITHDRAWN:
            return _("It does not count, and breaks no streak.")
        case DayStage.NO_CODE:
            return _("A day without a code breaks no streak.")
        case DayStage.BROKEN:
            return _("c copies your result: no pegs in it.")
        case _ if hidden:
            return describe_reveal(day.day, zone)
        case DayStage.UNBROKEN:
            return _("c copies your result: no pegs in it.")
        case _:
            return _("l shows the best tries.")


def describe_keeping(day: int, zone: tzinfo | None = None) -> str:
    """Return a sentence with the time at which a running try at the code of `day` ends."""
    text = _("You can continue it until {time}.")
    return text.format(time=format_hour(find_tries_end(day), zone))


def describe_home_result(day: Day, now: int) -> str:
    """Return the own result in a few words for the home screen, or the streak before it."""
    own = day.own
    match find_stage(day, now):
        case DayStage.BROKEN if own is not None:
            return _("cracked in {number}").format(number=own.guesses)
        case DayStage.UNBROKEN:
            return _("not cracked")
        case DayStage.RUNNING:
            return _("your try runs")
        case DayStage.WITHDRAWN:
            return _("withdrawn")
        case _:
            return describe_streak(day.streak) or _("one try a day")


def describe_home_time(day: Day, now: int, zone: tzinfo | None = None) -> str:
    """Return the time left to begin the own try, or until the next code, for the home screen."""
    next_start = find_day_start(day.day + 1)
    text = _("{time} left, until {hour}") if day.own is None else _("the next in {time}, at {hour}")
    return text.format(time=format_days(next_start - now), hour=format_hour(next_start, zone))


def describe_trouble(error: Exception) -> str:
    """Return the reason for a missing code of the day, in a few words for the home screen."""
    if isinstance(error, Refused) and error.code == ErrorCode.UNKNOWN_MESSAGE:
        return _("needs a newer server")
    if not isinstance(error, Refused) or error.reason is Reason.DAY_NEEDS_SERVER:
        return _("needs a server")
    return _("not now")


def explain_trouble(error: Exception) -> str:
    """Return the reason for a missing code of the day, as a sentence."""
    if isinstance(error, Refused) and error.code == ErrorCode.UNKNOWN_MESSAGE:
        return _("The server is older than this client, and has no code of the day.")
    return describe_failure(error)


# The lines of the line interface.


def list_day(day: Day, now: int, bar: str, zone: tzinfo | None = None) -> Iterator[str]:
    """Yield lines about a day, the own try, and the results of all players.

    `bar` is the sign of the chart's bars.
    """
    stage, own, streak = find_stage(day, now), day.own, day.streak
    named = _("{date}: {name}, number {number}, {rules}")
    yield named.format(
        date=format_date(day.day), name=name_code(day.day, day.today), number=day.day,
        rules=day.rules,
    )  # fmt: skip
    if stage in (DayStage.READY, DayStage.RUNNING):
        yield describe_code()
        yield describe_players(day)
        yield describe_hours(day, now, zone)
    else:
        result = [format_headline(day, now), describe_percentage(own) if own is not None else ""]
        yield ", ".join(filter(None, result))
        yield from filter(None, [describe_place(own) if own is not None else ""])
    yield from filter(None, (describe_streak(streak), describe_totals(streak)))
    record = make_distribution(day)
    if record.games:
        yield describe_distribution(day)
        for _bar, row in draw_bars(record, CHART_COLUMNS, bar, unbroken=UNBROKEN_LABEL):
            yield f"{CHART_INDENT}{row}"
    if stage in (DayStage.UNBROKEN, DayStage.MISSED) and day.state == "open":
        yield describe_reveal(day.day, zone)
    if left := describe_time_left(day, now):
        yield f"{left}. {describe_next_start(day.day, zone)}"
