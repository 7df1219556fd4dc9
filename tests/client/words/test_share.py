from hypothesis import given
from hypothesis import strategies as st

from client.screen.played import game, play
from mastermind_client.words.codes import name_colours
from mastermind_client.words.share import ASCII_MARKS, MARKS, share_match
from mastermind_protocol.rules import find_rules
from strategies import brief, codes_of

RULES = find_rules("classic")


def test_a_game_is_shown_by_its_marks_alone():
    match = play(game("1402", "0011", "1233", "1425", "1402"))
    assert share_match(match).splitlines() == [
        "Mastermind 4x6 · 4/12",
        "○○··",
        "●○··",
        "●●○·",
        "●●●●",
    ]
    assert share_match(match, ASCII_MARKS).splitlines() == [
        "Mastermind 4x6 - 4/12",
        "oo..",
        "Xo..",
        "XXo.",
        "XXXX",
    ]
    assert share_match(match, ASCII_MARKS).isascii()


def test_a_code_that_stands_has_a_cross_for_its_number():
    assert share_match(play(game("0123", "4444"))) == "Mastermind 4x6 · X/12\n····"
    assert share_match(play(game("0123", "0123"), rules="knuth")) == "Mastermind 4x6 · 1\n●●●●"


def test_rounds_are_told_apart_by_who_broke_the_code():
    match = play(game("0123", "0011", "0123"), game("0123", "0123"))
    assert share_match(match) == (
        "Mastermind 4x6 · Bob 2/12\n●○··\n●●●●\n\nMastermind 4x6 · Ada 1/12\n●●●●"
    )


@brief
@given(codes_of(RULES), st.lists(codes_of(RULES), max_size=4), st.permutations(range(6)))
def test_a_picture_says_nothing_of_the_code(secret, guesses, others):
    """Games with the same feedback look the same, whatever colours they were played in."""

    def dye(code):
        return tuple(others[colour] for colour in code)

    def shared(secret, guesses):
        digits = ["".join(map(str, code)) for code in (secret, *guesses)]
        return share_match(play(game(*digits)))

    while secret in guesses:
        guesses.remove(secret)
    told = shared(secret, guesses)
    assert told == shared(dye(secret), [dye(code) for code in guesses])
    body = told.partition("\n")[2]
    assert set(body) <= {*MARKS.black, *MARKS.white, *MARKS.none, "\n"}
    for code in (secret, *guesses):
        assert not any(name in told for name in name_colours(code, RULES))
