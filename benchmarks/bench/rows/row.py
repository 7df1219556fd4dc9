"""The parts of a row of `make bench`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.processes import BASELINE, Subject

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bench.processes import Cost

BUSY = 0.9  # of a core: a driver with more CPU time may be the bottleneck
LATE = 0.02  # seconds: so is a driver that sends this late
STOLEN = 0.02  # cores: a process then waits some 5 ms for a core
OTHERS = 0.3  # cores: other programs then delay the measured processes


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table. `most` limits its median, `ratio` the median ratio to the baseline."""

    unit: str
    most: float | None = None
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one subject: its figures by the measures' names, and warnings."""

    figures: Mapping[str, float]
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Measures that are taken together; `run` takes a subject and whether to be quick."""

    name: str
    measures: Mapping[str, Measure]
    run: Callable[[Subject, bool], Awaitable[Run]]
    baselines: Sequence[Subject] = (BASELINE,)


def list_warnings(cost: Cost, name: str) -> list[str]:
    """Return reasons why a cost may not be that of the measured processes alone."""
    reasons = {
        f"{name}: the driver used over {BUSY:.0%} of a core": cost.driver > BUSY,
        f"{name}: the driver sent over {LATE * 1e3:.0f} ms late": cost.late > LATE,
        "other programs were running: do not trust latencies": cost.others > OTHERS,
        "steal time: do not trust the longest latencies": cost.stolen > STOLEN,
    }
    return [reason for reason, holds in reasons.items() if holds]
