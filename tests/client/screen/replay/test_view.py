from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import pytest

from kit.matches import pegs
from kit.played import BOB, NONCE, do, game, leave, play, sit
from mastermind_client.screen.kit.lines import Extent, fit, width
from mastermind_client.screen.look import Look
from mastermind_client.screen.replay.view import count_hidden, draw_replay
from mastermind_client.screen.scene.feed import Kind, Note
from mastermind_client.screen.scene.position import Position, find_live, list_rounds
from mastermind_client.screen.scene.scene import Replay
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Reviewed
from mastermind_server.bots.advice import review

LOOK = Look.choose("default", "true", "unicode", {}, "utf-8")
PLAIN = Look.choose("mono", "never", "ascii", {}, "ascii")
SMALLEST, USUAL, LARGE, HUGE = Extent(60, 18), Extent(80, 22), Extent(100, 38), Extent(100, 98)
EXAMPLE = play(game("2513", "1122", "2344", "2536", "2513"), game("2513", "1122", "2513"))
LONG = play(game("2513", "1122", "2344", "2536", "6666", "5555", "1111", "2513"))
MAX_REVIEWED_CODES = 10_000  # of the matches here: a review of more takes long
NOTES = [Note(Kind.NEWS, f"News number {number}.") for number in range(1, 31)]


@cache
def review_all(match: Match) -> dict[int, Sequence[Reviewed] | str]:
    """Return a server's review of every round; it is empty where there are too many codes."""
    if match.rules.codes > MAX_REVIEWED_CODES:
        return dict.fromkeys(range(len(match.played)), "Too many codes.")
    return {number: review(match.rules, each.turns) for number, each in enumerate(match.played)}


def make_replay(match: Match = EXAMPLE, position: Position | None = None, **changes: Any) -> Replay:
    """Return a review of a match, from its end, as Bob sees it."""
    reviews = changes.pop("reviews", None)
    return Replay(
        "K7M2QX",
        match,
        changes.pop("me", BOB.id),
        review_all(match) if reviews is None else reviews,
        position=position or find_live(match),
        **changes,
    )


def draw(replay: Replay, extent: Extent = USUAL, look: Look = LOOK) -> list[str]:
    """Return the lines on the screen."""
    lines = fit(draw_replay(replay, extent, look, lambda _number: None), extent)
    return ["".join(fragment[1] for fragment in line).rstrip() for line in lines]


def test_the_review_is_as_drawn():
    assert draw(make_replay(position=Position(0, 2))) == [
        " Review  classic · Ada and Bob · round 1 of 2                      guess 2 of 4",
        "╭─ 93 of 100: you played well, and were lucky ─────────────────────────────────╮",
        "│       G     O     R     B    the code                how well     codes left │",
        "│     ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀                                                  │",
        "├──────────────────────────────────────────────────────────────────────────────┤",
        "│                                                                              │",
        "│   1   R     R     G     G    ○○··  0 black, 2 white  good          1296 → 96 │",
        "│     ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀                          ▀▀▀▀▀▀▀▀▀▀▀▔      lucky │",
        "│ ► 2   G     B     Y     Y    ●○··  1 black, 1 white  good            96 → 18 │",
        "│     ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀                          ▀▀▀▀▀▀▀▀▀▀▀▔    unlucky │",
        "│   3   G     O     B     P    ●●○·  2 black, 1 white  weak             18 → 3 │",
        "│     ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀                          ▀▀▀▀▀▀▀▀▔▔▔▔            │",
        "│   4   G     O     R     B    ●●●●  4 black, 0 white  found it          3 → 1 │",
        "│     ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀ ▀▀▀▀▀                          ▀▀▀▀▀▀▀▀▀▀▀▀      lucky │",
        "╰─ ● right place   ○ wrong place ──────────────────────── broken in 4 guesses ─╯",
        "╭─ Guess 2: good ──────────────────────────────────────────────────────────────╮",
        "│ It left 18 codes of 96. On average it would have left 13: unlucky.           │",
        "│ Better was ▐G▌▐B▌▐R▌▐Y▌, which leaves 12.7 and might have been the code.     │",
        "│ But guess 2 could not be the code itself: guess 1 ruled it out.              │",
        "│ 2.42 bits, 3.02 expected, best 3.17 · size 13.3, best 12.7 · luck -0.60      │",
        "╰──────────────────────────────────────────────────────────────────────────────╯",
        "  Round 1: you cracked it in 4.  Round 2: Ada cracked it in 2.  Ada wins 4 : 2.",
    ]


