"""The chart of a player's ratings: a line in quarter blocks, or stars in ASCII."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.toolkit.lines import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Line

QUARTER_BLOCKS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""The quarter blocks, by the sum of their quarters: 1 and 2 above, 4 and 8 below."""
QUARTERS_PER_SIDE = 2  # a cell has two rows and two columns of quarters
_LABEL_COLUMNS = 4  # columns of a rating


def draw_ratings(history: Sequence[float], rows: int, look: Look) -> list[Line]:
    """Return a chart of `rows` lines with an axis below. Empty for fewer than two ratings.

    `history` starts with the oldest rating. The labels are the highest and the lowest rating. Each
    column has two ratings.
    """
    if len(history) < 2:
        return []
    glyphs = look.glyphs
    high, low = max(history), min(history)
    ascii_only = glyphs.upper.isspace()
    cells = _fill_quarters(history, rows, joined=not ascii_only)
    lines: list[Line] = []
    for number, row in enumerate(cells):
        label = {0: high, rows - 1: low}.get(number)
        edge = glyphs.bar if label is None else glyphs.tee_right
        written = " " * _LABEL_COLUMNS if label is None else f"{round(label):>{_LABEL_COLUMNS}}"
        signs = "".join("* "[not part] if ascii_only else QUARTER_BLOCKS[part] for part in row)
        lines.append([("", f"{written} "), ("class:rule", edge), ("class:strong", signs)])
    floor = glyphs.bottom_left + glyphs.rule * len(cells[0])
    return [*lines, text(" " * (_LABEL_COLUMNS + 1) + floor, "class:rule")]


def _fill_quarters(history: Sequence[float], rows: int, *, joined: bool) -> list[list[int]]:
    """Return the cells of each row as bit masks of filled quarters. A `joined` line has no gaps."""
    high, low = max(history), min(history)
    top = rows * QUARTERS_PER_SIDE - 1
    cells = [[0] * -(-len(history) // QUARTERS_PER_SIDE) for _row in range(rows)]
    before = None
    for number, rating in enumerate(history):
        level = round((high - rating) / (high - low) * top) if high > low else top
        begin = level
        if joined and before is not None and abs(before - level) > 1:
            begin = before + (1 if level > before else -1)
        for height in range(min(begin, level), max(begin, level) + 1):
            quarter = 1 << (
                number % QUARTERS_PER_SIDE + QUARTERS_PER_SIDE * (height % QUARTERS_PER_SIDE)
            )
            cells[height // QUARTERS_PER_SIDE][number // QUARTERS_PER_SIDE] |= quarter
        before = level
    return cells
