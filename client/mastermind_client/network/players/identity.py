"""Identities: the user's players on servers, each in a file that only its owner can read.

Every client that plays locks its identity, so two such terminals on one machine are two players. A
home screen only connects as the player, with a lock of its own, so any client can claim the player.
The file has the tokens for one server, and the last known states of the unfinished matches on this
server. To resume a match, a client takes the identity that has a seat in the match.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import filelock
import msgspec
from msgspec.structs import replace

from mastermind_client.config.options import OFFLINE
from mastermind_client.files import lock_files, write_atomically
from mastermind_client.network.failures import NoDataFolder
from mastermind_client.network.players.stored_player import (
    OLD_SUFFIXES,
    StoredPlayer,
    read_file,
    read_player,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from mastermind_client.context import Writer
    from mastermind_client.network.running import UnfinishedMatch

_LOG = logging.getLogger(__name__)
MAX_TOKENS = 8  # different servers that ran at one address
PROBE_LOCK_SECONDS = 0.05  # another client holds a lock for a moment to test it
CLAIM_LOCK_SUFFIX, HOME_LOCK_SUFFIX = ".lock", ".home.lock"  # of the locks of an identity


class Identity:
    """A player on a server: the tokens for its address, and the unfinished matches there.

    If `path` is None, they are kept in memory only. `held` is whether another client had locked the
    identity when it was listed, and `at_home` whether a home screen was connected as this player.
    Raises OSError if the file cannot be read.
    """

    def __init__(
        self,
        path: Path | None = None,
        server: str = OFFLINE,
        writer: Writer | None = None,
        *,
        held: bool = False,
        at_home: bool = False,
    ) -> None:
        self.path, self.held, self.at_home, self._writer = path, held, at_home, writer
        self._scheduled = False  # whether the writer has yet to write the matches
        self._has_new_seat = False  # whether a match was added that the writer has yet to write
        self._read_only = False
        self._newcomer = True  # whether the server may register a new player
        self._named = False  # whether the player keeps the present name
        self.transfer: str | None = None  # the code from another computer
        self.stored = StoredPlayer(server) if path is None else read_player(path, server)
        self._written = self.stored

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens, the last used first."""
        return self.stored.tokens

    def make_read_only(self) -> None:
        """From now on keep the player, as `keep_player`, and write no file.

        Exception: `write_unless_locked` writes while no other client has locked the identity.
        """
        self.keep_player()
        self._read_only = True

    def begin_claim(self, writer: Writer | None) -> None:
        """End the effect of `make_read_only`: the caller has locked the identity.

        Matches that other clients have stored since are added.
        """
        if self.path is None:
            return
        self._newcomer, self._named, self._read_only, self._writer = True, False, False, writer
        file = self._written = read_player(self.path, self.stored.server)
        added = file.matches + self.stored.matches
        self.stored = replace(self.stored, tokens=file.tokens, matches=())
        for match in added:  # ours are newer
            self.stored = self.stored.with_match(match)

    def keep_player(self) -> None:
        """From now on register no new player if the server knows no token, and send no name."""
        self._newcomer, self._named = False, True

    def use_transfer_code(self, transfer: str) -> None:
        """Send the code `transfer` in the next hello, which gives a token for the code's player."""
        self.transfer, self._named = transfer, True

    def list_hello_tokens(self) -> tuple[str | None, ...]:
        """Return the tokens to try, in order.

        None as a token uses the transfer code, or without one registers a new player.
        """
        if self.transfer is not None:
            return (None,)
        return (*self.tokens, None) if self._newcomer else self.tokens

    def store_token(self, token: str) -> None:
        """Store a token that the server has accepted. Raises OSError."""
        if self.tokens[:1] != (token,):
            self._edit_tokens(lambda known: (token, *(each for each in known if each != token)))

    def drop_token(self, token: str) -> None:
        """Delete a token that is no longer valid. A failure to write is only logged."""
        try:
            self._edit_tokens(lambda known: tuple(each for each in known if each != token))
        except OSError as error:
            _LOG.warning("a void token could not be deleted: %s", error)

    def _edit_tokens(self, edit: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
        """Apply `edit` to the tokens in memory and to those in the file, which can differ."""

        def change(player: StoredPlayer) -> StoredPlayer:
            return replace(player, tokens=edit(player.tokens)[:MAX_TOKENS])

        self.stored = change(self.stored)
        if not self._read_only:
            self._write(change)

    def _write(self, change: Callable[[StoredPlayer], StoredPlayer]) -> None:
        """Apply `change` to the content of the file, which other clients change too.

        Then delete the two files in which earlier versions of the client stored the same.
        """
        if self.path is None:
            return
        with lock_files(self.path.parent):
            changed = change(read_file(self.path) or self.stored)
            write_atomically(self.path, msgspec.json.encode(changed))
            for suffix in OLD_SUFFIXES:
                self.path.with_suffix(suffix).unlink(missing_ok=True)

    def set_player(self, name: str, host: str = "") -> None:
        """Store the player's name on the server, and the name of the player who hosts it, or ""."""
        self._store(replace(self.stored, name=name, host=host))

    def has_seat(self, match: str | None) -> bool:
        """Return whether a match with this code is stored."""
        return match is not None and self.stored.find_match(match) is not None

    def keep_name_if_seated(self, match: str | None) -> None:
        """Keep the player's name in the next hello if the player has a seat in this match.

        Otherwise the next hello can change the name.
        """
        self._named = self.has_seat(match)

    def find_hello_name(self, wished: str | None) -> str | None:
        """Return the name for the hello: the `wished` name, or None to keep the present name.

        For None the server makes a new player a guest. The name GUEST clears a player's name.
        """
        return None if self._named else wished

    def mark_used(self) -> None:
        """Make this the last used identity. A failure to write is only logged."""
        self.stored = replace(self.stored, used=time.time_ns())
        if self.tokens or self.stored.matches:
            self._try_to_write()

    def store_match(self, match: UnfinishedMatch) -> None:
        """Store the state of a match that the player has a seat in."""
        known = self.stored.find_match(match.code)
        if known is None or replace(match, since=known.since) != known:
            self._has_new_seat |= known is None
            self._store(self.stored.with_match(match))

    def remove_match(self, code: str) -> None:
        """Remove the match with this code, which has ended or was left."""
        self._store(self.stored.without_match(code))

    def replace_matches(self, matches: Iterable[UnfinishedMatch]) -> None:
        """Replace the stored matches by `matches`, which the server sorts by importance."""
        known = replace(self.stored, matches=())
        for match in reversed(tuple(matches)):  # the last ones added stay
            known = known.with_match(match)
        self._store(known)

    def save(self) -> None:
        """Write the name and the matches into the file if they have changed.

        A failure is only logged, because the server knows the seats too.
        """
        empty = not self.tokens and self._written.matches == self.stored.matches == ()
        if self._read_only or self._scheduled or empty or self._written == self.stored:
            return
        if self._writer is None:
            self._try_to_write()
        else:
            self._scheduled = True
            self._writer.put(self._write_matches, _warn)

    async def flush_new_seat(self) -> None:
        """Wait until the file has the match that `store_match` has added, if any."""
        if self._has_new_seat and self._writer is not None:
            await self._writer.flush()
        self._has_new_seat = False

    def write_unless_locked(self) -> None:
        """Write the matches of a read-only identity, unless another client has locked it."""
        if (
            self.path is not None
            and self._read_only
            and (lock := acquire_lock(self.path, PROBE_LOCK_SECONDS)) is not None
        ):
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
        own = {"name": mine.name, "used": mine.used, "matches": mine.matches, "host": mine.host}
        self._write(lambda player: replace(player, **own))
        self._written = mine


def _warn(error: OSError) -> None:
    _LOG.warning("the unfinished matches could not be stored: %s", error)


def make_folder(folder: Path) -> None:
    """Create a folder that only the user can read, if it is missing. Raises NoDataFolder."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise NoDataFolder(error.errno, error.strerror, error.filename) from error


def acquire_lock(
    path: Path, timeout_seconds: float, suffix: str = CLAIM_LOCK_SUFFIX
) -> AbstractContextManager[object] | None:
    """Return the acquired lock of an identity, which the caller releases with a `with` block.

    The lock is that of a client that plays, or with HOME_LOCK_SUFFIX that of a home screen. Returns
    None if another client still holds the lock after `timeout_seconds`.
    """
    make_folder(path.parent)
    lock = filelock.FileLock(path.with_suffix(suffix), thread_local=False)  # see enter_in_thread
    try:
        return lock.acquire(timeout=timeout_seconds, poll_interval=PROBE_LOCK_SECONDS / 5)
    except filelock.Timeout:
        return None


def is_locked(path: Path, suffix: str = CLAIM_LOCK_SUFFIX) -> bool:
    """Return whether a client holds a lock of an identity, as described in `acquire_lock`."""
    if (lock := acquire_lock(path, PROBE_LOCK_SECONDS, suffix)) is None:
        return True
    with lock:
        return False
