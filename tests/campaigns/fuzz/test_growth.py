"""A long campaign shows a small leak; growth that levels off is not a leak."""

from __future__ import annotations

import pytest

from campaigns.fuzz.growth import MIB, Sample, find_growth

FRAMES, CONNECTIONS = 90_000, 1_450  # of each tenth of `make fuzz` with wide limits
LEVEL = [50, 75, 85, 90, 92, 93, 93, 94, 94, 94, 94]  # MiB


def measure(*, a_frame: int = 0, a_connection: int = 0) -> list[Sample]:
    return [
        Sample(
            frames := tenth * FRAMES,
            connections := tenth * CONNECTIONS,
            memory * MIB + a_frame * frames + a_connection * connections,
        )
        for tenth, memory in enumerate(LEVEL)
    ]


def test_growth_that_levels_off_is_not_a_leak():
    assert find_growth(measure()) == []


@pytest.mark.promise("hostile-crowd")
@pytest.mark.parametrize("leak", [{"a_frame": 136}, {"a_connection": 1400}])
def test_a_small_leak_is_found(leak):
    assert find_growth(measure(**leak))


def test_growth_above_the_total_bound_is_found_even_if_it_levels_off():
    began, *grown = measure()
    samples = [began, *(sample._replace(memory=sample.memory + 200 * MIB) for sample in grown)]
    (fault,) = find_growth(samples)
    assert fault.startswith("growth in all")
