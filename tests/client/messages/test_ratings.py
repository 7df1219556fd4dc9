import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from kit.matches import NONCE, do, pegs
from mastermind_client.columns import write_cells
from mastermind_client.language import use_language
from mastermind_client.messages.ratings import (
    LEADERBOARD_COLUMNS,
    describe_prospects,
    describe_rating_change,
    format_day,
    format_mean,
    format_rating,
    format_rating_with_deviation,
    list_leaderboard,
    write_in_ascii,
)
from mastermind_protocol.clock import DAY, MINUTE, SECOND
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.events import Joined, Opened, Player, Rated, RatedPlayer, Seat
from mastermind_protocol.glicko import INITIAL_RATING, Rating, rate
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Leaderboard, RankedPlayer, RatedRecord
from mastermind_protocol.transitions import evolve, fold

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
FIRM = Rating(1512.4, 60.0, 0.06)
RATINGS = {"ADA": FIRM, "BOB": INITIAL_RATING}


def sit(*, rated: bool = True, clock: str | None = "5+3") -> Match:
    return fold(
        [
            Opened(rules="classic", rounds=2, rated=rated, clock=clock),
            Joined(player=ADA, seat=Seat.MAKER),
            Joined(player=BOB, seat=Seat.BREAKER),
        ]
    )


def test_a_provisional_rating_has_a_question_mark():
    assert format_rating(FIRM) == "1512"
    assert format_rating(INITIAL_RATING) == "1500?"


def test_a_player_reads_what_a_win_and_a_loss_bring():
    assert describe_prospects(sit(), {"ADA": INITIAL_RATING, "BOB": INITIAL_RATING}, "BOB") == (
        "A win brings +162, a loss -162."
    )


def test_after_the_first_guess_and_for_others_there_are_no_prospects():
    begun = do(sit(), "ADA", SetSecret(pegs("1234"), NONCE))
    assert describe_prospects(begun, RATINGS, "ADA")
    guessed = do(begun, "BOB", GuessCode(pegs("1122")))
    assert not describe_prospects(guessed, RATINGS, "ADA")
    assert not describe_prospects(sit(), RATINGS, "CLEO")
    assert not describe_prospects(sit(), RATINGS, None)
    assert not describe_prospects(sit(), {"ADA": FIRM}, "ADA")
    assert not describe_prospects(sit(rated=False), RATINGS, "ADA")
    assert not describe_prospects(sit(clock=None), RATINGS, "ADA")


def test_a_finished_match_says_how_the_rating_changed():
    match = sit()
    for maker, breaker in (("ADA", "BOB"), ("BOB", "ADA")):
        match = do(match, maker, SetSecret(pegs("1234"), NONCE))
        if breaker == "ADA":
            match = do(match, breaker, GuessCode(pegs("1122")))
        match = do(match, breaker, GuessCode(pegs("1234")))
    changes = (
        RatedPlayer(
            player="BOB",
            n=1,
            before=INITIAL_RATING,
            after=rate(INITIAL_RATING, [(INITIAL_RATING, 1.0)]),
        ),
        RatedPlayer(
            player="ADA",
            n=1,
            before=INITIAL_RATING,
            after=rate(INITIAL_RATING, [(INITIAL_RATING, 0.0)]),
        ),
    )
    assert describe_rating_change(match, "ADA") == ""
    match = evolve(match, Rated(players=changes))
    assert describe_rating_change(match, "ADA") == "Rating 1338 (-162)"
    assert describe_rating_change(match, "BOB") == "Rating 1662 (+162)"
    assert describe_rating_change(match, "CLEO") == ""


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


def test_a_full_rating_has_its_deviation():
    assert format_rating_with_deviation(Rating(1512.4, 82.6, 0.06)) == "1512 ± 83"
    assert format_rating_with_deviation(Rating(1388, 121, 0.06)) == "1388 ± 121 ?"


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
    cells = write_cells(LEADERBOARD_COLUMNS, make_ranked("Ada", None, INITIAL_RATING), UTC)
    assert cells == ("  -", "Ada", "1500 ± 350 ?", "24", "-", "yesterday")


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
