import pytest
from hypothesis import given

from kit.strategies import any_rules
from mastermind_client.words.rules import count_pegs, describe_rules, warn_of_letters
from mastermind_protocol.rules import PRESETS, find_rules


@given(any_rules)
def test_the_rules_are_told_with_all_that_a_colour_may_be_typed_as(rules):
    size, colours = describe_rules(rules)
    assert size.startswith(f"{rules.name}: {count_pegs(rules.pegs)}, {rules.colours} colours, ")
    for index, colour in enumerate(rules.palette):
        assert f"{' or '.join(alphabet[index] for alphabet in rules.alphabets)} {colour}" in colours


def test_letters_that_mean_another_colour_than_elsewhere_are_told():
    assert warn_of_letters(PRESETS["eight"]) == [
        "Take care: O is olive, not orange; P is pink, not purple."
    ]


@pytest.mark.parametrize("name", ["classic", "thirteen", "mini", "lab", "knuth", "4x12"])
def test_letters_that_mean_what_they_do_elsewhere_are_not_told_of(name):
    assert not warn_of_letters(find_rules(name))
