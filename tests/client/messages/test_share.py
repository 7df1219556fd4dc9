from hypothesis import given
from hypothesis import strategies as st

from kit.matches import game, play
from kit.strategies import brief, codes_of
from mastermind_client.messages.codes import name_colours
from mastermind_client.messages.share import ASCII_MARKS, MARKS, share_match
from mastermind_protocol.code import format_code
from mastermind_protocol.rules import find_rules

RULES = find_rules("classic")


def test_a_game_is_shared_as_its_marks():
    match = play(game("2513", "1122", "2344", "2536", "2513"))
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


def test_a_code_that_was_not_broken_has_a_cross_as_its_number():
    assert share_match(play(game("1234", "5555"))) == "Mastermind 4x6 · X/12\n····"
    assert share_match(play(game("1234", "1234"), rules="knuth")) == "Mastermind 4x6 · 1\n●●●●"


def test_a_shared_game_names_the_advice_taken():
    match = play(game("1234", "1234", advised=(1,)))
    assert share_match(match) == "Mastermind 4x6 · 1/12, with advice\n●●●●"


def test_each_round_names_its_codebreaker():
    match = play(game("1234", "1122", "1234"), game("1234", "1234"))
    assert share_match(match) == (
        "Mastermind 4x6 · Bob 2/12\n●○··\n●●●●\n\nMastermind 4x6 · Ada 1/12\n●●●●"
    )


@brief
@given(codes_of(RULES), st.lists(codes_of(RULES), max_size=4), st.permutations(range(6)))
def test_a_picture_does_not_reveal_the_code(secret, guesses, others):
    """The picture depends on the feedback alone, not on the colours."""

    def dye(code):
        return tuple(others[colour] for colour in code)

    def shared(secret, guesses):
        typed = [format_code(code, RULES) for code in (secret, *guesses)]
        return share_match(play(game(*typed)))

    while secret in guesses:
        guesses.remove(secret)
    told = shared(secret, guesses)
    assert told == shared(dye(secret), [dye(code) for code in guesses])
    body = told.partition("\n")[2]
    assert set(body) <= {*MARKS.black, *MARKS.white, *MARKS.none, "\n"}
    for code in (secret, *guesses):
        assert not any(name in told for name in name_colours(code, RULES))
