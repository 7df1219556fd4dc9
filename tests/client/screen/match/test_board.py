import pytest

from client.screen.looks import LOOK, show
from kit.matches import NONCE, do, pegs, sit
from mastermind_client.screen.match.board import NO_CLICKS, draw_board
from mastermind_client.screen.match.view import plan_layout
from mastermind_client.screen.motion.animation import Moment
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_protocol.commands import GuessCode, SetSecret, TakeAdvice
from mastermind_protocol.match import Match

USUAL = Extent(80, 23)
SET = do(sit(), "ADA", SetSecret(pegs("2531"), NONCE))
GUESSED = do(SET, "BOB", GuessCode(pegs("1122")))


def draw(match: Match, me: str, extent: Extent = USUAL, **more: object) -> list[str]:
    values: dict[str, object] = {"entry": Entry.empty(match.rules), **more}
    scene = Scene("7KQ2MX", match, me, **values)  # type: ignore[arg-type]
    return show(draw_board(scene, plan_layout(scene, extent), LOOK, NO_CLICKS))


def test_a_guess_made_with_advice_is_labelled():
    match = do(SET, "BOB", TakeAdvice(), GuessCode(pegs("1122")))
    assert draw(match, "ADA")[6].rstrip(" |").endswith("with advice")


def test_a_code_is_named_for_its_maker_or_for_us_if_we_set_it_for_a_bot():
    assert "Ada's code" in draw(GUESSED, "CLEO")[0]
    assert "Your code" in draw(GUESSED, "ADA")[0]
    assert "Your code" in draw(GUESSED, "CLEO", opened_secret=pegs("2531"))[0]


@pytest.mark.parametrize(
    ("moment", "seen"),
    [
        (Moment(shown_key_pegs=0), "1   R     R     G     G"),
        (Moment(shown_key_pegs=1), "1   R     R     G     G    o"),
        (Moment(), "1   R     R     G     G    oo..  0 black, 2 white"),
    ],
)
def test_an_answer_appears_peg_by_peg_and_then_in_words(moment, seen):
    row = next(line for line in draw(GUESSED, "ADA", moment=moment) if "1   R" in line)
    assert row.strip("| ") == seen


def test_a_full_board_shrinks_its_guesses_and_keeps_the_code_in_place():
    guesses = [GuessCode(pegs("1122"))] * 6
    before, after = do(SET, "BOB", *guesses), do(SET, "BOB", *guesses, guesses[0])
    loose, tight = draw(before, "ADA"), draw(after, "ADA")
    assert loose[:5] == tight[:5]
    assert len(loose) == len(tight)
    assert [line[2:6].strip() for line in loose[5:-1:2]] == ["1", "2", "3", "4", "5", "6", "> 7"]
    assert [line[2:6].strip() for line in tight[5:-1]][:8] == [*"1234567", "> 8"]
