from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import any_rules, brief, codes_of
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn, find_excluding_guess

rules_and_code = any_rules.flatmap(lambda rules: st.tuples(st.just(rules), codes_of(rules)))


def test_a_code_is_excluded_by_the_first_guess_that_it_does_not_fit():
    turns = [
        Turn((0, 0, 1, 1), Feedback(1, 0)),
        Turn((2, 2, 3, 3), Feedback(0, 2)),
    ]
    assert find_excluding_guess((0, 2, 3, 4), []) is None
    assert find_excluding_guess((1, 1, 2, 2), turns) == 1
    assert (
        find_excluding_guess((0, 1, 2, 4), turns) == 1
    )  # its black pegs fit, its white ones do not
    assert find_excluding_guess((0, 2, 4, 4), turns) == 2
    assert find_excluding_guess((0, 3, 2, 4), turns) is None


@given(rules_and_code, st.data())
@brief
def test_the_secret_is_never_excluded(drawn, data):
    rules, secret = drawn
    guesses = data.draw(st.lists(codes_of(rules), max_size=5))
    turns = [Turn(guess, score(secret, guess)) for guess in guesses]
    assert find_excluding_guess(secret, turns) is None
    assert all(
        find_excluding_guess(guess, turns) is not None for guess in guesses if guess != secret
    )
