import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import click, show
from kit.strategies import any_rules, brief
from mastermind_client.messages.codes import list_peg_symbols
from mastermind_client.screen.match.rows import draw_palette
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.tiles import FLAT, MID, TALL
from mastermind_client.screen.toolkit.lines import width
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

lettered_rules = any_rules.filter(lambda rules: list_peg_symbols(rules).isalpha())
LOOKS = [
    Look.choose("default", color, glyphs, {}, "utf-8")
    for color in ("true", "256", "16", "never")
    for glyphs in ("unicode", "ascii")
]


@pytest.mark.parametrize(
    ("look", "tiles"),
    [
        (0, "▐R▌─g─▐B▌▐Y▌▐O▌─p─"),
        (1, " R -g- B  Y  O -p-"),
        (6, "(R)─g─(B)(Y)(O)─p─"),
        (7, "(R)-g-(B)(Y)(O)-p-"),
    ],
)
def test_an_excluded_colour_is_struck_out_with_a_small_letter(look, tiles):
    clicked: list[int] = []
    lines = draw_palette(DEFAULT, MID, LOOKS[look], clicked.append, excluded={1, 5})
    assert show(lines) == [tiles, " 1  2  3  4  5  6"]
    click(lines, "g")
    assert clicked == [1]


@pytest.mark.parametrize("look", LOOKS)
def test_in_a_line_of_letters_an_excluded_colour_has_a_small_one(look):
    lines = draw_palette(find_rules("9x12"), FLAT, look, lambda _colour: None, excluded={0, 11})
    assert show(lines) == ["r G B Y O P C M L T N w"]


@pytest.mark.parametrize(
    ("look", "rows", "palette"),
    [
        (0, MID, ["▐0▌─1─▐2▌▐3▌▐4▌─5─", "▐6▌▐7▌▐8▌▐9▌"]),
        (7, MID, ["(0)-1-(2)(3)(4)-5-", "(6)(7)(8)(9)"]),
        (0, FLAT, ["0 ─ 2 3 4 ─ 6 7 8 9"]),
        (7, FLAT, ["0 - 2 3 4 - 6 7 8 9"]),
    ],
)
def test_rules_without_letters_have_digits_on_pegs(look, rows, palette):
    lines = draw_palette(PRESETS["bulls"], rows, LOOKS[look], lambda _colour: None, excluded={1, 5})
    assert show(lines) == palette


@pytest.mark.parametrize(
    ("look", "rows", "palette"),
    [
        (0, MID, ["▐0▌ 1 ▐2▌▐3▌▐4▌─5─", "▐6▌▐7▌▐8▌ 9"]),
        (7, MID, ["(0) 1 (2)(3)(4)-5-", "(6)(7)(8) 9"]),
        (0, FLAT, ["0 · 2 3 4 ─ 6 7 8 ·"]),
        (7, FLAT, ["0 . 2 3 4 - 6 7 8 ."]),
    ],
)
def test_a_colour_that_is_used_up_has_no_tile_and_can_be_clicked(look, rows, palette):
    clicked: list[int] = []
    used = (9, None, 1, None)
    lines = draw_palette(
        PRESETS["bulls"], rows, LOOKS[look], clicked.append, excluded={1, 5}, used=used
    )
    assert show(lines) == palette
    if rows == MID:
        click(lines, "9")
        assert clicked == [9]


@pytest.mark.parametrize("rows", [MID, TALL])
def test_a_palette_of_two_lines_of_tiles_leaves_out_the_digits_that_have_no_room(rows):
    lines = draw_palette(find_rules("5x8"), rows, LOOKS[0], lambda _colour: None)
    assert show(lines) == ["▐R▌▐G▌▐B▌▐Y▌▐O▌▐P▌", "▐C▌▐M▌"]


@given(lettered_rules, st.sampled_from([FLAT, MID, TALL]), st.sampled_from(LOOKS), st.data())
@brief
def test_the_letters_alone_name_all_colours_and_mark_the_excluded_ones(rules, rows, look, data):
    excluded = data.draw(st.sets(st.integers(0, rules.colours - 1)))
    lines = draw_palette(rules, rows, look, lambda _colour: None, excluded=excluded)
    plain = draw_palette(rules, rows, look, lambda _colour: None)
    letters = [letter for line in show(lines) for letter in line if letter.isalpha()]
    assert [letter.upper() for letter in letters] == [name[0].upper() for name in rules.palette]
    assert {colour for colour, letter in enumerate(letters) if letter.islower()} == excluded
    assert [*map(width, lines)] == [*map(width, plain)]
    assert len(lines) <= rows
