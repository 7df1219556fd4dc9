"""Who we are on a server: the token it issued, kept in a file that only its owner can read.

Every running client holds the lock of the identity it uses, so that two terminals on one machine
are two players. A terminal that comes back takes the first identity that is free: its own, unless
another has ended too.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import filelock
import platformdirs

from mastermind_client.net.failures import TooManyClients

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_TOKENS = 8  # servers that took turns at one address
MAX_IDENTITIES = 64  # clients of one user on one server at the same time
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


class Identity:
    """The tokens for one address, the last used first. Without a file they are soon forgotten.

    There are several where different servers have been run at one address: none of them takes
    another's seats away. What is in the file and is no token is passed over.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.tokens: tuple[str, ...] = ()
        if path is not None and path.exists():
            lines = path.read_text(encoding="ascii", errors="replace").splitlines()
            self.tokens = tuple(line for line in lines if _TOKEN.fullmatch(line))

    def keep(self, token: str) -> None:
        """Remember a token that the server has issued, or knows."""
        if self.tokens[:1] == (token,):
            return
        others = (known for known in self.tokens if known != token)
        self.tokens = (token, *others)[:MAX_TOKENS]
        if self._path is None:
            return
        unfinished = self._path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.writelines(f"{known}\n" for known in self.tokens)
        unfinished.replace(self._path)


@contextmanager
def claim_identity(server: str, folder: Path | None = None) -> Iterator[Identity]:
    """Hold the first identity for this server that no other process of this user holds.

    Raises TooManyClients.
    """
    folder = folder or platformdirs.user_data_path("mastermind") / "identities"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    address = urlsplit(server)  # a token that was issued over TLS is never sent without it
    stem = re.sub(r"[^A-Za-z0-9.-]", "_", f"{address.scheme}_{address.netloc}")
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
    raise TooManyClients(MAX_IDENTITIES, server)


def offline_folder() -> Path:
    """Return where the games against bots without a network are kept, and who plays them."""
    return platformdirs.user_data_path("mastermind") / "offline"


def offline_identity(folder: Path) -> Identity:
    """Return who plays the games that are kept in this folder.

    It has no lock of its own: only one process at a time can have the games open.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Identity(folder / "player.token")
