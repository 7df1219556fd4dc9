import pytest

from mastermind_server.health.load import (
    BUSY_LAG_SECONDS,
    BUSY_STORE_SECONDS,
    OVERLOADED_LAG_SECONDS,
    OVERLOADED_STORE_SECONDS,
    Level,
    Load,
)


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
def test_a_late_loop_or_a_slow_store_is_enough_until_it_is_over(lag, wait, level):
    load = Load()
    load.update(lag, wait)
    assert load.level is level
    load.update(0.0, 0.0)
    assert load.level is Level.CALM
