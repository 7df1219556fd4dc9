from __future__ import annotations

import sys

import pytest

from mastermind_client.cli import command
from mastermind_client.cli.command import OK, main
from mastermind_client.config.options import (
    DEFAULT_SERVER,
    FRIEND,
    BotsOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.config.settings import Settings, load, save
from mastermind_client.config.settings_file import settings_path
from mastermind_client.language import speaks
from mastermind_client.lines import app
from mastermind_client.own_bot import runner
from mastermind_client.own_bot.options import BotOptions
from mastermind_client.pace import DEFAULT_PACE
from mastermind_protocol.rules import DEFAULT, PRESETS


def test_alone_on_a_terminal_the_home_screen_is_opened(opened):
    assert opened() == (None, Settings(), ())


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("--lang pl", Settings(language="pl")),
        ("--lang=pl --palette mono", Settings(language="pl", palette="mono")),
        ("--color 256 --ascii", Settings(color="256", glyphs="ascii")),
        ("--no-mouse", Settings(mouse="off")),
        ("--mouse", Settings(mouse="on")),
        ("--pace 0.7", Settings(pace=0.7)),
        ("--name Ada --server ws://x", Settings(name="Ada", server="ws://x")),
    ],
)
def test_options_that_say_how_and_not_what_open_the_home_screen(opened, line, settings):
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
def test_on_a_terminal_a_command_opens_the_screen_at_what_it_asks_for(opened, line, options):
    assert opened(*line.split()) == (options, Settings(), ())


def test_the_settings_hold_where_the_command_line_says_nothing(opened):
    save({"name": "Ada", "server": "ws://club", "rules": "mini", "opponent": "easy"})
    settings = Settings(name="Ada", server="ws://club", rules="mini", opponent="easy")
    mini = PRESETS["mini"]
    assert opened() == (None, settings, ())
    play = PlayOptions(
        mini, versus="easy", name="Ada", rules_from_before=True, usual_server="ws://club"
    )
    assert opened("play") == (play, settings, ())
    assert opened("join") == (JoinOptions(None, "ws://club", "Ada"), settings, ())
    assert opened("review") == (ReviewOptions(None, "ws://club", "Ada"), settings, ())
    watching = WatchOptions("ws://club", rules=PRESETS["knuth"], name="Ada")
    assert opened("watch") == (watching, settings, ())


@pytest.mark.parametrize(
    ("played", "line", "unasked"),
    [("lab", "play", True), ("lab", "play --rules lab", False), ("classic", "play", False)],
)
def test_rules_that_nobody_names_are_known_to_be_those_of_an_earlier_time(
    opened, played, line, unasked
):
    save({"rules": played})
    options, *_ = opened(*line.split())
    assert isinstance(options, PlayOptions)
    assert options.rules_from_before is unasked


def test_the_settings_hold_for_no_command_without_an_interface(opened, monkeypatch):
    started: list[object] = []

    async def start(options):
        started.append(options)

    monkeypatch.setattr(app, "list_bots", start)
    monkeypatch.setattr(runner, "run", start)
    save({"name": "Ada", "server": "ws://club"})
    assert opened("join") == (JoinOptions(None, "ws://club", "Ada"), load().settings, ())
    assert main(["bots"]) == main(["bot", "bots:Both"]) == OK
    assert started == [BotsOptions(None, None), BotOptions("bots:Both", server=DEFAULT_SERVER)]


def test_the_command_line_holds_against_the_settings_and_is_not_kept(opened):
    save({"name": "Ada", "palette": "mono", "mouse": "off", "rules": "mini"})
    before = settings_path().read_text()
    line = "play --name Eve --palette okabe-ito --mouse --rules lab --server ws://x"
    changed = Settings("Eve", "ws://x", palette="okabe-ito", mouse="on", rules="mini")
    options = PlayOptions(PRESETS["lab"], name="Eve", server="ws://x", usual_server="ws://x")
    assert opened(*line.split()) == (options, changed, ())
    assert settings_path().read_text() == before


def test_a_game_against_a_bot_stays_in_this_process_whatever_the_settings_say(opened):
    save({"server": "ws://club"})
    options, *_ = opened("play", "--versus", "easy")
    assert options.address is None
    options, *_ = opened("play", "--versus", FRIEND)
    assert options.address == "ws://club"
    options, *_ = opened("watch", "--bot", "easy")
    assert options.server is None


@pytest.mark.parametrize("line", ["play", "join ABC234", "watch --bot knuth", "watch ABC234"])
def test_in_a_pipe_there_is_no_pace_unless_one_is_asked_for(asked_for, paces, line):
    save({"pace": 3.0})
    asked_for(*line.split())
    asked_for(*line.split(), "--pace", "0.7")
    assert paces == [0.0, 0.7]


@pytest.mark.usefixtures("screen")
def test_on_a_terminal_the_line_face_has_the_pace_of_the_settings(asked_for, paces):
    asked_for("watch", "--bot", "knuth", "--plain")
    save({"pace": 3.0})
    asked_for("watch", "--bot", "knuth", "--plain")
    asked_for("play", "--plain", "--pace", "0")
    assert paces == [DEFAULT_PACE, 3.0, 0.0]


def test_a_script_plays_the_same_whatever_the_settings_say(asked_for):
    save({"name": "Ada", "server": "ws://club", "rules": "mini", "opponent": "easy"})
    assert asked_for() == PlayOptions(DEFAULT)
    assert asked_for("join") == JoinOptions(None, DEFAULT_SERVER)


def test_a_script_reads_the_language_of_the_settings_unless_it_asks_for_one(asked_for, capsys):
    save({"language": "pl"})
    for line, language in ((["play"], "pl"), (["play", "--lang", "en"], "en")):
        asked_for(*line)
        assert speaks(language)
    assert not capsys.readouterr().err


def test_what_is_wrong_with_the_settings_is_told_by_the_interface(opened):
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text("bell = 1\n")
    _, settings, problems = opened()
    assert settings == Settings()
    assert len(problems) == 1
    assert "line 1: bell cannot be 1" in problems[0]


@pytest.mark.usefixtures("screen")
def test_in_lines_a_person_is_told_on_standard_error_what_is_wrong_with_the_settings(
    asked_for, capsys
):
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
def test_where_there_is_no_screen_or_lines_are_asked_for_the_game_is_one_of_lines(
    asked_for, monkeypatch, line, term, reads, writes
):
    monkeypatch.setattr(command, "_is_terminal", lambda s: reads if s is sys.stdin else writes)
    if term is None:
        monkeypatch.delenv("TERM", raising=False)
    else:
        monkeypatch.setenv("TERM", term)
    assert asked_for(*line.split()) == PlayOptions(DEFAULT)
