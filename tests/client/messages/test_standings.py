import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from mastermind_client.language import use_language
from mastermind_client.messages.standings import (
    cells_of_ranked,
    format_day,
    format_full_rating,
    format_mean,
    list_leaderboard,
    write_in_ascii,
)
from mastermind_protocol.clock import DAY, MINUTE, SECOND
from mastermind_protocol.glicko import INITIAL_RATING, Rating
from mastermind_protocol.messages import Leaderboard, RankedPlayer, RatedRecord

HOUR = 60 * MINUTE
NOON = round(datetime(2026, 11, 27, 12, tzinfo=UTC).timestamp() * SECOND)


@pytest.fixture(autouse=True)
def _at_noon(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: NOON / SECOND)


def make_ranked(name: str, place: int | None, rating: Rating) -> RankedPlayer:
    record = RatedRecord(
        rules="mini", rating=rating, matches=24, wins=12, draws=0, losses=12, last=NOON - DAY
    )
    return RankedPlayer(player=name.upper(), name=name, place=place, record=record)


def test_a_provisional_rating_has_a_question_mark():
    assert format_full_rating(Rating(1512.4, 82.6, 0.06)) == "1512 ± 83"
    assert format_full_rating(Rating(1388, 121, 0.06)) == "1388 ± 121 ?"


def test_ascii_has_as_many_columns():
    assert write_in_ascii("1512 ± 83") == "1512 +-83"


def test_a_mean_has_the_decimal_point_of_the_language():
    assert format_mean(4.306) == "4.31"
    assert format_mean(None) == "-"
    use_language("pl")
    assert format_mean(4.306) == "4,31"


@pytest.mark.parametrize(
    ("ago", "day", "short"),
    [
        (0, "today", "today"),
        (11, "today", "today"),
        (13, "yesterday", "yesterday"),
        (37, "2 days ago", "2 days"),
        (-3, "today", "today"),
    ],
)
def test_days_begin_at_midnight(ago, day, short):
    moment = NOON - ago * HOUR
    assert (format_day(moment, UTC), format_day(moment, UTC, short=True)) == (day, short)


def test_a_day_is_that_of_the_readers_zone():
    east = timezone(timedelta(hours=10))
    assert format_day(NOON - 11 * HOUR, east) == "today"
    assert format_day(NOON - 23 * HOUR, east) == "yesterday"


def test_a_time_beyond_all_dates_has_no_day():
    assert format_day(2**63) == "?"


def test_a_player_without_a_place_or_a_round_has_dashes():
    cells = cells_of_ranked(make_ranked("Ada", None, INITIAL_RATING), UTC)
    assert cells == ("  -", "Ada", "1500 ± 350 ?", "     24", "      -", "yesterday")


def test_names_in_wide_letters_do_not_move_the_columns():
    players = tuple(
        make_ranked(name, place, Rating(1600, 80, 0.06))
        for place, name in enumerate(["Ada", "アダ", "Noe\u0308l"], 1)
    )
    board = Leaderboard(id=1, rules="mini", players=players, total=3)
    _heading, _titles, *rows, _conditions = list_leaderboard(board, UTC)
    assert [row.replace("アダ", "wide").index("1600") for row in rows] == [13, 13, 14]


def test_a_board_with_only_the_own_row_has_no_ellipsis():
    own = make_ranked("Ada", None, INITIAL_RATING)
    lines = list(list_leaderboard(Leaderboard(id=1, rules="mini", players=(), total=0, own=own)))
    assert not any("..." in line for line in lines)
    assert lines[2].startswith(">   -  Ada")
