from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from importlib.metadata import version
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, Any

import pytest

from mastermind_client.cli import command, crash_log
from mastermind_client.cli.command import INTERRUPTED, OK, TROUBLE, USAGE, main
from mastermind_client.cli.crash_log import FAILED, log_path
from mastermind_client.config.options import (
    ANYONE,
    DEFAULT_BOT,
    DEFAULT_SERVER,
    FRIEND,
    LEVELS,
    BotsOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.config.settings import Settings, load, save
from mastermind_client.config.settings_file import settings_path
from mastermind_client.language import LANGUAGES, speaks
from mastermind_client.language import gettext as _
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net.unreachable import ServerUnreachable
from mastermind_client.own_bot import runner
from mastermind_client.own_bot.options import BotOptions
from mastermind_client.screen import fullscreen as full
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import MAX_NAME, MAX_SEED, Seat
from mastermind_protocol.rules import DEFAULT, MAX_ROUNDS, PRESETS, find_rules
from mastermind_server.app import listen

if TYPE_CHECKING:
    from collections.abc import Callable

    Interfaces = Callable[..., object]
    Screens = Callable[..., tuple[Any, Settings, tuple[str, ...]]]

HEAVY = {
    *("prompt_toolkit", "numpy", "sqlalchemy", "alembic", "websockets", "asyncio", "filelock"),
    *("mastermind_server", "ssl", "logging", "rich", "msgpack", "msgspec", "dataclasses"),
    *("inspect", "hashlib", "uuid", "json", "importlib", "tomllib", "tomlkit", "shtab"),
}


COMMANDS = ("play", "join", "watch", "review", "bots", "arena", "bot", "config", "completion")


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """What the line interface is started with for a command line."""
    started: list[object] = []

    async def start(options: object) -> None:
        started.append(options)

    for name in ("play", "join", "look_on", "review", "list_bots"):
        monkeypatch.setattr(app, name, start)

    def ask(*arguments: str) -> object:
        assert main(arguments) == OK
        return started.pop()

    return ask


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's terminal, for standard input and output."""
    monkeypatch.setattr(command, "_is_terminal", lambda _: True)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, screen: None) -> Screens:  # noqa: ARG001 - it is there
    """What the full-screen interface is started with for a command line, on a terminal."""
    started: list[tuple[Any, Settings, tuple[str, ...]]] = []

    async def run(options: object, settings: Settings, problems: tuple[str, ...]) -> None:
        started.append((options, settings, problems))

    monkeypatch.setattr(full, "run", run)
    monkeypatch.setattr(crash_log, "keep_log", lambda: None)

    def ask(*arguments: str) -> tuple[Any, Settings, tuple[str, ...]]:
        assert main(arguments) == OK
        return started.pop()

    return ask


def test_without_a_command_a_game_is_played(
    asked_for: Interfaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["mastermind"])
    assert asked_for() == asked_for("play") == PlayOptions(DEFAULT)


@pytest.mark.parametrize("name", [*PRESETS, "LAB", "5x8/12", "4x6", "9x12/99"])
def test_the_rules_are_a_presets_or_made_up(asked_for: Interfaces, name: str) -> None:
    assert asked_for("play", "--rules", name) == PlayOptions(find_rules(name))


@pytest.mark.parametrize("versus", [FRIEND, ANYONE, "random", "knuth", "whoever"])
def test_the_opponent_is_a_friend_anyone_or_a_bot(asked_for: Interfaces, versus: str) -> None:
    assert asked_for("play", "--versus", versus) == PlayOptions(
        DEFAULT, versus=versus, settled=True
    )


@pytest.mark.parametrize("seat", list(Seat))
def test_either_seat_can_be_taken(asked_for: Interfaces, seat: Seat) -> None:
    assert asked_for("play", "--as", seat.value) == PlayOptions(DEFAULT, seat=seat, settled=True)


def test_a_game_can_be_asked_for_in_full(asked_for: Interfaces) -> None:
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
        usual_server="wss://x",
    )


def test_options_without_a_command_are_those_of_play(asked_for: Interfaces) -> None:
    assert asked_for("--rules", "mini") == PlayOptions(find_rules("mini"))


@pytest.mark.parametrize("seed", [0, 1, MAX_SEED, -MAX_SEED])
def test_any_seed_of_64_bits_will_do(asked_for: Interfaces, seed: int) -> None:
    assert asked_for("play", "--seed", str(seed)) == PlayOptions(DEFAULT, seed=seed)


