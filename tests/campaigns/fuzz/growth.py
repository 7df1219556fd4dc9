"""How a server's memory grows under attack, and what of it no bound of what it keeps explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MIB = 2**20


class Sample(NamedTuple):
    """What had been sent by some moment, and the bytes of memory that the server had then."""

    frames: int
    connections: int
    memory: int


GROWTH_BYTES = 192 * MIB
"""By which a server may grow in all.

By the numbers of tuning.py and limits.py it keeps at most: of 18 rates 10,000 keys each 65 MiB,
requests and their refusals 33, positions of bots 32, matches 25, tables of the solver 20, what the
database and its queue hold 20, what strangers do not read 12, reviews 6. That is 213, of which no
campaign fills all.
"""
FULL_FRAMES = 100_000
"""In the last half of a campaign, by which a frugal server is full, so that slopes are judged."""
FRAME_BYTES, CONNECTION_BYTES = 60, 1000
"""By which it may grow then, for each: far below what it takes to remember one of them."""


def measure_slopes(samples: Sequence[Sample]) -> tuple[float, float]:
    """Return the bytes by which the last half has grown, for each frame and each connection."""
    first, last = samples[len(samples) // 2], samples[-1]
    grown = last.memory - first.memory
    frames, connections = last.frames - first.frames, last.connections - first.connections
    return grown / max(1, frames), grown / max(1, connections)


def list_tenths(samples: Sequence[Sample]) -> list[Sample]:
    """Return the first, and the last of each tenth of them."""
    last = len(samples) - 1
    return [samples[last * tenth // 10] for tenth in range(11)]


def find_growth(samples: Sequence[Sample], most: int = GROWTH_BYTES) -> list[str]:
    """Return what says that a server has grown by more than `most`, or goes on and on."""
    grown = max(sample.memory for sample in samples) - samples[0].memory
    judged: list[tuple[str, float, int]] = [("in all", grown, most)]
    if samples[-1].frames - samples[len(samples) // 2].frames >= FULL_FRAMES:
        a_frame, a_connection = measure_slopes(samples)
        judged.append(("by each frame", a_frame, FRAME_BYTES))
        judged.append(("by each connection", a_connection, CONNECTION_BYTES))
    return [
        f"grown {how}: {found:,.0f} bytes, {bound:,} are the bound"
        for how, found, bound in judged
        if found > bound
    ]
