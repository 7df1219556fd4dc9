"""The identities of one user: claiming and listing."""

from __future__ import annotations

import asyncio
import re
from contextlib import contextmanager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.files import write_atomically
from mastermind_client.network.failures import TooManyClients
from mastermind_client.network.players.identity import (
    HOME_LOCK_SUFFIX,
    PROBE_LOCK_SECONDS,
    Identity,
    acquire_lock,
    is_locked,
    make_folder,
)
from mastermind_client.network.players.stored_player import (
    PLAYER_SUFFIX,
    StoredPlayer,
    list_players,
    read_player,
)
from mastermind_protocol.requests import GUEST
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager, AsyncExitStack
    from pathlib import Path
    from typing import Self

    from mastermind_client.config.options import ProfileOptions
    from mastermind_client.context import ClientContext, Writer
    from mastermind_protocol.messages import Statistics

_T = TypeVar("_T")

MAX_IDENTITIES = 64  # clients of one user on one server at the same time
PEOPLE_FILE = "people.txt"  # the names of people that the user has played, one in each line
PLAYERS_FOLDER, OFFLINE_FOLDER = "identities", "offline"  # the folders of the files


class Identities:
    """The stored players of one user: up to MAX_IDENTITIES on each server, and one offline.

    `players` is a folder below `folder` with the files of the players on servers. A bot of the user
    has a folder of its own. `writer` writes the matches of claimed identities. Without a writer
    they are written at once. The methods read files and may wait PROBE_LOCK_SECONDS for a lock, so
    coroutines call them in a thread.
    """

    def __init__(
        self, folder: Path, writer: Writer | None = None, players: str = PLAYERS_FOLDER
    ) -> None:
        self._folder, self.offline_folder = folder / players, folder / OFFLINE_FOLDER
        self.people_file, self._writer = folder / PEOPLE_FILE, writer

    @classmethod
    def of(cls, context: ClientContext, players: str = PLAYERS_FOLDER) -> Self:
        """Return the stored players of the context's user."""
        return cls(context.folder, context.writer, players)

    @contextmanager
    def claim(
        self,
        server: str,
        *,
        match: str | None = None,
        name: str | None = None,
        unused: bool = False,
        home: Identity | None = None,
    ) -> Iterator[Identity]:
        """Lock and yield an identity for `server` that no other client of this user has locked.

        The identities are tried in this order:

        1. with a seat in the `match`;
        2. with other unfinished matches;
        3. without unfinished matches;
        4. with unfinished matches under another chosen name than `name`.

        If the `match` still waits for an invited friend, another `name` accepts the invitation as a
        second player of this computer. The player who sent the invitation is in group 4 then.

        Within a group, players with this `name` come first, then the last used ones. If `unused`,
        only an identity without unfinished matches is yielded. `home` is the identity of this
        client's home screen, which is yielded if its file is locked, and is read-only again later.
        Raises TooManyClients if other clients have locked all identities.
        """
        for path, stored in self._rank(server, match, name):
            if unused and stored.matches:
                continue
            used = stored.matches or stored.tokens
            if (lock := acquire_lock(path, PROBE_LOCK_SECONDS if used else 0)) is None:
                continue
            with lock:
                if home is not None and home.path == path:
                    identity = home
                    identity.begin_claim(self._writer)
                else:
                    identity = Identity(path, server, self._writer)
                identity.mark_used()
                try:
                    yield identity
                finally:
                    identity.save()
                    if identity is home:
                        identity.make_read_only()
            return
        raise TooManyClients(MAX_IDENTITIES, server)

    @contextmanager
    def connect_home(self, server: str, name: str | None) -> Iterator[Identity | None]:
        """Yield the player of this computer on a server for a home screen, or None.

        It is the registered player that `claim` would prefer, and is read-only. It is not claimed:
        other clients can claim it. None is yielded if there is no such player, or if any client
        plays as a player of this computer on the server, or if another home screen does it already.
        """
        known = [path for path, stored in self._rank(server, None, name) if stored.tokens]
        used = any(is_locked(path) for path in known)
        used = used or any(is_locked(path, HOME_LOCK_SUFFIX) for path in known[1:])
        lock = None
        if known and not used:
            lock = acquire_lock(known[0], PROBE_LOCK_SECONDS, HOME_LOCK_SUFFIX)
        if lock is None:
            yield None
            return
        with lock:
            identity = Identity(known[0], server)
            identity.make_read_only()
            yield identity

    def find_offline(self) -> Identity:
        """Return the offline player, without a lock."""
        make_folder(self.offline_folder)
        return Identity(self._list_paths(OFFLINE)[0])

    def list_with_matches(self) -> list[Identity]:
        """Return the identities with unfinished matches, on all servers and offline.

        The identities are read-only, and not locked.
        """
        known = []
        for path, stored in list_players(self._folder, self.offline_folder):
            lock = acquire_lock(path, PROBE_LOCK_SECONDS)
            with lock or nullcontext():
                at_home = is_locked(path, HOME_LOCK_SUFFIX)
                identity = Identity(path, stored.server, held=lock is None, at_home=at_home)
            identity.make_read_only()
            known.append(identity)
        return known

    def list_unlocked_seated_players(self, server: str, match: str) -> list[StoredPlayer]:
        """Return the stored players with a seat in a match, except those a client has locked."""
        return [known.stored for known in self._find_seated(server, match) if not known.held]

    def is_open_elsewhere(self, server: str, match: str) -> bool:
        """Return whether a client uses an identity with a seat in a match."""
        return any(known.held for known in self._find_seated(server, match))

    def find_name_open_elsewhere(self, identity: Identity) -> str | None:
        """Return the name of another player on the same server whom another client uses.

        It is the name of `identity`, or if that is a guest's, any name that a player has chosen.
        Returns None if there is no such player.
        """
        own = identity.stored.name
        for path, stored in self._rank(identity.stored.server, None, None):
            fits = stored.name == own or (is_chosen(stored.name) and not is_chosen(own))
            if path != identity.path and fits and is_locked(path):
                return stored.name
        return None

    def list_registered(self, server: str) -> list[Identity]:
        """Return the user's identities with tokens for a server, the last used first.

        They are returned without locks. A session that uses one registers no new player, and does
        not change the player's name.
        """
        ranked = (Identity(path, server) for path, _stored in self._rank(server, None, None))
        settled = [identity for identity in ranked if identity.tokens]
        for identity in settled:
            identity.keep_player()
        return settled

    def keeps_matches_on(self, server: str) -> bool:
        """Return whether matches of this computer's players are on a server only.

        They are not on a server that a friend hosts: `copy_hosted_matches` copies them here.
        """
        return any(not identity.stored.host for identity in self.list_registered(server))

    def is_hosted(self, server: str) -> bool:
        """Return whether a friend hosts the server, as the user's last used player there knows."""
        return any(identity.stored.host for identity in self.list_registered(server)[:1])

    def choose_profile_server(self, options: ProfileOptions) -> str:
        """Return the server of a profile, or OFFLINE as described in ProfileOptions."""
        changes_nothing = options.challenges is None
        is_own = options.name is None and options.player is None
        if options.is_usual and is_own and changes_nothing and self.list_registered(OFFLINE):
            return options.server if self.keeps_matches_on(options.server) else OFFLINE
        return options.server

    def find_name(self, server: str) -> str | None:
        """Return the name under which the user last played, or None for a guest.

        A name on `server` is preferred to one in the games on this computer.
        """
        registered = map(self.list_registered, (server, OFFLINE, HOSTED))
        names = (known.stored.name for known in chain.from_iterable(registered))
        return next(filter(is_chosen, names), None)

    def keep_names(self, statistics: Statistics) -> None:
        """Write the names of the people in a server's statistics, which shells complete.

        Programs and bots are omitted. Raises OSError.
        """
        names = [sanitise(met.opponent) for met in statistics.by_opponent if not met.bot]
        write_atomically(self.people_file, "".join(f"{name}\n" for name in names).encode())

    def list_hosts(self) -> set[str]:
        """Return the names of players who host matches in their programs, as last known."""
        players = (read_player(path, "") for path in self._folder.glob(f"*{PLAYER_SUFFIX}"))
        return {player.host for player in players if player.host}

    def _find_seated(self, server: str, match: str) -> list[Identity]:
        return [
            known
            for known in self.list_with_matches()
            if known.stored.server == server and known.has_seat(match)
        ]

    def _rank(
        self, server: str, match: str | None, name: str | None
    ) -> Iterable[tuple[Path, StoredPlayer]]:
        """Return the identity files of a server and their contents, the preferred ones first."""
        ranked = []
        for number, path in enumerate(self._list_paths(server)):
            rank: tuple[bool, bool, bool, bool, int] = (True, False, True, True, 0)
            stored = read_player(path, server)
            if stored.matches:
                has_match = match is not None and stored.find_match(match) is not None
                seated = match is not None and stored.can_resume(match, name)
                inviting = has_match and not seated
                another = not seated and _has_other_name(stored.name, name)
                used = -stored.used
                rank = (not seated, inviting or another, False, stored.name != name, used)
            ranked.append((rank, number, path, stored))
        return [(path, stored) for _rank, _number, path, stored in sorted(ranked)]

    def _list_paths(self, server: str) -> list[Path]:
        if server == OFFLINE:
            return [self.offline_folder / f"player{PLAYER_SUFFIX}"]
        address = urlsplit(server)  # a token that was issued over TLS is never sent without it
        stem = re.sub(r"[^A-Za-z0-9.-]", "_", f"{address.scheme}_{address.netloc}")
        numbers = range(1, MAX_IDENTITIES + 1)
        return [self._folder / f"{stem}-{number}{PLAYER_SUFFIX}" for number in numbers]


async def enter_in_thread(stack: AsyncExitStack, claim: AbstractContextManager[_T]) -> _T:
    """Enter the context manager `claim` in a thread, because it may wait for locks.

    The caller's `stack` exits `claim` later. If this call is cancelled, it exits `claim` itself.
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


def _has_other_name(known: str, wished: str | None) -> bool:
    """Return whether the `known` name of a player differs from the `wished` name.

    False for an unnamed player, for a guest's name, and without a `wished` name.
    """
    return wished is not None and wished != known and is_chosen(known)


def is_chosen(name: str) -> bool:
    """Return whether a player has chosen the `name`: it is not empty, and not a guest's."""
    return bool(name) and not name.startswith(f"{GUEST}-")
