"""An idle control group for the attacker, so that it delays neither processes nor the kernel.

SCHED_IDLE alone is not enough: it ranks a process within its session. The kernel's threads, which
finish writes to the disk, are outside the session and would wait for the attacker, up to a tick of
4 ms and several times per commit.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))  # cgroups v1 and v2


@contextmanager
def idling(process: int) -> Iterator[None]:
    """Put a process into an idle control group; it must have exited at the end of the block.

    Does nothing without the right to create control groups; the control row shows the effect.
    """
    group = _make_group(f"mastermind-attacker-{os.getpid()}")
    if group is None:
        yield
        return
    try:
        (group / "cgroup.procs").write_text(str(process), "ascii")
        yield
    finally:
        group.rmdir()


def _make_group(name: str) -> Path | None:
    for place in PLACES:
        group = place / name
        with suppress(OSError):
            group.mkdir()
            try:
                (group / "cpu.idle").write_text("1", "ascii")
            except OSError:
                group.rmdir()
            else:
                return group
    return None
