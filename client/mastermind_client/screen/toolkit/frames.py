"""Frames around lines, and rules between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.toolkit.lines import Fragment, Glyphs, Line, crop, pad, width

if TYPE_CHECKING:
    from collections.abc import Sequence

FRAME_MARGIN = 2  # columns of one side of a frame, with its blank


def draw_edge(
    columns: int,
    glyphs: Glyphs,
    *,
    left: Sequence[Fragment] = (),
    right: Sequence[Fragment] = (),
    bottom: bool = False,
) -> Line:
    """Return the top edge of a frame, or if `bottom` its bottom edge, with a text near each end.

    If the texts do not fit together, the left text is cropped.
    """
    corners = (
        (glyphs.bottom_left, glyphs.bottom_right) if bottom else (glyphs.top_left, glyphs.top_right)
    )
    ending: Line = [("", " "), *right, ("", " ")] if right else []
    after = glyphs.rule * bool(ending) + corners[1]
    room = columns - width(ending) - len(after)
    line: Line = [("class:rule", corners[0] + glyphs.rule)]
    if left:
        words = crop([("", " "), *left], max(0, room - width(line) - 1), glyphs.ellipsis)
        line += [*words, ("", " ")]
    line.append(("class:rule", glyphs.rule * max(0, room - width(line))))
    return [*line, *ending, ("class:rule", after)]


def draw_rule(columns: int, glyphs: Glyphs, tees: tuple[str, str] | None = None) -> Line:
    """Return a horizontal rule. `tees` are the characters that join it to the sides of a frame."""
    first, last = tees or (glyphs.rule, glyphs.rule)
    return [("class:rule", first + glyphs.rule * (columns - 2) + last)]


def frame(lines: Sequence[Line], columns: int, glyphs: Glyphs) -> list[Line]:
    """Return lines between the sides of a frame, with a blank between text and sides."""
    inner, sign = columns - 2 * FRAME_MARGIN, glyphs.ellipsis
    return [
        [
            ("class:rule", glyphs.bar),
            ("", " "),
            *pad(line, inner, ellipsis=sign),
            ("", " "),
            ("class:rule", glyphs.bar),
        ]
        for line in lines
    ]


def draw_framed(
    lines: Sequence[Line],
    columns: int,
    glyphs: Glyphs,
    *,
    title: Sequence[Fragment] = (),
    ending: Sequence[Fragment] = (),
) -> list[Line]:
    """Return lines in a frame, with a title in the top edge and an ending in the bottom edge."""
    return [
        draw_edge(columns, glyphs, left=title),
        *frame(lines, columns, glyphs),
        draw_edge(columns, glyphs, right=ending, bottom=True),
    ]
