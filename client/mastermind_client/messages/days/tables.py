"""The tables of the code of the day: the places of a day, and the days of a month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.columns import Column, list_table
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.days.dates import format_date, format_duration
from mastermind_client.messages.days.sentences import explain_places
from mastermind_client.messages.ratings import format_mean
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_protocol.messages import DayResult, Days, PlacedTry, Places

PLACE_WIDTH = 3  # characters of a place below a thousand


def _write_guesses(placed: PlacedTry) -> str:
    return str(placed.guesses) if placed.guesses else _("not cracked")


PLACE_COLUMNS: Sequence[Column[PlacedTry]] = (
    Column("", lambda placed, _zone: f"{placed.place:>{PLACE_WIDTH}}", right=True),
    Column(N_("name"), lambda placed, _zone: sanitise(placed.name), "name"),
    Column(N_("guesses"), lambda placed, _zone: _write_guesses(placed), right=True),
    Column(
        N_("time"),
        lambda placed, _zone: format_duration(placed.milliseconds) if placed.guesses else "",
        "drop", right=True,
    ),
)  # fmt: skip
"""The columns of the places of a day."""


def list_places(places: Places) -> Iterator[str]:
    """Yield a page of the places of a day as lines of a table."""
    if places.places:
        yield from list_table(PLACE_COLUMNS, places.places)
        yield explain_places()
    else:
        yield _("Nobody has a place yet.")


def describe_day_result(result: DayResult) -> str:
    """Return the own result of a day: ``cracked in 4``."""
    if result.state == "withdrawn":
        return _("withdrawn")
    if result.match is None:
        return "-"
    if result.guesses is None:
        return _("your try runs") if result.state == "open" else _("not cracked")
    if not result.guesses:
        return _("not cracked")
    return _("cracked in {number}").format(number=result.guesses)


DAY_COLUMNS: Sequence[Column[DayResult]] = (
    Column("", lambda result, _zone: str(result.day), right=True),
    Column(N_("day"), lambda result, _zone: format_date(result.day), "name"),
    Column(N_("your try"), lambda result, _zone: describe_day_result(result)),
    Column(N_("players"), lambda result, _zone: str(result.players), "drop", right=True),
)
"""The columns of the days of a month."""


def describe_month(days: Days) -> str:
    """Return the own figures of a month: days played, codes cracked, and mean guesses."""
    if not days.played:
        return _("You have not played in this month.")
    played = ngettext("{number} day played", "{number} days played", days.played)
    broken = ngettext("{number} code cracked", "{number} codes cracked", days.broken)
    parts = [played.format(number=days.played), broken.format(number=days.broken)]
    if days.mean is not None:
        parts.append(_("{mean} guesses").format(mean=format_mean(days.mean)))
    if days.without_luck is not None:
        parts.append(_("{mean} less luck").format(mean=format_mean(days.without_luck)))
    return ", ".join(parts)
