import pytest

from mastermind_server import cli


@pytest.mark.parametrize(
    "options",
    [
        ["--prot", "0"],
        ["--port", "65536"],
        ["--port", "http"],
        ["--log-level", "loud"],
        ["--abandon-after", "0"],
    ],
)
def test_a_wrong_option_is_explained_and_status_2(options, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(options)
    assert ended.value.code == 2
    err = capsys.readouterr().err
    first, second = err.splitlines()
    assert first.startswith("mastermind-server: error: ")
    assert options[0] in first
    assert second == "Help: mastermind-server --help"


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for option in ("--host", "--port", "--database", "--log-level", "8765", "127.0.0.1"):
        assert option in text


def test_help_names_the_other_commands_and_each_has_its_own(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    text = capsys.readouterr().out
    for name, command in cli.COMMANDS.items():
        assert f"  {name:10} {command.SUMMARY}" in text
        with pytest.raises(SystemExit) as ended:
            cli.main([name, "--help"])
        assert ended.value.code == 0
        assert f"usage: mastermind-server {name} " in capsys.readouterr().out


def test_what_is_no_command_is_told(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["migrat"])
    assert ended.value.code == 2
    assert "unrecognized arguments: migrat" in capsys.readouterr().err
