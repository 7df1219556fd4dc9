import pytest

from mastermind_client.cli.command import EXIT_OK, EXIT_USAGE, main
from mastermind_client.cli.process import settings_path
from mastermind_client.config.settings import save
from mastermind_client.messages.rules import format_how_to_play
from mastermind_protocol.rules import DEFAULT, find_rules


def test_the_named_rules_are_explained(capsys):
    assert main(["rules", "5x8/9"]) == EXIT_OK
    assert capsys.readouterr().out.splitlines() == format_how_to_play(find_rules("5x8/9"))


def test_a_script_gets_the_default_rules(capsys):
    save({"rules": "mini"}, settings_path())
    assert main(["rules"]) == EXIT_OK
    assert capsys.readouterr().out.splitlines() == format_how_to_play(DEFAULT)


def test_unknown_rules_are_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["rules", "chess"])
    assert ended.value.code == EXIT_USAGE
    assert "'chess' names no rules" in capsys.readouterr().err
