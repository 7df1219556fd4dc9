"""Who we are on a server: the token it issued, kept in a file that only its owner can read.

Every running client holds the lock of the identity it uses, so that two terminals on one machine
are two players, and a terminal that comes back finds the identity it left.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import filelock
import platformdirs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_IDENTITIES = 64  # clients of one user on one server at the same time


class Identity:
    """The token for one server, or none yet. Without a file it is forgotten at the end."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.token: str | None = None
        if path is not None and path.exists():
            self.token = path.read_text(encoding="ascii").strip() or None

    def keep(self, token: str) -> None:
        """Remember a token that the server has issued."""
        self.token = token
        if self._path is None:
            return
        unfinished = self._path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(token + "\n")
        unfinished.replace(self._path)


@contextmanager
def claim_identity(server: str, folder: Path | None = None) -> Iterator[Identity]:
    """Hold the first identity for this server that no other process of this user holds."""
    folder = folder or platformdirs.user_data_path("mastermind") / "identities"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    stem = re.sub(r"[^A-Za-z0-9.-]+", "_", urlsplit(server).netloc)
    for number in range(1, MAX_IDENTITIES + 1):
        path = folder / f"{stem}-{number}.token"
        lock = filelock.FileLock(path.with_suffix(".lock"))
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            continue
        try:
            yield Identity(path)
        finally:
            lock.release()
        return
    raise OSError(f"{MAX_IDENTITIES} clients of yours play on {server} already")
