import pytest

from mastermind_client.cli.command import OK, USAGE, main
from mastermind_client.config.settings import save
from mastermind_client.words.how_to_play import write_how_to_play
from mastermind_protocol.rules import DEFAULT, find_rules


def test_it_is_told_how_to_play_by_the_rules_that_are_named(capsys):
    assert main(["rules", "5x8/9"]) == OK
    assert capsys.readouterr().out.splitlines() == write_how_to_play(find_rules("5x8/9"))


def test_a_script_is_told_the_usual_rules_whatever_was_played_last(capsys):
    save({"rules": "mini"})
    assert main(["rules"]) == OK
    assert capsys.readouterr().out.splitlines() == write_how_to_play(DEFAULT)


def test_rules_that_are_none_are_refused_with_those_there_are(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["rules", "chess"])
    assert ended.value.code == USAGE
    assert "'chess' names no rules" in capsys.readouterr().err
