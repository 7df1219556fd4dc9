import pytest
from hypothesis import given

from kit.strategies import any_rules
from mastermind_client.messages.rules import count_pegs, describe_rules, warn_of_letters
from mastermind_protocol.rules import PRESETS, find_rules


@given(any_rules)
def test_the_rules_list_every_spelling_of_a_colour(rules):
    size, colours = describe_rules(rules)
    assert size.startswith(f"{rules.name}: {count_pegs(rules.pegs)}, {rules.colours} colours, ")
    for index, colour in enumerate(rules.palette):
        assert f"{' or '.join(alphabet[index] for alphabet in rules.alphabets)} {colour}" in colours


def test_letters_with_another_meaning_than_elsewhere_are_warned_of():
    assert warn_of_letters(PRESETS["eight"]) == [
        "Take care: O is olive, not orange; P is pink, not purple."
    ]


@pytest.mark.parametrize("name", ["classic", "thirteen", "mini", "lab", "knuth", "4x12"])
def test_letters_with_their_usual_meaning_are_not_warned_of(name):
    assert not warn_of_letters(find_rules(name))
