"""A terminal's screen as an SVG: as large as its cells, whatever font there is.

Each run of text is told how long it is, so that columns stay columns, and each run of another
background is one rectangle. The colours of the terminal itself are written down here, and the
background is drawn, so that a picture looks the same on light and on dark pages.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyte
    from pyte.screens import Char

FOREGROUND, BACKGROUND = "#d0d0d0", "#1c1c1c"
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
COLUMN, ROW, SIZE = 9, 18, 15  # pixels: a cell, and the letters in it
BASELINE = 14  # pixels below the top of a row
MARGIN = 12  # pixels around the cells
DIM = 0.6  # of the weight of a letter
EIGHTH = 8  # of a cell: what blocks are measured in
BLOCKS = {
    "▀": (0, 0, 8, 4), "▄": (0, 4, 8, 4), "█": (0, 0, 8, 8), "▆": (0, 2, 8, 6),
    "▔": (0, 0, 8, 1), "▁": (0, 7, 8, 1), "▌": (0, 0, 4, 8), "▐": (4, 0, 4, 8),
}  # fmt: skip
"""Where a block is in its cell: left, top, width, height. Fonts draw each a little beside it."""
LINES = {
    "─": "M0 9H9", "│": "M4.5 0V18", "├": "M4.5 0V18M4.5 9H9", "┤": "M4.5 0V18M0 9H4.5",
    "╭": "M4.5 18V13Q4.5 9 9 9", "╮": "M4.5 18V13Q4.5 9 0 9",
    "╰": "M4.5 0V5Q4.5 9 9 9", "╯": "M4.5 0V5Q4.5 9 0 9",
}  # fmt: skip
"""The strokes of a frame in a cell of 9 by 18, so that a line of them has no gaps."""
_SHAPES = re.compile(r"([▀▄█▆▔▁─])\1*|[▌▐│├┤╭╮╰╯]")  # a run of what fills its cell, or one
_WORDS = re.compile(r"\S+(?: \S+)*")  # what may be one text: blanks in it are single
_HEX = re.compile(r"[0-9a-f]{6}")


class Look(NamedTuple):
    """How a cell is drawn: two colours, and what is done to the letter.

    What pyte says to blink is dim: see tests/display.py.
    """

    letter: str
    ground: str
    bold: bool
    underlined: bool
    dim: bool


def write_svg(screen: pyte.Screen, title: str) -> str:
    """Return what is on a screen as an SVG; `title` is for those who cannot see it.

    Raises ValueError for a colour that is named: which one that is would be for a theme to say.
    """
    width = screen.columns * COLUMN + 2 * MARGIN
    height = screen.lines * ROW + 2 * MARGIN
    body = [line for row in range(screen.lines) for line in _draw_row(screen, row)]
    size = f'width="{width}" height="{height}"'
    style = (
        f"text{{font:{SIZE}px {FONT};fill:{FOREGROUND};white-space:pre}}"
        "path{fill:none}.b{font-weight:bold}.u{text-decoration:underline}"
        f".d{{opacity:{DIM}}}"
    )
    root = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} role="img"'
    lines = [
        f"<svg {root}>",
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style>",
        f'<rect {size} rx="8" fill="{BACKGROUND}"/>',
        *body,
        "</svg>",
    ]
    return "".join(f"{line}\n" for line in lines)


def _draw_row(screen: pyte.Screen, row: int) -> Iterator[str]:
    """Yield the backgrounds of a row, and then its texts."""
    cells = [screen.buffer[row][column] for column in range(screen.columns)]
    top = MARGIN + row * ROW
    texts: list[str] = []
    for start, look, words in _find_runs(cells):
        left = MARGIN + start * COLUMN
        if look.ground != BACKGROUND:
            wide = len(words) * COLUMN
            yield f'<rect x="{left}" y="{top}" width="{wide}" height="{ROW}" fill="{look.ground}"/>'
        texts += (
            _draw_shape(left + found.start() * COLUMN, top, found, look)
            for found in _SHAPES.finditer(words)
        )
        texts += (
            _draw_text(left + found.start() * COLUMN, top, found[0], look)
            for found in _WORDS.finditer(_SHAPES.sub(lambda found: " " * len(found[0]), words))
        )
    yield from texts


def _find_runs(cells: Iterable[Char]) -> Iterator[tuple[int, Look, str]]:
    column = 0
    for look, run in itertools.groupby(cells, key=_find_look):
        words = "".join(cell.data for cell in run)
        yield column, look, words
        column += len(words)


def _draw_shape(left: int, top: int, found: re.Match[str], look: Look) -> str:
    """Return one sign of a block or a frame, repeated as often as it was found."""
    sign, times = found[0][0], len(found[0])
    faint = ' class="d"' if look.dim else ""
    if sign in LINES:
        strokes = LINES[sign] if sign != "─" else f"M0 9H{COLUMN * times}"
        stroke = f'stroke="{look.letter}" transform="translate({left} {top})"'
        return f'<path d="{strokes}" {stroke}{faint}/>'
    from_left, from_top, wide, high = BLOCKS[sign]
    at = f'x="{left + from_left * COLUMN / EIGHTH:g}" y="{top + from_top * ROW / EIGHTH:g}"'
    across = wide * COLUMN / EIGHTH + (times - 1) * COLUMN
    size = f'width="{across:g}" height="{high * ROW / EIGHTH:g}"'
    return f'<rect {at} {size} fill="{look.letter}"{faint}/>'


def _draw_text(left: int, top: int, words: str, look: Look) -> str:
    names = [
        name for name, has in (("b", look.bold), ("u", look.underlined), ("d", look.dim)) if has
    ]
    style = f' class="{" ".join(names)}"' if names else ""
    fill = f' style="fill:{look.letter}"' if look.letter != FOREGROUND else ""
    at = f'x="{left}" y="{top + BASELINE}" textLength="{len(words) * COLUMN}"'
    return f"<text {at}{style}{fill}>{escape(words)}</text>"


def _find_look(cell: Char) -> Look:
    letter, ground = _find_colour(cell.fg, FOREGROUND), _find_colour(cell.bg, BACKGROUND)
    if cell.reverse:
        letter, ground = ground, letter
    return Look(letter, ground, cell.bold, cell.underscore, cell.blink)


def _find_colour(name: str, default: str) -> str:
    if name == "default":
        return default
    if not _HEX.fullmatch(name):
        raise ValueError(f"{name} is a colour that every terminal shows as it likes")
    return f"#{name}"
