import asyncio
import ssl
import subprocess
import sys
from importlib.metadata import version
from io import BytesIO, TextIOWrapper

import pytest

from kit.certificates import Authority
from mastermind_client.cli import command, crash_log
from mastermind_client.cli.command import ERROR, INTERRUPTED, OK, USAGE, main
from mastermind_client.cli.crash_log import FAILED, log_path
from mastermind_client.config.options import (
    DEFAULT_SERVER,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
)
from mastermind_client.language import speaks
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net import trust
from mastermind_client.net.failures import Cause, ServerUnreachable
from mastermind_client.screen import fullscreen as full
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.rules import DEFAULT
from mastermind_server.app import listen

HEAVY = {
    *("prompt_toolkit", "numpy", "sqlalchemy", "alembic", "websockets", "asyncio", "filelock"),
    *("mastermind_server", "ssl", "logging", "rich", "msgpack", "msgspec", "dataclasses"),
    *("inspect", "hashlib", "uuid", "json", "importlib", "tomllib", "tomlkit", "shtab"),
}


def test_without_a_command_a_game_is_played(asked_for, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mastermind"])
    assert asked_for() == asked_for("play") == PlayOptions(DEFAULT)


@pytest.mark.parametrize("command", ["play", "join", "watch", "bots", "stats"])
def test_a_file_of_certificates_that_is_of_no_use_is_told(command, tmp_path, capsys):
    file = tmp_path / "authority.pem"
    with pytest.raises(SystemExit) as ended:
        main([command, "--cafile", str(file), "--server", "wss://localhost"])
    assert ended.value.code == USAGE
    told = f"mastermind {command}: error: {file}: No such file or directory\n"
    assert capsys.readouterr().err.startswith(told)


def test_whom_to_trust_is_no_game_yet(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(trust, "_context", None)
    file = Authority(tmp_path).file
    wanted, _, _ = opened("--cafile", str(file))
    assert wanted is None
    context = trust.find_context("wss://localhost")
    assert context is not None
    (authority,) = ssl.create_default_context(cafile=str(file)).get_ca_certs()
    assert authority in context.get_ca_certs()


def test_the_version_is_told(capsys):
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
def test_nothing_heavy_is_loaded_before_it_is_needed(statement):
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
        (
            ServerUnreachable(Cause.NO_GREETING, server="\x07ws://h"),
            ERROR,
            "mastermind: ?ws://h did not answer our greeting",
        ),
        (OSError("the disk is full"), ERROR, "mastermind: the disk is full"),
        (Refused.told("\x1b[2J", "a\x1b]52;c;QUFB\x07b"), ERROR, "mastermind: a?]52;c;QUFB?b"),
        (
            Refused.told(ErrorCode.UNKNOWN_MATCH, "no such match"),
            ERROR,
            "mastermind: no such match",
        ),
        (Refused.told(ErrorCode.UNKNOWN_BOT, "no such bot"), USAGE, "mastermind: no such bot"),
        (Refused.told(ErrorCode.RULES_TOO_LARGE, "too large"), USAGE, "mastermind: too large"),
        (Refused.told(ErrorCode.INVALID_NAME, "bad name"), USAGE, "mastermind: bad name"),
        (Refused.told(ErrorCode.INVALID_SEATS, "bad seats"), USAGE, "mastermind: bad seats"),
    ],
    ids=repr,
)
def test_how_it_ends_is_told_by_the_status_and_on_standard_error(
    raised, status, said, monkeypatch, capsys
):
    async def end(_, _pace):
        raise raised

    monkeypatch.setattr(app, "play", end)
    assert main(["play"]) == status
    assert capsys.readouterr().err == (f"{said}\n" if said else "")


@pytest.mark.parametrize(
    "line", ["play", "play --versus friend", "join ABC234", "join", "watch ABC234", "watch"]
)
def test_a_server_that_is_not_there_is_said_to_be_so(line, capsys):
    with listen("127.0.0.1", 0) as listener:
        address = "ws://{}:{}".format(*listener.getsockname())
    assert main([*line.split(), "--server", address]) == ERROR
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"mastermind: cannot reach {address}: nothing listens there.")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("face", [[], ["--plain"]], ids=["full screen", "lines"])
@pytest.mark.usefixtures("screen")
def test_nothing_to_go_on_with_is_said_to_be_so(capsys, monkeypatch, face):
    monkeypatch.setattr(crash_log, "keep_log", lambda: None)
    assert main(["continue", *face]) == ERROR
    assert capsys.readouterr().err == (
        "mastermind: there is no match to go on with: mastermind play begins one\n"
    )


def test_a_bot_that_is_not_there_is_a_wrong_option(capsys):
    assert main(["play", "--versus", "hal"]) == USAGE
    said = capsys.readouterr().err
    assert said.startswith("mastermind: 'hal' is no bot here: use forgetful, random, ")
    assert said.endswith(", easy, medium or hard\n")
    assert main(["watch", "--bot", "knuth", "--rules", "9x12"]) == USAGE
    assert "5159780352 codes" in capsys.readouterr().err


def test_letters_that_an_output_lacks_break_nothing(monkeypatch):
    written = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(written, "ascii", write_through=True))
    assert main(["config", "--print", "--lang", "pl"]) == OK
    assert b"# j?zyk wszystkich tekst?w" in written.getvalue()


def test_the_statuses_are_those_that_shells_know():
    assert (command.OK, command.ERROR, command.USAGE, command.INTERRUPTED) == (0, 1, 2, 130)


@pytest.mark.parametrize(
    "line", ["--lang pl play --rules chess", "play --lang=pl --rules chess", "--lang pl --rules x"]
)
def test_a_command_line_is_answered_in_the_language_that_it_asks_for(line, capsys):
    with pytest.raises(SystemExit):
        main(line.split())
    assert speaks("pl")
    assert capsys.readouterr().err.splitlines()[-1] == "Pomoc: mastermind play --help"


def test_a_language_may_come_before_the_command(asked_for):
    assert asked_for("--lang", "pl", "join", "ABC234") == JoinOptions("ABC234", DEFAULT_SERVER)
    assert asked_for("--lang=en", "review") == ReviewOptions(None, DEFAULT_SERVER)


@pytest.mark.parametrize("line", ["--lang xx", "play --lang xx", "bots --lang xx", "--lang"])
def test_a_language_that_is_not_there_is_a_wrong_option(line, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == USAGE
    assert "argument --lang: " in capsys.readouterr().err


@pytest.mark.parametrize("interface", ["plain", "full"])
def test_what_nobody_foresaw_is_logged_and_told_in_one_sentence(
    interface, request, monkeypatch, capsys
):
    async def fail(*_):
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


def test_being_cancelled_without_a_signal_is_a_failure(monkeypatch, capsys):
    async def end(*_):
        raise asyncio.CancelledError

    monkeypatch.setattr(app, "play", end)
    assert main(["play"]) == FAILED
    assert "CancelledError" in capsys.readouterr().err
