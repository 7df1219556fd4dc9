import pytest

from mastermind_client.actions import ACTIONS, Action, index_actions
from mastermind_client.lines.dialogue import MatchDialogue, SpectatorDialogue
from mastermind_client.lines.player import LinePlayer
from mastermind_protocol.commands import COMMANDS


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (Action("say", ""), "'say'"),
        (Action("shout", "", letter="s"), "'s'"),
        (Action("shout", "", keys=("f1", "tab")), "'tab'"),
    ],
)
def test_two_actions_that_share_a_way_in_are_named(other, shared):
    with pytest.raises(ValueError, match=rf"'say' and '{other.name}' share {shared}"):
        index_actions([Action("say", "", letter="s", keys=("tab",)), other])


@pytest.mark.parametrize("dialogue", [MatchDialogue, SpectatorDialogue, LinePlayer])
def test_each_method_of_a_dialogue_does_an_action(dialogue):
    methods = {name.removeprefix("do_") for name in dir(dialogue) if name.startswith("do_")}
    assert methods <= ACTIONS.keys()


def test_each_command_of_a_match_is_an_action_or_belongs_to_another_step():
    elsewhere = {
        "join": "a screen or a command",
        "secret": "the action guess",
        "leave": "the action quit",
        "rematch": "the question at the end",
    }
    assert COMMANDS.keys() - ACTIONS.keys() == elsewhere.keys()
