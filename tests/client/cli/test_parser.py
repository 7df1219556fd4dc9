import re
import shlex

import pytest

from kit.matches import pegs
from mastermind_client.cli.command import USAGE, main
from mastermind_client.cli.commands import COMMANDS
from mastermind_client.config.options import (
    ANYONE,
    DEFAULT_SERVER,
    FRIEND,
    BotsOptions,
    ContinueOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    StatsOptions,
    WatchOptions,
)
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_protocol.events import MAX_NAME, MAX_SEED, Seat
from mastermind_protocol.rules import DEFAULT, MAX_ROUNDS, PRESETS

KNUTH = PRESETS["knuth"]


@pytest.mark.parametrize(
    ("line", "options"),
    [
        *((f"--versus {versus}", {"versus": versus, "settled": True})
          for versus in (FRIEND, ANYONE, "random", "knuth", "whoever")),
        *((f"--as {seat.value}", {"seat": seat, "settled": True}) for seat in Seat),
        *((f"--seed {seed}", {"seed": seed}) for seed in (0, 1, MAX_SEED, -MAX_SEED)),
        *((f"--rounds {rounds}", {"rounds": rounds}) for rounds in (1, 2, MAX_ROUNDS)),
        ("--name '  Žofie K. '", {"name": "Žofie K."}),
        (f"--name {'x' * MAX_NAME}", {"name": "x" * 24}),
        *((f"--rated --versus {versus}", {"versus": versus, "rated": True, "settled": True})
          for versus in (FRIEND, ANYONE)),
        ("--rules eight --versus easy --public --server wss://x --name Ada --seed -7",
         {"rules": PRESETS["eight"], "versus": "easy", "server": "wss://x", "name": "Ada",
          "seed": -7, "public": True, "settled": True, "usual_server": "wss://x"}),
    ],
)  # fmt: skip
def test_play_is_the_default_command(asked_for, line, options):
    wanted = PlayOptions(**{"rules": DEFAULT, **options})
    assert asked_for("play", *shlex.split(line)) == asked_for(*shlex.split(line)) == wanted


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("--lang pl join ABC234", JoinOptions("ABC234", DEFAULT_SERVER)),
        ("--lang=en review", ReviewOptions(None, DEFAULT_SERVER)),
        ("join", JoinOptions(None, DEFAULT_SERVER)),
        ("continue", ContinueOptions()),
        ("continue abc234", ContinueOptions("ABC234")),
        ("continue --server ws://h:1",
         ContinueOptions(server="ws://h:1", usual_server="ws://h:1")),
        ("continue --list --name Bob", ContinueOptions(name="Bob", listed=True)),
        *((f"join {typed!r}", JoinOptions("ABC234", DEFAULT_SERVER))
          for typed in ("ABC234", "abc234", "abc-234", "ABC 234", "a-b-c-2-3-4")),
        ("join ABC234 --server ws://ada.example:1 --name Bob",
         JoinOptions("ABC234", "ws://ada.example:1", "Bob")),
        ("watch", WatchOptions(DEFAULT_SERVER, rules=KNUTH)),
        ("watch abc-234", WatchOptions(DEFAULT_SERVER, "ABC234", rules=KNUTH)),
        ("watch --bot knuth --secret 1234 --public --server ws://[::1]:1 --name Eve",
         WatchOptions("ws://[::1]:1", bot="knuth", rules=KNUTH, secret=pegs("1234"),
                      public=True, name="Eve")),
        ("watch --bot random --rules mini --secret 'r g o b'",
         WatchOptions(None, bot="random", rules=PRESETS["mini"], secret=pegs("1234"))),
        ("review", ReviewOptions(None, DEFAULT_SERVER)),
        ("review abc234", ReviewOptions("ABC234", DEFAULT_SERVER)),
        ("review ABC234 --server wss://example.org --name Eve",
         ReviewOptions("ABC234", "wss://example.org", "Eve")),
        ("bots", BotsOptions(None)),
        ("bots --server ws://[::1]:1", BotsOptions("ws://[::1]:1")),
        ("stats", StatsOptions(None)),
        ("stats --json --server wss://x", StatsOptions("wss://x", json=True)),
    ],
)  # fmt: skip
def test_a_command_line_becomes_options(asked_for, line, options):
    assert asked_for(*shlex.split(line)) == options


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("fly", "invalid choice: 'fly'"),
        ("--rules", "argument --rules: expected one argument"),
        ("play --rules chess", "'chess' names no rules"),
        ("play --versus open", "argument --versus: 'open' is nobody to play with"),
        ("watch --bot me", "argument --bot: 'me' is nobody to play with"),
        ("play --rules 10x6", "PEGSxCOLOURS"),
        ("play --rules 4x13", "2-12 colours"),
        ("play --as judge", "argument --as: invalid choice: 'judge'"),
        ("play --rounds 0", "argument --rounds: '0' is no number of rounds: 1 to 20"),
        ("play --seed x", "argument --seed: 'x' is no seed"),
        ("play --seed 1 --versus friend", "--seed fixes a bot's secrets"),
        ("play --seed 1 --versus anyone", "--seed fixes a bot's secrets"),
        ("play --seed 1 --as maker", "yourself as codebreaker"),
        ("play --public --versus friend", "--public is for games against bots"),
        ("play --public --versus anyone", "--public is for games against bots"),
        (f"play --name {'x' * (MAX_NAME + 1)}", "argument --name: a name has 1 to 24 characters"),
        ("play --server http://localhost:1", "argument --server: 'http://localhost:1' is no"),
        ("play ABC234", "unrecognized arguments: ABC234"),
        ("join ABC23", "argument CODE: 'ABC23' is no match code: 6 of 2345"),
        ("join ABC234 --rules mini", "unrecognized arguments: --rules mini"),
        ("watch lobby", "argument CODE: 'lobby' is no match code"),
        ("watch --secret 1234", "--secret and --public need --bot"),
        ("watch --public", "--secret and --public need --bot"),
        ("watch ABC234 --bot knuth", "not both"),
        ("watch --bot knuth --secret 123", "3 pegs given, and a code of knuth has 4"),
        ("watch --bot knuth --secret 1237", "peg 4: '7' is no colour of knuth"),
        ("watch --bot knuth --rules chess", "'chess' names no rules"),
        ("play --rated", "--rated is for games of two people"),
        ("play --rated --versus easy", "--rated is for games of two people"),
        ("play --lan=pl", "unrecognized arguments: --lan=pl"),
        ("--la pl", "unrecognized arguments: --la"),
        ("watch --bo=knuth", "unrecognized arguments: --bo=knuth"),
        ("bot bots:Both --ru=mini", "unrecognized arguments: --ru=mini"),
    ],
)
def test_a_wrong_command_line_is_explained_before_the_help_is_named(line, named, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split(" "))
    said = capsys.readouterr()
    assert ended.value.code == USAGE == 2
    assert said.out == ""
    *wrong, where = said.err.splitlines()
    assert wrong[0].startswith("mastermind")
    assert named in " ".join(" ".join(wrong).split())
    assert re.fullmatch(r"Help: mastermind( \w+)? --help", where)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_every_command_has_help_in_every_language(command, language, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help", "--lang", language])
    said = capsys.readouterr()
    assert not ended.value.code
    assert said.out.startswith(_("usage: ") + " ".join(["mastermind", *command]))
    assert all(len(row) <= 80 for row in said.out.splitlines())
    assert (_("usage: ") == "usage: ") == (language == "en")
    assert not said.err
