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
def test_the_selected_row_exists_and_is_visible_after_every_operation(done, room):
    rows = Selection()
    for operation in done:
        operation(rows)
    seen = rows.see(room)
    assert len(seen) == min(rows.count, room)
    assert rows.index == 0 if rows.count == 0 else rows.index in seen


def test_move_returns_whether_the_selection_moved():
    rows = Selection(count=3)
    assert (rows.move(-1), rows.move(1), rows.move(5), rows.move(1)) == (False, True, True, False)


def test_the_view_scrolls_as_little_as_possible():
    rows = Selection(count=20)
    rows.see(5)
    rows.select(4)
    assert rows.see(5) == range(5)
    rows.move(1)
    assert rows.see(5) == range(1, 6)
    rows.move(-3)
    assert rows.see(5) == range(1, 6)


def test_a_page_keeps_one_row_of_the_last_view():
    rows = Selection(count=20)
    rows.see(6)
    rows.page(1)
    assert rows.index == 5
    rows.page(-1)
    assert rows.index == 0


def test_the_view_stays_full_when_rows_are_removed():
    rows = Selection(count=20)
    rows.select(19)
    rows.see(5)
    rows.resize(7)
    assert (rows.index, rows.see(5)) == (6, range(2, 7))
