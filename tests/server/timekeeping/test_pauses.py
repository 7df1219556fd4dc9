"""Pauses of a process are recorded once."""

import asyncio

import pytest

from kit.clock import LateClock, ManualClock, near
from mastermind_protocol.errors import Reason
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.pauses import (
    INTERVAL_SECONDS,
    PAUSE_SECONDS,
    RETRY_SECONDS,
    Pauses,
)


async def test_a_late_measurement_is_recorded_once_as_a_pause_since_the_one_before():
    clock = LateClock(0.0)
    pauses = Pauses(clock)
    pauses.start(clock)
    pauses.extend_measuring(clock.unix_milliseconds() + 60_000)
    for late in (0.04, 8.0, 0.0, 0.0):
        clock.late = late
        await clock.until(clock.timers + 1)
        pauses.record_pause_if_late()
    pauses.stop()
    (pause,) = pauses.list_all()
    assert pause.ended - pause.began == pytest.approx(1000 * (8 + INTERVAL_SECONDS), abs=1)
    assert pauses.unwritten == [pause]


async def test_a_pause_counts_before_the_late_measurement():
    clock = ManualClock()
    pauses = Pauses(clock)
    pauses.start(clock)
    pauses.extend_measuring(clock.unix_milliseconds() + 60_000)
    clock.seconds += 8
    for _ in range(2):
        pauses.record_pause_if_late()
    (pause,) = pauses.list_all()
    assert pause.ended - pause.began == 8000


async def test_pauses_are_measured_only_while_a_clock_may_run():
    clock = ManualClock()
    pauses = Pauses(clock)
    pauses.start(clock)
    assert not clock.pending
    for seconds in (30, 2):
        pauses.extend_measuring(clock.unix_milliseconds() + 1000 * seconds)
    clock.skip(29)
    assert len(clock.pending) == 1
    clock.skip(2)
    assert not clock.pending
    pauses.extend_measuring(clock.unix_milliseconds() + 1000)
    pauses.stop()
    assert not clock.pending


async def test_nothing_is_recorded_before_the_start():
    clock = ManualClock()
    pauses = Pauses(clock)
    clock.skip(60)
    pauses.record_pause_if_late()
    assert not pauses.list_all()


async def test_data_that_the_first_poll_after_a_time_reads_may_have_come_before_it():
    clock = ManualClock()
    pauses = Pauses(clock)
    since = clock.unix_milliseconds()
    clock.skip(1)  # the loop stands still
    pauses.record_poll()
    await asyncio.sleep(0)
    first = clock.unix_milliseconds()
    await asyncio.sleep(0)
    later = clock.unix_milliseconds()
    assert not pauses.has_polled(since, first)
    assert pauses.has_polled(since, later)
    assert not pauses.has_polled(first, later)


@pytest.mark.parametrize(
    ("reason", "seconds"), [(Reason.NOT_SAVED, [2 + RETRY_SECONDS]), (Reason.LOG_DAMAGED, [])]
)
def test_a_failure_of_the_store_lasts_until_clients_have_repeated_their_moves(reason, seconds):
    clock = ManualClock()
    pauses = Pauses(clock)
    began = clock.now()
    clock.skip(2)
    pauses.add_failure(StorageFailed(reason, match="CKCKED"), began)
    pauses.add_delay(clock.now() - PAUSE_SECONDS)
    found = [pause.ended - pause.began for pause in pauses.list_all()]
    assert found == [1000 * each for each in seconds]


def test_work_that_waited_for_long_is_a_pause():
    clock = ManualClock()
    pauses = Pauses(clock)
    began = clock.now()
    for _ in range(2):
        clock.skip(0.04)
        pauses.add_delay(began)
    (pause,) = pauses.list_all()
    assert pause.ended - pause.began == near(80, tolerance=1)
