"""Columns of tables, for both interfaces. A column has its title, cells and layout in one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar
from unicodedata import combining, east_asian_width

from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import tzinfo

COLUMN_GAP = 2  # blanks between two columns

Fit: TypeAlias = Literal["crop", "name", "keep", "drop"]
"""What happens to a column in a narrow window.

``crop`` and ``name`` crop its texts, but ``name`` keeps more of each text. ``keep`` keeps the whole
texts. ``drop`` drops the column if cropping does not suffice, the last such column first.
"""

_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Column(Generic[_Entry]):
    """A column of a table of entries.

    `title` is marked for translation, or empty. `write` takes an entry and a time zone, or None for
    the local one, and returns the text of the entry's cell. A `right` column is aligned at the
    right, with its title.
    """

    title: str
    write: Callable[[_Entry, tzinfo | None], str]
    fit: Fit = "keep"
    right: bool = False

    @property
    def heading(self) -> str:
        """The title in the user's language."""
        return _(self.title) if self.title else ""


def write_cells(
    columns: Sequence[Column[_Entry]], entry: _Entry, zone: tzinfo | None = None
) -> tuple[str, ...]:
    """Return the cells of an entry. Times are in `zone`, or in the local time zone for None."""
    return tuple(column.write(entry, zone) for column in columns)


def list_table(
    columns: Sequence[Column[_Entry]], entries: Sequence[_Entry], zone: tzinfo | None = None
) -> list[str]:
    """Return a table as lines of text: the titles if there are any, then a line for each entry."""
    headings = tuple(column.heading for column in columns)
    rows = [headings] if any(headings) else []
    rows += [write_cells(columns, entry, zone) for entry in entries]
    widths = [max(map(_count_columns, cells)) for cells in zip(*rows, strict=True)]
    lines: list[str] = []
    for row in rows:
        parts: list[str] = []
        for column, cell, width in zip(columns, row, widths, strict=True):
            blanks = " " * (width - _count_columns(cell))
            parts.append(blanks + cell if column.right else cell + blanks)
        lines.append((" " * COLUMN_GAP).join(parts).rstrip())
    return lines


def _count_columns(words: str) -> int:
    """Return the width of a text in columns. prompt_toolkit can do this, but imports slowly."""
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in words
    )
