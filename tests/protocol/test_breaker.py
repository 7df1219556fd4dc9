from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import any_rules, brief, codes_of
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn, find_excluded_colours, find_excluding_guess
from mastermind_protocol.rules import DEFAULT

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


def test_a_guess_without_or_with_all_key_pegs_excludes_its_colours_or_all_others():
    some, none = Turn((0, 0, 1, 2), Feedback(2, 1)), Turn((3, 3, 5, 3), Feedback(0, 0))
    every = Turn((0, 0, 1, 2), Feedback(1, 3))
    assert find_excluded_colours([], DEFAULT) == find_excluded_colours([some], DEFAULT) == set()
    assert find_excluded_colours([some, none], DEFAULT) == {3, 5}
    assert find_excluded_colours([every], DEFAULT) == {3, 4, 5}
    assert find_excluded_colours([Turn((3, 4, 3, 4), Feedback(0, 0)), every], DEFAULT) == {3, 4, 5}


@given(rules_and_code, st.data())
@brief
def test_the_secret_and_its_colours_are_never_excluded(drawn, data):
    rules, secret = drawn
    guesses = data.draw(st.lists(codes_of(rules), max_size=5))
    turns = [Turn(guess, score(secret, guess)) for guess in guesses]
    assert find_excluding_guess(secret, turns) is None
    assert find_excluded_colours(turns, rules).isdisjoint(secret)
    assert all(
        find_excluding_guess(guess, turns) is not None for guess in guesses if guess != secret
    )
