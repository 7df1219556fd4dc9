"""Runs a program in the background until the last writer of its standard input has closed it.

Several test processes share a PostgreSQL server, so none of them is its parent. It must end with
the last test process, even if that is killed. After a kill, the next start must not fail because
of child processes that are still ending.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

ATTEMPTS = 200  # to start, which fails while child processes of a killed server are running
PAUSE = 0.05  # seconds between attempts


def main() -> None:
    """Run a program; the arguments are its user (or an empty text), a folder, and its command.

    Removes the folder after standard input has ended. Keeps it if the program ends earlier.
    """
    user, folder, *command = sys.argv[1:]
    if os.fork():
        return
    os.setsid()
    unused = threading.Event()
    for _ in range(ATTEMPTS):
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, user=user or None, extra_groups=[] if user else None
        )
        if not unused.is_set():
            threading.Thread(target=_end, args=(server, unused), daemon=True).start()
        if server.wait() != 1 or unused.is_set():
            break
        time.sleep(PAUSE)
    if unused.is_set():
        shutil.rmtree(folder, ignore_errors=True)


def _end(server: subprocess.Popen[bytes], unused: threading.Event) -> None:
    """End the server when standard input ends."""
    sys.stdin.read()
    unused.set()
    server.send_signal(signal.SIGQUIT)


if __name__ == "__main__":
    main()
