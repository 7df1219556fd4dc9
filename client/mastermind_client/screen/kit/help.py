"""The help: the key table of the screen it lies over, and what there is to explain there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.keys import describe_keys
from mastermind_client.screen.kit.lines import Extent, Line, beside, pad, width, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.lines import Glyphs

_MARGIN = 2  # columns of the frame and the blank within it, on each side
_WIDE = 96  # from here on, keys and rules lie side by side


def draw_help(
    table: Sequence[Binding],
    explained: Sequence[str],
    glyphs: Glyphs,
    extent: Extent,
    top: int = 0,
) -> list[Line]:
    """Return the framed help, no larger than the extent; from line `top` on, if there is more.

    What is `explained` are paragraphs.
    """
    body, rows = _write(table, explained, extent.columns), extent.rows - 2
    first = max(0, min(top, len(body) - rows))
    title = _("Help") if len(body) <= rows else _("Help (PageDown for more)")
    return frame(body[first : first + rows], glyphs, title, extent.columns - 2 * _MARGIN)


def find_last_top(table: Sequence[Binding], explained: Sequence[str], extent: Extent) -> int:
    """Return the line from which on all the rest of the help is seen."""
    return max(0, len(_write(table, explained, extent.columns)) - (extent.rows - 2))


def _write(table: Sequence[Binding], explained: Sequence[str], columns: int) -> list[Line]:
    inner = columns - 2 * _MARGIN
    if explained and inner >= _WIDE:
        half = inner // 2 - 1
        keys, words = _draw_keys(table, half), _draw_paragraphs(explained, half)
        return beside(keys, words, half + 2, "")
    return [
        *_draw_keys(table, inner),
        *([[]] if explained else []),
        *_draw_paragraphs(explained, inner),
    ]


def frame(body: Sequence[Line], glyphs: Glyphs, title: str, columns: int) -> list[Line]:
    """Return the lines with a frame around them, `columns` wide within it."""
    heading: Line = [("class:heading", f" {title} ")]
    rest = glyphs.rule * max(0, columns + 1 - width(heading))
    top: Line = [
        ("class:rule", glyphs.top_left + glyphs.rule),
        *heading,
        ("class:rule", rest + glyphs.top_right),
    ]
    side = ("class:rule", glyphs.bar)
    middle: list[Line] = [[side, ("", " "), *pad(line, columns), ("", " "), side] for line in body]
    bottom = glyphs.bottom_left + glyphs.rule * (columns + 2) + glyphs.bottom_right
    return [top, *middle, [("class:rule", bottom)]]


def _draw_keys(table: Sequence[Binding], columns: int) -> list[Line]:
    described = describe_keys(table)
    left = (
        min(max((width([("", label)]) for label, _does in described), default=0), columns // 2) + 2
    )
    lines: list[Line] = []
    for label, does in described:
        for number, line in enumerate(wrap(does, columns - left)):
            lines.append([*pad([("class:key", label if number == 0 else "")], left), *line])
    return lines


def _draw_paragraphs(explained: Sequence[str], columns: int) -> list[Line]:
    return [line for paragraph in explained for line in wrap(paragraph, columns)]