@pytest.mark.parametrize("rounds", [1, 2, MAX_ROUNDS])
def test_a_match_has_up_to_twenty_rounds(asked_for: Interfaces, rounds: int) -> None:
    assert asked_for("play", "--rounds", str(rounds)) == PlayOptions(DEFAULT, rounds=rounds)


@pytest.mark.parametrize(
    ("typed", "name"), [("Ada", "Ada"), ("  Žofie K. ", "Žofie K."), ("x" * MAX_NAME, "x" * 24)]
)
def test_a_name_may_be_anything_that_can_be_shown(
    asked_for: Interfaces, typed: str, name: str
) -> None:
    assert asked_for("play", "--name", typed) == PlayOptions(DEFAULT, name=name, settled=True)


@pytest.mark.parametrize("typed", ["ABC234", "abc234", "abc-234", "ABC 234", "a-b-c-2-3-4"])
def test_match_codes_may_be_typed_in_either_case_and_with_dashes(
    asked_for: Interfaces, typed: str
) -> None:
    assert asked_for("join", typed) == JoinOptions("ABC234", DEFAULT_SERVER)
    assert asked_for("watch", typed) == WatchOptions(
        server=DEFAULT_SERVER, code="ABC234", rules=PRESETS["knuth"]
    )


def test_a_match_to_join_can_be_picked_from_the_list(asked_for: Interfaces) -> None:
    assert asked_for("join") == JoinOptions(None, DEFAULT_SERVER)


def test_a_friends_match_is_joined_on_the_friends_server(asked_for: Interfaces) -> None:
    assert asked_for("join", "ABC234", "--server", "ws://ada.example:1", "--name", "Bob") == (
        JoinOptions("ABC234", "ws://ada.example:1", "Bob")
    )


def test_the_list_of_matches_is_that_of_a_server(asked_for: Interfaces) -> None:
    assert asked_for("watch") == WatchOptions(server=DEFAULT_SERVER, rules=PRESETS["knuth"])


