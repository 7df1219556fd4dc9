"""The texts and charts of a player's statistics, and the table of the people played with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.columns import Column
from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.figures import MAX_BARS
from mastermind_client.language import LocalisedFloat, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import explain_failure
from mastermind_client.messages.listings import format_opponent
from mastermind_client.messages.ratings import format_day
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import tzinfo

    from mastermind_client.figures import Bar, Figures, MetPerson, Record, Statistics


def scale_bar(part: int, greatest: int, columns: int) -> int:
    """Return the length of a bar for the value `part`, in columns.

    The value `greatest` has all `columns`. Every value but 0 has at least one.
    """
    return max(1, round(columns * part / greatest)) if part else 0


CHART_COLUMNS = 44  # width of a chart in the line interface
COUNT_COLUMNS = 4  # columns for the number of games after the longest bar
CHART_INDENT = " " * 4  # before each line of a chart
MAX_OPPONENTS = 10  # limit of the list, which starts with the most frequent


def format_record_heading(record: Record, rules: str) -> str:
    """Return the heading of a record on one server: ``23 classic games here``."""
    text = ngettext("{number} {rules} game here", "{number} {rules} games here", record.games)
    return text.format(number=record.games, rules=sanitise(rules))


def format_best_and_average(record: Record, separator: str = "") -> str:
    """Return ``best 3, average 5.3``, or an empty text if no code was broken.

    A given `separator` replaces the comma.
    """
    if record.best is None or record.average is None:
        return ""
    best = _("best {number}").format(number=record.best)
    between = f" {separator} " if separator else ", "
    return f"{best}{between}{format_average(record.average)}"


def format_average(average: float) -> str:
    """Return an average number of guesses: ``average 5.3``."""
    return _("average {number:.1f}").format(number=LocalisedFloat(average))


def format_bar_label(bar: Bar, unbroken: str = "-") -> str:
    """Return the numbers of guesses of a bar: ``4``, ``9-12``, or `unbroken` for unbroken codes."""
    if not bar.most_guesses:
        return unbroken
    return (
        str(bar.least_guesses)
        if bar.least_guesses == bar.most_guesses
        else f"{bar.least_guesses}-{bar.most_guesses}"
    )


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


def describe_measured(figures: Figures) -> str:
    """Return how many codes were hidden from bots, and their mean guesses. Empty without one."""
    if not figures.measured:
        return ""
    text = ngettext(
        "{number} code hidden from a bot: {mean} guesses needed.",
        "{number} codes hidden from bots: {mean} guesses needed on average.",
        figures.measured,
    )
    mean = LocalisedFloat(figures.measured_guesses / figures.measured)
    return text.format(number=figures.measured, mean=f"{mean:.1f}")


def describe_advised(figures: Figures) -> str:
    """Return the number of games that the record leaves out. Empty if there was no advice."""
    if not figures.advised:
        return ""
    return ngettext(
        "{number} code with advice: not counted in best and average.",
        "{number} codes with advice: not counted in best and average.",
        figures.advised,
    ).format(number=figures.advised)


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
    record: Record, columns: int, bar: str, most: int = MAX_BARS, *, unbroken: str = "-"
) -> Iterator[tuple[Bar, str]]:
    """Yield up to `most` bars of a record, each with its line of at most `columns` columns.

    A line has the numbers of guesses, the repeated sign `bar`, and the number of games. `unbroken`
    is the label of the unbroken codes.
    """
    bars = record.make_bars(most)
    labels = [format_bar_label(one, unbroken) for one in bars]
    widest = max(map(len, labels), default=0)
    greatest = max((one.games for one in bars), default=0)
    room = max(1, columns - widest - 1 - COUNT_COLUMNS)
    for one, label in zip(bars, labels, strict=True):
        length = bar * scale_bar(one.games, greatest, room)
        yield one, " ".join(filter(None, (f"{label:>{widest}}", length, str(one.games))))


class StatisticsRow(NamedTuple):
    """A row of statistics: texts at the left and at the right edge, each with a style class."""

    left: str = ""
    style: str = ""
    right: str = ""
    right_style: str = ""


def draw_statistics(
    found: Statistics, servers: Iterable[str], columns: int, bar: str, separator: str = ""
) -> Iterator[StatisticsRow]:
    """Yield statistics as rows: the total, a chart for each kind of rules, and the opponents.

    `servers` are the addresses of the counted servers, with OFFLINE for this computer. `columns` is
    the width of a chart, `bar` the sign of its bars. A given `separator` replaces commas.
    """
    if not found.total.games:
        yield StatisticsRow(_("You have finished no match yet."))
        return
    yield StatisticsRow(format_games(found.total), "strong")
    names = map(_name_place, servers)
    yield StatisticsRow(_("Counted: {servers}.").format(servers=", ".join(names)), "dim")
    for sentence in filter(None, (describe_streak(found.total), describe_measured(found.total))):
        yield StatisticsRow(sentence)
    for rules, figures in found.by_rules.items():
        yield StatisticsRow()
        yield StatisticsRow(
            sanitise(rules), "heading", format_best_and_average(figures.record, separator), "strong"
        )
        yield StatisticsRow(format_games(figures), "dim")
        for sentence in filter(None, (describe_advised(figures), describe_measured(figures))):
            yield StatisticsRow(sentence, "dim")
        for _bar, text in draw_bars(figures.record, columns - len(CHART_INDENT), bar):
            yield StatisticsRow(CHART_INDENT + text, "dim")
    yield from _draw_omission(found.by_rules.values(), found.total)
    yield StatisticsRow()
    yield StatisticsRow(_("Against"), "heading")
    opponents = list(found.by_opponent.items())[:MAX_OPPONENTS]
    for opponent, figures in opponents:
        yield StatisticsRow(format_opponent(*opponent), "", format_games(figures), "dim")
    yield from _draw_omission((figures for _opponent, figures in opponents), found.total)


def _draw_omission(listed: Iterable[Figures], total: Figures) -> Iterator[StatisticsRow]:
    """Yield a row if a list has fewer matches than `total`: this client or a server has cut it."""
    if sum(figures.games for figures in listed) < total.games:
        yield StatisticsRow(_("Only those with the most matches are listed."), "dim")


def explain_uncounted(error: Exception) -> str:
    """Return the reason why a server's matches are not counted, as a clause."""
    if isinstance(error, Refused) and error.code == ErrorCode.UNKNOWN_MESSAGE:
        return _("the server is older than this client, and has no statistics")
    return explain_failure(error)


