"""The sources of options: the command line, the settings file, and the kind of terminal."""

import sys

import pytest

from mastermind_client.bot_runner import command as bot_command
from mastermind_client.cli import command
from mastermind_client.cli.command import EXIT_OK, main
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import (
    DEFAULT_SERVER,
    FRIEND,
    BotListOptions,
    BotOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.config.settings import Settings, load, save
from mastermind_client.language import is_current_language
from mastermind_client.lines import app
from mastermind_client.playback import DEFAULT_PACE_SECONDS
from mastermind_protocol.rules import DEFAULT, PRESETS

CLUB = {"name": "Ada", "server": "ws://club", "rules": "mini", "opponent": "easy"}
KNUTH, MINI = PRESETS["knuth"], PRESETS["mini"]
EVE = "play --name Eve --palette okabe-ito --mouse --rules lab --server ws://x"


@pytest.mark.parametrize(
    ("line", "saved", "changed", "options"),
    [
        ("", {}, {}, None),
        ("--lang pl", {}, {"language": "pl"}, None),
        ("--color 256 --ascii", {}, {"color": "256", "glyphs": "ascii"}, None),
        ("--no-mouse --pace 0.7", {}, {"mouse": "off", "pace": 0.7}, None),
        ("play", {}, {}, PlayOptions(DEFAULT)),
        ("--rules mini", {}, {}, PlayOptions(MINI)),
        ("--versus hard", {}, {}, PlayOptions(DEFAULT, versus="hard", settled=True)),
        ("join", {}, {}, JoinOptions(None, DEFAULT_SERVER)),
        ("watch ABC234", {}, {}, WatchOptions(DEFAULT_SERVER, "ABC234", rules=KNUTH)),
        ("review", {}, {}, ReviewOptions(None, DEFAULT_SERVER)),
        ("", CLUB, {}, None),
        ("play", CLUB, {}, PlayOptions(MINI, versus="easy", name="Ada", rules_from_before=True,
                                       usual_server="ws://club")),
        ("join", CLUB, {}, JoinOptions(None, "ws://club", "Ada")),
        ("review", CLUB, {}, ReviewOptions(None, "ws://club", "Ada")),
        ("watch", CLUB, {}, WatchOptions("ws://club", rules=KNUTH, name="Ada")),
        ("play", {"rules": "lab"}, {}, PlayOptions(PRESETS["lab"], rules_from_before=True)),
        ("play --rules lab", {"rules": "lab"}, {}, PlayOptions(PRESETS["lab"])),
        ("play", {"rules": "classic"}, {}, PlayOptions(DEFAULT)),
        (EVE, {"name": "Ada", "palette": "mono", "mouse": "off", "rules": "mini"},
         {"name": "Eve", "palette": "okabe-ito", "mouse": "on", "server": "ws://x"},
         PlayOptions(PRESETS["lab"], name="Eve", server="ws://x", usual_server="ws://x")),
    ],
)  # fmt: skip
def test_on_a_terminal_the_command_line_comes_before_the_settings(
    opened, line, saved, changed, options
):
    save(saved, settings_path())
    kept = load(settings_path())
    assert opened(*line.split()) == (options, Settings(**{**saved, **changed}), ())
    assert load(settings_path()) == kept


def test_a_game_against_a_bot_needs_no_server(opened):
    save({"server": "ws://club"}, settings_path())
    addresses = [opened("play", "--versus", versus)[0].address for versus in ("easy", FRIEND)]
    assert addresses == [None, "ws://club"]
    assert opened("watch", "--bot", "easy")[0].server is None


def test_commands_without_an_interface_ignore_the_settings(monkeypatch):
    started: list[object] = []

    async def start(_context, options):
        started.append(options)

    monkeypatch.setattr(app, "list_bots", start)
    monkeypatch.setattr(bot_command, "run", start)
    save({"name": "Ada", "server": "ws://club"}, settings_path())
    assert main(["bots"]) == main(["bot", "bots:Both"]) == EXIT_OK
    assert started == [BotListOptions(None, None), BotOptions("bots:Both", server=DEFAULT_SERVER)]


def test_a_script_ignores_the_settings(asked_for):
    save(CLUB, settings_path())
    assert asked_for() == PlayOptions(DEFAULT)
    assert asked_for("join") == JoinOptions(None, DEFAULT_SERVER)


@pytest.mark.parametrize("line", ["play", "join ABC234", "watch --bot knuth", "watch ABC234"])
def test_a_script_has_a_pace_only_if_it_asks_for_one(asked_for, paces, line):
    save({"pace": 3.0}, settings_path())
    asked_for(*line.split())
    asked_for(*line.split(), "--pace", "0.7")
    assert paces == [0.0, 0.7]


@pytest.mark.usefixtures("screen")
def test_lines_on_a_terminal_have_the_pace_of_the_settings(asked_for, paces):
    asked_for("watch", "--bot", "knuth", "--plain")
    save({"pace": 3.0}, settings_path())
    asked_for("watch", "--bot", "knuth", "--plain")
    asked_for("play", "--plain", "--pace", "0")
    assert paces == [DEFAULT_PACE_SECONDS, 3.0, 0.0]


@pytest.mark.parametrize(("line", "language"), [(["play"], "pl"), (["play", "--lang", "en"], "en")])
def test_a_script_has_the_language_of_the_settings_or_its_own(asked_for, capsys, line, language):
    save({"language": "pl"}, settings_path())
    asked_for(*line)
    assert is_current_language(language)
    assert not capsys.readouterr().err


def test_problems_of_the_settings_are_passed_to_the_full_screen(opened):
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text("bell = 1\n")
    _, settings, (problem,) = opened()
    assert settings == Settings() == load(settings_path()).settings
    assert "line 1: bell cannot be 1" in problem


@pytest.mark.usefixtures("screen")
def test_lines_print_problems_of_the_settings_on_standard_error(asked_for, capsys):
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text("name = 'Ada'\npalette = 'pink'\n")
    assert asked_for("--plain") == PlayOptions(DEFAULT, name="Ada")
    assert "line 2: palette cannot be 'pink'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "term", "reads", "writes"),
    [
        ("play --plain", "xterm-256color", True, True),
        ("play", "xterm-256color", False, True),
        ("play", "xterm-256color", True, False),
        ("play", "dumb", True, True),
        ("play", "", True, True),
        ("play", None, True, True),
    ],
)
def test_the_line_interface_is_used_without_a_screen(
    asked_for, monkeypatch, line, term, reads, writes
):
    monkeypatch.setattr(command, "_is_terminal", lambda s: reads if s is sys.stdin else writes)
    if term is None:
        monkeypatch.delenv("TERM", raising=False)
    else:
        monkeypatch.setenv("TERM", term)
    assert asked_for(*line.split()) == PlayOptions(DEFAULT)


def test_the_line_interface_is_used_without_standard_input(asked_for, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)  # as the interpreter sets it when it is closed
    assert asked_for("play") == PlayOptions(DEFAULT)
