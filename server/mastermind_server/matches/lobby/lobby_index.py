"""An index of open lobbies: limits per player and per address, and a search for seekers.

It contains lobbies with a connected player on this node, and lobbies that are being opened.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.statements.lobby import Found, Terms, Wanted
from mastermind_server.tuning import DUE_SECONDS, LOBBY_GRACE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from mastermind_protocol.match import Match
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

_ABANDONED_SECONDS = LOBBY_GRACE_SECONDS + DUE_SECONDS  # by then a public lobby is closed


class OpenLobby:
    """A match with one seat taken, opened from `address` at `since` (milliseconds since 1970).

    A private lobby or a rematch has no `terms`: seekers cannot find it. `ready` is set when the
    lobby can be joined, or opening it has failed.
    """

    __slots__ = ("address", "code", "player", "ready", "seat", "since", "terms")

    def __init__(self, code: str, address: str, since: int, match: Match) -> None:
        (player,) = match.players
        opened = match.opened
        self.code, self.address, self.since, self.player = code, address, since, player.id
        self.seat = Seat.MAKER if match.maker else Seat.BREAKER
        self.terms: Terms | None = None
        if opened.public and opened.reserved is None:
            self.terms = Terms(match.rules.name, opened.rounds, opened.rated, player.is_bot)
        self.ready = asyncio.Event()

    def offers(self, player: str, seat: Seat | None) -> bool:
        """Return whether the player gets the wanted seat here; None is either seat."""
        return seat in (None, self.seat if player == self.player else self.seat.other)


class LobbyIndex:
    """The open lobbies by code, player, address and terms.

    An abandoned lobby no longer counts for its player, and seekers do not find it. It counts for
    its address until a public one would be closed, because lists search through it until then.
    Only one seeker of this node tries a lobby at a time, so that many seekers meet in pairs.
    """

    def __init__(self, tables: Tables, services: Services) -> None:
        self._limiter, self._now = services.limiter, services.clock.now
        self._lobbies: dict[str, OpenLobby] = {}
        self._groups: dict[Hashable, dict[str, OpenLobby]] = {}  # by player, address and terms
        self._abandoned: dict[str, float] = {}  # by code, the time when it no longer counts
        self.claimed: set[str] = set()
        tables.watchers.append(self._on_change)

    def check(self, player: str, address: str) -> None:
        """Raise Refused if a player or an address has too many lobbies to open another."""
        now = self._now()
        while self._abandoned and next(iter(self._abandoned.values())) <= now:
            self._remove(next(iter(self._abandoned)))
        lobbies = self._groups.get(("player", player), ())
        self._limiter.check("lobbies", len(lobbies), Reason.TOO_MANY_LOBBIES)
        here = self._groups.get(("address", address), ())
        self._limiter.check("lobbies_of_address", len(here), Reason.ADDRESS_HAS_LOBBIES)

    @contextmanager
    def opening(self, code: str, address: str, since: int, match: Match) -> Iterator[None]:
        """Add a lobby that is opened within the block. Remove it if that fails."""
        if match.phase is not Phase.GATHERING or code in self._lobbies:  # such a code is refused
            yield
            return
        lobby = self._add(code, address, since, match)
        try:
            yield
        finally:
            if not lobby.ready.is_set():
                self._remove(code)
            lobby.ready.set()

    def find(self, wanted: Wanted, player: str, elsewhere: Found | None) -> str | None:
        """Return the code of the oldest lobby that a seeker can join and no other seeker tries.

        `elsewhere` is a lobby that the store found at another node.
        """
        lobbies = self._groups.get(wanted.terms, {}).values()
        found: list[OpenLobby | Found] = [
            lobby for lobby in lobbies if lobby.offers(player, wanted.seat)
        ]
        if elsewhere is not None:
            found.append(elsewhere)
        taken = self.claimed.union(wanted.but)
        free = (lobby for lobby in found if lobby.code not in taken)
        oldest = min(free, key=lambda lobby: lobby.since, default=None)
        return oldest.code if oldest else None

    def find_address(self, code: str) -> str | None:
        """Return the address of the player who opened a lobby, if it is in the index."""
        lobby = self._lobbies.get(code)
        return lobby.address if lobby else None

    async def wait_until_ready(self, code: str) -> bool:
        """Wait while a lobby is being opened. Return whether it can be joined."""
        if lobby := self._lobbies.get(code):
            await lobby.ready.wait()
            return code in self._lobbies
        return True  # at another node

    @contextmanager
    def claim(self, code: str) -> Iterator[None]:
        """Hide a lobby from other seekers of this node within the block."""
        self.claimed.add(code)
        try:
            yield
        finally:
            self.claimed.remove(code)

    def _on_change(self, table: Table) -> None:
        code, seated = table.log.code, table.followers.seated
        lobby = self._lobbies.get(code)
        if table.log.state.phase is not Phase.GATHERING:
            if lobby is not None:
                self._remove(code)
        elif seated:
            if lobby is None:
                address = next(iter(seated)).address
                lobby = self._add(code, address, table.log.rows[0].at, table.log.state)
            elif self._abandoned.pop(code, None) is not None:
                self._join_groups(lobby, _list_active(lobby))
            lobby.ready.set()
        elif lobby and lobby.ready.is_set() and code not in self._abandoned:
            self._abandoned[code] = self._now() + _ABANDONED_SECONDS
            self._leave_groups(lobby, _list_active(lobby))

    def _add(self, code: str, address: str, since: int, match: Match) -> OpenLobby:
        lobby = self._lobbies[code] = OpenLobby(code, address, since, match)
        self._join_groups(lobby, (("address", address), *_list_active(lobby)))
        return lobby

    def _remove(self, code: str) -> None:
        self._abandoned.pop(code, None)
        if lobby := self._lobbies.pop(code, None):
            self._leave_groups(lobby, (("address", lobby.address), *_list_active(lobby)))

    def _join_groups(self, lobby: OpenLobby, keys: Iterable[Hashable]) -> None:
        for key in keys:
            self._groups.setdefault(key, {})[lobby.code] = lobby

    def _leave_groups(self, lobby: OpenLobby, keys: Iterable[Hashable]) -> None:
        for key in keys:
            if (group := self._groups.get(key)) is not None:
                group.pop(lobby.code, None)
                if not group:
                    del self._groups[key]


def _list_active(lobby: OpenLobby) -> tuple[Hashable, ...]:
    """Return the keys of the groups that a lobby leaves while it is abandoned."""
    player = ("player", lobby.player)
    return (player,) if lobby.terms is None else (player, lobby.terms)
