import math
import time

import pytest

from kit.clock import LateClock
from mastermind_server.clock import Clock
from mastermind_server.monitoring import overload
from mastermind_server.monitoring.overload import (
    BUSY_LAG_SECONDS,
    BUSY_STORE_SECONDS,
    LAGS_KEPT,
    OVERLOADED_LAG_SECONDS,
    OVERLOADED_STORE_SECONDS,
    Level,
    Load,
    LoopLag,
    Queue,
)


async def test_a_lag_is_lasting_if_the_loop_is_late_several_times():
    clock = LateClock(0.3)
    measured: list[float] = []
    lag = LoopLag(clock, measured.append)
    await clock.until(LAGS_KEPT)
    assert lag.sustained_lag == 0
    await clock.until(LAGS_KEPT + 1)
    assert math.isclose(lag.sustained_lag, 0.3)
    clock.late = 0.0
    await clock.until(LAGS_KEPT + 2)
    lag.stop()
    assert lag.sustained_lag < 1e-9
    assert measured[: LAGS_KEPT - 1] == [0.0] * (LAGS_KEPT - 1)
    assert math.isclose(measured[LAGS_KEPT - 1], 0.3)
    within = dict(lag.histogram.cumulative_buckets)
    assert (within[0.0005], within[0.2], within[0.5]) == (1, 1, 1 + LAGS_KEPT)


async def test_work_that_blocks_the_loop_is_measured(monkeypatch):
    monkeypatch.setattr(overload, "LAG_INTERVAL_SECONDS", 0.001)
    lag = LoopLag(Clock(), lambda _: None)
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
    await Clock().sleep(0.001)  # a timer due after the measuring timer
    lag.stop()
    assert lag.histogram.total >= 0.01


@pytest.mark.parametrize(
    ("lag", "wait", "level"),
    [
        (BUSY_LAG_SECONDS, BUSY_STORE_SECONDS, Level.CALM),
        (BUSY_LAG_SECONDS + 0.01, 0.0, Level.BUSY),
        (0.0, BUSY_STORE_SECONDS + 0.01, Level.BUSY),
        (OVERLOADED_LAG_SECONDS, OVERLOADED_STORE_SECONDS, Level.BUSY),
        (OVERLOADED_LAG_SECONDS + 0.01, 0.0, Level.OVERLOADED),
        (0.0, OVERLOADED_STORE_SECONDS + 0.01, Level.OVERLOADED),
    ],
)
def test_a_late_loop_or_a_slow_queue_is_enough_until_it_is_over(lag, wait, level):
    load = Load()
    load.update(lag, {Queue.READS: wait})
    assert load.highest is load.find_level([Queue.READS]) is level
    load.update(0.0, {Queue.READS: 0.0})
    assert load.highest is load.find_level([Queue.READS]) is Level.CALM


def test_a_slow_queue_is_no_load_for_requests_that_do_not_need_it():
    load = Load()
    load.update(BUSY_LAG_SECONDS + 0.01, {Queue.READS: math.inf, Queue.MOVES: 0.0})
    assert load.find_level([Queue.MOVES]) is Level.BUSY  # because of the event loop
    assert load.find_level([Queue.MOVES, Queue.READS]) is Level.OVERLOADED
