from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mastermind_client import cli
from mastermind_client.cli import INTERRUPTED, OK, TROUBLE, USAGE, main
from mastermind_client.options import (
    ANYONE,
    DEFAULT_BOT,
    DEFAULT_SERVER,
    FRIEND,
    BotsOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.plain import app
from mastermind_client.plain.terminal import InputEnded
from mastermind_client.trouble import ServerUnreachable
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import MAX_NAME, MAX_SEED, Seat
from mastermind_protocol.rules import DEFAULT, MAX_ROUNDS, PRESETS, find_rules
from mastermind_server.app import listen

if TYPE_CHECKING:
    from collections.abc import Callable

    Faces = Callable[..., object]

HEAVY = {
    *("prompt_toolkit", "numpy", "sqlalchemy", "alembic", "websockets", "asyncio"),
    *("filelock", "platformdirs", "mastermind_server", "ssl", "logging", "rich", "msgpack"),
}


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """What the line face is started with for a command line."""
    started: list[object] = []

    async def start(options: object) -> None:
        started.append(options)

    for command in ("play", "join", "look_on", "review", "list_bots"):
        monkeypatch.setattr(app, command, start)

    def ask(*arguments: str) -> object:
        assert main(arguments) == OK
        return started.pop()

    return ask


def test_without_a_command_a_game_is_played(
    asked_for: Faces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["mastermind"])
    assert asked_for() == asked_for("play") == PlayOptions(DEFAULT)


@pytest.mark.parametrize("name", [*PRESETS, "LAB", "5x8/12", "4x6", "9x12/99"])
def test_the_rules_are_a_presets_or_made_up(asked_for: Faces, name: str) -> None:
    assert asked_for("play", "--rules", name) == PlayOptions(find_rules(name))


@pytest.mark.parametrize("versus", [FRIEND, ANYONE, "random", "knuth", "whoever"])
def test_the_opponent_is_a_friend_anyone_or_a_bot(asked_for: Faces, versus: str) -> None:
    assert asked_for("play", "--versus", versus) == PlayOptions(
        DEFAULT, versus=versus, settled=True
    )


@pytest.mark.parametrize("seat", list(Seat))
def test_either_seat_can_be_taken(asked_for: Faces, seat: Seat) -> None:
    assert asked_for("play", "--as", seat.value) == PlayOptions(DEFAULT, seat=seat, settled=True)


def test_a_game_can_be_asked_for_in_full(asked_for: Faces) -> None:
    line = "play --rules eight --versus random --as breaker --server wss://x --name Ada"
    more = "--rounds 20 --seed -7 --public --plain"
    assert asked_for(*line.split(), *more.split()) == PlayOptions(
        rules=PRESETS["eight"],
        versus="random",
        seat=Seat.BREAKER,
        server="wss://x",
        name="Ada",
        rounds=20,
        seed=-7,
        public=True,
        settled=True,
    )


def test_options_without_a_command_are_those_of_play(asked_for: Faces) -> None:
    assert asked_for("--rules", "mini") == PlayOptions(find_rules("mini"))


@pytest.mark.parametrize("seed", [0, 1, MAX_SEED, -MAX_SEED])
def test_any_seed_of_64_bits_will_do(asked_for: Faces, seed: int) -> None:
    assert asked_for("play", "--seed", str(seed)) == PlayOptions(DEFAULT, seed=seed)


@pytest.mark.parametrize("rounds", [1, 2, MAX_ROUNDS])
def test_a_match_has_up_to_twenty_rounds(asked_for: Faces, rounds: int) -> None:
    assert asked_for("play", "--rounds", str(rounds)) == PlayOptions(DEFAULT, rounds=rounds)


@pytest.mark.parametrize(
    ("typed", "name"), [("Ada", "Ada"), ("  Žofie K. ", "Žofie K."), ("x" * MAX_NAME, "x" * 24)]
)
def test_a_name_may_be_anything_that_can_be_shown(asked_for: Faces, typed: str, name: str) -> None:
    assert asked_for("play", "--name", typed) == PlayOptions(DEFAULT, name=name, settled=True)


@pytest.mark.parametrize("typed", ["ABC234", "abc234", "abc-234", "ABC 234", "a-b-c-2-3-4"])
def test_match_codes_may_be_typed_in_either_case_and_with_dashes(
    asked_for: Faces, typed: str
) -> None:
    assert asked_for("join", typed) == JoinOptions("ABC234", DEFAULT_SERVER)
    assert asked_for("watch", typed) == WatchOptions(
        server=None, code="ABC234", rules=PRESETS["knuth"]
    )


def test_a_match_to_join_can_be_picked_from_the_list(asked_for: Faces) -> None:
    assert asked_for("join") == JoinOptions(None, DEFAULT_SERVER)


def test_a_friends_match_is_joined_on_the_friends_server(asked_for: Faces) -> None:
    assert asked_for("join", "ABC234", "--server", "ws://ada.example:1", "--name", "Bob") == (
        JoinOptions("ABC234", "ws://ada.example:1", "Bob")
    )


def test_two_bots_can_be_watched_at_a_given_secret(asked_for: Faces) -> None:
    line = "watch --bot knuth --secret 1234 --public --server ws://[::1]:1 --name Eve"
    assert asked_for(*line.split()) == WatchOptions(
        server="ws://[::1]:1",
        bot="knuth",
        rules=PRESETS["knuth"],
        secret=(0, 1, 2, 3),
        public=True,
        name="Eve",
    )
    assert asked_for("watch", "--bot", "random", "--rules", "mini", "--secret", "r g o b") == (
        WatchOptions(server=None, bot="random", rules=PRESETS["mini"], secret=(0, 1, 2, 3))
    )


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
        ("play --rules", "argument --rules: expected one argument"),
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
    ],
)
def test_what_is_wrong_with_a_command_line_is_named_beside_its_usage(
    line: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.split(" "))
    said = capsys.readouterr()
    assert ended.value.code == USAGE == 2
    assert said.out == ""
    assert said.err.startswith("usage: mastermind")
    assert named in " ".join(said.err.split())


