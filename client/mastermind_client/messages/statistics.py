"""The texts and charts of a player's statistics, for both interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.language import Decimal, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.messages.listings import format_opponent
from mastermind_client.statistics import MOST_BARS, scale
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mastermind_client.statistics import Bar, Figures, Record, Statistics

COLUMNS = 44  # width of a chart in the line interface
COUNT = 4  # columns for the number of games after the longest bar
INDENT = " " * 4  # before each line of a chart
OPPONENTS = 10  # limit of the list, which starts with the most frequent


def format_record_heading(record: Record, rules: str) -> str:
    """Return the heading of a record on one server: ``23 classic games here``."""
    text = ngettext("{number} {rules} game here", "{number} {rules} games here", record.games)
    return text.format(number=record.games, rules=sanitise(rules))


def format_averages(record: Record, dot: str = "") -> str:
    """Return ``best 3, average 5.3``, with `dot` instead of the comma if it is given.

    The text is empty if no code was broken.
    """
    if record.best is None or record.average is None:
        return ""
    best = _("best {number}").format(number=record.best)
    between = f" {dot} " if dot else ", "
    return f"{best}{between}{format_average(record.average)}"


def format_average(average: float) -> str:
    """Return an average number of guesses: ``average 5.3``."""
    return _("average {number:.1f}").format(number=Decimal(average))


def format_bar_label(bar: Bar) -> str:
    """Return the numbers of guesses of a bar: ``4``, ``9-12``, or ``-`` for unbroken codes."""
    if not bar.last:
        return "-"
    return str(bar.first) if bar.first == bar.last else f"{bar.first}-{bar.last}"


def format_games(figures: Figures) -> str:
    """Return the numbers of matches played, won, lost and drawn."""
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


def describe_streak(figures: Figures) -> str:
    """Return the current and the longest winning streak. Empty if no match was won."""
    if not figures.longest:
        return ""
    if figures.streak == figures.longest:
        text = _("Won in a row: {streak}, your longest streak.")
    elif not figures.streak:
        text = _("Longest winning streak: {longest}.")
    else:
        text = _("Won in a row: {streak}; longest streak: {longest}.")
    return text.format(streak=figures.streak, longest=figures.longest)


def draw_bars(
    record: Record, columns: int, bar: str, most: int = MOST_BARS
) -> Iterator[tuple[Bar, str]]:
    """Yield each bar of a record, and its line: guesses, repeated `bar` signs, number of games.

    A line has at most `columns` columns. At most `most` bars are yielded.
    """
    bars = record.chart(most)
    labels = [format_bar_label(one) for one in bars]
    widest = max(map(len, labels), default=0)
    greatest = max((one.games for one in bars), default=0)
    room = max(1, columns - widest - 1 - COUNT)
    for one, label in zip(bars, labels, strict=True):
        length = bar * scale(one.games, greatest, room)
        yield one, " ".join(filter(None, (f"{label:>{widest}}", length, str(one.games))))


class Row(NamedTuple):
    """A row of statistics: texts at the left and at the right edge, each with a style class."""

    left: str = ""
    style: str = ""
    right: str = ""
    right_style: str = ""


def draw_statistics(
    found: Statistics, servers: Iterable[str], columns: int, bar: str, dot: str = ""
) -> Iterator[Row]:
    """Yield statistics as rows: the total, a chart for each rules, and the opponents.

    `servers` are the addresses of the counted servers. OFFLINE is this computer.
    """
    if not found.total.games:
        yield Row(_("You have finished no match yet."))
        return
    yield Row(format_games(found.total), "strong")
    names = [_("this computer") if at in (OFFLINE, HOSTED) else at for at in servers]
    yield Row(_("Counted: {servers}.").format(servers=", ".join(names)), "dim")
    if streak := describe_streak(found.total):
        yield Row(streak)
    for rules, figures in found.by_rules.items():
        yield Row()
        yield Row(sanitise(rules), "heading", format_averages(figures.record, dot), "strong")
        yield Row(format_games(figures), "dim")
        for _bar, text in draw_bars(figures.record, columns - len(INDENT), bar):
            yield Row(INDENT + text, "dim")
    yield Row()
    yield Row(_("Against"), "heading")
    for opponent, figures in list(found.by_opponent.items())[:OPPONENTS]:
        yield Row(format_opponent(*opponent), "", format_games(figures), "dim")


def list_statistics(found: Statistics, servers: Iterable[str], bar: str) -> Iterator[str]:
    """Yield statistics as lines of text. `servers` are the addresses of the counted servers."""
    for left, _style, right, _right_style in draw_statistics(found, servers, COLUMNS, bar):
        yield f"{left}: {right}" if right else left
