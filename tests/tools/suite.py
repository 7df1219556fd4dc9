"""What the tests cost, and whether they hold on a machine that is busy with something else.

    python tests/tools/suite.py COMMAND...           fails above the two budgets
    python tests/tools/suite.py --busy COMMAND...    beside a process that burns each core

It counts the processor time of every process that the command starts, also of those that outlive
who started them: on Linux they become this program's own.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WALL_SECONDS = 240  # of two quiet cores: what one waits for before every commit
CPU_SECONDS = 2 * WALL_SECONDS  # user and system, of the whole tree of processes
PATIENCE = 10.0  # seconds in which the last of those processes is to end
_PR_SET_CHILD_SUBREAPER = 36
# It ends with whoever started it, however that ends; Ctrl-C is for the tests.
_BURNER = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
while os.getppid() == int(sys.argv[1]):
    sum(range(1_000_000))
"""


def main() -> int:
    """Run the command; returns its status, or 1 if it cost too much or left a process behind."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--busy", action="store_true", help="keep every core busy beside it")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.busy:
        with burning(os.cpu_count() or 1):
            return subprocess.call(options.command)
    return measure(options.command)


def measure(command: list[str]) -> int:
    """Run the command and print what it cost."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    began = time.monotonic()
    status = subprocess.call(command)
    wall = time.monotonic() - began
    alone = all_have_ended()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    print(f"\nwall-clock {wall:6.0f} s of {WALL_SECONDS}")
    print(f"processor  {cpu:6.0f} s of {CPU_SECONDS} ({used.ru_stime:.0f} of them the system's)")
    if not alone:
        print("some processes outlive the tests, and are not counted")
    return status or int(wall > WALL_SECONDS or cpu > CPU_SECONDS or not alone)


def all_have_ended() -> bool:
    """Wait for those who were left behind, to count them too; False if some do not end."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if not ended:
            time.sleep(0.05)
    return False


@contextlib.contextmanager
def burning(cores: int) -> Iterator[None]:
    """Keep so many cores busy."""
    command = [sys.executable, "-c", _BURNER, str(os.getpid())]
    burners = [subprocess.Popen(command) for _ in range(cores)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
        for burner in burners:
            burner.wait()


if __name__ == "__main__":
    sys.exit(main())
