import re
import shlex

import pytest

from kit.matches import pegs
from mastermind_client.cli.command import EXIT_USAGE, main
from mastermind_client.cli.commands import COMMANDS, load_function, make_parser
from mastermind_client.config.options import (
    ANYONE,
    DEFAULT_SERVER,
    FRIEND,
    HOSTED,
    BotListOptions,
    ChallengeOptions,
    ContinueOptions,
    JoinOptions,
    LeaderboardOptions,
    PlayOptions,
    ProfileOptions,
    ReviewOptions,
    StatsOptions,
    WatchOptions,
)
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

KNUTH = PRESETS["knuth"]


@pytest.mark.parametrize(
    ("line", "options"),
    [
        *((f"--versus {versus}", {"versus": versus, "settled": True})
          for versus in (FRIEND, ANYONE, "random", "knuth", "whoever")),
        *((f"--as {seat.value}", {"seat": seat, "settled": True}) for seat in Seat),
        ("--rounds 2 --rules 5x8/12", {"rules": find_rules("5x8/12"), "rounds": 2}),
        ("--name '  Žofie K. '", {"name": "Žofie K."}),
        *((f"--rated --versus {versus}", {"versus": versus, "rated": True, "settled": True})
          for versus in (FRIEND, ANYONE)),
        *((f"--clock {typed} --versus friend",
           {"clock": clock, "versus": FRIEND, "settled": True})
          for typed, clock in (("5+3", "5+3"), ("60/MOVE", "60/move"), ("3d/move", "3d/move"))),
        ("--versus friend --host", {"versus": FRIEND, "server": HOSTED, "settled": True}),
        ("--rules eight --versus easy --public --server wss://x --name Ada --seed -7",
         {"rules": PRESETS["eight"], "versus": "easy", "server": "wss://x", "name": "Ada",
          "seed": -7, "public": True, "settled": True, "usual_server": "wss://x"}),
    ],
)  # fmt: skip
def test_play_is_the_default_command(asked_for, line, options):
    wanted = PlayOptions(**{"rules": DEFAULT, **options})
    assert asked_for("play", *shlex.split(line)) == asked_for(*shlex.split(line)) == wanted


@pytest.mark.parametrize(
    "line", ["stats", "leaderboard", "profile Ada", "bots", "transfer", "logout", "rules"]
)
def test_a_command_that_prints_lines_anyway_takes_plain_too(line):
    assert make_parser().parse_args([*line.split(), "--plain"]).plain


