"""Tiles: pegs drawn as keycaps in four sizes, and places without a peg.

A tile has a face in its colour with its letter, and below it a side in a darker colour. The rows of
a guess determine its size:

- tall, three rows: half a row of face, the letter, and half a row of face above half a row of side;
- mid, two rows: the letter on its face, and half a row of side;
- flat, one row: the letter, and notches that separate it from the rows above and below;
- small, in texts and in the palette: half a column of face on either side of the letter.

Without colours a peg is its letter in parentheses. In ASCII it has only its face.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.screen.toolkit.lines import make_clickable

if TYPE_CHECKING:
    from mastermind_client.screen.theme.look import Look
    from mastermind_client.screen.toolkit.lines import Click, Line

FLAT, MID, TALL = 1, 2, 3  # rows of a tile
NARROW, WIDE = 3, 5  # columns of a tile; a wide one of three rows is about square
SMALL_COLUMNS = 3
_MONO_BRACKETS, _CURSOR_BRACKETS = "()", "[]"  # around the letter


class TileShape(NamedTuple):
    """The size of a board's tiles: `columns` is NARROW or WIDE; `rows` is FLAT, MID or TALL."""

    columns: int
    rows: int


def draw_tile(
    colour: str,
    shape: TileShape,
    look: Look,
    *,
    cursor: bool = False,
    lifted: bool = False,
    letter: str = "",
    click: Click | None = None,
) -> list[Line]:
    """Return the lines of a peg. `colour` is a colour's name, and `letter` replaces its letter.

    At the cursor the letter is in brackets, with a bright bar below. A `lifted` peg has no dark
    edge.
    """
    columns, letter = shape.columns, letter or colour[0].upper()
    around = _CURSOR_BRACKETS if cursor else _MONO_BRACKETS if look.mono else "  "
    face: Line = [(f"class:peg class:peg.{colour}", _surround(letter, around, columns))]
    if shape.rows == FLAT:
        rows = [_draw_flat(colour, letter, around, columns, look)]
    elif shape.rows == MID:
        rows = [face, _draw_mid_bottom(colour, columns, look, cursor=cursor, lifted=lifted)]
    else:
        rows = [
            _draw_half_blocks(f"class:ink.{colour}", look.glyphs.lower, columns, look),
            face,
            _draw_tall_bottom(colour, columns, look, cursor=cursor, lifted=lifted),
        ]
    return rows if click is None else [make_clickable(row, click) for row in rows]


def draw_place(
    shape: TileShape, look: Look, *, cursor: bool = False, click: Click | None = None
) -> list[Line]:
    """Return an empty place of the current row."""
    columns, glyphs = shape.columns, look.glyphs
    strong = "class:strong" if cursor else "class:hole"
    if shape.rows == FLAT:
        around = _CURSOR_BRACKETS if cursor else "  "
        rows: list[Line] = [[(strong, _surround(glyphs.hole, around, columns))]]
    elif cursor:
        box = _draw_box(" " * (columns - 2), strong, look)
        inside, floor = _surround(" ", _CURSOR_BRACKETS, columns), glyphs.bold_floor * columns
        rows = [*box[: shape.rows - MID], [(strong, inside)], [(strong, floor)]]
    elif shape.rows == MID:
        rows = [[(strong, " " * columns)], [(strong, glyphs.floor * columns)]]
    else:
        rows = _draw_box(" " * (columns - 2), strong, look)
    return rows if click is None else [make_clickable(row, click) for row in rows]


def draw_hole(shape: TileShape, look: Look) -> list[Line]:
    """Return an empty place of a row for a future guess."""
    dot: Line = [("class:hole", look.glyphs.hole.center(shape.columns))]
    blank: Line = [("", " " * shape.columns)]
    return {FLAT: [dot], MID: [dot, blank], TALL: [blank, dot, blank]}[shape.rows]


