"""Atomic writing of files, such as the settings and the stored players."""

from __future__ import annotations

import os
from pathlib import Path


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