def format_uncounted(server: str, reason: str) -> str:
    """Return a clause: the matches at the address `server` are not counted for this `reason`."""
    text = _("{place} is not counted: {reason}")
    return text.format(place=_name_place(server), reason=sanitise(reason))


def _name_place(server: str) -> str:
    return _("this computer") if server in (OFFLINE, HOSTED) else sanitise(server)


def list_statistics(found: Statistics, servers: Iterable[str], bar: str) -> Iterator[str]:
    """Yield statistics as lines of text.

    `servers` are the addresses of the counted servers. `bar` is the sign of the charts' bars.
    """
    for left, _style, right, _right_style in draw_statistics(found, servers, CHART_COLUMNS, bar):
        yield f"{left}: {right}" if right else left


def _write_name(met: MetPerson, _zone: tzinfo | None) -> str:
    name = sanitise(met.person.name)
    return _("{name} (hosts here)").format(name=name) if met.hosts else name


def _write_state(met: MetPerson, _zone: tzinfo | None) -> str:
    if met.person.match is not None:
        return _("playing, watch")
    return _("online") if met.person.online else "-"


PEOPLE_COLUMNS: Sequence[Column[MetPerson]] = (
    Column(N_("name"), _write_name, "name"),
    Column(N_("you  them"), lambda met, _zone: f"{met.person.wins:>3} : {met.person.losses}"),
    Column(N_("latest"), lambda met, zone: format_day(met.person.last, zone, short=True)),
    Column(N_("now"), _write_state, "drop"),
)