def test_two_bots_can_be_watched_at_a_given_secret(asked_for: Interfaces) -> None:
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
        ("play --lan=pl", "unrecognized arguments: --lan=pl"),
        ("--la pl", "unrecognized arguments: --la"),
        ("watch --bo=knuth", "unrecognized arguments: --bo=knuth"),
        ("bot bots:Both --ru=mini", "unrecognized arguments: --ru=mini"),
    ],
)
def test_what_is_wrong_with_a_command_line_is_named_first_and_then_where_help_is(
    line: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
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
def test_every_command_has_help_in_every_language(
    command: list[str],
    language: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
    assert capsys.readouterr().out == f"mastermind {version('networked-mastermind')}\n"


@pytest.mark.parametrize(
    "statement",
    [
        "import mastermind_client.cli.command",
        "from mastermind_client.cli.command import main; main(['--help'])",
    ],
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
        (Refused("\x1b[2J", "a\x1b]52;c;QUFB\x07b"), TROUBLE, "mastermind: a?]52;c;QUFB?b"),
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


@pytest.mark.parametrize(
    "line", ["play", "play --versus friend", "join ABC234", "join", "watch ABC234", "watch"]
)
def test_a_server_that_is_not_there_is_said_to_be_so(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with listen("127.0.0.1", 0) as listener:
        address = "ws://{}:{}".format(*listener.getsockname())
    assert main([*line.split(), "--server", address]) == TROUBLE
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"mastermind: cannot reach {address}: nothing listens there.")
    assert said.err.count("\n") == 1


def test_a_bot_that_is_not_there_is_a_wrong_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--versus", "hal"]) == USAGE
    assert capsys.readouterr().err == (
        "mastermind: 'hal' is no bot here: use forgetful, random, knuth, entropy, expected-size, "
        "most-parts, optimal-5, optimal, devious, easy, medium or hard\n"
    )
    assert main(["watch", "--bot", "knuth", "--rules", "9x12"]) == USAGE
    assert "5159780352 codes" in capsys.readouterr().err


def test_letters_that_an_output_lacks_break_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    written = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(written, "ascii", write_through=True))
    assert main(["config", "--print", "--lang", "pl"]) == OK
    assert b"# j?zyk wszystkich tekst?w" in written.getvalue()


def test_the_statuses_are_those_that_shells_know() -> None:
    assert (command.OK, command.TROUBLE, command.USAGE, command.INTERRUPTED) == (0, 1, 2, 130)


def test_a_review_is_asked_for_by_the_matchs_code(asked_for: Interfaces) -> None:
    assert asked_for("review", "abc234") == ReviewOptions("ABC234", DEFAULT_SERVER, None)
    line = ("review", "ABC234", "--server", "wss://example.org", "--name", "Eve")
    assert asked_for(*line) == ReviewOptions("ABC234", "wss://example.org", "Eve")


def test_a_match_to_review_can_be_picked_from_the_list(asked_for: Interfaces) -> None:
    assert asked_for("review") == ReviewOptions(None, DEFAULT_SERVER, None)


def test_the_bots_are_those_of_a_server_or_of_this_process(asked_for: Interfaces) -> None:
    assert asked_for("bots") == BotsOptions(None)
    assert asked_for("bots", "--server", "ws://[::1]:1") == BotsOptions("ws://[::1]:1")


@pytest.mark.parametrize("versus", [FRIEND, ANYONE])
def test_two_people_may_play_a_rated_match(asked_for: Interfaces, versus: str) -> None:
    assert asked_for("play", "--rated", "--versus", versus) == PlayOptions(
        DEFAULT, versus=versus, rated=True, settled=True
    )


@pytest.mark.parametrize("line", ["play --rated", "play --rated --versus easy"])
def test_a_game_with_a_bot_is_not_rated(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == USAGE
    assert "--rated is for games of two people" in capsys.readouterr().err


def test_alone_on_a_terminal_the_home_screen_is_opened(opened: Screens) -> None:
    assert opened() == (None, Settings(), ())


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("--lang pl", Settings(language="pl")),
        ("--lang=pl --palette mono", Settings(language="pl", palette="mono")),
        ("--color 256 --ascii", Settings(color="256", glyphs="ascii")),
        ("--no-mouse", Settings(mouse="off")),
        ("--mouse", Settings(mouse="on")),
        ("--name Ada --server ws://x", Settings(name="Ada", server="ws://x")),
    ],
)
def test_options_that_say_how_and_not_what_open_the_home_screen(
    opened: Screens, line: str, settings: Settings
) -> None:
    assert opened(*line.split()) == (None, settings, ())


@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("play", PlayOptions(DEFAULT)),
        ("--rules mini", PlayOptions(PRESETS["mini"])),
        ("--versus hard", PlayOptions(DEFAULT, versus="hard", settled=True)),
        ("join", JoinOptions(None, DEFAULT_SERVER)),
        ("watch ABC234", WatchOptions(DEFAULT_SERVER, "ABC234", rules=PRESETS["knuth"])),
        ("review", ReviewOptions(None, DEFAULT_SERVER)),
    ],
)
def test_on_a_terminal_a_command_opens_the_screen_at_what_it_asks_for(
    opened: Screens, line: str, options: object
) -> None:
    assert opened(*line.split()) == (options, Settings(), ())


def test_the_settings_hold_where_the_command_line_says_nothing(opened: Screens) -> None:
    save({"name": "Ada", "server": "ws://club", "rules": "mini", "opponent": "easy"})
    settings = Settings(name="Ada", server="ws://club", rules="mini", opponent="easy")
    mini = PRESETS["mini"]
    assert opened() == (None, settings, ())
    assert opened("play") == (
        PlayOptions(mini, versus="easy", name="Ada", usual_server="ws://club"), settings, (),
    )  # fmt: skip
    assert opened("join") == (JoinOptions(None, "ws://club", "Ada"), settings, ())
    assert opened("review") == (ReviewOptions(None, "ws://club", "Ada"), settings, ())
    watching = WatchOptions("ws://club", rules=PRESETS["knuth"], name="Ada")
    assert opened("watch") == (watching, settings, ())


