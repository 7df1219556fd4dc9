"""Identities: the user's players on servers, each in a file that only its owner can read.

Every running client holds the lock of its identity, so two terminals on one machine are two
players. The file has the tokens for a server and the unfinished matches there, with the last known
state of each. So a terminal that resumes a match gets the identity with the seat.
"""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING

import filelock
import msgspec
from msgspec.structs import replace

from mastermind_client.config.options import OFFLINE
from mastermind_client.files import write_atomically
from mastermind_client.network.running import UnfinishedMatch
from mastermind_protocol.requests import GUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from mastermind_client.context import Writer

_LOG = logging.getLogger(__name__)
MAX_TOKENS = 8  # different servers that ran at one address
PROBE_SECONDS = 0.05  # another client holds a lock for a moment to test it
WRITE_SECONDS = 2.0  # another client replaces a file in a few milliseconds
WRITE_LOCK = "write.lock"  # in the folder of the files
SUFFIX = ".json"  # of the file
TOKENS, MATCHES = OLD_SUFFIXES = ".token", ".running"  # of the two files of earlier clients
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
MAX_STORED = 32  # matches of one player, more than are played at once


class StoredPlayer(msgspec.Struct, frozen=True):
    """The content of a player's file.

    The first of the `tokens` is the most recently used. There are several if different servers
    have run at one address. A `transferred` player is from another computer. `used` is the time of
    the last claim, in nanoseconds since 1970.
    """

    server: str
    name: str = ""
    tokens: tuple[str, ...] = ()
    transferred: bool = False
    used: int = 0
    matches: tuple[UnfinishedMatch, ...] = ()

    def find(self, code: str) -> UnfinishedMatch | None:
        """Return the stored match with this code, or None."""
        return next((match for match in self.matches if match.code == code), None)

    def seats(self, code: str, name: str | None) -> bool:
        """Return whether the player resumes a match under a name, or under none.

        An invitation is taken by a second player of this computer if the name differs.
        """
        match = self.find(code)
        return match is not None and (bool(match.opponent) or name in (None, self.name))

    def with_match(self, match: UnfinishedMatch) -> StoredPlayer:
        """Return a copy with a match added or replaced; the oldest are dropped."""
        others = self.without(match.code).matches
        return replace(self, matches=(*others, match)[-MAX_STORED:])

    def without(self, code: str) -> StoredPlayer:
        """Return a copy without a match."""
        kept = tuple(match for match in self.matches if match.code != code)
        return replace(self, matches=kept)


