"""Identities: the player's tokens for a server, in a file that only its owner can read.

Every running client holds the lock of its identity, so two terminals on one machine are two
players. A second file has the identity's unfinished matches, so a terminal that resumes a match
gets the identity with the seat, in any order of starting.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlsplit

import filelock
from msgspec.structs import replace

from mastermind_client.config.options import OFFLINE
from mastermind_client.network.failures import TooManyClients
from mastermind_client.network.running import (
    SUFFIX,
    StoredMatches,
    clear_guesses,
    list_stored,
    read_stored,
)
from mastermind_protocol.requests import GUEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
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
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_TRANSFERRED = "transferred"  # a line beside the tokens


class Identity:
    """The tokens for one address, the last used first, and the unfinished matches there.

    Without a file they are kept in memory. There are several tokens if different servers have run
    at one address. Invalid tokens and matches in a file are ignored. A player from another computer
    keeps the name from there until another one is chosen here.
    """

    def __init__(
        self, path: Path | None = None, server: str = OFFLINE, writer: Writer | None = None
    ) -> None:
        self._path, self._writer = path, writer
        self._scheduled = False  # whether the writer has yet to write the matches
        self._newcomer = True
        self._named = False  # whether the player keeps the present name
        self._transferred = False
        self.tokens: tuple[str, ...] = ()
        self.transfer: str | None = None  # the code from another computer
        self.stored = self._written = StoredMatches(server)
        if path is None:
            return
        if path.exists():
            lines = path.read_text(encoding="ascii", errors="replace").splitlines()
            self.tokens = tuple(line for line in lines if _TOKEN.fullmatch(line))
            self._transferred = _TRANSFERRED in lines
        self.stored = read_stored(path.with_suffix(SUFFIX)) or self.stored
        self._written = self.stored

    @property
    def path(self) -> Path | None:
        """The file of the tokens, if there is one."""
        return self._path

    def make_read_only(self) -> None:
        """Make this identity read-only: it writes no file and registers no player."""
        self.keep_player()
        self._path = None

    def keep_player(self) -> None:
        """Register no player, and keep the name."""
        self._newcomer, self._named = False, True

    def keep_name(self) -> None:
        """Keep the name, if the server knows the player."""
        self._named = True

    def use_transfer_code(self, transfer: str) -> None:
        """Use a transfer code from another computer, or one of this player for a new token."""
        self.transfer, self._named = transfer, True
        self._transferred |= self._newcomer

    def list_hello_tokens(self) -> tuple[str | None, ...]:
        """Return the tokens to try in order; None registers a player."""
        if self.transfer is not None:
            return (None,)
        return (*self.tokens, None) if self._newcomer else self.tokens

    def keep(self, token: str) -> None:
        """Store a token that the server has accepted. Raises OSError."""
        if self.tokens[:1] == (token,):
            return
        others = (known for known in self.tokens if known != token)
        self._keep((token, *others)[:MAX_TOKENS])

    def drop(self, token: str) -> None:
        """Delete a void token; a failure to write is only logged."""
        try:
            self._keep(tuple(known for known in self.tokens if known != token))
        except OSError as error:
            _LOG.warning("a void token could not be deleted: %s", error)

    def _keep(self, tokens: tuple[str, ...]) -> None:
        self.tokens = tokens
        if self._path is None:
            return
        unfinished = self._path.with_suffix(".new")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.writelines(f"{known}\n" for known in self.tokens)
            if self._transferred:
                file.write(f"{_TRANSFERRED}\n")
        unfinished.replace(self._path)

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
        return wished or (None if self._transferred else GUEST)

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
        known = StoredMatches(self.stored.server, self.stored.name)
        for match in reversed(tuple(matches)):  # the last ones added stay
            known = known.with_match(match)
        self._store(known)

    def save(self) -> None:
        """Write the matches into their file, unless it has them already.

        A failure is only logged, because the server knows the seats too.
        """
        empty = self._written.matches == self.stored.matches == ()  # a name alone is not stored
        if self._path is None or self._scheduled or empty or self._written == self.stored:
            return
        if self._writer is not None:
            self._scheduled = True
            self._writer.put(self._write, _warn)
            return
        try:
            self._write()
        except OSError as error:
            _warn(error)

    def _store(self, stored: StoredMatches) -> None:
        """Set the matches. A new guess number alone is written later, by `save`."""
        before, self.stored = self.stored, stored
        if clear_guesses(before) != clear_guesses(stored):
            self.save()

    def _write(self) -> None:
        self._scheduled, written = False, self.stored
        if self._path is not None:
            written.write(self._path.with_suffix(SUFFIX))
        self._written = written


def _warn(error: OSError) -> None:
    _LOG.warning("the unfinished matches could not be stored: %s", error)


class KnownIdentity(NamedTuple):
    """An identity with unfinished matches: its file, the content, and whether a client uses it."""

    path: Path
    stored: StoredMatches
    held: bool

    def read_only(self) -> Identity:
        """Return a read-only identity of the same player."""
        identity = Identity(self.path, self.stored.server)
        identity.make_read_only()
        return identity

    def refresh(self, stored: StoredMatches) -> None:
        """Store the matches that the server has listed, unless a client uses the identity."""
        lock = _take_lock(self.path)
        if lock is not None:
            path = self.path.with_suffix(SUFFIX)
            used = path.stat()
            identity = Identity(self.path, stored.server)
            identity.replace_stored(stored.matches)
            identity.save()
            os.utime(
                path, ns=(used.st_atime_ns, used.st_mtime_ns)
            )  # a query does not count as a use
            lock.release()


class Identities:
    """The identities of one user: on servers, in files of `folder`, and one in `offline`.

    The methods read files and may wait PROBE_SECONDS for a lock: an event loop calls them in a
    thread. Claimed identities write their matches by the `writer`, without one at once.
    """

    def __init__(self, folder: Path, offline: Path, writer: Writer | None = None) -> None:
        self._folder, self.offline, self._writer = folder, offline, writer

    @classmethod
    def of(cls, context: ClientContext, players: Path | None = None) -> Self:
        """Return the players of a context, or others in a folder of their own."""
        folder, offline = context.player_folders
        return cls(players or folder, offline, context.writer)

    @contextmanager
    def claim(
        self, server: str, *, match: str | None = None, name: str | None = None
    ) -> Iterator[Identity]:
        """Hold an identity for this server that no other client of this user holds.

        The order of preference: a seat in the `match`, of the player with this `name` first;
        unfinished matches, the last used first; the first identity. An identity with unfinished
        matches and another name is skipped. So is the inviting player if another `name` takes the
        free seat of the invitation. Raises TooManyClients.
        """
        _make_folder(self._folder)
        for path in _rank_identities(server, self._folder, match, name):
            if (lock := _take_lock(path)) is None:
                continue
            with _holding(lock), self._identity(path, server) as identity:
                if (running := path.with_suffix(SUFFIX)).exists():
                    running.touch()  # marks the last used identity
                yield identity
            return
        raise TooManyClients(MAX_IDENTITIES, server)

    @contextmanager
    def claim_unused(self, server: str) -> Iterator[Identity]:
        """Hold the first identity for a server without unfinished matches.

        Raises TooManyClients.
        """
        _make_folder(self._folder)
        for path in _list_paths(server, self._folder):
            if path.with_suffix(SUFFIX) in list_stored(self._folder):
                continue
            if (lock := _take_lock(path)) is not None:
                with _holding(lock), self._identity(path, server) as identity:
                    yield identity
                return
        raise TooManyClients(MAX_IDENTITIES, server)

    @contextmanager
    def claim_offline(self) -> Iterator[Identity | None]:
        """Hold the offline player; None if another client does."""
        _make_folder(self.offline)
        path = self.offline / "player.token"
        if (lock := _take_lock(path)) is None:
            yield None
            return
        with _holding(lock), self._identity(path, OFFLINE) as identity:
            yield identity

    def find_offline(self) -> Identity:
        """Return the offline player, without a lock."""
        _make_folder(self.offline)
        return Identity(self.offline / "player.token")

    def list_known(self) -> list[KnownIdentity]:
        """Return the identities with unfinished matches, on all servers and offline."""
        known = []
        for path, stored in self._list_stored():
            lock = _take_lock(path)
            if lock is not None:
                lock.release()
            known.append(KnownIdentity(path.with_suffix(".token"), stored, held=lock is None))
        return known

    def list_free(self, server: str, match: str) -> list[StoredMatches]:
        """Return the stored matches of unused identities with a seat in a match."""
        return [known.stored for known in self._find_seated(server, match) if not known.held]

    def is_open_elsewhere(self, server: str, match: str) -> bool:
        """Return whether a client uses an identity with a seat in a match."""
        return any(known.held for known in self._find_seated(server, match))

    def list_settled(self, server: str) -> list[Identity]:
        """Return the user's identities with tokens for a server, the last used first.

        They register no players, and keep their names. Other clients may use them.
        """
        ranked = _rank_identities(server, self._folder, None, None)
        settled = [each for path in ranked if (each := Identity(path, server)).tokens]
        for identity in settled:
            identity.keep_player()
        return settled

    @contextmanager
    def _identity(self, path: Path, server: str) -> Iterator[Identity]:
        identity = Identity(path, server, self._writer)
        try:
            yield identity
        finally:
            identity.save()

    def _list_stored(self) -> Iterator[tuple[Path, StoredMatches]]:
        for folder in (self._folder, self.offline):
            yield from list_stored(folder).items()

    def _find_seated(self, server: str, match: str) -> list[KnownIdentity]:
        return [
            known
            for known in self.list_known()
            if known.stored.server == server and known.stored.find(match) is not None
        ]


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


@contextmanager
def _holding(lock: filelock.BaseFileLock) -> Iterator[None]:
    try:
        yield
    finally:
        lock.release()


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _rank_identities(
    server: str, folder: Path, match: str | None, name: str | None
) -> Iterable[Path]:
    """Return the paths of the identities for a server in the order of `claim`."""
    ranked = []
    for number, path in enumerate(_list_paths(server, folder)):
        rank: tuple[bool, bool, bool, bool, int] = (True, False, True, True, 0)
        stored = read_stored(path.with_suffix(SUFFIX))
        if stored is not None and stored.matches:
            used = path.with_suffix(SUFFIX).stat().st_mtime_ns
            has_match = match is not None and stored.find(match) is not None
            seated = match is not None and stored.seats(match, name)
            inviting = has_match and not seated
            another = not seated and _is_of_another(stored.name, name)
            rank = (not seated, inviting or another, False, stored.name != name, -used)
        ranked.append((rank, number, path))
    return [path for _rank, _number, path in sorted(ranked)]


def _list_paths(server: str, folder: Path) -> list[Path]:
    address = urlsplit(server)  # a token that was issued over TLS is never sent without it
    stem = re.sub(r"[^A-Za-z0-9.-]", "_", f"{address.scheme}_{address.netloc}")
    return [folder / f"{stem}-{number}.token" for number in range(1, MAX_IDENTITIES + 1)]


def _is_of_another(known: str, wished: str | None) -> bool:
    """Return whether an identity has another name; a guest may take any and keep the seat."""
    named = bool(known) and not known.startswith(f"{GUEST}-")
    return named and wished is not None and wished != known


def _take_lock(path: Path) -> filelock.BaseFileLock | None:
    """Take the lock of an identity; None if another client has it."""
    patience = PROBE_SECONDS if path.with_suffix(SUFFIX).exists() else 0
    lock = filelock.FileLock(path.with_suffix(".lock"), thread_local=False)  # see enter_in_thread
    try:
        lock.acquire(timeout=patience, poll_interval=PROBE_SECONDS / 5)
    except filelock.Timeout:
        return None
    return lock
