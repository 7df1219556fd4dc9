"""The rows of a board inside its frame: pegs, answers, and the palette.

A row is as high as its tiles. The answer and the palette start in the line that has the letters of
the pegs.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import list_peg_symbols
from mastermind_client.messages.players import format_name
from mastermind_client.screen.match.layout import (
    GUESS_NUMBER_COLUMNS,
    PALETTE_LINE_TILES,
    write_answer,
)
from mastermind_client.screen.theme.tiles import (
    FLAT,
    MID,
    SMALL_COLUMNS,
    TALL,
    TileShape,
    draw_hidden_peg,
    draw_hole,
    draw_place,
    draw_small,
    draw_tile,
)
from mastermind_client.screen.toolkit.lines import Line, crop, make_clickable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from mastermind_client.screen.match.layout import HorizontalLayout
    from mastermind_client.screen.scene.entry import Entry
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Click
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules

CACHED_CODE_ROWS = 512  # cached rows, for a few boards


def draw_row(
    pegs: Sequence[Line],
    horizontal: HorizontalLayout,
    *,
    label: Line | None = None,
    right: Sequence[Line] = (),
) -> list[Line]:
    """Return the lines of a row: the label, the pegs, and the lines `right` of the pegs.

    The label and the first line of `right` are beside the letters of the pegs.
    """
    letters = find_letter_line(len(pegs))
    before = horizontal.before - horizontal.margin
    blank, between = ("", " " * before), ("", " " * horizontal.between)
    lines: list[Line] = []
    for number, line in enumerate(pegs):
        start = label if label is not None and number == letters else None
        beside = right[number - letters] if 0 <= number - letters < len(right) else []
        lines.append([*(start or [blank]), *line, *([between, *beside] if beside else [])])
    return lines


def find_letter_line(rows: int) -> int:
    """Return the index of the line with the letters, in tiles of `rows` lines."""
    return 1 if rows == TALL else 0


def draw_label(number: int, mark: str, horizontal: HorizontalLayout, style: str = "") -> Line:
    """Return a mark and the number of a guess, as wide as the space left of the pegs."""
    columns = horizontal.before - horizontal.margin - len(mark)
    return [(style, mark + f"{number:>{GUESS_NUMBER_COLUMNS}}".ljust(columns))]


def join_tiles(
    tiles: Sequence[Sequence[Line]], horizontal: HorizontalLayout, filler: str = " "
) -> list[Line]:
    """Return tiles side by side, as the lines of a row."""
    gap = ("", filler * horizontal.gap)
    lines: list[Line] = []
    for parts in zip(*tiles, strict=True):
        line: Line = []
        for number, part in enumerate(parts):
            if number and horizontal.gap:
                line.append(gap)
            line += part
        lines.append(line)
    return lines


@lru_cache(maxsize=CACHED_CODE_ROWS)
def draw_code(
    code: Code, rules: Rules, shape: TileShape, horizontal: HorizontalLayout, look: Look
) -> list[Line]:
    """Return the lines with the pegs of a code."""
    return draw_lifted_code(code, rules, shape, horizontal, look, ())


def draw_lifted_code(
    code: Code,
    rules: Rules,
    shape: TileShape,
    horizontal: HorizontalLayout,
    look: Look,
    lifted: Container[int],
) -> list[Line]:
    """Return the lines with the pegs of a code.

    The pegs at the indices `lifted` are drawn without the dark edge at their bottom.
    """
    tiles = [
        _draw_peg(colour, rules, shape, look, lifted=place in lifted)
        for place, colour in enumerate(code)
    ]
    return join_tiles(tiles, horizontal)


def draw_half_open_code(
    code: Code,
    rules: Rules,
    shape: TileShape,
    horizontal: HorizontalLayout,
    look: Look,
    opened: int,
) -> list[Line]:
    """Return the lines with a code. Its first `opened` pegs are visible, and the others hidden."""
    tiles = [
        _draw_peg(colour, rules, shape, look) if place < opened else draw_hidden_peg(shape, look)
        for place, colour in enumerate(code)
    ]
    return join_tiles(tiles, horizontal)


def draw_half_sealed_code(
    shape: TileShape, horizontal: HorizontalLayout, look: Look, sealed: int
) -> list[Line]:
    """Return the lines with a code. Its first `sealed` pegs are hidden, and the others missing."""
    tiles = [draw_hidden_peg(shape, look)] * sealed
    tiles += [draw_place(shape, look)] * (horizontal.pegs - sealed)
    return join_tiles(tiles, horizontal)


@lru_cache(maxsize=CACHED_CODE_ROWS)
def draw_hidden_code(shape: TileShape, horizontal: HorizontalLayout, look: Look) -> list[Line]:
    """Return the lines with the pegs of a code that the user cannot see."""
    return join_tiles([draw_hidden_peg(shape, look)] * horizontal.pegs, horizontal)


@lru_cache(maxsize=CACHED_CODE_ROWS)
def draw_holes(shape: TileShape, horizontal: HorizontalLayout, look: Look) -> list[Line]:
    """Return the empty places of a row for a future guess."""
    return join_tiles([draw_hole(shape, look)] * horizontal.pegs, horizontal)


@lru_cache(maxsize=CACHED_CODE_ROWS)
def draw_places(shape: TileShape, horizontal: HorizontalLayout, look: Look) -> list[Line]:
    """Return the empty places of the row that another player fills."""
    place = draw_place(shape, look)
    if shape.rows == MID:  # a dot above the floor, because we cannot type there
        place = [draw_hole(shape, look)[0], *place[1:]]
    return join_tiles([place] * horizontal.pegs, horizontal)


def draw_entry(
    entry: Entry,
    rules: Rules,
    shape: TileShape,
    horizontal: HorizontalLayout,
    look: Look,
    click: Callable[[int], None],
) -> list[Line]:
    """Return the pegs of the entry. `click` receives the index of a clicked place."""
    tiles = []
    for place, colour in enumerate(entry.pegs):
        at, pick = place == entry.cursor, partial(click, place)
        if colour is None:
            tiles.append(draw_place(shape, look, cursor=at, click=pick))
        else:
            tiles.append(_draw_peg(colour, rules, shape, look, cursor=at, click=pick))
    return join_tiles(tiles, horizontal)


def _draw_peg(
    colour: int,
    rules: Rules,
    shape: TileShape,
    look: Look,
    *,
    cursor: bool = False,
    lifted: bool = False,
    click: Click | None = None,
) -> list[Line]:
    letter = list_peg_symbols(rules)[colour]
    return draw_tile(
        rules.palette[colour], shape, look, cursor=cursor, lifted=lifted, letter=letter, click=click
    )


def draw_small_code(code: Code, rules: Rules, look: Look) -> Line:
    """Return a code in small tiles."""
    symbols = list_peg_symbols(rules)
    return [
        part
        for colour in code
        for part in draw_small(rules.palette[colour], look, letter=symbols[colour])
    ]


def draw_answer(
    turn: Turn, rules: Rules, horizontal: HorizontalLayout, look: Look, shown: int | None = None
) -> Line:
    """Return the answer to a guess, as key pegs and in words.

    If `shown` is a number, the key pegs are appearing one by one. Then only the first `shown` key
    pegs are returned, and no words.
    """
    pegs = look.draw_key_pegs(turn.feedback, horizontal.pegs, " " * horizontal.key_gap)
    if shown is not None:
        return crop(pegs, shown + max(0, shown - 1) * horizontal.key_gap)
    words = write_answer(turn.feedback, rules, notation=horizontal.notation)
    return [*pegs, ("", " " * horizontal.between + words)]


def draw_legend(look: Look) -> Line:
    """Return the explanation of the key pegs."""
    black, white = look.glyphs.black, look.glyphs.white
    meanings = _("right place"), _("wrong place")
    return [
        ("class:strong", black), ("", f" {meanings[0]}   "),
        ("class:strong", white), ("", f" {meanings[1]}"),
    ]  # fmt: skip


def draw_palette(
    rules: Rules,
    rows: int,
    look: Look,
    click: Callable[[int], None],
    *,
    excluded: Container[int] = (),
    used: Container[int | None] = (),
) -> list[Line]:
    """Return the palette for an entry that is `rows` lines high, in at most as many lines.

    `click` receives the clicked colour. Below each small tile are the symbols that also type its
    colour, if there is room. If `rows` is FLAT, a palette of more than PALETTE_LINE_TILES colours
    is a line of letters. The colours `excluded` have no tiles, but small letters or, in a line of
    digits, dashes. The colours `used`, which can take no second peg, have only their letters or, in
    a line, dots.
    """
    colours, symbols = range(rules.colours), list_peg_symbols(rules)
    if rows == FLAT and rules.colours > PALETTE_LINE_TILES:
        return [_draw_letters(rules, look, click, excluded, used)]
    lines: list[Line] = []
    starts = range(0, rules.colours, PALETTE_LINE_TILES)
    for first in starts:
        part = colours[first : first + PALETTE_LINE_TILES]
        tiles = [
            draw_small(
                rules.palette[colour],
                look,
                partial(click, colour),
                letter=symbols[colour],
                instead=(
                    symbols[colour].center(SMALL_COLUMNS)
                    if colour in used
                    else symbols[colour].lower().center(SMALL_COLUMNS, look.glyphs.rule)
                    if colour in excluded
                    else ""
                ),
            )
            for colour in part
        ]
        lines.append([piece for tile in tiles for piece in tile])
        below: Line = [
            ("class:key", find_symbols(colour, rules).center(SMALL_COLUMNS), partial(click, colour))
            for colour in part
        ]
        if 2 * len(starts) <= rows and any(piece[1].strip() for piece in below):
            lines.append(below)
    return lines


def find_symbols(colour: int, rules: Rules) -> str:
    """Return the symbols that type a colour, without the symbol on its peg."""
    shown = list_peg_symbols(rules)
    return "".join(alphabet[colour] for alphabet in rules.alphabets if alphabet != shown)


def _draw_letters(
    rules: Rules,
    look: Look,
    click: Callable[[int], None],
    excluded: Container[int],
    used: Container[int | None],
) -> Line:
    line: Line = []
    for colour, letter in enumerate(list_peg_symbols(rules)):
        if line:
            line.append(("", " "))
        face: Line = [(f"class:peg class:peg.{rules.palette[colour]}", letter)]
        if colour in used:
            face = [("class:dim", look.glyphs.hole)]
        elif colour in excluded:
            face = [("class:dim", look.glyphs.rule if letter.isdigit() else letter.lower())]
        line += make_clickable(face, partial(click, colour))
    return line


def describe_thinking(player: Player, look: Look) -> str:
    """Return a text that a player is choosing a guess."""
    template = _("{name} thinks {ellipsis}")
    return template.format(name=format_name(player, mark_bot=False), ellipsis=look.glyphs.ellipsis)
