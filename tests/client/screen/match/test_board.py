import pytest

from client.screen.looks import LOOK, show
from kit.matches import pegs
from kit.played import NONCE, do, game, play, sit
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.match.board import NO_CLICKS, draw_board
from mastermind_client.screen.match.view import plan
from mastermind_client.screen.motion.motion import Moment
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_protocol.commands import GuessCode, SetSecret, TakeAdvice
from mastermind_protocol.match import Match

USUAL = Extent(80, 23)
SET = do(sit(), "ADA", SetSecret(pegs("2531"), NONCE))
GUESSED = do(SET, "BOB", GuessCode(pegs("1122")))
OVER = play(game("2531", "1122", "2531"))


def draw(match: Match, me: str, extent: Extent = USUAL, **more: object) -> list[str]:
    values: dict[str, object] = {"entry": Entry.empty(match.rules), **more}
    scene = Scene("7KQ2MX", match, me, **values)  # type: ignore[arg-type]
    return show(draw_board(scene, plan(scene, extent), LOOK, NO_CLICKS))


def test_the_code_is_sealed_for_everybody_but_its_maker_until_the_end():
    assert "##?## ##?## ##?## ##?##  sealed" in draw(GUESSED, "BOB")[1]
    assert "  G     O     B     R    sealed" in draw(GUESSED, "ADA")[1]
    assert "  G     O     B     R    as it was sealed +" in draw(OVER, "BOB")[1]


def test_in_few_rows_the_code_is_in_the_edge():
    assert "-##?##-##?##-##?##-##?##-- Ada's code ---" in draw(GUESSED, "BOB", Extent(60, 19))[0]


def test_a_code_is_chosen_in_its_own_row_with_the_palette_beside_it():
    entry = Entry.empty(sit().rules).place(1)
    rows = draw(sit(), "ADA", entry=entry)

    assert "  G   [   ]" in rows[1]
    assert "R  G  B  Y  O  P" in rows[1]
    assert "1  2  3  4  5  6" in rows[2]


def test_whoever_waits_sees_where_the_answer_will_be():
    assert "> 2   .     .     .     .    Bob thinks ~" in draw(GUESSED, "ADA")[7]


def test_a_guess_that_was_advised_says_so():
    match = do(SET, "BOB", TakeAdvice(), GuessCode(pegs("1122")))

    assert draw(match, "ADA")[6].rstrip(" |").endswith("with advice")


@pytest.mark.parametrize(
    ("moment", "seen"),
    [
        (Moment(answer=0), "1   R     R     G     G"),
        (Moment(answer=1), "1   R     R     G     G    o"),
        (Moment(), "1   R     R     G     G    oo..  0 black, 2 white"),
    ],
)
def test_an_answer_comes_key_peg_by_key_peg_and_then_in_words(moment, seen):
    row = next(line for line in draw(GUESSED, "ADA", moment=moment) if "1   R" in line)

    assert row.strip("| ") == seen


def test_a_code_is_turned_over_tile_by_tile():
    assert "  G     O   ##?## ##?##" in draw(OVER, "BOB", moment=Moment(opened=2))[1]
    assert "##?##                  " in draw(SET, "BOB", moment=Moment(sealed=1))[1]


def test_when_the_next_guess_does_not_fit_the_board_tightens_and_the_code_stays():
    guesses = [GuessCode(pegs("1122"))] * 6
    before, after = do(SET, "BOB", *guesses), do(SET, "BOB", *guesses, guesses[0])

    loose, tight = draw(before, "ADA"), draw(after, "ADA")

    assert loose[:5] == tight[:5]
    assert len(loose) == len(tight)
    assert [line[2:6].strip() for line in loose[5:-1:2]] == ["1", "2", "3", "4", "5", "6", "> 7"]
    assert [line[2:6].strip() for line in tight[5:-1]][:8] == [*"1234567", "> 8"]
