import time
from datetime import UTC, timedelta, timezone

import pytest
from msgspec.structs import replace

from mastermind_client.columns import write_cells
from mastermind_client.language import use_language
from mastermind_client.messages.listings import (
    ARCHIVE_COLUMNS,
    PHASE_NAMES,
    describe_archived,
    describe_listed,
    describe_seat,
    describe_standing,
    describe_suspended,
    describe_unfinished,
    format_date_time,
    list_unfinished_terms,
)
from mastermind_client.messages.players import format_points
from mastermind_client.network.running import OwnSeat, UnfinishedMatch, WhoseTurn
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import ArchivedMatch, Listed

WON = ArchivedMatch(
    match="ABC234", rules="mini", rounds=1, at=1_795_273_440_000, seat=Seat.BREAKER,
    opponent="Ada", won=True, how=MatchEnd.PLAYED, guesses=3, points=(0, 3),
)  # fmt: skip


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_a_name(phase):
    assert PHASE_NAMES[phase] == phase.value


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "mini, 3 rounds, 5+3, rated: Ada sets, hard (bot) breaks (breaking)"),
        ("pl", "mini, 3 rundy, 5+3, rankingowa: Ada szyfruje, hard (bot) łamie (łamanie)"),
    ],
)
def test_a_listed_match_has_its_terms_and_players(language, line):
    use_language(language)
    listed = Listed(
        match="ABC234", rules="mini", rounds=3, phase=Phase.BREAKING, maker="Ada",
        breaker="hard", bots=(Seat.BREAKER,), rated=True, clock="5+3",
    )  # fmt: skip
    assert describe_listed(listed) == line


LEFT = {"how": MatchEnd.LEFT}
DRAWN = {"rounds": 2, "won": None, "points": (4, 4)}


@pytest.mark.parametrize(
    ("language", "changes", "line"),
    [
        ("en", {}, "mini: won against Ada, as codebreaker, 3 guesses"),
        ("en", {"won": False, "guesses": 1}, "mini: lost to Ada, as codebreaker, 1 guess"),
        ("en", {"rated": True}, "mini, rated: won against Ada, as codebreaker, 3 guesses"),
        ("en", {"bot": True}, "mini: won against Ada (bot), as codebreaker, 3 guesses"),
        ("en", {"opponent": None}, "mini: won against Someone, as codebreaker, 3 guesses"),
        ("en", {**DRAWN, "seat": Seat.MAKER},
         "mini, 2 rounds: a draw with Ada, first as codemaker, 3 guesses, 4 points to 4"),
        ("en", LEFT, "mini: won because Ada left, as codebreaker, 3 guesses"),
        ("en", {**LEFT, "won": False}, "mini: lost to Ada by leaving, as codebreaker, 3 guesses"),
        ("en", {"how": MatchEnd.CLOSED, "won": None, "guesses": 0},
         "mini: closed with Ada, as codebreaker, 0 guesses"),
        ("pl", {}, "mini: wygrana jako łamacz; przeciwnik: Ada; 3 próby"),
        ("pl", {"won": False, "seat": Seat.MAKER},
         "mini: przegrana jako szyfrant; przeciwnik: Ada; 3 próby"),
        ("pl", LEFT, "mini: wygrana jako łamacz przez odejście przeciwnika: Ada; 3 próby"),
        ("pl", {**LEFT, "won": False},
         "mini: przegrana jako łamacz przez własne odejście; przeciwnik: Ada; 3 próby"),
        ("pl", DRAWN, ("mini, 2 rundy: remis z rolą łamacza na początku; przeciwnik: Ada; 3 próby,"
         " punkty 4 do 4")),
    ],
)  # fmt: skip
def test_a_finished_match_is_a_line(language, changes, line):
    use_language(language)
    assert describe_archived(replace(WON, **changes), UTC) == f"2026-11-21 15:04  {line}"


def test_a_row_has_the_local_date_and_the_result():
    far_east = timezone(timedelta(hours=9))
    played = replace(WON, rounds=2, at=1_795_269_900_000, points=(7, 4))
    cells = ("Ada", "won, mini, 2 rounds, 7:4", "2026-11-21")
    assert write_cells(ARCHIVE_COLUMNS, played, far_east) == cells


@pytest.mark.parametrize(
    ("won", "how", "words"),
    [
        (True, MatchEnd.PLAYED, "won"),
        (False, MatchEnd.PLAYED, "lost"),
        (None, MatchEnd.PLAYED, "draw"),
        (True, MatchEnd.LEFT, "won: they left"),
        (False, MatchEnd.LEFT, "lost: you left"),
        (None, MatchEnd.CLOSED, "closed"),
    ],
)
def test_a_row_names_the_winner_and_a_player_who_left(won, how, words):
    match = replace(WON, won=won, how=how, guesses=0)
    assert write_cells(ARCHIVE_COLUMNS, match)[1] == f"{words}, mini, 0 guesses"


@pytest.mark.parametrize("milliseconds", [10**18, 2**63])
def test_a_time_beyond_the_calendar_is_a_question_mark(milliseconds):
    assert format_date_time(milliseconds, UTC) == "?"


def test_one_point_is_singular():
    assert (format_points(1, 2), format_points(2, 1)) == ("1 point to 2", "2 points to 1")


MINE = UnfinishedMatch(code="X922X4", rules="classic", opponent="Ana", turn=WhoseTurn.MINE, guess=3)
THEIRS = UnfinishedMatch(code="K7M2QX", rules="eight", opponent="Bob", turn=WhoseTurn.THEIRS)


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (MINE, "your turn"),
        (THEIRS, "their turn"),
        (replace(THEIRS, away=14 * 3600 + 300), "away since 14:05"),
        (UnfinishedMatch(code="M7R4TX", rules="mini"), "waiting for a friend"),
    ],
)
def test_a_running_match_is_described_by_what_it_waits_for(match, words):
    assert describe_standing(match, UTC) == words


def test_a_running_match_has_its_terms_its_opponent_and_the_command_to_continue():
    assert list_unfinished_terms(MINE) == ["classic", "guess 3"]
    assert list_unfinished_terms(THEIRS) == ["eight"]
    assert list_unfinished_terms(replace(MINE, clock="5+3")) == ["classic", "5+3", "guess 3"]
    assert describe_unfinished(MINE) == "Ana, X922X4, your turn"
    assert describe_suspended(MINE) == (
        "Saved for later: Ana, X922X4, your turn. Continue: mastermind continue X922X4"
    )
    assert describe_suspended(MINE, saved=False) == (
        "Not saved, because its files have been removed: Ana, X922X4, your turn."
    )


@pytest.mark.parametrize(
    ("match", "words"), [(MINE, "your turn, 2 d 3 h left"), (THEIRS, "their turn, 2 d 3 h left")]
)
def test_a_match_with_a_clock_of_days_has_the_time_left(match, words):
    until = time.time() + 51.5 * 3600
    timed = replace(match, clock="3d/move", until=until)
    assert describe_standing(timed, UTC) == words
    text = describe_seat(OwnSeat("ws://h", "Bob", timed))
    assert text == f"{match.rules}, 3d/move: {match.opponent}, {words}"


def test_a_match_with_a_live_clock_has_the_minutes_and_seconds_left(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    timed = replace(MINE, clock="5+3", until=1157.25, live=True)
    assert describe_standing(timed, UTC) == "your turn, 02:37 left"
    low = replace(timed, until=1008.7)
    assert describe_standing(low, UTC) == "your turn, 8 seconds left"
