from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.glicko import (
    DRAW,
    INITIAL_RATING,
    LOSS,
    MAX_DEVIATION,
    MAX_RATING,
    MIN_DEVIATION,
    MIN_RATING,
    PROVISIONAL_DEVIATION,
    WIN,
    Rating,
    age,
    predict,
    rate,
)

FLOOR = Rating(1500, MIN_DEVIATION, 0.06)

ratings = st.builds(
    Rating,
    st.floats(MIN_RATING, MAX_RATING),
    st.floats(MIN_DEVIATION, MAX_DEVIATION),
    st.floats(0.001, 0.1),
)
scores = st.sampled_from([WIN, DRAW, LOSS])


def test_the_example_of_glickmans_paper():
    opponents = [Rating(1400, 30, 0.06), Rating(1550, 100, 0.06), Rating(1700, 300, 0.06)]

    after = rate(Rating(1500, 200, 0.06), zip(opponents, (WIN, LOSS, LOSS), strict=True), periods=1)

    assert after == Rating(1464.051, 151.517, 0.059996)  # he rounds on the way: 1464.06, 151.52


@pytest.mark.parametrize(
    ("before", "opponent", "score", "after"),
    [  # three implementations agree on these; the paper's example hides errors in step 5
        (
            Rating(1900, 80, 0.06),
            Rating(1700, 60, 0.06),
            LOSS,
            Rating(1873.203, 79.171, 0.0600046),
        ),
        (
            Rating(1200, 60, 0.06),
            Rating(2000, 50, 0.06),
            WIN,
            Rating(1220.838, 60.861, 0.0600127),
        ),
    ],
)
def test_ratings_far_from_1500(before, opponent, score, after):
    assert rate(before, [(opponent, score)], periods=1) == after


@pytest.mark.parametrize(("limit", "score"), [(MAX_RATING, WIN), (MIN_RATING, LOSS)])
def test_a_rating_stays_within_its_bounds(limit, score):
    assert rate(Rating(limit, 350, 0.06), [(Rating(limit, 45, 0.06), score)]).rating == limit


def test_a_match_takes_no_time():
    after = rate(Rating(1900, 80, 0.06), [(Rating(1700, 60, 0.06), LOSS)])

    assert after == Rating(1873.634, 78.531, 0.0600046)


def test_the_first_win_between_newcomers_brings_162_points_and_at_the_floor_6():
    assert rate(INITIAL_RATING, [(INITIAL_RATING, WIN)]).rating == pytest.approx(1662, abs=0.5)
    assert rate(FLOOR, [(FLOOR, WIN)]).rating == pytest.approx(1506, abs=0.5)


def test_a_year_without_a_match_makes_a_rating_provisional():
    assert age(Rating(1800, 60, 0.06), 365).deviation == pytest.approx(PROVISIONAL_DEVIATION, abs=1)
    assert age(Rating(1800, 60, 0.06), 10_000) == Rating(1800, MAX_DEVIATION, 0.06)
    assert age(Rating(1800, 60, 0.06), -3) == age(Rating(1800, 60, 0.06), 0)


def test_a_rating_is_provisional_from_a_deviation_of_110():
    assert Rating(1500, 110, 0.06).provisional
    assert not Rating(1500, 109.999, 0.06).provisional


def test_without_games_nothing_changes():
    assert rate(INITIAL_RATING, []) == INITIAL_RATING


@given(ratings, ratings)
def test_a_win_is_worth_more_than_a_draw_and_a_draw_more_than_a_loss(rating, opponent):
    win, draw, loss = predict(rating, opponent)

    assert win.rating >= draw.rating >= loss.rating
    assert win.rating >= round(rating.rating, 3) >= loss.rating
    assert (win, draw, loss) == tuple(
        rate(rating, [(opponent, score)]) for score in (WIN, DRAW, LOSS)
    )


@given(ratings, ratings, scores)
def test_a_match_makes_a_rating_more_certain_within_its_bounds(rating, opponent, score):
    after = rate(rating, [(opponent, score)])

    assert after.deviation <= max(rating.deviation + 0.001, MIN_DEVIATION)
    assert msgspec.convert(msgspec.to_builtins(after), Rating) == after


@given(ratings, ratings)
def test_who_wins_is_all_that_matters(rating, opponent):
    """The same match, seen from a mirror at 2000, has the mirrored result."""
    mirror = Rating(MAX_RATING - rating.rating, rating.deviation, rating.volatility)
    mirrored = Rating(MAX_RATING - opponent.rating, opponent.deviation, opponent.volatility)

    win, loss = rate(rating, [(opponent, WIN)]), rate(mirror, [(mirrored, LOSS)])

    assert win.rating + loss.rating == pytest.approx(MAX_RATING, abs=0.01)
    assert win.deviation == pytest.approx(loss.deviation, abs=0.01)


@given(ratings, st.floats(0, 500), st.floats(0, 500))
def test_two_waits_age_like_one(rating, first, second):
    assert age(age(rating, first), second).deviation == pytest.approx(
        age(rating, first + second).deviation, abs=0.01
    )


@pytest.mark.parametrize(
    "bad", [(-1, 350, 0.06), (1500, 44, 0.06), (1500, 350, 0), (float("inf"), 350, 0.06)]
)
def test_a_rating_out_of_bounds_is_not_decoded(bad):
    fields = dict(zip(("rating", "deviation", "volatility"), bad, strict=True))

    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, Rating)
