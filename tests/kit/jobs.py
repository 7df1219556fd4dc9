"""Functions that tests run in a worker process, which must be able to import them."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def name_process() -> int:
    """Return the id of the calling process."""
    return os.getpid()


def die_until(marker: Path, times: int) -> int:
    """Kill the calling process in the first `times` calls; then return its id."""
    with marker.open("a") as file:
        file.write("x")
    if len(marker.read_text()) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid()


def wait_for_ever() -> None:
    """Wait until a signal ends the process."""
    signal.pause()


def fail(what: str) -> None:
    """Raise LookupError."""
    raise LookupError(what)


def count_threads() -> int:
    """Return the number of threads of the process after a matrix product."""
    import numpy as np

    square = np.ones((1500, 1500), dtype=np.float32)
    assert (square @ square)[0, 0] == len(square)
    return len(list(Path("/proc/self/task").iterdir()))
