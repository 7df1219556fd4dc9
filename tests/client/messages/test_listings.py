from datetime import UTC, timedelta, timezone

import pytest
from msgspec.structs import replace

from mastermind_client.language import use_language
from mastermind_client.messages.events import compare_points
from mastermind_client.messages.listings import (
    PHASES,
    cells_of_archived,
    describe_archived,
    describe_listed,
    write_time,
)
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import ArchivedMatch, Listed

WON = ArchivedMatch(
    match="ABC234", rules="mini", rounds=1, at=1_795_273_440_000, seat=Seat.BREAKER,
    opponent="Ada", won=True, how=MatchEnd.PLAYED, guesses=3, points=(0, 3),
)  # fmt: skip


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_a_name(phase):
    assert PHASES[phase] == phase.value


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "mini, 3 rounds, rated: Ada sets, hard (bot) breaks (breaking)"),
        ("pl", "mini, 3 rundy, rankingowa: Ada szyfruje, hard (bot) łamie (łamanie)"),
    ],
)
def test_a_listed_match_has_its_terms_and_players(language, line):
    use_language(language)
    listed = Listed(
        match="ABC234", rules="mini", rounds=3, phase=Phase.BREAKING, maker="Ada",
        breaker="hard", bots=(Seat.BREAKER,), rated=True,
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
        ("en", {"opponent": None}, "mini: won against Somebody, as codebreaker, 3 guesses"),
        ("en", {**DRAWN, "seat": Seat.MAKER},
         "mini, 2 rounds: a draw with Ada, first as codemaker, 3 guesses, 4 points to 4"),
        ("en", LEFT, "mini: won, for Ada left, as codebreaker, 3 guesses"),
        ("en", {**LEFT, "won": False}, "mini: lost to Ada by leaving, as codebreaker, 3 guesses"),
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
    assert cells_of_archived(played, far_east) == cells


@pytest.mark.parametrize(
    ("won", "how", "words"),
    [
        (True, MatchEnd.PLAYED, "won"),
        (False, MatchEnd.PLAYED, "lost"),
        (None, MatchEnd.PLAYED, "draw"),
        (True, MatchEnd.LEFT, "won: they left"),
        (False, MatchEnd.LEFT, "lost: you left"),
    ],
)
def test_a_row_names_the_winner_and_a_player_who_left(won, how, words):
    match = replace(WON, won=won, how=how, guesses=0)
    assert cells_of_archived(match)[1] == f"{words}, mini, 0 guesses"


@pytest.mark.parametrize("milliseconds", [10**18, 2**63])
def test_a_time_beyond_the_calendar_is_a_question_mark(milliseconds):
    assert write_time(milliseconds, UTC) == "?"


def test_one_point_is_singular():
    assert (compare_points(1, 2), compare_points(2, 1)) == ("1 point to 2", "2 points to 1")
