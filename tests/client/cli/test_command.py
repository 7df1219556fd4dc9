import asyncio
import errno
import os
import signal
import ssl
import subprocess
import sys
import termios
from contextvars import copy_context
from importlib.metadata import version
from io import BytesIO, TextIOWrapper

import pytest

from kit.certificates import Authority
from mastermind_client.cli import crash_log
from mastermind_client.cli.command import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, main
from mastermind_client.cli.crash_log import EXIT_CRASHED, log_path
from mastermind_client.config.options import PlayOptions
from mastermind_client.language import is_current_language
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded, NegativeResult
from mastermind_client.network.connection.line import find_tls_context
from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.screen import fullscreen as full
from mastermind_protocol.errors import ErrorCode, InvalidRules, Reason, Refused
from mastermind_protocol.rules import DEFAULT
from mastermind_server.app import listen
from mastermind_server.bots import ALIASES, BOTS

HEAVY = {
    *("prompt_toolkit", "numpy", "sqlalchemy", "alembic", "websockets", "asyncio", "filelock"),
    *("mastermind_server", "ssl", "logging", "rich", "msgpack", "msgspec", "dataclasses"),
    *("inspect", "hashlib", "uuid", "json", "importlib", "tomllib", "tomlkit", "shtab"),
}


def test_without_a_command_a_game_is_played(asked_for, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mastermind"])
    assert asked_for() == asked_for("play") == PlayOptions(DEFAULT)


@pytest.mark.parametrize(
    "command",
    [
        "play", "join", "watch", "review", "continue", "bots", "stats", "leaderboard", "profile",
        "transfer",
    ],
)  # fmt: skip
def test_a_missing_file_of_certificates_is_reported(command, tmp_path, capsys):
    file = tmp_path / "authority.pem"
    with pytest.raises(SystemExit) as ended:
        main([command, "--cafile", str(file), "--server", "wss://localhost"])
    assert ended.value.code == EXIT_USAGE
    told = f"mastermind {command}: error: --cafile {file}: No such file or directory\n"
    assert capsys.readouterr().err.startswith(told)


def test_a_file_of_certificates_alone_opens_the_home_screen(opened, contexts, tmp_path):
    file = Authority(tmp_path).file
    wanted, _, _ = opened("--cafile", str(file))
    assert wanted is None
    context = find_tls_context("wss://localhost", contexts[0].network.cafile)
    assert context is not None
    (authority,) = ssl.create_default_context(cafile=str(file)).get_ca_certs()
    assert authority in context.get_ca_certs()


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert not ended.value.code
    assert capsys.readouterr().out == f"mastermind {version('networked-mastermind')}\n"


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import mastermind_client.cli.command", HEAVY),
        ("from mastermind_client.cli.command import main; main(['--help'])", HEAVY),
        (
            "import mastermind_client.screen.fullscreen, mastermind_client.screen.pages.home",
            {"websockets", "msgpack", "mastermind_server", "numpy", "sqlalchemy"},
        ),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(statement, heavy):
    tell = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    command = [sys.executable, "-c", f"{tell}\n{statement}"]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    loaded = {module.partition(".")[0] for module in ended.stderr.split()}
    assert "mastermind_client" in loaded
    assert not loaded & heavy


@pytest.mark.parametrize("line", ["--help", "--version", "rules", "config", "completion bash"])
def test_an_output_that_is_closed_is_a_status_alone(line, monkeypatch, capsys):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as output:
        monkeypatch.setattr(sys, "stdout", output)
        assert main(line.split()) == EXIT_ERROR
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (InputEnded(), EXIT_OK, ""),
        (NegativeResult(), EXIT_ERROR, ""),
        (InvalidRules(Reason.TOO_FEW_COLOURS, rules="4x3u", pegs=4), EXIT_USAGE,
         "mastermind: 4x3u has no code: without a colour twice, 4 pegs need 4 colours"),
        (KeyboardInterrupt(), EXIT_INTERRUPTED, ""),
        (ServerUnreachable(Cause.TEXT), EXIT_ERROR,
         "mastermind: the server sent text: it is no Mastermind server"),
        (OSError("the disk is full"), EXIT_ERROR, "mastermind: the disk is full"),
        (Refused.with_message(ErrorCode.UNKNOWN_MATCH, "no such match"), EXIT_ERROR,
         "mastermind: no such match"),
        *((Refused.with_message(code, "no such thing"), EXIT_USAGE, "mastermind: no such thing")
          for code in (ErrorCode.UNKNOWN_BOT, ErrorCode.INVALID_NAME,
                       ErrorCode.INVALID_SEATS, ErrorCode.INVALID_RULES)),
    ],
    ids=repr,
)  # fmt: skip
def test_the_end_is_a_status_and_a_line_on_standard_error(
    raised, status, said, monkeypatch, capsys
):
    async def end(*_):
        raise raised

    monkeypatch.setattr(app, "play", end)
    assert main(["play"]) == status
    assert capsys.readouterr().err == (f"{said}\n" if said else "")


