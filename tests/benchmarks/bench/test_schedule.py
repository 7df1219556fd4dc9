from __future__ import annotations

import pytest

from bench.schedule import Schedule


def test_moves_are_due_evenly_from_the_beginning_on() -> None:
    schedule = Schedule(rate=2000, seconds=3)
    assert schedule.moves == 6000
    assert [schedule.due(number) for number in (0, 1, 2000)] == [0, 0.0005, 1]


def test_what_is_due_by_then_is_all_and_only_what_is_not_due_later() -> None:
    schedule = Schedule(rate=300, seconds=1)
    for number in range(schedule.moves):
        assert schedule.count_due(schedule.due(number)) == number + 1
        assert schedule.count_due(schedule.due(number) - 1e-6) == number


def test_nothing_is_due_before_the_beginning_and_no_more_after_the_end() -> None:
    schedule = Schedule(rate=10, seconds=1)
    assert schedule.count_due(-0.5) == 0
    assert schedule.count_due(60) == schedule.moves == 10


@pytest.mark.parametrize(("rate", "seconds"), [(0, 1), (1, 0), (-1, 1)])
def test_a_schedule_without_moves_is_refused(rate: float, seconds: float) -> None:
    with pytest.raises(ValueError, match="no moves"):
        Schedule(rate, seconds)
