"""Find memory growth of a server under attack that its caches and buffers do not explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

MIB = 2**20


class Sample(NamedTuple):
    """The server's memory in bytes after a number of frames and connections."""

    frames: int
    connections: int
    memory: int


GROWTH_BYTES = 192 * MIB
"""Allowed growth in a whole campaign.

With its sizes and the limits in limits.py the server keeps at most, in MiB: 65 for 18 rate limits
with 10,000 keys each, 33 for requests and their refusals, 32 for bots' positions, 25 for matches,
20 for the solver's tables, 20 for the database and its queue, 12 for send buffers, 6 for reviews.
The sum is 213; no campaign fills all of them.
"""
FULL_FRAMES = 100_000
"""Frames in the last half of a campaign from which slopes are checked: caches are full by then."""
FRAME_BYTES, CONNECTION_BYTES = 60, 1000
"""Allowed growth per frame and per connection: far less than keeping one of them would take."""


def measure_slopes(samples: Sequence[Sample]) -> tuple[float, float]:
    """Return the growth in the last half of `samples`, in bytes per frame and per connection."""
    first, last = samples[len(samples) // 2], samples[-1]
    grown = last.memory - first.memory
    frames, connections = last.frames - first.frames, last.connections - first.connections
    return grown / max(1, frames), grown / max(1, connections)


def list_tenths(samples: Sequence[Sample]) -> list[Sample]:
    """Return the first sample, and the last sample of each tenth."""
    last = len(samples) - 1
    return [samples[last * tenth // 10] for tenth in range(11)]


def find_growth(samples: Sequence[Sample], most: int = GROWTH_BYTES) -> list[str]:
    """Return a fault for a growth of more than `most` bytes, and one for each steep slope."""
    grown = max(sample.memory for sample in samples) - samples[0].memory
    judged: list[tuple[str, float, int]] = [("in all", grown, most)]
    if samples[-1].frames - samples[len(samples) // 2].frames >= FULL_FRAMES:
        a_frame, a_connection = measure_slopes(samples)
        judged.append(("per frame", a_frame, FRAME_BYTES))
        judged.append(("per connection", a_connection, CONNECTION_BYTES))
    return [
        f"growth {how}: {found:,.0f} bytes, the bound is {bound:,}"
        for how, found, bound in judged
        if found > bound
    ]
