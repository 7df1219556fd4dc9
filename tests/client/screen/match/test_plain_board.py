from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.people import pegs
from mastermind_client.screen.kit.lines import width
from mastermind_client.screen.look import Look
from mastermind_client.screen.match.plain_board import (
    draw_entry,
    draw_guesses,
    draw_palette,
    draw_pegs,
    draw_secret,
    find_gap,
    measure_advice,
    measure_board,
)
from mastermind_client.screen.scene.entry import Entry
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import DEFAULT, PRESETS, Rules, find_rules
from strategies import thorough

if TYPE_CHECKING:
    from mastermind_client.config.settings import Palette
    from mastermind_client.screen.kit.lines import Line

SECRET = pegs("0123")
TURNS = tuple(
    Turn(pegs(digits), score(SECRET, pegs(digits))) for digits in ("0011", "4455", "0123")
)
LARGEST = find_rules("9x12/99")
NARROWEST = 60  # columns of any terminal


def make_look(palette: Palette = "mono") -> Look:
    return Look.choose(palette, "256", "ascii", {}, "utf-8")


LOOK = make_look()


def read(line: Line) -> str:
    return "".join(fragment[1] for fragment in line).rstrip()


def guesses(count: int, rules: Rules = DEFAULT) -> list[Turn]:
    return [Turn((0,) * rules.pegs, Feedback(0, 0))] * count


def drawn(turns: list[Turn], rows: int, top: int | None = None) -> list[str]:
    lines = draw_guesses(turns, DEFAULT, LOOK, rows, columns=80, top=top)
    return [read(line)[:3] for line in lines]


def test_guesses_stand_with_their_feedback_in_signs_and_in_words() -> None:
    lines = draw_guesses(TURNS, DEFAULT, LOOK, 4, columns=80)
    assert [read(line) for line in lines] == [
        "  1 (R) (R) (G) (G) Xo..  1 black, 1 white",
        "  2 (O) (O) (P) (P) ....  0 black, 0 white",
        "  3 (R) (G) (B) (Y) XXXX  4 black, 0 white",
        "  4  .   .   .   .",
    ]


def test_the_rules_own_notation_is_there_where_it_fits() -> None:
    rules = PRESETS["thirteen"]
    (wide,) = draw_guesses(TURNS[:1], rules, LOOK, 1, columns=80, top=0)
    (narrow,) = draw_guesses(TURNS[:1], rules, LOOK, 1, columns=50, top=0)
    assert read(wide).endswith("Xo..  [X][O][ ][ ]  1 black, 1 white")
    assert read(narrow).endswith("Xo..  1 black, 1 white")


def test_there_are_no_more_rows_than_guesses_allowed() -> None:
    assert len(draw_guesses((), PRESETS["mini"], LOOK, 20, columns=80)) == 6


def test_where_there_is_no_limit_one_row_waits_for_the_next_guess() -> None:
    lines = draw_guesses(guesses(2), PRESETS["knuth"], LOOK, 20, columns=80)
    assert [read(line).split()[0] for line in lines] == ["1", "2", "3"]


def test_the_last_guess_and_the_next_row_are_in_sight_and_an_arrow_tells_of_more() -> None:
    assert drawn(guesses(7), 4) == ["^ 5", "  6", "  7", "  8"]


def test_scrolled_back_an_arrow_tells_of_later_guesses() -> None:
    assert drawn(guesses(7), 4, top=1) == ["^ 2", "  3", "  4", "v 5"]
    assert drawn(guesses(7), 4, top=0) == ["  1", "  2", "  3", "v 4"]


def test_the_last_row_of_a_full_board_is_the_last_guess() -> None:
    assert drawn(guesses(12), 4) == ["^ 9", " 10", " 11", " 12"]


def test_a_guess_with_advice_is_marked_in_words() -> None:
    first, second = draw_guesses(TURNS[:2], DEFAULT, LOOK, 2, columns=80, top=0, advised=(2,))
    assert "advice" not in read(first)
    assert read(second).endswith("with advice")
    columns = measure_board(DEFAULT, notation=False)
    for room, sign in ((measure_advice(), "white  with advice"), (2, "white *"), (1, "white")):
        (_first, row) = draw_guesses(
            TURNS[:2], DEFAULT, LOOK, 2, columns=columns + room, top=0, advised=(2,)
        )
        assert read(row).endswith(sign)
        assert width(row) <= columns + room


def test_one_guess_can_be_pointed_at() -> None:
    lines = draw_guesses(TURNS, DEFAULT, LOOK, 3, columns=80, marked=2, top=0)
    assert [read(line)[:3] for line in lines] == ["  1", "> 2", "  3"]


