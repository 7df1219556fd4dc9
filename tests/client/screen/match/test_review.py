from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from kit.matches import BOB, NONCE, do, game, leave, pegs, play, sit
from mastermind_client.screen.match.board import RowClicks
from mastermind_client.screen.match.review import draw_review_title
from mastermind_client.screen.match.view import count_lines_back, draw_match, plan_layout
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.feed import Note, NoteKind
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.scene.viewpoint import Position, find_last_position, list_rounds
from mastermind_client.screen.theme import Look
from mastermind_client.screen.toolkit.lines import Extent, fit, width
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.match import Match
from mastermind_protocol.messages import ReviewedGuess
from mastermind_server.bots.analysis.advice import review

LOOK = Look.choose("default", "true", "unicode", {}, "utf-8")
PLAIN = Look.choose("mono", "never", "ascii", {}, "ascii")
SMALLEST, USUAL, LARGE, HUGE = Extent(60, 18), Extent(80, 22), Extent(100, 38), Extent(100, 98)
EXAMPLE = play(game("2513", "1122", "2344", "2536", "2513"), game("2513", "1122", "2513"))
LONG = play(game("2513", "1122", "2344", "2536", "6666", "5555", "1111", "2513"))
MAX_REVIEWED_CODES = 10_000  # of the matches here: a review of more takes long
NOTES = [Note(NoteKind.NEWS, f"News number {number}.") for number in range(1, 31)]


@cache
def review_all(match: Match) -> dict[int, Sequence[ReviewedGuess] | str]:
    """Return a server's review of every round; it is empty where there are too many codes."""
    if match.rules.codes > MAX_REVIEWED_CODES:
        return dict.fromkeys(range(len(match.played)), "Too many codes.")
    return {number: review(match.rules, each.turns) for number, each in enumerate(match.played)}


def make_review(match: Match = EXAMPLE, position: Position | None = None, **changes: Any) -> Scene:
    """Return a review of a match, from its end, as Bob sees it."""
    reviews = changes.pop("reviews", None)
    return Scene(
        "K7M2QX",
        match,
        changes.pop("me", BOB.id),
        Entry.empty(match.rules),
        reviews=review_all(match) if reviews is None else reviews,
        position=position or find_last_position(match),
        **changes,
    )


def draw(scene: Scene, extent: Extent = USUAL, look: Look = LOOK) -> list[str]:
    """Return the lines on the screen."""
    lines = fit(draw_match(scene, plan_layout(scene, extent), look, RowClicks()), extent)
    return ["".join(fragment[1] for fragment in line).rstrip() for line in lines]


def test_many_guesses_are_flat_and_the_selected_one_is_visible():
    lines = draw(make_review(LONG, Position(0, 7)))
    assert lines[12].startswith("│ ► 7 ▆▆G▆▆ ▆▆O▆▆ ▆▆R▆▆ ▆▆B▆▆  ●●●●  4 black, 0 white  found it")
    assert "│ It was the only code left." in "\n".join(lines)


def test_the_review_has_a_monochrome_ascii_form():
    lines = draw(make_review(position=Position(0, 2)), look=PLAIN)
    text = "\n".join(lines)
    assert text.isascii()
    assert "(G)(B)(R)(Y), which leaves 12.7" in text
    assert "===========-" in text
    assert "96 > 18" in text


def test_the_frame_title_judges_the_codebreaker():
    assert "93 of 100: Bob played well, and was lucky" in draw(make_review(
        position=Position(0, 1), me="SOMEBODY"
    ))[1]  # fmt: skip
    last = draw(make_review(me="SOMEBODY"))
    assert "Ada played" in last[1]
    assert "Round 1: Bob cracked it in 4." in last[-1]


def test_a_title_that_is_too_long_loses_whole_parts():
    titles = [
        "".join(part[1] for part in draw_review_title(make_review(), columns, LOOK))
        for columns in (59, 58, 40)
    ]
    assert [" ".join(title.split()) for title in titles] == [
        "Review classic · Ada and Bob · round 2 of 2 guess 2 of 2",
        "Review classic · round 2 of 2 guess 2 of 2",
        "Review classic guess 2 of 2",
    ]


