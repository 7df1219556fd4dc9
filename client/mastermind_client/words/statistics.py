"""One's own games in figures, in words: for a board's side, for a page and for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import Decimal, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.statistics import scale
from mastermind_client.words.listings import name_opponent
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_client.statistics import Bar, Figures, Record, Statistics

BAR_COLUMNS = 32  # of the longest bar in a terminal, so that a row fits into 60
OPPONENTS = 10  # that are told of: those one has played most


def head_record(record: Record, rules: str) -> str:
    """Return the heading over a record: ``Your 23 classic games``."""
    text = ngettext("Your {number} {rules} game", "Your {number} {rules} games", record.games)
    return text.format(number=record.games, rules=sanitise(rules))


def write_averages(record: Record, dot: str) -> str:
    """Return a record in short, with a sign between its two halves: ``best 3 · average 5.3``.

    Empty if no code was broken.
    """
    if record.best is None or record.average is None:
        return ""
    best = _("best {number}").format(number=record.best)
    return f"{best} {dot} {write_average(record.average)}"


def write_average(average: float) -> str:
    """Return the mean number of guesses: ``average 5.3``."""
    return _("average {number:.1f}").format(number=Decimal(average))


def label_bar(bar: Bar) -> str:
    """Return how many guesses a bar is of: ``4``, ``9-12``, or ``-`` of those that stood."""
    if not bar.last:
        return "-"
    return str(bar.first) if bar.first == bar.last else f"{bar.first}-{bar.last}"


def tell_games(figures: Figures) -> str:
    """Say how many matches were played, and how they ended."""
    played = ngettext("{number} match", "{number} matches", figures.games)
    parts = [
        played.format(number=figures.games),
        ngettext("{number} won", "{number} won", figures.won).format(number=figures.won),
        ngettext("{number} lost", "{number} lost", figures.lost).format(number=figures.lost),
    ]
    if figures.drawn:
        drawn = ngettext("{number} drawn", "{number} drawn", figures.drawn)
        parts.append(drawn.format(number=figures.drawn))
    return ", ".join(parts)


def tell_streak(figures: Figures) -> str:
    """Say how many matches in a row were won; empty if none ever was."""
    if not figures.longest:
        return ""
    if figures.streak == figures.longest:
        text = _("Won in a row: {streak}, the most so far.")
    elif not figures.streak:
        text = _("Won in a row at most: {longest}.")
    else:
        text = _("Won in a row: {streak}; at most it was {longest}.")
    return text.format(streak=figures.streak, longest=figures.longest)


def tell_record(record: Record) -> str:
    """Say how many codes somebody has broken, of how many, and in how many guesses."""
    broken = record.games - record.stood
    text = ngettext("{broken} of {number} code", "{broken} of {number} codes", record.games)
    told = text.format(broken=broken, number=record.games)
    if record.best is None or record.average is None:
        return _("Cracked: {told}.").format(told=told)
    return _("Cracked: {told}; best {best}, average {average:.1f}.").format(
        told=told, best=record.best, average=Decimal(record.average)
    )


def describe_statistics(found: Statistics, bar: str, columns: int = BAR_COLUMNS) -> Iterator[str]:
    """Yield statistics as lines: the total, a chart for each rules, whom one has played."""
    if not found.total.games:
        yield _("You have finished no match yet.")
        return
    yield tell_games(found.total) + "."
    if streak := tell_streak(found.total):
        yield streak
    for rules, figures in found.by_rules.items():
        yield ""
        yield f"{sanitise(rules)}: {tell_games(figures)}."
        if figures.record.games:
            yield tell_record(figures.record)
            yield from chart_record(figures.record, bar, columns)
    yield ""
    yield _("Against:")
    for opponent, figures in list(found.by_opponent.items())[:OPPONENTS]:
        yield f"  {name_opponent(*opponent)}: {tell_games(figures)}"


def chart_record(record: Record, bar: str, columns: int) -> Iterator[str]:
    """Yield the bars of a record, a line each: guesses, bar, games."""
    bars = record.chart()
    labels = [label_bar(one) for one in bars]
    widest = max((len(label) for label in labels), default=0)
    greatest = max((one.games for one in bars), default=0)
    for label, one in zip(labels, bars, strict=True):
        length = bar * scale(one.games, greatest, columns)
        yield f"  {label:>{widest}}  {length} {one.games}"