def draw_hidden_peg(shape: TileShape, look: Look) -> list[Line]:
    """Return one peg of a code that the user cannot see."""
    columns, glyphs = shape.columns, look.glyphs
    if shape.rows == TALL:
        return _draw_box(_draw_hidden_face(columns - 2, look), "class:shield", look)
    cover: Line = [("class:shield", _draw_hidden_face(columns, look))]
    floor: Line = [("class:shield", glyphs.floor * columns)]
    return [cover] if shape.rows == FLAT else [cover, floor]


def draw_small(
    colour: str,
    look: Look,
    click: Click | None = None,
    *,
    letter: str = "",
    instead: str = "",
) -> Line:
    """Return a small tile in the colour of this name, one row high and three columns wide.

    `letter` replaces its letter. If `instead` is not empty, this dim text replaces the tile.
    """
    letter = letter or colour[0].upper()
    ink, face = f"class:ink.{colour}", f"class:peg class:peg.{colour}"
    if instead:
        tile: Line = [("class:dim", instead)]
    elif look.mono or _lacks_half_blocks(look):
        around = _MONO_BRACKETS if look.mono else "  "
        tile = [(face, _surround(letter, around, SMALL_COLUMNS))]
    else:
        tile = [(ink, look.glyphs.first_half), (face, letter), (ink, look.glyphs.second_half)]
    return tile if click is None else make_clickable(tile, click)


def _draw_flat(colour: str, letter: str, around: str, columns: int, look: Look) -> Line:
    face = f"class:peg class:peg.{colour}"
    if look.mono or _lacks_half_blocks(look):
        return [(face, _surround(letter, around, columns))]
    inside = letter if around.isspace() else _surround(letter, around, columns)
    notches = look.glyphs.notch * ((columns - len(inside)) // 2)
    ink = f"class:ink.{colour}"
    parts: Line = [(ink, notches), (face, inside), (ink, notches)]
    return [part for part in parts if part[1]]


def _draw_mid_bottom(colour: str, columns: int, look: Look, *, cursor: bool, lifted: bool) -> Line:
    """Return the row below the letter of a mid tile.

    It is the side of the peg, the cursor's bar, or blank if the peg is `lifted`.
    """
    if cursor:
        return [("class:strong", look.glyphs.bold_floor * columns)]
    if lifted:
        return [("", " " * columns)]
    return _draw_half_blocks(f"class:side.{colour}", look.glyphs.upper, columns, look)


def _draw_tall_bottom(colour: str, columns: int, look: Look, *, cursor: bool, lifted: bool) -> Line:
    """Return the row below the letter of a tall tile.

    Its upper half is a part of the face. Its lower half is the side, the cursor's bar, or blank if
    the peg is `lifted`. Without half blocks the cursor's bar takes the whole row.
    """
    glyphs = look.glyphs
    if cursor and (look.mono or _lacks_half_blocks(look)):
        return [("class:strong", glyphs.bold_floor * columns)]
    if cursor:
        return [(f"class:ground.{colour}", glyphs.lower * columns)]
    style = f"class:ink.{colour}" if lifted else f"class:edge.{colour}"
    return _draw_half_blocks(style, glyphs.upper, columns, look)


def _draw_half_blocks(style: str, sign: str, columns: int, look: Look) -> Line:
    """Return a row of half blocks. Without colours or in ASCII, return blanks."""
    if look.mono or _lacks_half_blocks(look):
        return [("", " " * columns)]
    return [(style, sign * columns)]


def _draw_box(inside: str, style: str, look: Look) -> list[Line]:
    glyphs, inner = look.glyphs, len(inside)
    return [
        [(style, glyphs.top_left + glyphs.rule * inner + glyphs.top_right)],
        [(style, glyphs.bar + inside + glyphs.bar)],
        [(style, glyphs.bottom_left + glyphs.rule * inner + glyphs.bottom_right)],
    ]


def _draw_hidden_face(columns: int, look: Look) -> str:
    return "?".center(columns, look.glyphs.shield)


def _surround(sign: str, around: str, columns: int) -> str:
    """Return a character centred in `columns`, with the character `around` at both ends."""
    return around[0] + sign.center(columns - 2) + around[1]


def _lacks_half_blocks(look: Look) -> bool:
    return look.glyphs.upper.isspace()
