"""The attacker's place on the machine: it runs only while nobody else wants to, the kernel neither.

SCHED_IDLE alone does not see to that. It ranks a process within its session, and the kernel's own
threads, which finish what is written to the disk, are outside of it: there they wait for the
attacker as for anybody, up to a tick of 4 ms and several times for one commit.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))  # of cgroups' version 1, and of 2


@contextmanager
def idling(process: int) -> Iterator[None]:
    """Have a process run so until it has ended, which it must have at the end.

    Where no control group may be made it stays as it is: what the control row tells of that is all
    that is known.
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
