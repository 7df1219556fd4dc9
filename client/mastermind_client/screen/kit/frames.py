"""Frames: what is on a stage together has one, with words in its edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.kit.lines import Line, crop, pad, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.lines import Fragment, Glyphs

MARGIN = 2  # columns of a side of a frame with its blank


def draw_edge(
    columns: int,
    glyphs: Glyphs,
    *,
    left: Sequence[Fragment] = (),
    right: Sequence[Fragment] = (),
    bottom: bool = False,
) -> Line:
    """Return the top edge of a frame, or its `bottom`, with words near either end.

    What does not fit beside the words on the right is cut from those on the left.
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
    """Return a rule; with `tees` it crosses a frame from side to side."""
    first, last = tees or (glyphs.rule, glyphs.rule)
    return [("class:rule", first + glyphs.rule * (columns - 2) + last)]


def frame(lines: Sequence[Line], columns: int, glyphs: Glyphs) -> list[Line]:
    """Return lines between the two sides of a frame, a blank beside each side."""
    inner, sign = columns - 2 * MARGIN, glyphs.ellipsis
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
    """Return lines in a frame, with a title in its top edge and an ending in its bottom one."""
    return [
        draw_edge(columns, glyphs, left=title),
        *frame(lines, columns, glyphs),
        draw_edge(columns, glyphs, right=ending, bottom=True),
    ]