def test_the_settings_hold_for_no_command_without_a_face(
    opened: Screens, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []

    async def start(options: object) -> None:
        started.append(options)

    monkeypatch.setattr(app, "list_bots", start)
    monkeypatch.setattr(runner, "run", start)
    save({"name": "Ada", "server": "ws://club"})
    assert opened("join") == (JoinOptions(None, "ws://club", "Ada"), load().settings, ())
    assert main(["bots"]) == main(["bot", "bots:Both"]) == OK
    assert started == [BotsOptions(None, None), BotOptions("bots:Both", server=DEFAULT_SERVER)]


def test_the_command_line_holds_against_the_settings_and_is_not_kept(opened: Screens) -> None:
    save({"name": "Ada", "palette": "mono", "mouse": "off", "rules": "mini"})
    before = settings_path().read_text()
    line = "play --name Eve --palette okabe-ito --mouse --rules lab --server ws://x"
    changed = Settings("Eve", "ws://x", palette="okabe-ito", mouse="on", rules="mini")
    options = PlayOptions(
        PRESETS["lab"], name="Eve", server="ws://x", settled=True, usual_server="ws://x"
    )
    assert opened(*line.split()) == (options, changed, ())
    assert settings_path().read_text() == before


def test_a_game_against_a_bot_stays_in_this_process_whatever_the_settings_say(
    opened: Screens,
) -> None:
    save({"server": "ws://club"})
    options, *_ = opened("play", "--versus", "easy")
    assert options.address is None
    options, *_ = opened("play", "--versus", FRIEND)
    assert options.address == "ws://club"
    options, *_ = opened("watch", "--bot", "easy")
    assert options.server is None


def test_a_script_plays_the_same_whatever_the_settings_say(asked_for: Interfaces) -> None:
    save({"name": "Ada", "server": "ws://club", "rules": "mini", "opponent": "easy"})
    assert asked_for() == PlayOptions(DEFAULT)
    assert asked_for("join") == JoinOptions(None, DEFAULT_SERVER)


def test_a_script_reads_the_language_of_the_settings_unless_it_asks_for_one(
    asked_for: Interfaces, capsys: pytest.CaptureFixture[str]
) -> None:
    save({"language": "pl"})
    for line, language in ((["play"], "pl"), (["play", "--lang", "en"], "en")):
        asked_for(*line)
        assert speaks(language)
    assert not capsys.readouterr().err


def test_what_is_wrong_with_the_settings_is_told_by_the_face(opened: Screens) -> None:
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text("bell = 1\n")
    _, settings, problems = opened()
    assert settings == Settings()
    assert len(problems) == 1
    assert "line 1: bell cannot be 1" in problems[0]


def test_in_lines_a_person_is_told_on_standard_error_what_is_wrong_with_the_settings(
    asked_for: Interfaces,
    screen: None,  # noqa: ARG001 - it is there
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text("name = 'Ada'\npalette = 'pink'\n")
    assert asked_for("--plain") == PlayOptions(DEFAULT, name="Ada")
    assert "line 2: palette cannot be 'pink'" in capsys.readouterr().err


@pytest.mark.parametrize("term", ["dumb", ""])
def test_where_there_is_no_screen_the_game_is_one_of_lines(
    asked_for: Interfaces,
    screen: None,  # noqa: ARG001 - it is there
    monkeypatch: pytest.MonkeyPatch,
    term: str,
) -> None:
    monkeypatch.setenv("TERM", term)
    assert asked_for() == PlayOptions(DEFAULT)


@pytest.mark.parametrize(
    "line", ["--lang pl play --rules chess", "play --lang=pl --rules chess", "--lang pl --rules x"]
)
def test_a_command_line_is_answered_in_the_language_that_it_asks_for(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(line.split())
    assert speaks("pl")
    assert capsys.readouterr().err.splitlines()[-1] == "Pomoc: mastermind play --help"


def test_a_language_may_come_before_the_command(asked_for: Interfaces) -> None:
    assert asked_for("--lang", "pl", "join", "ABC234") == JoinOptions("ABC234", DEFAULT_SERVER)
    assert asked_for("--lang=en", "review") == ReviewOptions(None, DEFAULT_SERVER)


@pytest.mark.parametrize("line", ["--lang xx", "play --lang xx", "bots --lang xx", "--lang"])
def test_a_language_that_is_not_there_is_a_wrong_option(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == USAGE
    assert "argument --lang: " in capsys.readouterr().err


@pytest.mark.parametrize("interface", ["plain", "full"])
def test_what_nobody_foresaw_is_logged_and_told_in_one_sentence(
    interface: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    if interface == "full":
        request.getfixturevalue("opened")
        monkeypatch.setattr(full, "run", fail)
    else:
        monkeypatch.setattr(app, "play", fail)
    assert main(["play"]) == FAILED
    assert capsys.readouterr().err == (
        "mastermind: Mastermind has failed (ZeroDivisionError: of all things). "
        f"The log says where: {log_path()}\n"
    )
    assert "in fail\n" in log_path().read_text()


def test_being_cancelled_without_a_signal_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def end(*_: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(app, "play", end)
    assert main(["play"]) == FAILED
    assert "CancelledError" in capsys.readouterr().err
