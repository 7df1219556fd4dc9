import re
import shlex

import pytest

from mastermind_client.cli.command import USAGE, main
from mastermind_client.cli.commands import COMMANDS
from mastermind_client.config.options import (
    ANYONE,
    DEFAULT_BOT,
    DEFAULT_SERVER,
    FRIEND,
    LEVELS,
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
from mastermind_protocol.rules import DEFAULT, MAX_ROUNDS, PRESETS, find_rules

KNUTH = PRESETS["knuth"]


@pytest.mark.parametrize("name", [*PRESETS, "LAB", "5x8/12", "4x6", "9x12/99"])
def test_the_rules_are_a_presets_or_made_up(asked_for, name):
    assert asked_for("play", "--rules", name) == PlayOptions(find_rules(name))


@pytest.mark.parametrize(
    ("line", "options"),
    [
        *(
            (f"--versus {versus}", PlayOptions(DEFAULT, versus=versus, settled=True))
            for versus in (FRIEND, ANYONE, "random", "knuth", "whoever")
        ),
        *((f"--as {seat.value}", PlayOptions(DEFAULT, seat=seat, settled=True)) for seat in Seat),
        *(
            (f"--seed {seed}", PlayOptions(DEFAULT, seed=seed))
            for seed in (0, 1, MAX_SEED, -MAX_SEED)
        ),
        *(
            (f"--rounds {rounds}", PlayOptions(DEFAULT, rounds=rounds))
            for rounds in (1, 2, MAX_ROUNDS)
        ),
        *(
            (f"--name '{typed}'", PlayOptions(DEFAULT, name=name))
            for typed, name in (
                ("Ada", "Ada"), ("  Žofie K. ", "Žofie K."), ("x" * MAX_NAME, "x" * 24)
            )
        ),
        *(
            (
                f"--rated --versus {versus}",
                PlayOptions(DEFAULT, versus=versus, rated=True, settled=True),
            )
            for versus in (FRIEND, ANYONE)
        ),
        (
            "--rules eight --versus easy --public --server wss://x --name Ada --seed -7",
            PlayOptions(
                rules=PRESETS["eight"],
                versus="easy",
                server="wss://x",
                name="Ada",
                seed=-7,
                public=True,
                settled=True,
                usual_server="wss://x",
            ),
        ),
    ],
)  # fmt: skip
def test_a_game_is_asked_for_by_its_options(asked_for, line, options):
    assert asked_for("play", *shlex.split(line)) == asked_for(*shlex.split(line)) == options


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("join", JoinOptions(None, DEFAULT_SERVER)),
        ("continue", ContinueOptions()),
        ("continue abc234", ContinueOptions("ABC234")),
        (
            "continue --server ws://h:1",
            ContinueOptions(server="ws://h:1", usual_server="ws://h:1"),
        ),
        ("continue --list --name Bob", ContinueOptions(name="Bob", listed=True)),
        *(
            (f"join {typed!r}", JoinOptions("ABC234", DEFAULT_SERVER))
            for typed in ("ABC234", "abc234", "abc-234", "ABC 234", "a-b-c-2-3-4")
        ),
        (
            "join ABC234 --server ws://ada.example:1 --name Bob",
            JoinOptions("ABC234", "ws://ada.example:1", "Bob"),
        ),
        ("watch", WatchOptions(DEFAULT_SERVER, rules=KNUTH)),
        ("watch abc-234", WatchOptions(DEFAULT_SERVER, "ABC234", rules=KNUTH)),
        (
            "watch --bot knuth --secret 1234 --public --server ws://[::1]:1 --name Eve",
            WatchOptions(
                server="ws://[::1]:1",
                bot="knuth",
                rules=KNUTH,
                secret=(0, 1, 2, 3),
                public=True,
                name="Eve",
            ),
        ),
        (
            "watch --bot random --rules mini --secret 'r g o b'",
            WatchOptions(None, bot="random", rules=PRESETS["mini"], secret=(0, 1, 2, 3)),
        ),
        ("review", ReviewOptions(None, DEFAULT_SERVER)),
        ("review abc234", ReviewOptions("ABC234", DEFAULT_SERVER)),
        (
            "review ABC234 --server wss://example.org --name Eve",
            ReviewOptions("ABC234", "wss://example.org", "Eve"),
        ),
        ("bots", BotsOptions(None)),
        ("bots --server ws://[::1]:1", BotsOptions("ws://[::1]:1")),
        ("stats", StatsOptions(None)),
        ("stats --json --server wss://x", StatsOptions("wss://x", json=True)),
    ],
)
def test_other_commands_are_asked_for_by_theirs(asked_for, line, options):
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
        ("play --rounds 21", "argument --rounds: '21' is no number of rounds"),
        ("play --rounds two", "argument --rounds: 'two' is no number of rounds"),
        ("play --rounds ²", "argument --rounds: '²' is no number of rounds"),
        ("play --rounds -1", "argument --rounds: '-1' is no number of rounds"),
        ("play --seed x", "argument --seed: 'x' is no seed"),
        ("play --seed 1.5", "argument --seed: '1.5' is no seed"),
        (f"play --seed {MAX_SEED + 1}", "is no seed: a whole number of at most 64 bits"),
        (f"play --seed {-MAX_SEED - 1}", "is no seed"),
        ("play --seed 1 --versus friend", "--seed fixes a bot's secrets"),
        ("play --seed 1 --versus anyone", "--seed fixes a bot's secrets"),
        ("play --seed 1 --as maker", "yourself as codebreaker"),
        ("play --public --versus friend", "--public is for games against bots"),
        ("play --public --versus anyone", "--public is for games against bots"),
        (f"play --name {'x' * (MAX_NAME + 1)}", "argument --name: a name has 1 to 24 characters"),
        ("play --name \x1b[2J", "argument --name: a name has 1 to 24 characters"),
        ("play --name \N{NO-BREAK SPACE}", "argument --name"),
        ("play --server http://localhost:1", "argument --server: 'http://localhost:1' is no"),
        ("play --server localhost:8765", "ws://HOST:PORT or wss://HOST:PORT"),
        ("join ABC234 --server ws://[::1", "argument --server: 'ws://[::1' is no server address"),
        ("watch --server ws://localhost:99999", "argument --server"),
        ("watch --server ws://:8765", "argument --server"),
        ("play ABC234", "unrecognized arguments: ABC234"),
        ("join ABC23", "argument CODE: 'ABC23' is no match code: 6 of 2345"),
        ("join ABC2345", "'ABC2345' is no match code"),
        ("join ABC10O", "'ABC10O' is no match code"),
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
def test_what_is_wrong_with_a_command_line_is_named_first_and_then_where_help_is(
    line, named, capsys
):
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


@pytest.mark.parametrize(
    "told",
    [FRIEND, ANYONE, f"{DEFAULT_BOT} at first", DEFAULT_SERVER, *PRESETS, *LEVELS, "--plain"],
)
def test_the_help_of_play_tells_what_there_is(told, capsys):
    with pytest.raises(SystemExit):
        main(["play", "--help"])
    assert told in capsys.readouterr().out
