from dataclasses import replace

from kit.matches import ADA, BOB, NONCE, do
from mastermind_client.screen.match.notes import (
    count_candidates,
    draw_advice,
    draw_advice_line,
    draw_candidates,
)
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.theme import Look
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.events import Joined, Opened, Seat
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import Advice, GuessMeasures
from mastermind_protocol.rules import DEFAULT, find_rules
from mastermind_protocol.transitions import fold

LOOK = Look.choose("mono", "never", "unicode", {"TERM": "xterm"}, "utf-8")
SECRET, GUESSES = (1, 4, 0, 2), ((0, 0, 1, 1), (1, 2, 3, 3), (1, 4, 2, 5))  # as it was drawn
TURNS = tuple(Turn(guess, score(SECRET, guess)) for guess in GUESSES)


def draw(scene: Scene, columns: int = 21) -> list[str]:
    lines = draw_candidates(scene, columns, LOOK)
    return ["".join(words for _style, words, *_click in line) for line in lines]


def look_at(me: str, *, rated: bool = False, rules: str = "classic") -> Scene:
    match = fold(
        [
            Opened(rules=rules, rounds=1, rated=rated),
            Joined(player=ADA, seat=Seat.MAKER),
            Joined(player=BOB, seat=Seat.BREAKER),
        ]
    )
    secret = SECRET if match.rules.pegs == len(SECRET) else (0,) * match.rules.pegs
    match = do(match, "ADA", SetSecret(secret, NONCE))
    return Scene("7KQ2MX", match, me, Entry.empty(match.rules))


def test_each_answer_excludes_codes():
    left = [count_candidates(DEFAULT, TURNS[:number]) for number in range(4)]
    assert left == [1296, 96, 18, 3]


def test_codes_without_repeats_are_counted():
    rules = find_rules("bulls")
    turn = Turn((0, 1, 2, 3), Feedback(0, 0))
    assert [count_candidates(rules, turns) for turns in ((), (turn,))] == [5040, 360]


def test_the_bar_shrinks_on_a_logarithmic_scale():
    scene = look_at("ADA")
    assert draw(scene) == ["all 1296 codes fit", "▆" * 21]
    scene = replace(
        scene, match=do(scene.match, "BOB", *(GuessCode(guess) for guess in GUESSES[:2]))
    )
    assert draw(scene) == ["18 of 1296 codes fit", "▆" * 8 + "▁" * 13]
    scene = replace(scene, match=do(scene.match, "BOB", GuessCode(GUESSES[2])))
    assert draw(scene)[0] == "3 of 1296 codes fit"


def test_codebreakers_and_rated_matches_see_no_count():
    assert draw(look_at("CLEO"))
    assert not draw(look_at("BOB"))
    assert not draw(look_at("ADA", rated=True))


def test_large_rules_are_not_counted():
    assert draw(look_at("ADA", rules="6x4"))
    assert not draw(look_at("ADA", rules="6x5"))


def test_contradictory_answers_leave_no_code():
    wrong = (*TURNS, Turn(SECRET, Feedback(0, 0)))
    assert count_candidates(DEFAULT, wrong) == 0


def advised(*, left: int, size: float, estimated: bool) -> list[str]:
    """Return the advice of one guess, in the side column of a window of 80 columns.

    The last line is that of a window without a side column.
    """
    best = GuessMeasures((0, 0, 1, 2), possible=True, worst=312, size=size, bits=3.0, parts=13)
    advice = Advice(id=1, match="7KQ2MX", guess=1, left=left, guesses=(best,), estimated=estimated)
    scene = look_at("BOB")
    drawn = draw_advice(advice, scene, Extent(22, 20), LOOK)
    line = draw_advice_line(advice, scene, 60, LOOK)
    return ["".join(words for _style, words, *_click in line) for line in (*drawn, line)]


def test_advice_for_the_first_guess_fits_beside_a_board_of_80_columns():
    drawn = advised(left=1296, size=188.2, estimated=False)
    assert drawn[-2] == " 188.2 left, may be it"
    assert drawn[-1] == "1296 codes fit.  (R)(R)(G)(B) 188.2 left"


def test_estimates_are_rounded_in_advice_and_wrapped_where_they_do_not_fit():
    drawn = advised(left=12_345_678, size=1_987_307.9, estimated=True)
    assert drawn[:2] == [" About 12,000,000", " codes fit."]
    assert drawn[-3:-1] == [" about 2,000,000 left", " may be the code"]
    assert drawn[-1] == "(R)(R)(G)(B) about 2,000,000 left"
