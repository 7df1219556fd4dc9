import pytest

from kit.entries import SECRET, list_try_rows
from kit.matches import NONCE
from mastermind_client.actions import Action
from mastermind_client.lines.dialogue import SpectatorDialogue
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.styles import find_action, write_help
from mastermind_client.network.match_messages import take_proof
from mastermind_client.network.mirror import Mirror

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


async def test_the_code_of_a_try_is_printed_when_it_is_revealed(bob, desk):
    mirror = Mirror("ABCDEF")
    for row in list_try_rows("1234"):
        mirror.apply(row)
    with Inbox.open(bob.session, desk.terminal) as inbox:
        dialogue = SpectatorDialogue(inbox, mirror)
        with inbox.subscribed(dialogue.show):
            bob.session.updates.publish(*take_proof(mirror, SECRET, NONCE))
            await desk.until("The secret was 1 2 3 4: red green blue yellow.")
            await desk.until("Code proven: ")