def test_remarks_stand_in_a_column_behind_all_else() -> None:
    for columns, told in ((60, "  1 (R) (R) (G) (G) Xo..  1 black, 1 white  with advice"),
                          (45, "  1 (R) (R) (G) (G) Xo..  1 black, 1 white *"),
                          (43, "  1 (R) (R) (G) (G) Xo..  1 black, 1 white")):  # fmt: skip
        lines = draw_guesses(
            TURNS, DEFAULT, LOOK, 4, columns=columns, advised=(1,), remarks=("  +1.00", "  -0.50")
        )
        assert [read(line)[columns:] for line in lines] == ["  +1.00", "  -0.50", "", ""]
        assert read(lines[0])[:columns].rstrip() == told


def test_a_click_on_a_row_tells_the_number_of_its_guess() -> None:
    clicked: list[int] = []
    lines = draw_guesses(guesses(7), DEFAULT, LOOK, 3, columns=80, click=clicked.append)
    for line in lines:
        assert all(len(fragment) == 3 for fragment in line)
        fragment = line[-1]
        assert len(fragment) == 3
        fragment[2]()
    assert clicked == [6, 7, 8]


@pytest.mark.parametrize("rules", [*PRESETS.values(), LARGEST], ids=str)
@pytest.mark.parametrize("columns", [NARROWEST, 80, 120])
def test_the_board_of_all_rules_fits_every_terminal(rules: Rules, columns: int) -> None:
    turns = [
        Turn((rules.colours - 1,) * rules.pegs, Feedback(black, rules.pegs - black))
        for black in range(rules.pegs + 1)
    ]
    for line in draw_guesses(turns, rules, LOOK, 20, columns=columns):
        assert width(line) <= columns
    gap = find_gap(rules, columns)
    assert width(draw_secret(None, rules, LOOK, "secret", gap)) <= columns


@given(st.sampled_from([*PRESETS.values(), LARGEST]), st.data(), st.booleans())
@thorough
def test_no_row_is_wider_than_the_board_was_measured(
    rules: Rules, data: st.DataObject, notation: bool
) -> None:
    black = data.draw(st.integers(0, rules.pegs))
    turn = Turn((0,) * rules.pegs, Feedback(black, data.draw(st.integers(0, rules.pegs - black))))
    columns = measure_board(rules, notation=notation)
    (line,) = draw_guesses([turn], rules, LOOK, 1, columns=columns, top=0)
    assert width(line) <= columns


def test_the_secret_stands_above_the_guesses_and_shields_where_it_is_not_to_be_seen() -> None:
    (guess,) = draw_guesses(TURNS[2:], DEFAULT, LOOK, 1, columns=80, top=0)
    shown = read(draw_secret(SECRET, DEFAULT, LOOK, "secret"))
    hidden = read(draw_secret(None, DEFAULT, LOOK, "secret"))
    assert shown == "    (R) (G) (B) (Y)  secret"
    assert read(guess).index("(R)") == shown.index("(R)")
    assert hidden == "    ### ### ### ###  secret"


def test_a_peg_is_a_tile_in_colour_and_a_letter_everywhere() -> None:
    (red, *_rest) = draw_pegs(SECRET, DEFAULT, make_look("default"))
    assert red == ("class:peg.red", " R ")
    assert draw_pegs(SECRET, DEFAULT, LOOK)[0] == ("class:peg.red", "(R)")


def test_the_row_to_fill_stands_below_the_guesses_with_brackets_at_the_cursor() -> None:
    entry = Entry.empty(DEFAULT).type("1", DEFAULT).type("2", DEFAULT)
    line = draw_entry(entry, DEFAULT, LOOK, "2", lambda _place: None)
    assert read(line) == "  2 (R) (G) [.]  ."


def test_a_click_on_a_place_of_the_row_tells_which_it_is() -> None:
    clicked: list[int] = []
    line = draw_entry(Entry.empty(DEFAULT), DEFAULT, LOOK, "1", clicked.append)
    for fragment in line:
        if len(fragment) == 3:
            fragment[2]()
    assert clicked == [0, 1, 2, 3]


def test_colours_stand_with_what_they_are_typed_as_and_called() -> None:
    (line,) = draw_palette(DEFAULT, LOOK, 120, None)
    assert read(line).startswith("1 (R) red  2 (G) green  3 (B) blue")
    (letters,) = draw_palette(PRESETS["mini"], LOOK, 120, None)
    assert read(letters).startswith("(R) red  (G) green")


def test_colours_take_as_many_rows_as_they_need() -> None:
    lines = draw_palette(LARGEST, LOOK, NARROWEST, None)
    assert len(lines) > 1
    assert all(width(line) <= NARROWEST for line in lines)
    shown = " ".join(read(line) for line in lines)
    assert all(colour in shown for colour in LARGEST.palette)


def test_a_click_on_a_colour_tells_which_it_is() -> None:
    clicked: list[int] = []
    for line in draw_palette(DEFAULT, LOOK, 40, clicked.append):
        for fragment in line:
            if len(fragment) == 3:
                fragment[2]()
    assert clicked == list(range(DEFAULT.colours))
