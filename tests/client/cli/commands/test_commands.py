from pathlib import Path

import pytest

from mastermind_client.cli import commands
from mastermind_client.cli.parser import make_parser


def test_a_command_is_a_module_and_a_line_of_the_list():
    modules = {file.stem.rstrip("_") for file in Path(commands.__file__).parent.glob("[!_]*.py")}
    assert set(commands.COMMANDS) == modules


@pytest.mark.parametrize("command", commands.COMMANDS)
def test_a_command_builds_its_options(command):
    parsed = make_parser(command)._subparsers
    assert parsed is not None
    (commands_of_parser,) = parsed._group_actions
    assert isinstance(commands_of_parser.choices, dict)
    assert callable(commands_of_parser.choices[command].get_default("build"))
