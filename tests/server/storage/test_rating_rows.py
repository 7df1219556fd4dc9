from __future__ import annotations

import pytest

from mastermind_protocol.glicko import PROVISIONAL_DEVIATION, Rating, age
from mastermind_server.storage.rating_rows import (
    DAY_MILLISECONDS,
    LEADERBOARD_WINDOW_MILLISECONDS,
    find_leaderboard_end,
)

AT = 100 * DAY_MILLISECONDS


@pytest.mark.parametrize("deviation", [103.0, 108.0, 109.9])
def test_a_player_leaves_the_leaderboard_when_the_rating_becomes_provisional(deviation):
    rating = Rating(1700, deviation, 0.09)

    days = (find_leaderboard_end(rating, AT) - AT) / DAY_MILLISECONDS

    assert 0 < days < LEADERBOARD_WINDOW_MILLISECONDS / DAY_MILLISECONDS
    assert not age(rating, days - 0.1).provisional
    assert age(rating, days + 0.1).provisional


def test_a_player_with_a_certain_rating_leaves_it_after_thirty_days_without_a_match():
    end = find_leaderboard_end(Rating(1700, 60, 0.06), AT)

    assert end == AT + LEADERBOARD_WINDOW_MILLISECONDS == AT + 30 * DAY_MILLISECONDS


def test_a_provisional_rating_has_no_time_on_the_leaderboard():
    assert find_leaderboard_end(Rating(1700, PROVISIONAL_DEVIATION, 0.06), AT) <= AT
