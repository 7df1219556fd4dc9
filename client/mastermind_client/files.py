"""Atomic writing of files, such as the settings and the stored players, and their lock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

LOCK_FILE = "write.lock"
LOCK_SECONDS = 2.0  # another client replaces a file in a few milliseconds
LOCK_POLL_SECONDS = 0.005


def lock_files(folder: Path) -> AbstractContextManager[object]:
    """Return the acquired lock of the files in `folder`, which the caller releases with `with`.

    A client holds it while it reads and replaces a file that other clients change too. A missing
    folder is created, and only the user can read it. Raises OSError, also if another client still
    holds the lock after LOCK_SECONDS.
    """
    import filelock  # late: most commands write no file

    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = filelock.FileLock(folder / LOCK_FILE, thread_local=False)
    return lock.acquire(timeout=LOCK_SECONDS, poll_interval=LOCK_POLL_SECONDS)


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to a new file that replaces `path`. Only the owner can read the new file.

    A missing folder is created. A reader finds the whole old or the whole new content, even after a
    crash of the machine. Raises OSError.
    """
    import tempfile  # late: most commands write no file

    target = Path(os.path.realpath(path))  # a symbolic link stays a link
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, unfinished = tempfile.mkstemp(prefix=f"{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).replace(target)
    except BaseException:
        Path(unfinished).unlink()
        raise
