"""Texts about the leaderboard and the profiles of players, for both interfaces."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from mastermind_client.language import Decimal, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_protocol.clock import SECOND
from mastermind_protocol.glicko import DRAW, WIN
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    from mastermind_protocol.glicko import Rating
    from mastermind_protocol.messages import (
        Leaderboard,
        Profile,
        RankedPlayer,
        RatedMatch,
        RatedRecord,
    )

TITLES = ("", N_("name"), N_("rating"), N_("matches"), N_("guesses"), N_("latest"))
"""The titles of the leaderboard's columns, marked for translation."""
_NUMBERS = (3, 4)  # columns with numbers, which end at the end of their titles
_PLACE = 3  # columns for a place below a thousand
_GAP = "  "


def write_in_ascii(words: str) -> str:
    """Return a text with the ASCII signs for ``±``, in as many columns: ``1512 +-83``."""
    return words.replace("± ", "+-")


def format_full_rating(rating: Rating) -> str:
    """Return a rating and its deviation: ``1512 ± 83``, or ``1388 ± 121 ?`` if provisional."""
    mark = " ?" if rating.provisional else ""
    return f"{round(rating.rating)} ± {round(rating.deviation)}{mark}"


def format_mean(guesses: float | None) -> str:
    """Return a mean number of guesses: ``4.31``, or ``-`` for None."""
    return "-" if guesses is None else f"{Decimal(guesses):.2f}"


def format_day(milliseconds: int, zone: tzinfo | None = None, *, short: bool = False) -> str:
    """Return the day of a Unix time: ``today``, ``yesterday``, ``5 days ago``.

    The last one is ``5 days`` if `short`, for tables. Days begin at midnight in `zone`, or in the
    local time zone for None.
    """
    try:
        day = datetime.fromtimestamp(milliseconds / SECOND, UTC).astimezone(zone).date()
    except (ValueError, OverflowError, OSError):  # beyond the range of dates
        return "?"
    days = (datetime.fromtimestamp(time.time(), UTC).astimezone(zone).date() - day).days
    if days <= 0:
        return _("today")
    if days == 1:
        return _("yesterday")
    if short:
        return ngettext("{number} day", "{number} days", days).format(number=days)
    return ngettext("{number} day ago", "{number} days ago", days).format(number=days)


def cells_of_ranked(ranked: RankedPlayer, zone: tzinfo | None = None) -> tuple[str, ...]:
    """Return the cells of a player on the leaderboard, for the columns of TITLES."""
    record = ranked.record
    cells = [
        f"{'-' if ranked.place is None else ranked.place:>{_PLACE}}",
        sanitise(ranked.name),
        format_full_rating(record.rating),
        str(record.matches),
        format_mean(record.guesses),
        format_day(record.last, zone, short=True),
    ]
    for number in _NUMBERS:
        cells[number] = f"{cells[number]:>{_measure(_(TITLES[number]))}}"
    return tuple(cells)


def describe_leaderboard(rules: str, total: int) -> str:
    """Return the heading of a leaderboard, with the number of its players."""
    players = ngettext("{number} player", "{number} players", total).format(number=total)
    return _("Rated matches by {rules}: {players}").format(rules=sanitise(rules), players=players)


def describe_conditions() -> str:
    """Return the conditions of the leaderboard."""
    return _(
        "A place needs ten rated matches, one of them in the last 30 days, three opponents with "
        "settled ratings, and a rating without a question mark."
    )


def list_leaderboard(board: Leaderboard, zone: tzinfo | None = None) -> Iterator[str]:
    """Yield a page of the leaderboard as lines of a table.

    The player's own row is marked by ``>``. If it is not on the page, it follows after ``...``.
    """
    yield describe_leaderboard(board.rules, board.total)
    own = board.own
    players = list(board.players)
    apart = own is not None and all(own.player != each.player for each in players)
    if own is not None and apart:
        players.append(own)
    if not players:
        yield _("Nobody is on this leaderboard yet.")
    else:
        titles = tuple(_(title) if title else "" for title in TITLES)
        rows = [titles, *(cells_of_ranked(each, zone) for each in players)]
        widths = [max(map(_measure, column)) for column in zip(*rows, strict=True)]
        for number, row in enumerate(rows):
            mine = number > 0 and own is not None and players[number - 1].player == own.player
            if mine and apart and len(rows) > 2:
                yield "  ..."
            yield f"{'>' if mine else ' '} {_align(row, widths)}".rstrip()
    yield describe_conditions()


