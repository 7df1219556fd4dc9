"""What the system grants to the process: file descriptors."""

from __future__ import annotations

import fcntl
import os
import resource
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from mastermind_server.limits import Limits

SPARE_DESCRIPTORS = 256  # kept free for the database, threads and bot processes


def cap_by_open_files(limits: Limits) -> Limits:
    """Return `limits` with `connections` lowered if there are too few file descriptors.

    Before that, increase the process's limit on file descriptors if necessary and allowed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.connections + SPARE_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        soft = max(soft, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        soft = wanted
    _grow_descriptors(min(wanted, soft))
    room = max(1, min(limits.connections, soft - SPARE_DESCRIPTORS))
    return msgspec.structs.replace(limits, connections=room)


def _grow_descriptors(number: int) -> None:
    """Grow the kernel's table of this process's file descriptors to `number` entries at once.

    Without this call, Linux doubles the table whenever it is full. In a process with threads, each
    doubling is a pause of 5 to 15 ms. The table takes some 50 KiB.
    """
    with Path(os.devnull).open("rb") as null:
        os.close(fcntl.fcntl(null, fcntl.F_DUPFD_CLOEXEC, number - 1))
