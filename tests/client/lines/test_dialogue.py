import pytest

from mastermind_client.actions import Action
from mastermind_client.lines.styles import find_action, write_help

ACTIONS = (
    Action("last", "the last guess", letter="l"),
    Action("rules", "what is played", takes="[NAME]"),
    Action("quit", "go", letter="q"),
)
WORDS = {"quit": "leave"}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("l", (ACTIONS[0], "l", "")),
        (" LAST ", (ACTIONS[0], "last", "")),
        ("rules", (ACTIONS[1], "rules", "")),
        ("rules  Two Words ", (ACTIONS[1], "rules", "Two Words")),
        ("Q", (ACTIONS[2], "q", "")),
        ("quit", (ACTIONS[2], "quit", "")),
        ("leave", (ACTIONS[2], "leave", "")),
        ("Д", (ACTIONS[0], "l", "")),  # the key of l in a Cyrillic layout
        ("кгдуы Две Ｗ", (ACTIONS[1], "rules", "Две Ｗ")),
    ],
)
def test_a_line_names_the_action_it_starts_with(line, found):
    assert find_action(line, ACTIONS, WORDS) == found


@pytest.mark.parametrize("line", ["", "  ", "x", "la", "l l g g", "quit now", "1122"])
def test_any_other_line_names_no_action(line):
    assert find_action(line, ACTIONS, WORDS) is None


def test_the_help_lists_the_actions():
    assert write_help(ACTIONS, WORDS) == [
        "  l, last            the last guess",
        "  rules [NAME]       what is played",
        "  q, leave           go",
    ]
