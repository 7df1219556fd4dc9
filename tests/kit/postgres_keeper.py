"""Runs a program in the background as long as somebody holds the other end of standard input.

A PostgreSQL that tests share is nobody's child: it is to end with the last of them, however that
one ends. And whoever kills it must not find its remains.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

ATTEMPTS = 200  # at a start, which fails as long as children of one that was killed go on
PAUSE = 0.05  # seconds between two


def main() -> None:
    """Run the program that the arguments name, after a user (or none) and a folder to be removed.

    It is left alone, folder and all, if it ends by itself.
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
