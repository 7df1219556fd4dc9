from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from client.people import pegs
from client.screen.looks import LOOK, assert_fits, show
from client.screen.played import NONCE, do, game, leave, play, sit
from mastermind_client.screen.kit.lines import Extent, width
from mastermind_client.screen.match.entry import Entry
from mastermind_client.screen.match.feed import Kind, Note
from mastermind_client.screen.match.panels import (
    ADVISED,
    count_back,
    draw_advice,
    draw_feed,
    draw_outcome,
)
from mastermind_client.screen.match.scene import Scene
from mastermind_protocol.commands import SetSecret
from mastermind_protocol.messages import Advice, Weighed
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.lines import Line
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match

WON = play(game("0123", "0011", "0123"))


def read(match: Match, me: str = "ADA", columns: int = 200) -> list[str]:
    return show(draw(match, me, Extent(columns, 40)))


def draw(match: Match, me: str, extent: Extent) -> list[Line]:
    return draw_outcome(match, me, extent, LOOK)


@pytest.mark.parametrize(
    ("me", "ending", "result"),
    [
        ("ADA", "Bob broke the code in 2 guesses.", "Bob wins. You lose."),
        ("BOB", "You broke the code in 2 guesses.", "You win."),
        ("CLEO", "Bob broke the code in 2 guesses.", "Bob wins."),
    ],
)
def test_the_end_is_told_to_everybody_from_their_side(me: str, ending: str, result: str) -> None:
    assert read(WON, me) == [
        ending,
        "The secret was  R  G  B  Y  red, green, blue, yellow",
        "+ Code proven: it is the one committed to, and every feedback fits it.",
        result,
    ]


def test_the_points_are_told_where_there_are_rounds() -> None:
    match = play(game("0123", "0123"), game("5555", "0011"))

    assert read(match)[-2:] == ["Points: Bob 2, Ada 1.", "Bob wins. You lose."]


def test_a_fraud_is_told_as_one() -> None:
    played = WON.played[0]
    cheated = msgspec.structs.replace(played, commitment=bytes(32))
    match = msgspec.structs.replace(WON, played=(cheated,))

    lines = draw(match, "BOB", Extent(200, 2))

    warning = next(line for line in lines if "WARNING" in show([line])[0])
    assert show([warning])[0].startswith("x WARNING! CODE NOT PROVEN")
    assert {fragment[0] for fragment in warning} == {"class:error"}


def test_a_match_that_was_left_before_a_secret_has_no_code_to_tell() -> None:
    told = " ".join(read(leave(sit())))

    assert "The secret was" not in told
    assert told.endswith("You win.")


def test_the_panel_between_two_rounds_has_no_result() -> None:
    match = do(sit(rounds=2), "ADA", SetSecret(pegs("0123"), NONCE))
    assert read(match) == ["Points: Ada 0, Bob 0."]


@pytest.mark.parametrize("columns", [10, 46, 60])
def test_the_panel_is_no_wider_than_its_room(columns: int) -> None:
    assert all(width(line) <= columns for line in draw(WON, "ADA", Extent(columns, 40)))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (9, ["You broke", "The secret", "+ Code", "Points: Bob", "You win."]),
        (4, ["You broke", "+ Code", "Points: Bob", "You win."]),
        (3, ["You broke", "Points: Bob", "You win."]),
        (2, ["You broke", "You win."]),
        (0, ["You broke", "You win."]),
    ],
)
def test_where_there_are_few_rows_what_is_least_needed_is_left_out(
    rows: int, told: list[str]
) -> None:
    match = play(game("5555", "0011"), game("0123", "0123"))

    lines = show(draw(match, "ADA", Extent(200, rows)))

    assert [" ".join(line.split()[:2]) for line in lines] == told


def test_the_secret_is_shown_as_pegs_and_by_their_names_in_a_row_of_their_own_if_need_be() -> None:
    secret = draw(WON, "ADA", Extent(46, 40))[1:3]

    assert show(secret) == ["The secret was  R  G  B  Y", "red, green, blue, yellow"]
    assert [style for style, *_words in secret[0] if style] == [
        f"class:peg.{colour}" for colour in ("red", "green", "blue", "yellow")
    ]


