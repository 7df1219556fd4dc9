"""Lines of styled text as plain values: functions that measure, crop, pad and combine them.

A line is a list of fragments (style, text) or (style, text, on_click). Widths are columns of the
terminal. A character can have two columns, for example a Chinese one.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from prompt_toolkit.utils import get_cwidth

Click: TypeAlias = Callable[[], None]
Fragment: TypeAlias = tuple[str, str] | tuple[str, str, Click]
Line: TypeAlias = list[Fragment]

CACHED_TEXTS = 1024  # cached wrapped texts, for a few screens
CACHED_WIDTHS = 4096  # cached widths of texts, for about a hundred drawings

_get_text = itemgetter(1)
_measure = lru_cache(maxsize=CACHED_WIDTHS)(get_cwidth)  # faster than a Python function


class Extent(NamedTuple):
    """A size in cells of the terminal: columns and rows."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that the toolkit draws with, each one column wide."""

    rule: str
    bar: str
    top_left: str
    top_right: str
    bottom_left: str
    bottom_right: str
    selected: str
    left: str
    right: str
    up: str
    down: str
    ellipsis: str


def text(words: str, style: str = "") -> Line:
    """Return a line with one fragment."""
    return [(style, words)]


def width(line: Iterable[Fragment]) -> int:
    """Return the width of a line in columns."""
    return sum(map(_measure, map(_get_text, line)))


def is_blank(line: Iterable[Fragment]) -> bool:
    """Return whether a line has no text."""
    return not any(fragment[1].strip() for fragment in line)


def crop(line: Sequence[Fragment], columns: int, ellipsis: str = "") -> Line:
    """Return the line cropped to `columns`. The ellipsis ends a line that was cropped."""
    if width(line) <= columns:
        return list(line)
    room = max(0, columns - get_cwidth(ellipsis))
    kept: Line = []
    for fragment in line:
        shown = _crop_text(fragment[1], room)
        room -= get_cwidth(shown)
        if shown:
            kept.append(_with_text(fragment, shown))
        if shown != fragment[1]:
            if ellipsis and get_cwidth(ellipsis) <= columns:
                kept.append((fragment[0], ellipsis))
            break
    return kept


def pad(line: Sequence[Fragment], columns: int, style: str = "", ellipsis: str = "") -> Line:
    """Return the line with exactly `columns`: cropped, or filled up with blanks of the `style`.

    The ellipsis ends a line that was cropped.
    """
    missing = columns - width(line)
    if missing < 0:  # a wide letter at the edge is replaced by a blank
        line = crop(line, columns, ellipsis)
        missing = columns - width(line)
    return [*line, (style, " " * missing)] if missing else list(line)


def spread(
    left: Sequence[Fragment], right: Sequence[Fragment], columns: int, style: str = ""
) -> Line:
    """Return a line of `columns` with one part at the left end and one at the right end.

    If the parts do not fit together, the left part is cropped.
    """
    ending = crop(right, columns)
    room = columns - width(ending)
    beginning = crop(left, max(0, room - 1))
    return [*pad(beginning, room, style), *ending]


def draw_title(parts: Sequence[str], right: str, columns: int, inset: int = 0) -> Line:
    """Return the title line of a screen: `parts` from the left, and `right` at the right end.

    Both ends are indented by `inset` columns.
    """
    blank = " " * inset
    name, *more = parts
    left: Line = [("class:title", blank + name), ("", "".join(f"  {part}" for part in more))]
    return spread(left, text(f"{right}{blank}" if right else ""), columns)


def side_by_side(
    left: Sequence[Line], right: Sequence[Line], columns: int, between: str = " "
) -> list[Line]:
    """Return two blocks side by side. The left block takes `columns`."""
    rows = max(len(left), len(right))
    return [
        [
            *pad(left[row] if row < len(left) else [], columns),
            ("class:rule", between),
            *(right[row] if row < len(right) else []),
        ]
        for row in range(rows)
    ]


def wrap(words: str, columns: int, style: str = "") -> list[Line]:
    """Return a text as lines of at most `columns`, broken between words."""
    return [[(style, part)] for part in _break(words, columns)]


def join_items(items: Iterable[str], columns: int, between: str) -> list[str]:
    """Return lines of at most `columns` with the items, joined by `between`. No item is broken."""
    lines: list[str] = []
    for item in items:
        if lines and get_cwidth(lines[-1] + between + item) <= columns:
            lines[-1] += between + item
        else:
            lines.append(item)
    return lines


def make_clickable(line: Sequence[Fragment], on_click: Click) -> Line:
    """Return the line with the callback `on_click` in each fragment."""
    return [(fragment[0], fragment[1], on_click) for fragment in line]


def change_texts(block: Sequence[Line], change: Callable[[str], str]) -> list[Line]:
    """Return the block with `change` applied to the text of each fragment."""
    return [[_with_text(part, change(part[1])) for part in line] for line in block]


