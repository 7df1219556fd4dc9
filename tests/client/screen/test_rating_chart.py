from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief
from mastermind_client.screen.rating_chart import draw_ratings
from mastermind_client.screen.theme import Look
from mastermind_client.screen.toolkit.lines import width
from mastermind_protocol.messages import MAX_PROFILE_RATINGS

UNICODE = Look.choose("default", "auto", "unicode", {}, "utf-8")
ASCII = Look.choose("default", "auto", "ascii", {}, "ascii")


def read(history, rows, look):
    return ["".join(part[1] for part in line) for line in draw_ratings(history, rows, look)]


def test_ratings_are_a_line_in_quarter_blocks_with_the_highest_and_the_lowest():
    assert read([1400, 1420, 1440, 1460, 1480, 1500], 3, UNICODE) == [
        "1500 ┤  ▞",
        "     │ ▞ ",
        "1400 ┤▞  ",
        "     ╰───",
    ]


def test_the_line_has_no_gap_where_the_rating_jumps():
    assert read([1400, 1500], 2, UNICODE)[:2] == ["1500 ┤▐", "1400 ┤▞"]


def test_in_ascii_a_match_is_a_star():
    assert read([1400, 1500, 1500], 2, ASCII) == ["1500 +**", "1400 +* ", "     +--"]


def test_equal_ratings_are_a_line_at_the_bottom():
    assert read([1500] * 4, 2, UNICODE)[:2] == ["1500 ┤  ", "1500 ┤▄▄"]


def test_one_rating_has_no_chart():
    assert draw_ratings([1500], 3, UNICODE) == []


@given(
    history=st.lists(st.floats(0, 4000), min_size=2, max_size=MAX_PROFILE_RATINGS),
    rows=st.integers(2, 5),
)
@brief
def test_every_match_is_drawn_in_its_column_of_equal_rows(history, rows):
    for look in (UNICODE, ASCII):
        lines = draw_ratings(history, rows, look)
        assert len(lines) == rows + 1
        assert len({width(line) for line in lines}) == 1
        drawn = [line[2][1] for line in lines[:-1]]
        assert all(any(row[column] != " " for row in drawn) for column in range(len(drawn[0])))
