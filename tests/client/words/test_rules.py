from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given

from mastermind_client.words.rules import count_pegs, describe_rules
from strategies import any_rules

if TYPE_CHECKING:
    from mastermind_protocol.rules import Rules


@given(any_rules)
def test_the_rules_are_told_with_all_that_a_colour_may_be_typed_as(rules: Rules) -> None:
    size, colours = describe_rules(rules)
    assert size.startswith(f"{rules.name}: {count_pegs(rules.pegs)}, {rules.colours} colours, ")
    for index, colour in enumerate(rules.palette):
        assert f"{' or '.join(alphabet[index] for alphabet in rules.alphabets)} {colour}" in colours
