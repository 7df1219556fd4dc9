import logging
import stat

import pytest

from mastermind_client.cli.crash_log import (
    EXIT_CRASHED,
    MAX_LOG_BYTES,
    MAX_MESSAGE_CHARACTERS,
    log_path,
    log_to_file,
    report,
)

TOKEN = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE"  # noqa: S105 - an example


@pytest.fixture
def _kept():
    """Warnings go to the log while the test lasts."""
    root = logging.getLogger()
    before = list(root.handlers)
    log_to_file()
    yield
    for handler in set(root.handlers) - set(before):
        root.removeHandler(handler)
        handler.close()


def fail(message: object) -> BaseException:
    """Return an error that was raised."""
    with pytest.raises(KeyError) as raised:
        raise KeyError(message)
    return raised.value


def test_the_report_is_one_short_line_without_escapes_and_secrets(capsys):
    report(RuntimeError(f"\x1b]52;c;QUFB\x07\x1b[2J\nsecret=(1, 2, 3, 4) of {TOKEN}\n {'x' * 500}"))
    told = capsys.readouterr().err
    assert told.startswith(
        "mastermind: Mastermind has failed "
        "(RuntimeError: ?]52;c;QUFB??[2J secret=[code] of [token] xxx"
    )
    assert told.endswith(f"xxx...). Details are in {log_path()}\n")
    assert told.count("x") < MAX_MESSAGE_CHARACTERS
    assert told.removesuffix("\n").isprintable()
    logged = log_path().read_text()
    assert logged.replace("\n", "").isprintable()
    assert "x" * 500 in logged


def test_the_log_has_the_traceback_and_the_versions_but_not_the_command_line(monkeypatch):
    monkeypatch.setattr("sys.argv", ["mastermind", "watch", "--secret", "6543"])
    report(fail("opponent"))
    report(fail("lobby"))
    logged = log_path().read_text()
    assert "6543" not in logged
    assert "CRITICAL mastermind_client.cli.crash_log: Mastermind 0." in logged
    assert ", Python 3." in logged
    for what in ("opponent", "lobby"):
        assert f"KeyError: '{what}'\n" in logged
    assert logged.count("Traceback (most recent call last):") == 2
    assert logged.count(", in fail\n") == 2


def test_an_error_without_text_is_named(capsys):
    report(RuntimeError())
    assert "has failed (RuntimeError)." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("message", "logged"),
    [
        (f"hello {TOKEN}!", "hello [token]!"),
        (f"no token: {TOKEN}x", f"no token: {TOKEN}x"),
        ((0, 1, 2, 3), "[code]"),
        ([5], "KeyError: [5]"),
        ((5,), "[code]"),
        ("secret=(11, 10), seat", "secret=[code], seat"),
        (b"\x00\x01'", "KeyError: [bytes]"),
        ("tuple[int, ...]", "tuple[int, ...]"),
    ],
)
def test_tokens_and_codes_are_replaced_in_the_log(message, logged):
    report(fail(message))
    text = log_path().read_text()
    assert logged in text
    if isinstance(message, str) and message.endswith("!"):
        assert TOKEN not in text


def test_without_a_log_the_traceback_is_printed(capsys):
    log_path().mkdir(parents=True)
    assert report(fail("opponent\x07 (1, 2, 3)")) == EXIT_CRASHED
    *traceback, last = capsys.readouterr().err.splitlines()
    assert traceback[0] == "Traceback (most recent call last):"
    assert traceback[-1] == "KeyError: 'opponent\\x07 [code]'"
    assert last == (
        f"mastermind: Mastermind has failed, and the log {log_path()} cannot be written: "
        "Is a directory."
    )


def test_the_log_is_two_files_of_a_limited_size_that_only_the_owner_can_read():
    for _ in range(3 * MAX_LOG_BYTES // 100_000):
        report(fail("x " * 50_000))
    assert log_path().parts[-3:] == ("mastermind", "log", "mastermind.log")
    assert stat.S_IMODE(log_path().parent.stat().st_mode) == 0o700
    files = sorted(log_path().parent.iterdir())
    assert [file.name for file in files] == ["mastermind.log", "mastermind.log.1"]
    for file in files:
        assert file.stat().st_size <= MAX_LOG_BYTES
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.usefixtures("_kept")
def test_warnings_are_only_in_the_log(capsys):
    log_to_file()  # again: once is enough
    assert not log_path().exists()
    logging.getLogger("asyncio").warning("a task took %s", TOKEN)
    logging.getLogger("asyncio").info("nothing new")
    said = capsys.readouterr()
    assert said.out + said.err == ""
    (line,) = log_path().read_text().splitlines()
    assert line.endswith("WARNING asyncio: a task took [token]")


@pytest.mark.usefixtures("_kept")
def test_a_warning_that_cannot_be_logged_is_dropped(capsys):
    log_path().mkdir(parents=True)
    logging.getLogger("asyncio").warning("a task took long")
    assert capsys.readouterr().err == ""
