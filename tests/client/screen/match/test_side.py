from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.people import pegs
from client.screen.looks import LOOK, assert_fits, show
from client.screen.played import sit
from mastermind_client.screen.kit.lines import Extent, width
from mastermind_client.screen.match.entry import Entry
from mastermind_client.screen.match.journal import Kind, Note
from mastermind_client.screen.match.scene import Scene
from mastermind_client.screen.match.side import ADVISED, count_back, draw_advice, draw_journal
from mastermind_protocol.messages import Advice, Weighed
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.code import Code


def scene_with(notes: Sequence[Note], *, muted: bool = False) -> Scene:
    return Scene("7KQ2MX", sit(), "ADA", Entry.empty(DEFAULT), notes, muted=muted)


def test_the_last_notes_are_shown_below_their_heading() -> None:
    notes = [Note(Kind.NEWS, f"This is note {number}.") for number in range(1, 10)]

    assert show(draw_journal(scene_with(notes), Extent(30, 4), LOOK)) == [
        "What happened",
        *(f"This is note {number}." for number in (7, 8, 9)),
    ]


def test_a_long_note_is_wrapped_and_of_the_oldest_one_its_end_is_shown() -> None:
    notes = [Note(Kind.CHAT, "one two three four five six", "BOB"), Note(Kind.NEWS, "seven")]

    lines = draw_journal(scene_with(notes), Extent(10, 4), LOOK)

    assert show(lines) == ["What happ~", "three four", "five six", "seven"]
    assert [line[0][0] for line in lines[1:]] == ["class:strong", "class:strong", ""]


def test_an_empty_journal_is_its_heading_and_says_that_others_are_muted() -> None:
    assert show(draw_journal(scene_with([], muted=True), Extent(30, 3), LOOK)) == [
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
        lines = show(draw_journal(scene, extent, LOOK))
        assert lines == ["What happened", *(f"This is note {number}." for number in shown)]

    assert count_back(scene_with(notes[:2]), extent) == 0
    assert count_back(scene_with([Note(Kind.NEWS, "one two three four")]), Extent(5, 2)) == 3


@pytest.mark.parametrize("extent", [Extent(24, 1), Extent(24, 5), Extent(200, 90)])
def test_the_journal_takes_just_its_room(extent: Extent) -> None:
    notes = [Note(Kind.NEWS, "word " * number) for number in range(40)]
    lines = draw_journal(scene_with(notes), extent, LOOK)

    assert_fits(lines, extent)
    assert len(lines) == extent.rows


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
