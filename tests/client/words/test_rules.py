from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given

from mastermind_client.words.rules import (
    count_pegs,
    describe_rules,
    explain_rules,
)
from mastermind_protocol.rules import find_rules
from strategies import any_rules

if TYPE_CHECKING:
    from mastermind_protocol.rules import Rules


@given(any_rules)
def test_the_rules_are_told_with_all_that_a_colour_may_be_typed_as(rules: Rules) -> None:
    size, colours = describe_rules(rules)
    assert size.startswith(f"{rules.name}: {count_pegs(rules.pegs)}, {rules.colours} colours, ")
    for index, colour in enumerate(rules.palette):
        assert f"{' or '.join(alphabet[index] for alphabet in rules.alphabets)} {colour}" in colours


@given(any_rules)
def test_the_rules_are_explained_in_ten_lines(rules: Rules) -> None:
    lines = explain_rules(rules)
    assert lines[:2] == describe_rules(rules)
    assert 1 < len(lines) <= 10
    assert all(line.strip() for line in lines)


def test_the_explanation_is_of_these_rules() -> None:
    lines = explain_rules(find_rules("thirteen"))
    assert "the right colour in the right place:  [X][ ][ ][ ]  1 black, 0 white" in lines
    assert "the right colour in another place:  [O][ ][ ][ ]  0 black, 1 white" in lines
    assert "The code stands if it is not broken by 13 guesses." in lines
    endless = explain_rules(find_rules("knuth"))
    assert "The round goes on until the code is broken or the codebreaker gives it up." in endless