def test_in_the_smallest_window_key_pegs_stay_and_the_card_has_three_short_lines():
    lines = draw(make_replay(position=Position(0, 2)), SMALLEST)
    assert lines[7] == "│ ► 2 ▆G▆ ▆B▆ ▆Y▆ ▆Y▆  ●○··  good                  96 → 18 │"
    assert lines[-6:] == [
        "╭─ Guess 2: good ──────────────────────────────────────────╮",
        "│ It left 18 codes of 96: unlucky.                         │",
        "│ Better was ▐G▌▐B▌▐R▌▐Y▌, which leaves 12.7.              │",
        "│ Guess 1 had ruled it out.                                │",
        "╰──────────────────────────────────────────────────────────╯",
        "  Round 1: you cracked it in 4.  Ada wins 4 : 2.",
    ]


def test_on_a_wide_stage_tiles_are_tall_and_the_card_is_beside_the_board():
    lines = draw(make_replay(position=Position(0, 2)), LARGE)
    assert "╮   ╭─ Guess 2: good ─" in lines[1]
    assert lines[6].startswith("│     ▄▄▄▄▄ ▄▄▄▄▄ ▄▄▄▄▄ ▄▄▄▄▄ ")
    assert lines[10].startswith("│ ► 2   G     B     Y     Y    ●○··  good ")
    assert lines[-2].count("╰") == lines[-2].count("╯") == 2
    told = " ".join(line[66:].strip("│ ") for line in lines)
    assert "Better was ▐G▌▐B▌▐R▌▐Y▌ which leaves 12.7 and might have been the code." in told


def test_many_guesses_are_flat_and_the_one_that_is_told_of_is_in_sight():
    lines = draw(make_replay(LONG, Position(0, 7)))
    assert lines[12].startswith("│ ► 7 ▆▆G▆▆ ▆▆O▆▆ ▆▆R▆▆ ▆▆B▆▆  ●●●●  4 black, 0 white  found it")
    assert "│ It was the only code that was left." in "\n".join(lines)


def test_without_colours_and_in_ascii_all_of_it_is_there():
    lines = draw(make_replay(position=Position(0, 2)), look=PLAIN)
    text = "\n".join(lines)
    assert text.isascii()
    assert "(G)(B)(R)(Y), which leaves 12.7" in text
    assert "===========-" in text
    assert "96 > 18" in text


def test_the_title_of_the_frame_judges_whoever_broke_the_code():
    assert "93 of 100: Bob played well, and was lucky" in draw(make_replay(
        position=Position(0, 1), me="SOMEBODY"
    ))[1]  # fmt: skip
    last = draw(make_replay(me="SOMEBODY"))
    assert "Ada played" in last[1]
    assert "Round 1: Bob cracked it in 4." in last[-1]


def test_a_review_that_is_awaited_is_told_of_and_all_else_is_there():
    lines = draw(make_replay(position=Position(0, 1), reviews={}))
    assert "The bots look at this round …" in lines[1]
    assert lines[6] == (
        "│ ► 1   R     R     G     G    ○○··  0 black, 2 white                          │"
    )


def test_a_game_that_is_too_large_to_be_reviewed_says_why():
    lines = draw(make_replay(position=Position(0, 1), reviews={0: "Too many codes."}))
    assert "Not to be reviewed" in lines[1]
    assert lines[16].startswith("│ Too many codes. ")


