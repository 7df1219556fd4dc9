import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.output import ColorDepth

from client.screen.looks import show
from kit.strategies import brief
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import ASCII, UNICODE
from mastermind_client.screen.theme.palettes import CUBE_VALUES, PALETTES
from mastermind_client.screen.theme.tiles import (
    FLAT,
    MID,
    NARROW,
    TALL,
    WIDE,
    TileShape,
    draw_hidden_peg,
    draw_hole,
    draw_place,
    draw_small,
    draw_tile,
)
from mastermind_client.screen.toolkit.lines import width

TRUE = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
PLAIN = Look(ASCII, "default", ColorDepth.DEPTH_8_BIT)
MONO = Look(UNICODE, "mono", ColorDepth.DEPTH_24_BIT)
SHAPES = [TileShape(columns, rows) for columns in (NARROW, WIDE) for rows in (FLAT, MID, TALL)]


@pytest.mark.parametrize(
    ("rows", "tile", "cursor", "place", "at", "hole", "sealed"),
    [
        (FLAT, ["▆▆R▆▆"], ["[ R ]"], ["  ·"], ["[ · ]"], ["  ·"], ["░░?░░"]),
        (
            MID,
            ["  R", "▀▀▀▀▀"],
            ["[ R ]", "▀▀▀▀▀"],
            ["", "▔▔▔▔▔"],
            ["[   ]", "▀▀▀▀▀"],
            ["  ·", ""],
            ["░░?░░", "▔▔▔▔▔"],
        ),
        (
            TALL,
            ["▄▄▄▄▄", "  R", "▀▀▀▀▀"],
            ["▄▄▄▄▄", "[ R ]", "▄▄▄▄▄"],
            ["╭───╮", "│   │", "╰───╯"],
            ["╭───╮", "[   ]", "▀▀▀▀▀"],
            ["", "  ·", ""],
            ["╭───╮", "│░?░│", "╰───╯"],
        ),
    ],
)
def test_tiles_places_and_holes_have_three_heights(rows, tile, cursor, place, at, hole, sealed):
    shape = TileShape(WIDE, rows)
    assert show(draw_tile("red", shape, TRUE)) == tile
    assert show(draw_tile("red", shape, TRUE, cursor=True)) == cursor
    assert show(draw_place(shape, TRUE)) == place
    assert show(draw_place(shape, TRUE, cursor=True)) == at
    assert show(draw_hole(shape, TRUE)) == hole
    assert show(draw_hidden_peg(shape, TRUE)) == sealed


def test_tiles_have_ascii_and_monochrome_forms():
    tall = TileShape(WIDE, TALL)
    assert show(draw_tile("red", tall, PLAIN)) == ["", "  R", ""]
    assert show(draw_tile("red", tall, MONO)) == ["", "( R )", ""]
    assert show(draw_tile("red", tall, MONO, cursor=True)) == ["", "[ R ]", "▀▀▀▀▀"]
    assert show(draw_hidden_peg(TileShape(WIDE, MID), PLAIN)) == ["##?##", "-----"]
    assert show(draw_place(TileShape(WIDE, MID), PLAIN, cursor=True)) == ["[   ]", "====="]


def test_a_small_tile_has_three_columns():
    assert show([draw_small("red", TRUE), draw_small("red", MONO)]) == ["▐R▌", "(R)"]
    assert show([draw_small("red", PLAIN)]) == [" R"]


def test_a_lifted_tile_loses_only_its_side():
    for rows in (MID, TALL):
        low, high = (
            draw_tile("red", TileShape(WIDE, rows), TRUE, lifted=lifted) for lifted in (False, True)
        )
        assert low[:-1] == high[:-1]
        assert low[-1] != high[-1]


@given(
    st.sampled_from(SHAPES),
    st.sampled_from([UNICODE, ASCII]),
    st.sampled_from(list(PALETTES)),
    st.sampled_from(ColorDepth),
    st.booleans(),
    st.booleans(),
)
@brief
def test_everything_on_the_board_has_the_tile_shape(shape, glyphs, palette, depth, cursor, lifted):
    look = Look(glyphs, palette, depth)
    for block in (
        draw_tile("red", shape, look, cursor=cursor, lifted=lifted),
        draw_place(shape, look, cursor=cursor),
        draw_hole(shape, look),
        draw_hidden_peg(shape, look),
    ):
        assert [width(line) for line in block] == [shape.columns] * shape.rows


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_cell_of_a_tile_takes_a_click(shape):
    clicks: list[str] = []

    for block in (
        draw_tile("red", shape, TRUE, click=lambda: clicks.append("tile")),
        draw_place(shape, TRUE, click=lambda: clicks.append("place")),
    ):
        for line in block:
            for fragment in line:
                assert len(fragment) == 3
                fragment[2]()

    assert set(clicks) == {"tile", "place"}


def test_a_tiles_side_is_darker_than_its_face():
    for name, palette in PALETTES.items():
        for tile in palette.true.values():
            assert _light(tile.side) < _light(tile.background), name
        for tile in palette.cube.values():
            assert {int(tile.side[at : at + 2], 16) for at in (1, 3, 5)} <= set(CUBE_VALUES)


def _light(hue: str) -> int:
    return sum(int(hue[at : at + 2], 16) for at in (1, 3, 5))
