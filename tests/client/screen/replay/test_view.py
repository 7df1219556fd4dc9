from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from client.people import pegs
from client.screen.played import BOB, NONCE, do, game, leave, play, sit
from mastermind_client.screen.kit.lines import Extent, fit, width
from mastermind_client.screen.look import Look
from mastermind_client.screen.match.position import Position, find_live, list_rounds
from mastermind_client.screen.match.scene import Replay
from mastermind_client.screen.replay.view import ReplayClicks, count_hidden, draw_replay
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_server.bots.advice import review

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Reviewed

LOOK = Look.choose("mono", "never", "ascii", {}, "ascii")
SMALLEST, USUAL, LARGE, HUGE = Extent(60, 18), Extent(80, 22), Extent(120, 38), Extent(300, 100)
TWO_ROUNDS = play(
    game("0123", "0011", "0122", "0123", advised=(2,)), game("5544", "0011", "2233", "5544")
)
MAX_REVIEWED_CODES = 10_000  # of the matches here: a review of more takes long
CHAT = (
    ChatLine(room="players", n=1, by="ADA", name="Ada", phrase=2),
    ChatLine(room="players", n=2, by="BOB", name="Bob", text="Thanks\x1b[2J"),
)


@cache
def review_all(match: Match) -> dict[int, Sequence[Reviewed] | str]:
    """Return what a server says of every round, of which it says nothing where codes are many."""
    if match.rules.codes > MAX_REVIEWED_CODES:
        return dict.fromkeys(range(len(match.played)), "Too many codes.")
    return {number: review(match.rules, each.turns) for number, each in enumerate(match.played)}


def make_replay(
    match: Match = TWO_ROUNDS, position: Position | None = None, **changes: Any
) -> Replay:
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


def draw(replay: Replay, extent: Extent = USUAL) -> list[str]:
    """Return the lines on the screen."""
    clicks = ReplayClicks(guess=lambda _number: None, position=lambda _position: None)
    lines = fit(draw_replay(replay, extent, LOOK, clicks), extent)
    return ["".join(fragment[1] for fragment in line).rstrip() for line in lines]


def test_on_a_narrow_screen_the_review_is_below_the_board() -> None:
    assert draw(make_replay(position=Position(0, 2)), SMALLEST) == [
        " Review  classic  match K7M2QX   round 1 of 2, guess 2 of 3",
        " codemaker  Ada                codebreaker  Bob (you)",
        "    (R) (G) (B) (Y)  secret                             luck",
        "  1 (R) (R) (G) (G) Xo..  1 black, 1 white             -0.25",
        "> 2 (R) (G) (B) (B) XXX.  3 black, 0 white *           +2.17",
        "  3  .   .   .   .",
        "  4  .   .   .   .",
        "---------------------------------- ^v lines 1 to 10 of 12 --",
        "Guess 2, with advice: 3 black, 0 white",
        "208 -> 6 codes, 5.12 bits; 2.95 expected, luck +2.17",
        "expected size 31.7: beaten; could be it",
        "optimal plays  (R)(B)(R)(Y) 3.36 bits expected, size 23.4",
        "You beat the expected size on 2 of 3 guesses.",
        "Luck in the whole round: +2.59 bits.",
        "",
        "The match",
        "> 1  You broke the code in 3 guesses.",
        "  2  Ada broke the code in 3 guesses.",
    ]


def test_on_a_wide_screen_the_review_is_beside_the_board_and_the_chat_below_it() -> None:
    lines = draw(make_replay(position=Position(0, 2), chat=CHAT), LARGE)
    assert lines[2].endswith("luck | Guess 2, with advice: 3 black, 0 white")
    assert lines[4].startswith("> 2 (R) (G) (B) (B) XXX.  3 black, 0 white")
    assert any(line.endswith("| Ada says: Good luck!") for line in lines)
    assert any(line.endswith("| You say: Thanks?[2J") for line in lines)


def test_the_board_is_as_it_was_at_the_position() -> None:
    lines = draw(make_replay(position=Position(0, 1)))
    assert lines[3].startswith("> 1 (R) (R) (G) (G) Xo..  1 black, 1 white")
    assert lines[4] == "  2  .   .   .   ."
    assert "round 1 of 2, guess 1 of 3" in lines[0]