def test_a_round_without_guesses_is_told_as_such():
    shown = draw(make_replay(play(game("1234"))))
    assert "No guess was made in this round." in shown[1]
    assert " given up " in "\n".join(shown)
    assert shown[-1] == "  The code stood.  Ada wins."


def test_a_match_that_was_left_before_its_first_round_is_told_as_such():
    shown = draw(make_replay(leave(sit())))
    assert "No round was played." in shown[1]
    assert shown[-1] == "  Ada wins."


def test_a_match_that_was_left_in_mid_game_shows_what_was_played():
    match = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "BOB", GuessCode(pegs("1122")))
    shown = draw(make_replay(leave(match)))
    assert shown[7].startswith("│ ► 1   R     R     G     G    ●○··"), "one guess has room"
    assert shown[-1] == "  Round 1 was not played to its end.  Ada wins."


def test_a_secret_that_was_not_the_one_committed_to_takes_the_title():
    (first, second) = EXAMPLE.played
    forged = msgspec.structs.replace(second, secret=pegs("6651"))
    match = msgspec.structs.replace(EXAMPLE, played=(first, forged))
    assert draw(make_replay(match, reviews={}))[0] == " ✗ This was not the sealed code."
    assert draw(make_replay(match, Position(0, 1), reviews={}))[0].startswith(" Review ")


def test_all_that_happened_takes_the_place_of_board_and_card():
    replay = make_replay(notes=NOTES, back=0)
    lines = draw(replay)
    assert lines[1].startswith("╭─ What happened ─")
    assert lines[-3].startswith("│ News number 30. ")
    back = count_hidden(replay, USUAL)
    assert back == len(NOTES) - 18
    first = draw(make_replay(notes=NOTES, back=back))
    assert first[2].startswith("│ News number 1. ")
    assert count_hidden(make_replay(notes=NOTES[:3]), USUAL) == 0


def largest() -> Match:
    """Return the largest match there is: all pegs, all colours, all guesses."""
    guesses = [
        "".join(str(place * number % 9 + 1) for place in range(9)) for number in range(1, 99)
    ]
    return play(game("987654321", *guesses, "987654321"), rules="9x12/99")


LARGEST = largest()
WIDEST = play(game("121212121", "111111111", "222211111", "121212121"), rules="9x2/9")


@pytest.mark.parametrize("extent", [SMALLEST, USUAL, LARGE, HUGE])
@pytest.mark.parametrize("turns", [1, 50, 98, 99])
def test_the_guess_that_is_told_of_is_always_in_sight(extent, turns):
    lines = draw(make_replay(LARGEST, Position(0, turns)), extent)
    assert f"guess {turns} of 99" in lines[0]
    assert sum(f"►{turns:>2} " in line for line in lines) == 1
    assert any("Too many codes." in line for line in lines)


@pytest.mark.parametrize("look", [LOOK, PLAIN])
@pytest.mark.parametrize("extent", [SMALLEST, USUAL, Extent(99, 20), LARGE, HUGE])
@pytest.mark.parametrize(
    "match",
    [EXAMPLE, LONG, LARGEST, WIDEST, leave(sit()), play(game("1234"))],
)
def test_every_guess_fits_every_screen(extent, match, look):
    for number, played in enumerate(list_rounds(match)):
        for turns in range(0, len(played.turns) + 1, 1 + len(played.turns) // 9):
            replay = make_replay(match, Position(number, turns), notes=NOTES)
            lines = draw_replay(replay, extent, look, lambda _number: None)
            assert len(lines) == extent.rows
            assert all(width(line) <= extent.columns for line in lines)


def test_a_click_on_a_guess_goes_there():
    guesses: list[int] = []
    for line in draw_replay(make_replay(position=Position(0, 1)), USUAL, LOOK, guesses.append):
        for fragment in line:
            if len(fragment) == 3 and fragment[1].strip():
                fragment[2]()
    assert sorted(set(guesses)) == [1, 2, 3, 4]
