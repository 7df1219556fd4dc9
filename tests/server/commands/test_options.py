import re
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

import pytest

from kit.postgres import GIVEN
from mastermind_server import cli
from mastermind_server.commands.limits import find_limits
from mastermind_server.commands.options import (
    add_database_option,
    add_option,
    find_database,
    make_choice_parser,
    read_downloads,
    read_origins,
    read_port,
    read_public_url,
)

Capture = pytest.CaptureFixture[str]

URL = "postgresql://mastermind:hush-hush@127.0.0.1:1/games"


def parse(*typed: str) -> object:
    """Return the port for a command line."""
    parser = ArgumentParser()
    add_option(parser, "--port", parse=read_port, default=8765, about="where")
    return parser.parse_args(typed).port


def place(*typed: str) -> Path | str | None:
    parser = ArgumentParser()
    add_database_option(parser)
    return find_database(parser.parse_args(typed))


def complaint(capsys: Capture, *typed: str) -> str:
    """Return the error of a wrong command line."""
    with pytest.raises(SystemExit) as ended:
        cli.main([*typed])
    assert ended.value.code == 2
    return capsys.readouterr().err.splitlines()[0]


def test_an_option_overrides_the_environment_which_overrides_the_default(monkeypatch):
    assert parse() == 8765
    monkeypatch.setenv("MASTERMIND_PORT", "1234")
    assert parse() == 1234
    assert parse("--port", "5678") == 5678
    monkeypatch.setenv("MASTERMIND_PORT", "")  # as compose files leave an unset variable
    assert parse() == 8765


def test_a_value_may_be_read_from_a_file(tmp_path, monkeypatch, capsys):
    file = tmp_path / "port"
    file.write_text("4321\n")
    monkeypatch.setenv("MASTERMIND_PORT_FILE", str(file))
    assert parse() == 4321
    monkeypatch.setenv("MASTERMIND_PORT", "1")
    both = "MASTERMIND_PORT and MASTERMIND_PORT_FILE are both set: unset one"
    assert complaint(capsys).endswith(both)
    monkeypatch.delenv("MASTERMIND_PORT")
    file.unlink()
    missing = "MASTERMIND_PORT_FILE cannot be read: No such file or directory"
    assert complaint(capsys).endswith(missing)
    file.write_bytes(b"\xff")
    assert complaint(capsys).endswith("MASTERMIND_PORT_FILE cannot be read: it is not UTF-8 text")


def test_the_error_for_a_wrong_value_names_its_variable_and_help_still_works(monkeypatch, capsys):
    monkeypatch.setenv("MASTERMIND_PORT", "tcp://10.0.0.1:8765")
    wrong = "'tcp://10.0.0.1:8765' is no port: 0 to 65535 (MASTERMIND_PORT)"
    assert complaint(capsys).endswith(wrong)
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0


def test_an_option_for_the_database_overrides_both_variables(monkeypatch, capsys):
    assert place() is None
    monkeypatch.setenv("MASTERMIND_STORE", URL)
    assert place() == URL
    assert place("--database", "game.sqlite3") == Path("game.sqlite3")
    monkeypatch.setenv("MASTERMIND_DATABASE", "other.sqlite3")
    assert place("--database", "game.sqlite3") == Path("game.sqlite3")
    both = "MASTERMIND_STORE and MASTERMIND_DATABASE are both set: unset one"
    assert complaint(capsys).endswith(both)
    monkeypatch.delenv("MASTERMIND_STORE")
    assert place() == Path("other.sqlite3")
    assert place("--store", URL) == URL


def test_the_password_may_be_read_from_a_file(tmp_path, monkeypatch):
    file = tmp_path / "password"
    file.write_text("p@ss/wörd\n")
    monkeypatch.setenv("MASTERMIND_STORE_PASSWORD_FILE", str(file))
    url = place("--store", "postgresql://mastermind@db/games")
    assert url == "postgresql://mastermind:p%40ss%2Fw%C3%B6rd@db/games"
    with pytest.raises(ArgumentTypeError, match="is no URL of a database"):
        place("--store", "postgresql://db:hush/games")
    file.unlink()
    with pytest.raises(ArgumentTypeError, match="cannot be read"):
        place("--store", "postgresql://mastermind@db/games")
    assert place("--database", "game.sqlite3") == Path("game.sqlite3")  # which needs none


def test_a_choice_ignores_case():
    read = make_choice_parser("text", "JSON")
    assert read("json") == "JSON"
    with pytest.raises(ArgumentTypeError, match="'xml' is not one of text, JSON"):
        read("xml")