@pytest.mark.parametrize(
    "line", ["play", "play --versus friend", "join ABC234", "join", "watch ABC234", "watch"]
)
def test_an_absent_server_is_reported(line, capsys):
    with listen("127.0.0.1", 0) as listener:
        address = "ws://{}:{}".format(*listener.getsockname())
    assert main([*line.split(), "--server", address]) == EXIT_ERROR
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"mastermind: cannot reach {address}: nothing listens there.")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("face", [[], ["--plain"]], ids=["full screen", "lines"])
@pytest.mark.usefixtures("screen")
def test_a_missing_match_to_continue_is_reported(capsys, monkeypatch, face):
    monkeypatch.setattr(crash_log, "log_to_file", lambda: None)
    assert main(["continue", *face]) == EXIT_ERROR
    assert capsys.readouterr().err == (
        "mastermind: there is no match to continue: mastermind play starts one\n"
    )


def test_messages_of_a_program_that_make_started_name_its_target(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/nowhere/mastermind"])
    monkeypatch.setenv("MASTERMIND_MAKE", "yes")
    assert copy_context().run(main, ["continue"]) == EXIT_ERROR
    assert capsys.readouterr().err == (
        'mastermind: there is no match to continue: make play ARGS="play" starts one\n'
    )


def test_an_unknown_bot_is_a_wrong_option(capsys):
    assert main(["play", "--versus", "hal"]) == EXIT_USAGE
    said = capsys.readouterr().err
    *names, last = (*BOTS, *ALIASES)
    assert said == f"mastermind: 'hal' is no bot here: use {', '.join(names)} or {last}\n"


def test_letters_missing_in_the_outputs_encoding_are_replaced(monkeypatch):
    written = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(written, "ascii", write_through=True))
    assert main(["config", "--print", "--lang", "pl"]) == EXIT_OK
    assert b"# j?zyk wszystkich tekst?w" in written.getvalue()


@pytest.mark.parametrize(
    "line", ["--lang pl play --rules chess", "play --lang=pl --rules chess", "--lang pl --rules x"]
)
def test_errors_are_in_the_language_of_the_command_line(line, capsys):
    with pytest.raises(SystemExit):
        main(line.split())
    assert is_current_language("pl")
    assert capsys.readouterr().err.splitlines()[-1] == "Pomoc: mastermind play --help"


@pytest.mark.parametrize("line", ["--lang xx", "play --lang xx", "bots --lang xx", "--lang"])
def test_an_unknown_language_is_a_wrong_option(line, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == EXIT_USAGE
    assert "argument --lang: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "module", "name"), [("play --plain", app, "play"), ("play", full, "run")]
)
@pytest.mark.usefixtures("opened")
def test_an_unexpected_error_is_logged_and_reported_in_one_sentence(
    line, module, name, monkeypatch, capsys
):
    async def fail(*_):
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(module, name, fail)
    assert main(line.split()) == EXIT_CRASHED == 70
    assert capsys.readouterr().err == (
        "mastermind: Mastermind has failed (ZeroDivisionError: of all things). "
        f"Details are in {log_path()}\n"
    )
    assert "in fail\n" in log_path().read_text()


def test_a_cancellation_without_a_signal_is_a_failure(monkeypatch, capsys):
    async def end(*_):
        raise asyncio.CancelledError

    monkeypatch.setattr(app, "play", end)
    assert main(["play"]) == EXIT_CRASHED
    assert "CancelledError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "module", "name"), [("play --plain", app, "play"), ("play", full, "run")]
)
@pytest.mark.usefixtures("screen")
def test_a_stray_error_in_the_event_loop_ends_the_interface(
    line, module, name, monkeypatch, capsys
):
    async def run(*_):
        asyncio.get_running_loop().call_soon(int, "on purpose")
        for _turn in range(2):
            await asyncio.sleep(0)

    monkeypatch.setattr(module, name, run)
    monkeypatch.setattr(crash_log, "log_to_file", lambda: None)
    assert main(line.split()) == EXIT_CRASHED
    assert "(ValueError: invalid literal" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [OSError, termios.error])
def test_a_closed_window_ends_the_interface_without_a_message(kind, monkeypatch):
    async def end(*_):
        raise kind(errno.EIO, "Input/output error")

    window, terminal = os.openpty()
    os.close(window)
    monkeypatch.setattr(app, "play", end)
    with os.fdopen(terminal, "w") as output, os.fdopen(os.dup(terminal), "w") as errors:
        monkeypatch.setattr(sys, "stdout", output)
        monkeypatch.setattr(sys, "stderr", errors)
        assert main(["play"]) == 128 + signal.SIGHUP
    assert not log_path().exists()


def test_a_user_without_a_home_folder_gets_the_reason_in_one_line(monkeypatch, capsys):
    for variable in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)  # as in a container with --user
    assert main(["--version"]) == EXIT_ERROR
    error = capsys.readouterr().err
    assert error.startswith("mastermind: could not determine the home directory")
    assert error.count("\n") == 1