def advice(*codes: Code, left: int = 2) -> Advice:
    return Advice(
        id=1,
        match="7KQ2MX",
        guess=1,
        left=left,
        guesses=tuple(
            Weighed(code=code, bits=2.5, size=3.0, worst=4, parts=3, possible=number == 0)
            for number, code in enumerate(codes)
        ),
    )


def test_the_best_of_the_advice_is_shown_with_its_worth_and_whether_it_can_be() -> None:
    codes = [pegs("0011"), pegs("0123"), pegs("2345"), pegs("5555")]

    lines = show(draw_advice(advice(*codes), DEFAULT, 60, LOOK))

    assert len(lines) == 1 + ADVISED
    assert lines[0] == "Advice: 2 codes are left; + can be it, x cannot."
    assert lines[1].split() == ["1", *"RRGG", "+", "2.50", "bits,", "worst", "4"]
    assert lines[2].split() == ["2", *"RGBY", "x", "2.50", "bits,", "worst", "4"]


def test_advice_for_the_widest_rows_fits_too() -> None:
    rules = find_rules("9x12/99")
    lines = draw_advice(advice((0,) * 9, left=1), rules, 60, LOOK)

    assert all(width(line) <= 60 for line in lines)
    assert "1 code is left" in show(lines)[0]


def scene_with(notes: Sequence[Note], *, muted: bool = False) -> Scene:
    return Scene("7KQ2MX", sit(), "ADA", Entry.empty(DEFAULT), notes, muted=muted)


def test_the_last_notes_are_shown_below_their_heading() -> None:
    notes = [Note(Kind.NEWS, f"This is note {number}.") for number in range(1, 10)]

    assert show(draw_feed(scene_with(notes), Extent(30, 4), LOOK)) == [
        "What happened",
        *(f"This is note {number}." for number in (7, 8, 9)),
    ]


def test_a_long_note_is_wrapped_and_of_the_oldest_one_its_end_is_shown() -> None:
    notes = [Note(Kind.CHAT, "one two three four five six", "BOB"), Note(Kind.NEWS, "seven")]

    lines = draw_feed(scene_with(notes), Extent(10, 4), LOOK)

    assert show(lines) == ["What happ~", "three four", "five six", "seven"]
    assert [line[0][0] for line in lines[1:]] == ["class:strong", "class:strong", ""]


def test_an_empty_journal_is_its_heading_and_says_that_others_are_muted() -> None:
    assert show(draw_feed(scene_with([], muted=True), Extent(30, 3), LOOK)) == [
        "What happened (others muted)",
        "",
        "",
    ]


def test_what_has_happened_can_be_scrolled_back_to_its_beginning_and_no_further() -> None:
    notes = [Note(Kind.NEWS, f"This is note {number}.") for number in range(1, 10)]
    scene, extent = scene_with(notes), Extent(30, 4)
    assert count_back(scene, extent) == 6
    for back, shown in ((0, (7, 8, 9)), (1, (6, 7, 8)), (6, (1, 2, 3)), (99, (1, 2, 3))):
        scene.back = back
        lines = show(draw_feed(scene, extent, LOOK))
        assert lines == ["What happened", *(f"This is note {number}." for number in shown)]

    assert count_back(scene_with(notes[:2]), extent) == 0
    assert count_back(scene_with([Note(Kind.NEWS, "one two three four")]), Extent(5, 2)) == 3


@pytest.mark.parametrize("extent", [Extent(24, 1), Extent(24, 5), Extent(200, 90)])
def test_the_journal_takes_just_its_room(extent: Extent) -> None:
    notes = [Note(Kind.NEWS, "word " * number) for number in range(40)]
    lines = draw_feed(scene_with(notes), extent, LOOK)

    assert_fits(lines, extent)
    assert len(lines) == extent.rows
