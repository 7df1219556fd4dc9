"""The server's arena as a command of the client's; what it does is tested there."""

import pytest

from mastermind_client.cli.command import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, main
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_server.bots import find_bot
from mastermind_server.bots.arena import Contest


def test_the_arena_is_the_servers(capsys):
    assert main(["arena", "--bot=hard", "--bot=optimal", "--rules=4x3", "--json"]) == EXIT_OK
    (line,) = capsys.readouterr().out.splitlines()
    assert f'"bot":"{find_bot("hard").name}","codes":81,"games":81,' in line


def test_the_arena_is_in_the_readers_language(capsys):
    assert main(["arena", "--bot=knuth", "--rules=4x4", "--lang=pl"]) == EXIT_OK
    title, *table = capsys.readouterr().out.splitlines()
    assert title == "4x4/12: 4 pionki, 4 kolory, 256 kodów, zagrano wszystkie"
    assert table[1].split()[:2] == ["bot", "gry"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--bot knuth --rules chess", "'chess' to żadne zasady"),
        ("--bot knuth --rules 5x8", "wybierz --all"),
        ("--bot knuth --games 0", "argument --games: '0' to nie"),
    ],
)
def test_errors_are_in_the_readers_language(line, told, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["arena", *line.split(), "--lang=pl"])
    assert ended.value.code == EXIT_USAGE
    first, _help = capsys.readouterr().err.splitlines()
    assert first.startswith("mastermind arena: błąd: ")
    assert told in first


OWN_BOT = """
from itertools import product

class MyBot:
    def __init__(self):
        self.codes = product(range(3), repeat=2)

    def choose(self, view):
        return next(self.codes)

class Maker:
    def make(self, rules):
        return [0, 0]

class Broken:
    def choose(self, view):
        return []
"""


def test_an_own_bot_is_measured_with_an_instance_for_each_game(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_bot.py").write_text(OWN_BOT)
    monkeypatch.chdir(tmp_path)
    assert main(["arena", "--bot=my_bot:MyBot", "--bot=knuth", "--rules=2x3", "--json"]) == EXIT_OK
    own, other = capsys.readouterr().out.splitlines()
    # It tries all nine codes in turn, each time from the first.
    assert '"bot":"MyBot","codes":9,"games":9,"total":45,"mean":5.0,"max":9,' in own
    assert '"bot":"knuth"' in other
    assert "seed" not in own


@pytest.mark.parametrize(
    ("bot", "status", "told"),
    [
        ("my_bot:Maker", EXIT_USAGE, "my_bot:Maker has no choose(view)"),
        ("my_bot:Nobody", EXIT_USAGE, "my_bot has no class 'Nobody'"),
        ("my_bot:Broken", EXIT_ERROR, "Broken failed at guess 1: Forfeited: choose() returned []"),
    ],
)
def test_an_own_bot_that_fails_ends_the_arena(bot, status, told, tmp_path, monkeypatch, capsys):
    (tmp_path / "my_bot.py").write_text(OWN_BOT)
    monkeypatch.chdir(tmp_path)
    assert main(["arena", f"--bot={bot}", "--rules=2x3"]) == status
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        (
            Refused.with_message(ErrorCode.INTERNAL, "knuth failed"),
            EXIT_ERROR,
            ("", "mastermind: knuth failed\n"),
        ),
        (KeyboardInterrupt(), EXIT_INTERRUPTED, ("\n", "")),
    ],
    ids=["fails", "Ctrl-C"],
)
def test_the_end_is_a_status(raised, status, told, monkeypatch, capsys):
    def end(*_):
        raise raised

    monkeypatch.setattr(Contest, "play", end)
    assert main(["arena", "--bot", "knuth"]) == status
    assert capsys.readouterr() == told