def make_inert(line: Sequence[Fragment]) -> Line:
    """Return the line without callbacks for clicks."""
    return [(fragment[0], fragment[1]) for fragment in line]


def centre(block: Sequence[Line], columns: int) -> list[Line]:
    """Return a block centred in `columns`. Its lines stay aligned to each other."""
    indent = max(0, (columns - max((width(line) for line in block), default=0)) // 2)
    return [[("", " " * indent), *line] if line else [] for line in block]


def indent(block: Sequence[Line], columns: int) -> list[Line]:
    """Return a block moved to the right by `columns`."""
    return [[("", " " * columns), *line] if line and columns else list(line) for line in block]


def fit(block: Sequence[Line], extent: Extent) -> list[Line]:
    """Return the block with exactly the rows of the extent, and lines cropped to its columns."""
    rows = [crop(line, extent.columns) for line in block[: extent.rows]]
    return rows + [[] for _ in range(extent.rows - len(rows))]


def stack(parts: Sequence[Sequence[Line]], rows: int, most: int) -> list[Line]:
    """Return the parts one below another, with blank rows between them to fill `rows`.

    A gap has at most `most` blank rows. If the free rows do not divide evenly, the first gaps get
    one more.
    """
    gaps = max(1, len(parts) - 1)
    spare = max(0, rows - sum(map(len, parts)))
    lines: list[Line] = []
    for number, part in enumerate(parts):
        gap = min(most, spare // gaps + (number <= spare % gaps)) if number else 0
        lines += [*([] for _row in range(gap)), *part]
    return lines


def fit_parts(
    rows: int, parts: Sequence[tuple[int, Sequence[Sequence[Line]]]], gap: int = 0
) -> list[list[Line]]:
    """Return one version of each part, so that all versions together fit into `rows`.

    A part is a pair of its priority and its versions, the largest first. The parts are fitted in
    the order of their priority, the highest first. Each gets its first version that fits, or is
    empty. A part that is not empty needs `gap` more rows.
    """
    chosen: list[list[Line]] = [[]] * len(parts)
    for index in sorted(range(len(parts)), key=lambda index: -parts[index][0]):
        for version in parts[index][1]:
            taken = len(version) + gap if version else 0
            if taken <= rows:
                chosen[index], rows = list(version), rows - taken
                break
    return chosen


def lay_over(below: Sequence[Line], above: Sequence[Line], extent: Extent) -> list[Line]:
    """Return the block `below` in this extent, with the block `above` centred over it."""
    columns = min(extent.columns, max((width(line) for line in above), default=0))
    left, top = max(0, (extent.columns - columns) // 2), max(0, (extent.rows - len(above)) // 2)
    return lay_at(fit(below, extent), above, Extent(left, top), columns)


def lay_at(
    below: Sequence[Line], above: Sequence[Line], corner: Extent, columns: int
) -> list[Line]:
    """Return the block `below` with the block `above` drawn over it.

    `corner` is the position of the upper left corner of `above`, which is `columns` wide. `above`
    is cropped at the last row of `below`.
    """
    result = list(below)
    for row, line in enumerate(above[: len(result) - corner.rows], start=corner.rows):
        rest = _drop_columns(result[row], corner.columns + columns)
        result[row] = [*pad(result[row], corner.columns), *pad(line, columns), *rest]
    return result


def _drop_columns(line: Sequence[Fragment], columns: int) -> Line:
    """Return the line without its first `columns`."""
    kept: Line = []
    for fragment in line:
        taken = _crop_text(fragment[1], columns) if columns > 0 else ""
        columns -= get_cwidth(taken)
        rest = fragment[1][len(taken) :]
        if rest:
            if columns > 0:  # a wide letter cut in half
                rest, columns = " " * (get_cwidth(rest[0]) - columns) + rest[1:], 0
            kept.append(_with_text(fragment, rest))
    return kept


def _crop_text(words: str, columns: int) -> str:
    if get_cwidth(words) <= columns:
        return words
    used = 0
    for index, character in enumerate(words):
        used += get_cwidth(character)
        if used > columns:
            return words[:index]
    return words


def _with_text(fragment: Fragment, words: str) -> Fragment:
    if len(fragment) == 3:
        return (fragment[0], words, fragment[2])
    return (fragment[0], words)


@lru_cache(maxsize=CACHED_TEXTS)
def _break(words: str, columns: int) -> tuple[str, ...]:
    parts: list[str] = []
    for paragraph in words.splitlines() or [""]:
        for part in textwrap.wrap(paragraph, max(1, columns)) or [""]:
            while get_cwidth(part) > columns:  # letters that are wider than one column
                shown = _crop_text(part, columns)
                if not shown:
                    break
                blank = -1 if part[len(shown)] == " " else shown.rfind(" ")
                shown = shown[:blank] if blank > 0 else shown
                parts.append(shown)
                part = part[len(shown) :].lstrip()
            parts.append(part)
    return tuple(parts)
