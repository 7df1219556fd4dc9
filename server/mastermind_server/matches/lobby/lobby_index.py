"""An index of the lobbies on this node, for limits and for players who seek an opponent.

It contains lobbies of players with a connection to this node, and lobbies that are being opened.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.matches.nodes.deadlines import DUE_POLL_SECONDS
from mastermind_server.matches.nodes.presence import LOBBY_GRACE_SECONDS
from mastermind_server.storage.statements.lobby import MatchSearch, SeekTerms, WaitingMatch

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from mastermind_protocol.events import Opened, Player
    from mastermind_protocol.match import Match
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

# From the disconnect of its player until a public lobby is closed.
_ABANDONED_SECONDS = LOBBY_GRACE_SECONDS + DUE_POLL_SECONDS


class OpenLobby:
    """A lobby that was opened from `address` at `since`, in milliseconds since 1970.

    `seat` is the taken seat. `terms` are the rules, rounds and clock that a seeking player must
    request, or None for a private lobby or a rematch. `ready` is set when the lobby is in the
    store, or when opening it has failed.
    """

    __slots__ = ("address", "match_code", "player", "ready", "seat", "since", "terms")

    def __init__(self, match_code: str, address: str, since: int, match: Match) -> None:
        (player,) = match.players
        opened = match.opened
        self.match_code, self.address = match_code, address
        self.since, self.player = since, player.id
        self.seat = Seat.MAKER if match.maker else Seat.BREAKER
        self.terms: SeekTerms | None = None
        if opened.public and opened.reserved is None:
            self.terms = find_seek_terms(opened, player)
        self.ready = asyncio.Event()

    def offers_seat(self, player: str, seat: Seat | None) -> bool:
        """Return whether the player with this id has, or can take, `seat` in this lobby.

        None means either seat.
        """
        return seat in (None, self.seat if player == self.player else self.seat.other)


class LobbyIndex:
    """The lobbies of this node by code, player, address and terms.

    A lobby is abandoned while its player is disconnected. The limit of a player's lobbies ignores
    an abandoned lobby, and `find_oldest` does not return it. The limit of an address includes it
    until _ABANDONED_SECONDS after the disconnect; `Deadlines` has closed public lobbies by then.
    `claimed` contains the codes of lobbies that a seeking player is joining.
    """

    def __init__(self, tables: Tables, services: Services) -> None:
        self._limiter, self._now = services.limiter, services.clock.now
        self._lobbies: dict[str, OpenLobby] = {}
        self._groups: dict[Hashable, dict[str, OpenLobby]] = {}  # by player, address and terms
        self._abandoned: dict[str, float] = {}  # by code, when to remove the lobby
        self.claimed: set[str] = set()
        tables.watchers.append(self._on_change)

    def check_limits(self, player: str, address: str) -> None:
        """Raise Refused if one more lobby would exceed a limit of the player or address."""
        now = self._now()
        while self._abandoned and next(iter(self._abandoned.values())) <= now:
            self._remove_lobby(next(iter(self._abandoned)))
        lobbies = self._groups.get(("player", player), ())
        self._limiter.check_count("lobbies", len(lobbies), Reason.TOO_MANY_LOBBIES)
        here = self._groups.get(("address", address), ())
        self._limiter.check_count("lobbies_of_address", len(here), Reason.ADDRESS_HAS_LOBBIES)

    @contextmanager
    def add_while_opening(
        self, match_code: str, address: str, since: int, match: Match
    ) -> Iterator[None]:
        """Add the lobby that the block opens, and remove it if the block fails.

        `since` is the present time in milliseconds since 1970. Adds nothing if `match` is no lobby,
        or if the index has a lobby with this code.
        """
        if (
            match.phase is not Phase.GATHERING or match_code in self._lobbies
        ):  # a used code, which fails
            yield
            return
        lobby = self._add_lobby(match_code, address, since, match)
        try:
            yield
        finally:
            if not lobby.ready.is_set():
                self._remove_lobby(match_code)
            lobby.ready.set()

    def find_oldest(
        self, wanted: MatchSearch, player: str, elsewhere: WaitingMatch | None
    ) -> str | None:
        """Return the code of the oldest lobby that a seeking player can join, or None.

        `player` is the player's id. `elsewhere` is the oldest suitable lobby at other nodes, or
        None. Claimed lobbies and `wanted.excluded` are omitted.
        """
        lobbies = self._groups.get(wanted.terms, {}).values()
        found: list[OpenLobby | WaitingMatch] = [
            lobby for lobby in lobbies if lobby.offers_seat(player, wanted.seat)
        ]
        if elsewhere is not None:
            found.append(elsewhere)
        taken = self.claimed.union(wanted.excluded)
        free = (lobby for lobby in found if lobby.match_code not in taken)
        oldest = min(free, key=lambda lobby: lobby.since, default=None)
        return oldest.match_code if oldest else None

    def find_address(self, match_code: str) -> str | None:
        """Return the address that opened a lobby, or None if the lobby is not in the index."""
        lobby = self._lobbies.get(match_code)
        return lobby.address if lobby else None

    def list_lobbies(self, fits: Callable[[str], bool]) -> list[str]:
        """Return the codes of the lobbies whose opener's address `fits` accepts."""
        return [lobby.match_code for lobby in self._lobbies.values() if fits(lobby.address)]

    async def wait_until_opened(self, match_code: str) -> bool:
        """Wait while a lobby is being opened. Return False if opening it failed."""
        if lobby := self._lobbies.get(match_code):
            await lobby.ready.wait()
            return match_code in self._lobbies
        return True  # at another node

    @contextmanager
    def claim_lobby(self, match_code: str) -> Iterator[None]:
        """Hide a lobby from `find_oldest` within the block, so that only one player joins."""
        self.claimed.add(match_code)
        try:
            yield
        finally:
            self.claimed.remove(match_code)

    def _on_change(self, table: Table) -> None:
        match_code, seated = table.log.code, table.followers.seated
        lobby = self._lobbies.get(match_code)
        if table.log.state.phase is not Phase.GATHERING:
            if lobby is not None:
                self._remove_lobby(match_code)
        elif seated:
            if lobby is None:
                address = next(iter(seated)).address
                lobby = self._add_lobby(match_code, address, table.log.rows[0].at, table.log.state)
            elif self._abandoned.pop(match_code, None) is not None:
                self._add_to_groups(lobby, _list_active_keys(lobby))
            lobby.ready.set()
        elif lobby and lobby.ready.is_set() and match_code not in self._abandoned:
            self._abandoned[match_code] = self._now() + _ABANDONED_SECONDS
            self._remove_from_groups(lobby, _list_active_keys(lobby))

    def _add_lobby(self, match_code: str, address: str, since: int, match: Match) -> OpenLobby:
        lobby = self._lobbies[match_code] = OpenLobby(match_code, address, since, match)
        self._add_to_groups(lobby, (("address", address), *_list_active_keys(lobby)))
        return lobby

    def _remove_lobby(self, match_code: str) -> None:
        self._abandoned.pop(match_code, None)
        if lobby := self._lobbies.pop(match_code, None):
            self._remove_from_groups(lobby, (("address", lobby.address), *_list_active_keys(lobby)))

    def _add_to_groups(self, lobby: OpenLobby, keys: Iterable[Hashable]) -> None:
        for key in keys:
            self._groups.setdefault(key, {})[lobby.match_code] = lobby

    def _remove_from_groups(self, lobby: OpenLobby, keys: Iterable[Hashable]) -> None:
        for key in keys:
            if (group := self._groups.get(key)) is not None:
                group.pop(lobby.match_code, None)
                if not group:
                    del self._groups[key]


def find_seek_terms(opened: Opened, player: Player) -> SeekTerms:
    """Return the terms that a seeking player must request to join the public match of `player`."""
    return SeekTerms(opened.rules, opened.rounds, opened.rated, player.is_bot, opened.clock)


def _list_active_keys(lobby: OpenLobby) -> tuple[Hashable, ...]:
    """Return the keys in `LobbyIndex._groups` of a lobby whose player is connected.

    The first key is for all lobbies of the same player. If the lobby has terms, the second key is
    for all lobbies with the same terms.
    """
    player = ("player", lobby.player)
    return (player,) if lobby.terms is None else (player, lobby.terms)