def read_file(path: Path) -> StoredPlayer | None:
    """Return the content of a file without invalid tokens; None if it is missing or broken.

    Raises OSError if the file cannot be read.
    """
    if not path.is_file():
        return None
    try:
        player = msgspec.json.decode(path.read_bytes(), type=StoredPlayer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return replace(player, tokens=tuple(filter(_TOKEN.fullmatch, player.tokens)))


def read_player(path: Path, server: str) -> StoredPlayer:
    """Return the player of a file, or of its two files by an earlier client. Raises OSError."""
    if (player := read_file(path)) is not None:
        return player
    tokens, matches = (path.with_suffix(suffix) for suffix in OLD_SUFFIXES)
    player = read_file(matches) or StoredPlayer(server)
    used = matches.stat().st_mtime_ns if player.matches else 0
    lines = tokens.read_text("ascii", "replace").splitlines() if tokens.is_file() else []
    known = tuple(filter(_TOKEN.fullmatch, lines))
    return replace(player, tokens=known, transferred="transferred" in lines, used=used)


def list_players(*folders: Path) -> Iterator[tuple[Path, StoredPlayer]]:
    """Yield the files of the players with unfinished matches, and their contents."""
    for folder in folders:
        files = (*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{MATCHES}"))
        for path in sorted({file.with_suffix(SUFFIX) for file in files}):
            try:
                player = read_player(path, "")
            except OSError as error:
                _LOG.warning("%s cannot be read: %s", path, error)
            else:
                if player.matches:
                    yield path, player


class Identity:
    """A player on a server: the tokens for its address, and the unfinished matches there.

    Without a file they are kept in memory. A player from another computer keeps the name from there
    until another one is chosen here. `held` is whether another client used the identity when it was
    listed. Raises OSError if the file cannot be read.
    """

    def __init__(
        self,
        path: Path | None = None,
        server: str = OFFLINE,
        writer: Writer | None = None,
        *,
        held: bool = False,
    ) -> None:
        self.path, self.held, self._writer = path, held, writer
        self._scheduled = False  # whether the writer has yet to write the matches
        self._read_only = False
        self._newcomer = True
        self._named = False  # whether the player keeps the present name
        self.transfer: str | None = None  # the code from another computer
        self.stored = StoredPlayer(server) if path is None else read_player(path, server)
        self._written = self.stored

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens, the last used first."""
        return self.stored.tokens

    def make_read_only(self) -> None:
        """Make this identity read-only: only `refresh` writes, and no player is registered."""
        self.keep_player()
        self._read_only = True

    def keep_player(self) -> None:
        """Register no player, and keep the name."""
        self._newcomer, self._named = False, True

    def keep_name(self) -> None:
        """Keep the name, if the server knows the player."""
        self._named = True

    def use_transfer_code(self, transfer: str) -> None:
        """Use a transfer code from another computer, or one of this player for a new token."""
        self.transfer, self._named = transfer, True
        transferred = self.stored.transferred or self._newcomer
        self.stored = replace(self.stored, transferred=transferred)

    def list_hello_tokens(self) -> tuple[str | None, ...]:
        """Return the tokens to try in order; None registers a player."""
        if self.transfer is not None:
            return (None,)
        return (*self.tokens, None) if self._newcomer else self.tokens

    def keep(self, token: str) -> None:
        """Store a token that the server has accepted. Raises OSError."""
        if self.tokens[:1] != (token,):
            self._edit(lambda known: (token, *(each for each in known if each != token)))

    def drop(self, token: str) -> None:
        """Delete a void token; a failure to write is only logged."""
        try:
            self._edit(lambda known: tuple(each for each in known if each != token))
        except OSError as error:
            _LOG.warning("a void token could not be deleted: %s", error)

    def _edit(self, edit: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
        """Change the tokens in memory and in the file, which other clients change too."""
        transferred = self.stored.transferred

        def change(player: StoredPlayer) -> StoredPlayer:
            tokens = edit(player.tokens)[:MAX_TOKENS]
            return replace(player, tokens=tokens, transferred=transferred)

        self.stored = change(self.stored)
        if not self._read_only:
            self._write(change)

    def _write(self, change: Callable[[StoredPlayer], StoredPlayer]) -> None:
        """Change the content of the file, of which a client knows only its own part.

        The files of an earlier client are deleted after that.
        """
        if self.path is None:
            return
        lock = filelock.FileLock(self.path.with_name(WRITE_LOCK), thread_local=False)
        with lock.acquire(timeout=WRITE_SECONDS, poll_interval=PROBE_SECONDS / 10):
            changed = change(read_file(self.path) or self.stored)
            write_atomically(self.path, msgspec.json.encode(changed))
            for suffix in OLD_SUFFIXES:
                self.path.with_suffix(suffix).unlink(missing_ok=True)

    def set_name(self, name: str) -> None:
        """Set the name that is stored with the matches."""
        self._store(replace(self.stored, name=name))

    def has_seat(self, match: str | None) -> bool:
        """Return whether a match with this code is stored."""
        return match is not None and self.stored.find(match) is not None

    def keep_name_in(self, match: str | None) -> None:
        """Keep the name if the player has a seat in this match."""
        self._named = self.has_seat(match)

    def choose_name(self, wished: str | None) -> str | None:
        """Return the name to request; None keeps the present one."""
        if self._named:
            return None
        return wished or (None if self.stored.transferred else GUEST)

    def mark_used(self) -> None:
        """Make this the last used identity. A failure to write is only logged."""
        self.stored = replace(self.stored, used=time.time_ns())
        if self.tokens or self.stored.matches:
            self._try_to_write()

    def store(self, match: UnfinishedMatch) -> None:
        """Store the state of a match that the player has a seat in."""
        known = self.stored.find(match.code)
        if known is None or replace(match, since=known.since) != known:
            self._store(self.stored.with_match(match))

    def remove(self, code: str) -> None:
        """Delete a match that has ended or was left."""
        self._store(self.stored.without(code))

    def replace_stored(self, matches: Iterable[UnfinishedMatch]) -> None:
        """Replace the stored matches by those of the server, the most important first."""
        known = replace(self.stored, matches=())
        for match in reversed(tuple(matches)):  # the last ones added stay
            known = known.with_match(match)
        self._store(known)

    def save(self) -> None:
        """Write the matches into the file, unless it has them already.

        A failure is only logged, because the server knows the seats too.
        """
        empty = self._written.matches == self.stored.matches == ()  # a name alone is not stored
        if self._read_only or self._scheduled or empty or self._written == self.stored:
            return
        if self._writer is None:
            self._try_to_write()
        else:
            self._scheduled = True
            self._writer.put(self._write_matches, _warn)

    def refresh(self) -> None:
        """Write the matches, unless another client uses the identity."""
        if self.path is not None and (lock := take_lock(self.path, PROBE_SECONDS)) is not None:
            with lock:
                self._try_to_write()

    def _store(self, stored: StoredPlayer) -> None:
        self.stored = stored
        self.save()

    def _try_to_write(self) -> None:
        try:
            self._write_matches()
        except OSError as error:
            _warn(error)

    def _write_matches(self) -> None:
        self._scheduled, mine = False, self.stored
        own = {"name": mine.name, "used": mine.used, "matches": mine.matches}
        self._write(lambda player: replace(player, **own))
        self._written = mine


def _warn(error: OSError) -> None:
    _LOG.warning("the unfinished matches could not be stored: %s", error)


def make_folder(folder: Path) -> None:
    """Create a folder that only the user can read, if it is missing."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def take_lock(path: Path, patience: float) -> AbstractContextManager[object] | None:
    """Take the lock of an identity for a block; None if another client has it."""
    make_folder(path.parent)
    lock = filelock.FileLock(path.with_suffix(".lock"), thread_local=False)  # see enter_in_thread
    try:
        return lock.acquire(timeout=patience, poll_interval=PROBE_SECONDS / 5)
    except filelock.Timeout:
        return None