@pytest.mark.parametrize("command", [[], ["play"], ["join"], ["watch"], ["bot"]])
def test_every_command_has_help(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "--help"])
    said = capsys.readouterr()
    assert not ended.value.code
    assert said.out.startswith(" ".join(["usage: mastermind", *command]))
    assert not said.err


@pytest.mark.parametrize(
    "told", [FRIEND, ANYONE, f"default {DEFAULT_BOT}", DEFAULT_SERVER, *PRESETS, "--plain"]
)
def test_the_help_of_play_tells_what_there_is(
    told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["play", "--help"])
    assert told in capsys.readouterr().out


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out.startswith("mastermind 0.")


@pytest.mark.parametrize(
    "statement",
    ["import mastermind_client.cli", "from mastermind_client.cli import main; main(['--help'])"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(statement: str) -> None:
    tell = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    command = [sys.executable, "-c", f"{tell}\n{statement}"]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    loaded = {module.partition(".")[0] for module in ended.stderr.split()}
    assert "mastermind_client" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (InputEnded(), OK, ""),
        (KeyboardInterrupt(), INTERRUPTED, ""),
        (ServerUnreachable("nothing listens there"), TROUBLE, "mastermind: nothing listens there"),
        (OSError("64 clients of yours"), TROUBLE, "mastermind: 64 clients of yours"),
        (Refused(ErrorCode.UNKNOWN_MATCH, "no such match"), TROUBLE, "mastermind: no such match"),
        (Refused(ErrorCode.UNKNOWN_BOT, "no such bot"), USAGE, "mastermind: no such bot"),
        (Refused(ErrorCode.RULES_TOO_LARGE, "too large"), USAGE, "mastermind: too large"),
        (Refused(ErrorCode.INVALID_NAME, "bad name"), USAGE, "mastermind: bad name"),
        (Refused(ErrorCode.INVALID_SEATS, "bad seats"), USAGE, "mastermind: bad seats"),
    ],
    ids=repr,
)
def test_how_it_ends_is_told_by_the_status_and_on_standard_error(
    raised: BaseException,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def end(_: PlayOptions) -> None:
        raise raised

    monkeypatch.setattr(app, "play", end)
    assert main(["play"]) == status
    assert capsys.readouterr().err == (f"{said}\n" if said else "")


@pytest.mark.parametrize("command", [["join", "ABC234"], ["watch", "ABC234"], ["watch"]])
def test_a_server_that_is_not_there_is_said_to_be_so(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with listen("127.0.0.1", 0) as listener:
        address = "ws://{}:{}".format(*listener.getsockname())
    assert main([*command, "--server", address]) == TROUBLE
    assert capsys.readouterr().err.startswith(
        f"mastermind: cannot reach {address}: nothing listens"
    )


def test_a_bot_that_is_not_there_is_a_wrong_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--versus", "hal"]) == USAGE
    assert capsys.readouterr().err == (
        "mastermind: 'hal' is no bot here: use forgetful, random, knuth, entropy, expected-size, "
        "most-parts, optimal-5, optimal, devious, easy, medium or hard\n"
    )
    assert main(["watch", "--bot", "knuth", "--rules", "9x12"]) == USAGE
    assert "5159780352 codes" in capsys.readouterr().err


def test_a_reader_who_goes_away_is_no_crash() -> None:
    command = [sys.executable, "-c", "from mastermind_client.cli import main; exit(main())"]
    with subprocess.Popen(
        [*command, "watch", "--bot", "knuth"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        watching.stdout.close()
        assert watching.stderr.read() == b""
        assert watching.wait(30) == TROUBLE


def test_the_statuses_are_those_that_shells_know() -> None:
    assert (cli.OK, cli.TROUBLE, cli.USAGE, cli.INTERRUPTED) == (0, 1, 2, 130)


def test_a_review_is_asked_for_by_the_matchs_code(asked_for: Faces) -> None:
    assert asked_for("review", "abc234") == ReviewOptions("ABC234", DEFAULT_SERVER, None)
    line = ("review", "ABC234", "--server", "wss://example.org", "--name", "Eve")
    assert asked_for(*line) == ReviewOptions("ABC234", "wss://example.org", "Eve")


def test_the_bots_are_those_of_a_server_or_of_this_process(asked_for: Faces) -> None:
    assert asked_for("bots") == BotsOptions(None)
    assert asked_for("bots", "--server", "ws://[::1]:1") == BotsOptions("ws://[::1]:1")


@pytest.mark.parametrize("versus", [FRIEND, ANYONE])
def test_two_people_may_play_a_rated_match(asked_for: Faces, versus: str) -> None:
    assert asked_for("play", "--rated", "--versus", versus) == PlayOptions(
        DEFAULT, versus=versus, rated=True, settled=True
    )


@pytest.mark.parametrize("line", ["play --rated", "play --rated --versus easy"])
def test_a_game_with_a_bot_is_not_rated(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == USAGE
    assert "--rated is for games of two people" in capsys.readouterr().err
