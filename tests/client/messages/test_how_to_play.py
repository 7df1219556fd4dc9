from hypothesis import given

from kit.strategies import any_rules
from mastermind_client.messages.how_to_play import choose_example, explain_game, write_how_to_play
from mastermind_client.messages.rules import describe_rules
from mastermind_protocol.code import check_code
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.rules import DEFAULT, find_rules


@given(any_rules)
def test_the_example_has_one_peg_in_its_place_one_elsewhere_and_none_besides(rules):
    example = choose_example(rules)
    for code in (example.secret, example.guess):
        check_code(code, example.rules)
    assert example.feedback == Feedback(1, 1)
    assert example.guess[0] == example.secret[0]
    assert not set(example.guess[2:]) & set(example.secret)


def test_the_example_is_of_these_rules_or_of_the_default_ones():
    for name in ("classic", "eight", "lab", "5x6/12"):
        rules = find_rules(name)
        assert choose_example(rules).rules == rules
    for name in ("3x6/12", "6x6/12", "4x4/12"):
        assert choose_example(find_rules(name)).rules == DEFAULT


def test_the_example_names_the_pegs_that_earned_its_feedback():
    assert choose_example(DEFAULT).letters == ["G", "B", "Y", "Y"]
    assert (
        choose_example(DEFAULT).explain()
        == "G is in its place. B is in the code, elsewhere. Y is not."
    )


def test_the_text_has_the_rules_numbers_and_key_pegs():
    assert "has 12 guesses to find it" in explain_game(DEFAULT).task[1]
    assert "The other guesses until it is found." in explain_game(find_rules("knuth")).task[1]
    assert "has 1 guess to find it. It is answered" in explain_game(find_rules("4x6/1")).task[1]
    black, gray = explain_game(find_rules("mini")).answers
    assert (black.split(":")[0], gray.split(":")[0]) == ("black", "gray")
    assert explain_game(find_rules("thirteen")).answers[1].startswith("white: ")


@given(any_rules)
def test_the_lines_contain_the_whole_text_and_the_rules(rules):
    told, lines = explain_game(rules), write_how_to_play(rules)
    for sentence in (*told.task, told.riddle, *told.end, *describe_rules(rules)):
        assert sentence in lines
    assert [line for line in lines if line.startswith("  the code")]
    assert len(lines) <= 14
    assert all(lines)


def test_the_example_in_lines_has_the_rules_notation():
    for name, answer in (
        ("classic", "G B Y Y   1 black, 1 white"),
        ("eight", "G B Y Y   KW  1 black, 1 white"),
        ("mini", "G O B B   1 black, 1 gray, 2 empty"),
    ):
        assert [line for line in write_how_to_play(find_rules(name)) if line.endswith(answer)]