@pytest.mark.parametrize("command", [[], ["limits"], ["migrate"]])
@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("MASTERMIND_TRUSTED_PROXY", ": is MASTERMIND_TRUSTED_PROXIES meant?"),
        ("MASTERMIND_STORE_PASSWORD_FIL", ": is MASTERMIND_STORE_PASSWORD_FILE meant?"),
        ("MASTERMIND_LIMIT_CHATS", ": is MASTERMIND_LIMIT_CHAT meant?"),
        ("MASTERMIND_XYZZY", ""),
    ],
)
def test_an_unknown_variable_is_refused(monkeypatch, capsys, command, name, near):
    monkeypatch.setenv(name, "10.0.0.1")
    assert complaint(capsys, *command).endswith(f"error: no option has the variable {name}{near}")


def test_the_variables_of_other_commands_and_programs_are_accepted(monkeypatch, capsys):
    root = Path(__file__).parents[3]
    files = ("docker-compose.yml", "docker-compose.ha.yml", "compose.single.yml", "Caddyfile")
    texts = [(root / file).read_text() for file in (*files, "Dockerfile", "Makefile")]
    names = {name for text in texts for name in re.findall(r"\bMASTERMIND_[A-Z_]+", text)}
    assert {"MASTERMIND_SITE", "MASTERMIND_DRAIN", "MASTERMIND_MAKE"} <= names
    names |= {GIVEN, "MASTERMIND_METRICS_HOST", "MASTERMIND_LIMIT_NEWCOMERS"}
    names |= {"MASTERMIND_DB_SERVICE_HOST", "MASTERMIND_DB_PORT_80_TCP_ADDR"}
    for name in names:
        monkeypatch.setenv(name, "5")
    monkeypatch.setenv("MASTERMIND_DB_PORT", "tcp://10.0.0.1:5432")
    monkeypatch.setenv("MASTERMIND_TRUSTED_PROXY", "")  # as compose files leave an unset variable
    monkeypatch.delenv("MASTERMIND_STORE_PASSWORD_FILE")
    assert cli.main(["limits"]) == 0
    assert "pending_connections = 5  # environment" in capsys.readouterr().out


@pytest.mark.promise("password")
@pytest.mark.parametrize("command", [[], ["migrate"], ["status"]])
@pytest.mark.parametrize(
    "url",
    [
        URL,
        "postgresql://127.0.0.1:1/games?user=ada&password=hush&sslpassword=hush",
        "postgresql://127.0.0.1:hush-hush/games",
        "hush-hush",
    ],
)
def test_help_and_errors_contain_no_password(monkeypatch, capsys, command, url):
    monkeypatch.setenv("MASTERMIND_PORT", "0")
    monkeypatch.setenv("MASTERMIND_STORE", url)
    with pytest.raises(SystemExit):
        cli.main([*command, "--help"])
    assert cli.main(command) == 1
    out, err = capsys.readouterr()
    assert "MASTERMIND_STORE" in out
    assert err.startswith("mastermind-server: ")
    assert "hush" not in out + err


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("https://example.org", ("https://example.org",)),
        ("http://localhost:8000, https://[::1]", ("http://localhost:8000", "https://[::1]")),
        ("", ()),
    ],
)
def test_origins_are_parsed(text, origins):
    assert read_origins(text) == origins


@pytest.mark.parametrize("text", ["https://play.test", "https://play.test/"])
def test_the_public_address_ends_with_a_slash(text):
    assert read_public_url(text) == "https://play.test/"


@pytest.mark.parametrize(
    "text", ["play.test", "ftp://play.test", "https://play.test/x", "https://Play.test", ""]
)
def test_other_public_addresses_are_refused(text):
    with pytest.raises(ArgumentTypeError, match="is no address of a page"):
        read_public_url(text)


def test_a_folder_without_the_wheel_of_this_version_is_refused(tmp_path):
    with pytest.raises(ArgumentTypeError, match="has no wheel of this version") as refused:
        read_downloads(str(tmp_path))
    assert "-py3-none-any.whl: No such file" in str(refused.value)


def test_a_limits_file_that_is_no_text_is_named(tmp_path):
    file = tmp_path / "limits.toml"
    file.write_bytes(b"\xff")
    with pytest.raises(ArgumentTypeError, match=f"--limits {file}: it is not UTF-8 text"):
        find_limits(str(file))