def test_the_board_has_the_rows_that_the_notes_do_not_need() -> None:
    for match, position in ((TWO_ROUNDS, Position(0, 2)), (play(game("0123")), Position(0, 0))):
        lines = draw(make_replay(match, position))
        assert lines[-1], lines
        board = lines.index("-" * USUAL.columns) - 3
        assert board == {TWO_ROUNDS: 6}.get(match, 10)
        assert [line.split()[-5] for line in lines[7:8]]
    whole = draw(make_replay(position=Position(0, 2)), Extent(80, 60))
    assert sum(line.endswith(".   .   .   .") for line in whole) == 10  # of twelve guesses
    assert count_hidden(make_replay(position=Position(0, 2)), USUAL, LOOK) == 0


def test_before_the_first_guess_the_number_of_codes_is_told() -> None:
    shown = draw(make_replay(position=Position(0, 0)))
    assert "Before the first guess there are 1296 codes." in shown
    assert not any("advice" in line for line in shown)


def test_the_secret_is_shown_unless_it_is_hidden_until_the_round_is_over() -> None:
    on_the_way, at_the_end = Position(0, 2), Position(0, 3)
    assert draw(make_replay(position=on_the_way))[2].startswith("    (R) (G) (B) (Y)  secret")
    hidden = draw(make_replay(position=on_the_way, hidden=True))
    assert hidden[2].startswith("    ### ### ### ###  secret")
    over = draw(make_replay(position=at_the_end, hidden=True))
    assert over[2].startswith("    (R) (G) (B) (Y)  secret")


def test_at_the_end_of_a_round_its_result_its_proof_and_the_points_are_told() -> None:
    first = draw(make_replay(position=Position(0, 3)))
    assert "You broke the code in 3 guesses." in first
    assert "+ Code proven: it is the one committed to, and every feedback fits it." in first
    assert first[first.index("Guess 3: 4 black, 0 white") - 1] == "Points: Bob 0, Ada 3."
    last = draw(make_replay())
    assert "Ada broke the code in 3 guesses." in last
    assert last[last.index("Guess 3: 4 black, 0 white") - 1] == "The match is a draw."


def test_a_secret_that_was_not_the_one_committed_to_is_told_loudly() -> None:
    (first, second) = TWO_ROUNDS.played
    forged = msgspec.structs.replace(second, secret=pegs("5540"))
    match = msgspec.structs.replace(TWO_ROUNDS, played=(first, forged))
    shown = " ".join(draw(make_replay(match, reviews={})))
    assert "x WARNING! CODE NOT PROVEN: the code shown is not the one" in shown


def test_a_guess_that_the_bots_would_have_made_is_praised() -> None:
    match = play(game("0123", "0012", "0123"))
    shown = draw(make_replay(match, Position(0, 1)))
    assert "as optimal plays" in " ".join(shown)
    assert not any(line.startswith("optimal plays") for line in shown)


def test_a_guess_that_could_not_be_the_secret_is_told_as_such() -> None:
    match = play(game("0123", "0011", "0011", "0123"))
    assert any("could not be it" in line for line in draw(make_replay(match, Position(0, 2))))


def test_a_review_that_is_awaited_or_refused_is_told_of_and_all_else_is_there() -> None:
    awaited = draw(make_replay(position=Position(0, 1), reviews={}))
    assert "The bots are reviewing this round ..." in awaited
    assert not any("luck" in line for line in awaited)
    refused = draw(make_replay(position=Position(0, 1), reviews={0: "Too many codes."}))
    assert "No review: Too many codes." in refused
    for lines in (awaited, refused):
        assert lines[3].startswith("> 1 (R) (R) (G) (G) Xo..  1 black, 1 white")
        assert "Guess 1: 1 black, 1 white" in lines
        assert "> 1  You broke the code in 3 guesses." in lines