def test_a_pending_review_is_announced_above_the_guesses():
    lines = draw(make_review(position=Position(0, 1), reviews={}))
    assert "The bots are reviewing this round …" in lines[1]
    assert lines[6] == (
        "│ ► 1   R     R     G     G    ○○··  0 black, 2 white                          │"
    )


def test_a_round_without_guesses_is_described():
    shown = draw(make_review(play(game("1234"))))
    assert "No guess was made in this round." in shown[1]
    assert " given up " in "\n".join(shown)
    assert shown[-1] == "  The code stood.  Ada wins."


def test_an_abandoned_round_shows_its_guesses():
    match = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "BOB", GuessCode(pegs("1122")))
    shown = draw(make_review(leave(match)))
    assert shown[7].startswith("│ ► 1   R     R     G     G    ●○··"), "one guess has room"
    assert shown[-1] == "  Round 1 was not finished.  Ada wins."


def test_a_secret_that_breaks_the_commitment_replaces_the_title():
    (first, second) = EXAMPLE.played
    forged = msgspec.structs.replace(second, secret=pegs("6651"))
    match = msgspec.structs.replace(EXAMPLE, played=(first, forged))
    assert draw(make_review(match, reviews={}))[0] == "  ✗ This was not the locked code."
    assert draw(make_review(match, Position(0, 1), reviews={}))[0].startswith(" Review ")


def test_the_history_replaces_board_and_card():
    scene = make_review(notes=NOTES, lines_back=0)
    lines = draw(scene)
    assert lines[1].startswith("╭─ What happened ─")
    assert lines[-3].startswith("│ News number 30. ")
    back = count_lines_back(scene, plan_layout(scene, USUAL))
    assert back == len(NOTES) - 18
    first = draw(make_review(notes=NOTES, lines_back=back))
    assert first[2].startswith("│ News number 1. ")
    few = make_review(notes=NOTES[:3], lines_back=0)
    assert count_lines_back(few, plan_layout(few, USUAL)) == 0


def largest() -> Match:
    """Return the largest match there is: all pegs, all colours, all guesses."""
    guesses = [
        "".join(str(place * number % 9 + 1) for place in range(9)) for number in range(1, 99)
    ]
    return play(game("987654321", *guesses, "987654321"), rules="9x12/99")


LARGEST = largest()
WIDEST = play(game("121212121", "111111111", "222211111", "121212121"), rules="9x2/9")


@pytest.mark.parametrize("look", [LOOK, PLAIN])
@pytest.mark.parametrize("extent", [SMALLEST, USUAL, Extent(99, 20), LARGE, HUGE])
@pytest.mark.parametrize(
    "match", [EXAMPLE, LONG, LARGEST, WIDEST, leave(sit()), play(game("1234"))]
)
def test_every_review_fits_every_extent_and_shows_the_selected_guess(extent, match, look):
    for number, played in enumerate(list_rounds(match)):
        for turns in range(0, len(played.turns) + 1, 1 + len(played.turns) // 9):
            scene = make_review(match, Position(number, turns), notes=NOTES)
            lines = draw_match(scene, plan_layout(scene, extent), look, RowClicks())
            assert len(lines) == extent.rows
            assert all(width(line) <= extent.columns for line in lines)
            rows = draw(scene, extent, look)
            mark = f"{look.glyphs.selected}{turns:>2} "
            assert not turns or any(mark in row for row in rows)


def test_estimated_numbers_of_codes_are_rounded_beside_the_guesses():
    reviewed = review_all(EXAMPLE)[0]
    assert not isinstance(reviewed, str)
    first, *others = reviewed
    estimate = msgspec.structs.replace(
        first, before=5_159_780_352, after=712_345_678, estimated=True
    )
    scene = make_review(position=Position(0, 1), reviews={0: (estimate, *others)})
    rows = draw(scene, Extent(140, 38))
    assert any("about 5,200,000,000 → 710,000,000 " in row for row in rows)


def test_a_click_selects_a_guess():
    guesses: list[int] = []
    scene = make_review(position=Position(0, 1))
    for line in draw_match(
        scene, plan_layout(scene, USUAL), LOOK, RowClicks(on_guess=guesses.append)
    ):
        for fragment in line:
            if len(fragment) == 3 and fragment[1].strip():
                fragment[2]()
    assert sorted(set(guesses)) == [1, 2, 3, 4]
