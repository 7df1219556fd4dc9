"""Closes lobbies for their players: searches of players who play, and lobbies of banned players.

Any node closes any lobby. If several nodes close one, or a player joins at the same moment, the log
accepts one row.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import Phase
from mastermind_server.monitoring.logs import with_context
from mastermind_server.storage.statements.lobby import (
    NotPlaying,
    has_begun_match,
    list_lobbies_of_banned,
    list_lobbies_of_players,
)
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match
    from mastermind_server.matches.lobby.lobby_index import LobbyIndex
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


class LobbyCloser:
    """Closes lobbies by the command with which their players leave them."""

    def __init__(self, tables: Tables, index: LobbyIndex, services: Services) -> None:
        self._tables, self._index, self._services = tables, index, services

    async def close_searches(self, begun: Match) -> None:
        """Close the searches of the players of `begun`, a match that has begun with a live clock.

        Raises StorageFailed if the searches cannot be read.
        """
        people = [player.id for player in begun.players if not player.is_bot]
        if begun.has_live_clock and people:
            found = await self._services.store.look_up(list_lobbies_of_players, people)
            for match_code in found:
                await self._close(match_code, only_searches=True)

    async def close_if_playing(self, table: Table) -> list[NotPlaying]:
        """Close a search whose player has begun another match since.

        Return the condition for joining the search, that the player has begun none; or an empty
        list for a lobby that is not a search. Raises StorageFailed.
        """
        state = table.log.state
        if not is_search(state):
            return []
        (player,) = state.players
        since = table.log.rows[0].at
        if await self._services.store.look_up(has_begun_match, player.id, since):
            await self._close(table.log.code)
        return [NotPlaying(player.id, since)]

    async def close_if_banned(self, match_code: str, player: Player, address: str) -> None:
        """Close a lobby that `player` has opened if the player or `address` was banned meanwhile.

        `close_banned` has not seen this lobby if it ran before the commit.
        """
        now = self._services.clock.unix_milliseconds()
        if any(self._services.bans.find(subject, now) for subject in (player.id, address)):
            await self._close(match_code)

    async def close_banned(self) -> bool:
        """Close the lobbies of banned players, and lobbies opened here from banned addresses.

        Return False if the caller must retry. Raises StorageFailed.
        """
        now = self._services.clock.unix_milliseconds()
        found = await self._services.store.look_up(list_lobbies_of_banned, now)
        found += self._index.list_lobbies(
            lambda address: self._services.bans.find(address, now) is not None
        )
        return all([await self._close(match_code) for match_code in found])

    async def _close(self, match_code: str, *, only_searches: bool = False) -> bool:
        """Close a match if it is a lobby and, with `only_searches`, a search.

        Return False if the caller must retry.
        """
        log = with_context(_LOG, match=match_code)
        try:
            async with self._tables.use(match_code) as table:
                state = table.log.state
                if state.phase is Phase.GATHERING and (is_search(state) or not only_searches):
                    (player,) = state.players
                    await table.perform(LeaveMatch(), player.id, version=table.log.version)
        except Refused:
            log.debug("the lobby was not closed: it has just filled, or another node closed it")
        except StorageFailed as error:
            log.warning("the lobby could not be closed: %s", error.code)
            return error.reason is Reason.LOG_DAMAGED  # a retry fails too
        return True


def is_search(match: Match) -> bool:
    """Return whether `match` is a public lobby of a person, with a live clock and a free seat."""
    opened = match.opened
    return (
        match.phase is Phase.GATHERING
        and match.has_live_clock
        and opened.public
        and opened.reserved is None
        and not any(player.is_bot for player in match.players)
    )