def test_whoever_has_not_played_reads_of_the_players_by_name() -> None:
    shown = draw(make_replay(position=Position(0, 3), me="SOMEBODY"))
    assert shown[1] == " codemaker  Ada                          codebreaker  Bob"
    assert "Bob broke the code in 3 guesses." in shown
    assert "Bob beat the expected size on 2 of 3 guesses." in shown


def test_a_round_without_guesses_is_told_as_such() -> None:
    shown = draw(make_replay(play(game("0123"))))
    assert "No guess was made in this round." in shown
    assert "You gave up after 0 guesses: the code stands." in shown


def test_a_match_that_was_left_before_its_first_round_is_told_as_such() -> None:
    shown = draw(make_replay(leave(sit())))
    assert "No round was played." in shown
    assert "Ada wins. You lose." in shown


def test_a_match_that_was_left_in_mid_game_shows_what_was_played() -> None:
    match = do(do(sit(), "ADA", SetSecret(pegs("0123"), NONCE)), "BOB", GuessCode(pegs("0011")))
    shown = draw(make_replay(leave(match)))
    assert "The round ends after 1 guess." in shown
    assert "Ada wins. You lose." in shown
    assert shown[3].startswith("> 1 (R) (R) (G) (G) Xo..  1 black, 1 white")


def test_what_has_no_room_can_be_scrolled_to() -> None:
    replay = make_replay(chat=CHAT)
    hidden = count_hidden(replay, SMALLEST, LOOK)
    assert hidden > 0
    scrolled = draw(replace(replay, top=hidden), SMALLEST)
    assert scrolled[-1] == "You say: Thanks?[2J"
    assert draw(replace(replay, top=hidden + 99), SMALLEST) == scrolled
    assert draw(replay, SMALLEST)[:7] == scrolled[:7]
    assert count_hidden(replay, HUGE, LOOK) == 0


def largest() -> Match:
    """Return the largest match there is: all pegs, all colours, all guesses."""
    guesses = ["".join(str(place * number % 9) for place in range(9)) for number in range(1, 99)]
    return play(game("876543210", *guesses, "876543210"), rules="9x12/99")


LARGEST = largest()


@pytest.mark.parametrize("extent", [SMALLEST, USUAL, LARGE, HUGE])
@pytest.mark.parametrize("turns", [0, 1, 50, 98, 99])
def test_the_guess_that_is_looked_at_is_always_in_sight(extent: Extent, turns: int) -> None:
    lines = draw(make_replay(LARGEST, Position(0, turns)), extent)
    assert f"guess {turns} of 99" in lines[0]
    if turns:
        (row,) = [line for line in lines if line.startswith(f">{turns:>2} (")]
        assert " black, " in row
        assert any(f"Guess {turns}: " in line for line in lines)
    assert any("No review: Too many codes." in line for line in lines) is bool(turns)


@pytest.mark.parametrize("extent", [SMALLEST, USUAL, LARGE, HUGE])
@pytest.mark.parametrize(
    "match",
    [TWO_ROUNDS, LARGEST, leave(sit()), play(game("0123")), play(game("0123"), rules="knuth")],
)
def test_every_position_fits_every_screen(extent: Extent, match: Match) -> None:
    clicks = ReplayClicks(guess=lambda _number: None, position=lambda _position: None)
    for number, played in enumerate(list_rounds(match)):
        for turns in range(0, len(played.turns) + 1, 1 + len(played.turns) // 9):
            replay = make_replay(match, Position(number, turns), chat=CHAT)
            lines = draw_replay(replay, extent, LOOK, clicks)
            assert len(lines) <= extent.rows
            assert all(width(line) <= extent.columns for line in lines)


def test_a_click_on_a_guess_and_on_a_round_goes_there() -> None:
    guesses: list[int] = []
    positions: list[Position] = []
    clicks = ReplayClicks(guess=guesses.append, position=positions.append)
    for line in draw_replay(make_replay(position=Position(0, 1)), USUAL, LOOK, clicks):
        for fragment in line:
            if len(fragment) == 3 and fragment[1].strip():
                fragment[2]()
    assert sorted(set(guesses)) == [1, 2, 3, 4, 5, 6]
    assert sorted(set(positions)) == [Position(0, 3), Position(1, 3)]