@pytest.mark.parametrize(
    ("line", "rounds"),
    [("--versus friend", 2), ("--versus friend --rounds 1", 1), ("--versus anyone", 1),
     ("--versus easy", 2), ("--versus easy --rounds 3", 3), ("--versus easy --seed 7", 1),
     ("--versus easy --rules lab", 1), ("--versus anyone --rated", 2),
     ("--versus anyone --rated --rounds 4", 4)],
)  # fmt: skip
def test_both_players_hide_a_code_except_against_anyone_with_a_seed_and_in_lab(
    asked_for, line, rounds
):
    assert asked_for("play", *line.split()).total_rounds == rounds


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
        ("join abc-234", JoinOptions("ABC234", DEFAULT_SERVER)),
        ("join play.example.org/abc-234",
         JoinOptions("ABC234", "wss://play.example.org", names_server=True)),
        ("join --server ws://h:1", JoinOptions(None, "ws://h:1")),
        ("join ABC234 --server ws://ada.example:1 --name Bob",
         JoinOptions("ABC234", "ws://ada.example:1", "Bob", names_server=True)),
        ("watch", WatchOptions(DEFAULT_SERVER, rules=KNUTH)),
        ("watch --bot knuth --secret 1234 --public --server ws://[::1]:1 --name Eve",
         WatchOptions("ws://[::1]:1", bot="knuth", rules=KNUTH, secret=pegs("1234"),
                      public=True, name="Eve")),
        ("watch --bot random --rules mini --secret 'r g o b'",
         WatchOptions(None, bot="random", rules=PRESETS["mini"], secret=pegs("1234"))),
        ("review ABC234 --server wss://example.org --name Eve",
         ReviewOptions("ABC234", "wss://example.org", "Eve")),
        ("bots", BotListOptions(None)),
        ("bots --server ws://[::1]:1", BotListOptions("ws://[::1]:1")),
        ("stats", StatsOptions(None)),
        ("stats --json --server wss://x", StatsOptions("wss://x", json=True)),
        ("challenge Ada --rated",
         ChallengeOptions(DEFAULT_SERVER, "Ada", DEFAULT, rated=True, clock="5+3")),
        ("leaderboard", LeaderboardOptions(DEFAULT_SERVER, PRESETS["classic"])),
        ("leaderboard MINI --after 25 --server wss://x --json",
         LeaderboardOptions("wss://x", PRESETS["mini"], 25, json=True)),
        ("profile", ProfileOptions(DEFAULT_SERVER, is_usual=True)),
        ("profile ' Mme.  K ' --server wss://x --json",
         ProfileOptions("wss://x", "Mme. K", json=True)),
    ],
)  # fmt: skip
def test_a_command_line_becomes_options(asked_for, line, options):
    assert asked_for(*shlex.split(line)) == options


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("fly", "invalid choice: 'fly' (choose from "),
        ("plya", "invalid choice: 'plya', maybe you meant 'play'? (choose from "),
        ("play --rules chess", "'chess' names no rules"),
        ("leaderboard chess", "'chess' names no rules"),
        ("leaderboard --after 0", "'0' is no place: 1 to 1000000"),
        ("play --versus open", "argument --versus: 'open' is no opponent: use friend, anyone"),
        ("play --as judge", "argument --as: invalid choice: 'judge'"),
        ("play --seed 1 --versus friend", "--seed fixes a bot's secrets"),
        ("play --seed 1 --as maker", "yourself as codebreaker"),
        ("play --public --versus friend", "--public is for games against bots"),
        ("play ABC234", "unrecognized arguments: ABC234"),
        ("--name Ada play", "options follow the command: mastermind play --name Ada"),
        ("--json leaderboard mini", "the command: mastermind leaderboard --json mini"),
        ("--name play ABC234", "unrecognized arguments: ABC234"),
        ("join ABC23", "argument CODE: 'ABC23' is no match code: 6 of 2345"),
        ("watch --secret 1234", "--secret and --public need --bot"),
        ("watch ABC234 --bot knuth", "not both"),
        ("watch --bot knuth --secret 123", "3 pegs given, and a code of knuth has 4"),
        ("play --clock 5", "'5' names no clock: use MINUTES+SECONDS such as 5+3"),
        ("bot bots:Both --clock fast", "'fast' names no clock"),
        ("play --rated", "--rated is for games of two people"),
        ("play --host", "--host starts a server for a friend"),
        ("play --host --versus friend --server ws://h:1", "--host starts a server for a friend"),
        ("play --lan=pl", "unrecognized arguments: --lan=pl"),
        ("--la pl", "unrecognized arguments: --la"),
        ("bot bots:Both --ru=mini", "unrecognized arguments: --ru=mini"),
    ],
)
def test_a_wrong_command_line_is_explained_before_the_help_is_named(line, named, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split(" "))
    said = capsys.readouterr()
    assert ended.value.code == EXIT_USAGE == 2
    assert said.out == ""
    *wrong, where = said.err.splitlines()
    assert wrong[0].startswith("mastermind")
    assert named in " ".join(" ".join(wrong).split())
    assert re.fullmatch(r"Help: mastermind( \w+)? --help", where)


def test_every_command_names_a_function_that_runs_it():
    assert all(callable(load_function(command.run_function)) for command in COMMANDS.values())


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
