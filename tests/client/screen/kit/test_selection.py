from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import thorough
from mastermind_client.screen.kit.selection import Selection

numbers = st.integers(-5, 60)
operations: st.SearchStrategy[Callable[[Selection], object]] = st.one_of(
    st.builds(lambda count: lambda rows: rows.resize(count), st.integers(0, 50)),
    st.builds(lambda index: lambda rows: rows.select(index), numbers),
    st.builds(lambda step: lambda rows: rows.move(step), numbers),
    st.builds(lambda direction: lambda rows: rows.page(direction), st.sampled_from([-1, 1])),
    st.builds(lambda room: lambda rows: rows.see(room), numbers),
)


@thorough
@given(st.lists(operations), st.integers(1, 30))
def test_whatever_is_done_the_selected_row_is_one_of_them_and_is_seen(done, room):
    rows = Selection()
    for operation in done:
        operation(rows)
    seen = rows.see(room)
    assert len(seen) == min(rows.count, room)
    assert rows.index == 0 if rows.count == 0 else rows.index in seen


def test_it_says_whether_it_moved():
    rows = Selection(count=3)
    assert (rows.move(-1), rows.move(1), rows.move(5), rows.move(1)) == (False, True, True, False)


def test_the_view_moves_no_more_than_it_must():
    rows = Selection(count=20)
    rows.see(5)
    rows.select(4)
    assert rows.see(5) == range(5)
    rows.move(1)
    assert rows.see(5) == range(1, 6)
    rows.move(-3)
    assert rows.see(5) == range(1, 6)


def test_a_page_is_what_is_seen_but_for_the_row_that_tells_where_one_was():
    rows = Selection(count=20)
    rows.see(6)
    rows.page(1)
    assert rows.index == 5
    rows.page(-1)
    assert rows.index == 0


def test_a_view_is_filled_up_when_rows_go():
    rows = Selection(count=20)
    rows.select(19)
    rows.see(5)
    rows.resize(7)
    assert (rows.index, rows.see(5)) == (6, range(2, 7))
