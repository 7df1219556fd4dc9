"""Identities: the user's players on servers, each in a file that only its owner can read.

Every running client holds the lock of its identity, so two terminals on one machine are two
players. The file has the unfinished matches too, so a terminal that resumes a match gets the
identity with the seat, in any order of starting.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import filelock
import msgspec
from msgspec.structs import replace

from mastermind_client.config.options import OFFLINE
from mastermind_client.files import write_atomically
from mastermind_client.network.failures import TooManyClients
from mastermind_client.network.running import (
    OFFLINE_PLAYER,
    OLD_SUFFIXES,
    PLAYERS,
    SUFFIX,
    StoredPlayer,
    list_players,
    read_file,
    read_player,
)
from mastermind_protocol.requests import GUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager, AsyncExitStack
    from pathlib import Path
    from typing import Self

    from mastermind_client.context import ClientContext, Writer
    from mastermind_client.network.running import UnfinishedMatch

_T = TypeVar("_T")

_LOG = logging.getLogger(__name__)
MAX_TOKENS = 8  # different servers that ran at one address
MAX_IDENTITIES = 64  # clients of one user on one server at the same time
PROBE_SECONDS = 0.05  # another client holds a lock for a moment to test it
WRITE_SECONDS = 2.0  # another client replaces a file in a few milliseconds
WRITE_LOCK = "write.lock"  # in the folder of the files


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
        if self.path is not None and (lock := _take_lock(self.path, PROBE_SECONDS)) is not None:
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


class Identities:
    """The players of one user in a folder: on servers, and one offline.

    The methods read files and may wait PROBE_SECONDS for a lock: an event loop calls them in a
    thread. Claimed identities write their matches by the `writer`, without one at once. The bots of
    the user have `players` of their own.
    """

    def __init__(self, folder: Path, writer: Writer | None = None, players: str = PLAYERS) -> None:
        self._folder, self.offline, self._writer = folder / players, folder / OFFLINE_PLAYER, writer

    @classmethod
    def of(cls, context: ClientContext, players: str = PLAYERS) -> Self:
        """Return the players of a context."""
        return cls(context.folder, context.writer, players)

    @contextmanager
    def claim(
        self,
        server: str,
        *,
        match: str | None = None,
        name: str | None = None,
        unused: bool = False,
    ) -> Iterator[Identity]:
        """Hold an identity for this server that no other client of this user holds.

        The order of preference: a seat in the `match`, of the player with this `name` first;
        unfinished matches, the last used first; the first identity. An identity with unfinished
        matches and another name is skipped. So is the inviting player if another `name` takes the
        free seat of the invitation. An `unused` identity has no unfinished matches. Raises
        TooManyClients, also if another client plays offline.
        """
        for path, stored in self._rank(server, match, name):
            if unused and stored.matches:
                continue
            if (lock := _take_lock(path, PROBE_SECONDS if stored.matches else 0)) is None:
                continue
            with lock:
                identity = Identity(path, server, self._writer)
                identity.mark_used()
                try:
                    yield identity
                finally:
                    identity.save()
            return
        raise TooManyClients(MAX_IDENTITIES, server)

    def find_offline(self) -> Identity:
        """Return the offline player, without a lock."""
        _make_folder(self.offline)
        return Identity(self._list_paths(OFFLINE)[0])

    def list_known(self) -> list[Identity]:
        """Return the identities with unfinished matches, on all servers and offline, read-only."""
        known = []
        for path, stored in list_players(self._folder, self.offline):
            lock = _take_lock(path, PROBE_SECONDS)
            with lock or nullcontext():
                identity = Identity(path, stored.server, held=lock is None)
            identity.make_read_only()
            known.append(identity)
        return known

    def list_free(self, server: str, match: str) -> list[StoredPlayer]:
        """Return the stored players that no client uses, with a seat in a match."""
        return [known.stored for known in self._find_seated(server, match) if not known.held]

    def is_open_elsewhere(self, server: str, match: str) -> bool:
        """Return whether a client uses an identity with a seat in a match."""
        return any(known.held for known in self._find_seated(server, match))

    def list_settled(self, server: str) -> list[Identity]:
        """Return the user's identities with tokens for a server, the last used first.

        They register no players, and keep their names. Other clients may use them.
        """
        ranked = (Identity(path, server) for path, _stored in self._rank(server, None, None))
        settled = [identity for identity in ranked if identity.tokens]
        for identity in settled:
            identity.keep_player()
        return settled

    def _find_seated(self, server: str, match: str) -> list[Identity]:
        return [
            known
            for known in self.list_known()
            if known.stored.server == server and known.has_seat(match)
        ]

    def _rank(
        self, server: str, match: str | None, name: str | None
    ) -> Iterable[tuple[Path, StoredPlayer]]:
        """Return the files of a server's identities and their contents in the order of `claim`."""
        ranked = []
        for number, path in enumerate(self._list_paths(server)):
            rank: tuple[bool, bool, bool, bool, int] = (True, False, True, True, 0)
            stored = read_player(path, server)
            if stored.matches:
                has_match = match is not None and stored.find(match) is not None
                seated = match is not None and stored.seats(match, name)
                inviting = has_match and not seated
                another = not seated and _is_of_another(stored.name, name)
                used = -stored.used
                rank = (not seated, inviting or another, False, stored.name != name, used)
            ranked.append((rank, number, path, stored))
        return [(path, stored) for _rank, _number, path, stored in sorted(ranked)]

    def _list_paths(self, server: str) -> list[Path]:
        if server == OFFLINE:
            return [self.offline / f"player{SUFFIX}"]
        address = urlsplit(server)  # a token that was issued over TLS is never sent without it
        stem = re.sub(r"[^A-Za-z0-9.-]", "_", f"{address.scheme}_{address.netloc}")
        numbers = range(1, MAX_IDENTITIES + 1)
        return [self._folder / f"{stem}-{number}{SUFFIX}" for number in numbers]


async def enter_in_thread(stack: AsyncExitStack, claim: AbstractContextManager[_T]) -> _T:
    """Enter a claim in a thread, because it may wait for locks; the stack ends it.

    If the caller is cancelled, nothing stays claimed.
    """
    entering = asyncio.ensure_future(asyncio.to_thread(claim.__enter__))
    try:
        identity = await asyncio.shield(entering)
    except asyncio.CancelledError:
        await asyncio.wait({entering})
        if entering.exception() is None:
            claim.__exit__(None, None, None)
        raise
    stack.push(claim)
    return identity


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _is_of_another(known: str, wished: str | None) -> bool:
    """Return whether the `known` name differs from the `wished` one.

    Returns False for a guest, who can take any name and keep the seat.
    """
    named = bool(known) and not known.startswith(f"{GUEST}-")
    return named and wished is not None and wished != known


def _take_lock(path: Path, patience: float) -> AbstractContextManager[object] | None:
    """Take the lock of an identity for a block; None if another client has it."""
    _make_folder(path.parent)
    lock = filelock.FileLock(path.with_suffix(".lock"), thread_local=False)  # see enter_in_thread
    try:
        return lock.acquire(timeout=patience, poll_interval=PROBE_SECONDS / 5)
    except filelock.Timeout:
        return None
