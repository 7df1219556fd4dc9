"""Replaces files of settings and players."""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file, and create its folder if missing. Only the owner can read the new file.

    Raises OSError. A reader finds the old or the new content, even after a crash of the machine.
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