def _align(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(
        cell + " " * (wide - _measure(cell)) for cell, wide in zip(cells, widths, strict=True)
    )


def _measure(words: str) -> int:
    """Return the columns of a text. The toolkit measures too, but is slow to import."""
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in words
    )


def describe_results(wins: int, draws: int, losses: int) -> str:
    """Return numbers of matches: ``17 won, 3 drawn, 10 lost``."""
    return ", ".join(
        (
            ngettext("{number} won", "{number} won", wins).format(number=wins),
            ngettext("{number} drawn", "{number} drawn", draws).format(number=draws),
            ngettext("{number} lost", "{number} lost", losses).format(number=losses),
        )
    )


def describe_best(record: RatedRecord, zone: tzinfo | None = None) -> str:
    """Return the highest rating that was not provisional, and its day. Empty without one."""
    if record.best is None or record.best_at is None:
        return ""
    best, day = round(record.best), format_day(record.best_at, zone)
    return _("best {rating}, {day}").format(rating=best, day=day)


def describe_guesses(record: RatedRecord) -> str:
    """Return the codes that were broken, the mean guesses, and the mean less luck if known."""
    if record.guesses is None:
        return _("no round as codebreaker yet")
    parts = [
        _("{mean} guesses").format(mean=format_mean(record.guesses)),
        _("{broken} of {played} codes broken").format(broken=record.broken, played=record.played),
    ]
    if record.less_luck is not None:
        less = _("{mean} less luck").format(mean=format_mean(record.less_luck))
        parts.insert(1, less)
    return ", ".join(parts)


def describe_other_rules(profile: Profile, rules: str) -> list[str]:
    """Return the ratings by other rules than `rules`, each with the rules."""
    return [
        f"{sanitise(each.rules)} {format_full_rating(each.rating)}"
        for each in profile.records
        if each.rules != rules
    ]


def describe_against(profile: Profile) -> str:
    """Return the results of the player who asks against this player. Empty without a match."""
    if not any(profile.against):
        return ""
    return describe_results(*profile.against)


def cells_of_rated(match: RatedMatch, zone: tzinfo | None = None) -> tuple[str, ...]:
    """Return the cells of a rated match: result, points, change, day, rules and opponent."""
    result = _("won") if match.score == WIN else _("draw") if match.score == DRAW else _("lost")
    return (
        result,
        "{}:{}".format(*match.points),
        f"{round(match.change):+}",
        format_day(match.at, zone, short=True),
        sanitise(match.rules),
        sanitise(match.opponent),
    )


def align_rated(matches: Sequence[RatedMatch], zone: tzinfo | None = None) -> list[str]:
    """Return rated matches as lines of a table."""
    rows = [cells_of_rated(each, zone) for each in matches]
    widths = [max(map(_measure, column)) for column in zip(*rows, strict=True)]
    return [_align(row, widths).rstrip() for row in rows]


def list_profile(profile: Profile, *, own: bool, zone: tzinfo | None = None) -> Iterator[str]:
    """Yield a profile as lines. The results against the player are omitted for the `own` one."""
    yield sanitise(profile.name)
    if not profile.records:
        yield _("No rated match yet.")
    for record in profile.records:
        rules, rating = sanitise(record.rules), format_full_rating(record.rating)
        yield f"{rules}: {rating}"
        if best := describe_best(record, zone):
            yield f"  {best}"
        results = describe_results(record.wins, record.draws, record.losses)
        yield f"  {results}"
        yield f"  {describe_guesses(record)}"
    if not own:
        yield _("You and {name}: {results}").format(
            name=sanitise(profile.name), results=describe_against(profile) or _("no match yet")
        )
    if profile.history:
        last = ", ".join(str(round(rating)) for rating in profile.history[-_LAST:])
        yield _("Last ratings by {rules}: {ratings}").format(
            rules=sanitise(profile.records[0].rules), ratings=last
        )
    if profile.matches:
        yield _("Last rated matches:")
        for line in align_rated(profile.matches, zone):
            yield f"  {line}"


_LAST = 10  # ratings in a line; the full screen draws all
