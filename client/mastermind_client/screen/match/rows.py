"""The rows of a board, as lines within its frame: pegs, what was answered, and the palette.

A row is as high as its tiles. What is on the right of the pegs begins beside their letters.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import Line, crop, make_clickable
from mastermind_client.screen.look.tiles import (
    FLAT,
    MID,
    SMALL_COLUMNS,
    TALL,
    TileShape,
    draw_hole,
    draw_place,
    draw_sealed,
    draw_small,
    draw_tile,
)
from mastermind_client.screen.match.layout import DIGITS, PALETTE_LINE, write_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.match.layout import Across
    from mastermind_client.screen.scene.entry import Entry
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules

ROWS_KEPT = 512  # drawn: those of a few boards


def draw_row(
    pegs: Sequence[Line],
    across: Across,
    *,
    label: Line | None = None,
    right: Sequence[Line] = (),
) -> list[Line]:
    """Return a row from its pegs, so many lines, with a label before and something behind them.

    The label, and the first line of what is on the right, stand beside the letters.
    """
    letters = find_letters(len(pegs))
    before = across.before - across.margin
    blank, between = ("", " " * before), ("", " " * across.between)
    lines: list[Line] = []
    for number, line in enumerate(pegs):
        start = label if label is not None and number == letters else None
        beside = right[number - letters] if 0 <= number - letters < len(right) else []
        lines.append([*(start or [blank]), *line, *([between, *beside] if beside else [])])
    return lines


def find_letters(rows: int) -> int:
    """Return which line of so many has the letters of a row."""
    return 1 if rows == TALL else 0


def draw_label(number: int, mark: str, across: Across, style: str = "") -> Line:
    """Return a mark and the number of a guess, as wide as what is before the pegs."""
    columns = across.before - across.margin - len(mark)
    return [(style, mark + f"{number:>{DIGITS}}".ljust(columns))]


def join(tiles: Sequence[Sequence[Line]], across: Across, filler: str = " ") -> list[Line]:
    """Return tiles beside each other, as the lines of one row."""
    gap = ("", filler * across.gap)
    lines: list[Line] = []
    for parts in zip(*tiles, strict=True):
        line: Line = []
        for number, part in enumerate(parts):
            if number and across.gap:
                line.append(gap)
            line += part
        lines.append(line)
    return lines


@lru_cache(maxsize=ROWS_KEPT)
def draw_code(code: Code, rules: Rules, shape: TileShape, across: Across, look: Look) -> list[Line]:
    """Return the pegs of a code."""
    return draw_lifted(code, rules, shape, across, look, ())


def draw_lifted(
    code: Code,
    rules: Rules,
    shape: TileShape,
    across: Across,
    look: Look,
    lifted: Container[int],
) -> list[Line]:
    """Return the pegs of a code of which some, by their place, are lifted."""
    tiles = [
        draw_tile(rules.palette[colour], shape, look, lifted=place in lifted)
        for place, colour in enumerate(code)
    ]
    return join(tiles, across)


def draw_half_open(
    code: Code, rules: Rules, shape: TileShape, across: Across, look: Look, opened: int
) -> list[Line]:
    """Return a code of which so many pegs have been turned over."""
    tiles = [
        draw_tile(rules.palette[colour], shape, look)
        if place < opened
        else draw_sealed(shape, look)
        for place, colour in enumerate(code)
    ]
    return join(tiles, across)


def draw_half_sealed(shape: TileShape, across: Across, look: Look, sealed: int) -> list[Line]:
    """Return the places of a code that others set, of which so many are sealed."""
    tiles = [draw_sealed(shape, look)] * sealed
    tiles += [draw_place(shape, look)] * (across.pegs - sealed)
    return join(tiles, across)


@lru_cache(maxsize=ROWS_KEPT)
def draw_seal(shape: TileShape, across: Across, look: Look) -> list[Line]:
    """Return the pegs of a code that is not to be seen."""
    return join([draw_sealed(shape, look)] * across.pegs, across)


@lru_cache(maxsize=ROWS_KEPT)
def draw_holes(shape: TileShape, across: Across, look: Look) -> list[Line]:
    """Return the places of a row to come."""
    return join([draw_hole(shape, look)] * across.pegs, across)


@lru_cache(maxsize=ROWS_KEPT)
def draw_places(shape: TileShape, across: Across, look: Look) -> list[Line]:
    """Return the places of the row that somebody else is filling."""
    place = draw_place(shape, look)
    if shape.rows == MID:  # with a dot above the floor, as nobody types there
        place = [draw_hole(shape, look)[0], *place[1:]]
    return join([place] * across.pegs, across)


def draw_entry(
    entry: Entry,
    rules: Rules,
    shape: TileShape,
    across: Across,
    look: Look,
    click: Callable[[int], None],
) -> list[Line]:
    """Return the pegs of the row that is being filled; `click` is told the place that is picked."""
    tiles = []
    for place, colour in enumerate(entry.pegs):
        at, pick = place == entry.cursor, partial(click, place)
        if colour is None:
            tiles.append(draw_place(shape, look, cursor=at, click=pick))
        else:
            tiles.append(draw_tile(rules.palette[colour], shape, look, cursor=at, click=pick))
    return join(tiles, across)


def draw_answer(
    turn: Turn, rules: Rules, across: Across, look: Look, shown: int | None = None
) -> Line:
    """Return the answer to a guess: key pegs, and the same in words.

    While it comes there are no words yet, and of the key pegs so many as are `shown`.
    """
    if shown is not None:
        columns = shown + max(0, shown - 1) * across.key_gap
        return crop(look.keys(turn.feedback, across.pegs, " " * across.key_gap), columns)
    words = write_answer(turn.feedback, rules, notation=across.notation)
    return [
        *look.keys(turn.feedback, across.pegs, " " * across.key_gap),
        ("", " " * across.between + words),
    ]


def draw_legend(look: Look) -> Line:
    """Return what the key pegs mean."""
    black, white = look.glyphs.black, look.glyphs.white
    meanings = _("right place"), _("wrong place")
    return [
        ("class:strong", black), ("", f" {meanings[0]}   "),
        ("class:strong", white), ("", f" {meanings[1]}"),
    ]  # fmt: skip


def draw_palette(rules: Rules, rows: int, look: Look, click: Callable[[int], None]) -> list[Line]:
    """Return the palette in the hand, for a row of so many rows; `click` is told what is picked.

    It is small tiles with what else they are typed as below, and single letters where one line has
    to do for many.
    """
    colours = range(rules.colours)
    if rows == FLAT and rules.colours > PALETTE_LINE:
        return [_draw_letters(rules, click)]
    lines: list[Line] = []
    for first in range(0, rules.colours, PALETTE_LINE):
        part = colours[first : first + PALETTE_LINE]
        picks = [(rules.palette[colour], partial(click, colour)) for colour in part]
        lines.append([piece for name, pick in picks for piece in draw_small(name, look, pick)])
        below: Line = [
            ("class:key", find_typed(colour, rules).center(SMALL_COLUMNS), partial(click, colour))
            for colour in part
        ]
        if rows > FLAT and any(piece[1].strip() for piece in below):
            lines.append(below)
    return lines


def find_typed(colour: int, rules: Rules) -> str:
    """Return what a colour may be typed as besides the letter of its peg, if there is anything."""
    letter = rules.palette[colour][0].upper()
    return "".join(alphabet[colour] for alphabet in rules.alphabets if alphabet[colour] != letter)


def _draw_letters(rules: Rules, click: Callable[[int], None]) -> Line:
    """Return the letters of all colours on their faces."""
    line: Line = []
    for colour, name in enumerate(rules.palette):
        if line:
            line.append(("", " "))
        face: Line = [(f"class:peg class:peg.{name}", name[0].upper())]
        line += make_clickable(face, partial(click, colour))
    return line
