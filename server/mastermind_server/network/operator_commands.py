"""The operator's commands: bans, ends of matches, and announcements.

`mastermind-server ban` and similar commands write to the store, which each node polls.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import find_player_to_remove
from mastermind_protocol.messages import Announcement
from mastermind_server.monitoring.logs import with_context
from mastermind_server.network.addresses import find_network
from mastermind_server.storage.statements.admin import (
    BANS_CHANGED,
    AdminCommand,
    read_admin_commands,
    replace_hashed_ban,
)
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from mastermind_server.background import BackgroundTasks
    from mastermind_server.matches.lobby.closing import LobbyCloser
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.network.gateway import Gateway
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)
POLL_SECONDS = 2.5  # between two polls for admin commands, usually an empty query
_END_TASK = "end matches for the operator"


@dataclass(slots=True)
class _MatchToEnd:
    """A match that the operator ends for the reason `why`.

    `announced` is true after the match's followers on this node have received the reason.
    """

    match: str
    why: str
    announced: bool = False


class OperatorCommands:
    """Polls the store for admin commands, and carries them out on this node.

    If ending a match fails, for example on a full disk, the next poll tries again. A match that
    takes long to end does not delay later commands.
    """

    def __init__(
        self,
        gateway: Gateway,
        tables: Tables,
        closer: LobbyCloser,
        services: Services,
        background: BackgroundTasks,
    ) -> None:
        self._gateway, self._tables, self._background = gateway, tables, background
        self._closer = closer
        self._store, self._clock, self._bans = services.store, services.clock, services.bans
        self._last_command = 0
        self._executed = set[AdminCommand]()
        self._store.epochs.watchers.append(self._read_from_start)
        self._matches_to_end: list[_MatchToEnd] = []
        self._banned_have_lobbies = False  # whether a banned player may have a lobby

    async def start(self) -> None:
        """Carry out the stored commands, and start to poll. Raises StorageFailed."""
        await self._read_commands()
        self._background.run(self._end_matches, _END_TASK)
        self._background.run_every(POLL_SECONDS, self._poll, "carry out the operator's commands")

    async def _poll(self) -> None:
        """Read new commands and carry them out. Raises StorageFailed.

        Waits at most POLL_SECONDS for matches to end. A longer wait would delay the next bans.
        """
        await self._read_commands()
        await self._replace_hashed_bans()
        if self._matches_to_end or self._banned_have_lobbies:
            ending = self._background.run(self._end_matches, _END_TASK)
            await asyncio.wait([ending], timeout=POLL_SECONDS)

    async def _read_commands(self) -> None:
        """Read new commands. Apply bans, send announcements, and queue matches to end.

        Raises StorageFailed.
        """
        found = await self._store.look_up(
            read_admin_commands, self._last_command, self._clock.unix_milliseconds()
        )
        if found.bans is not None and (subjects := self._bans.replace(found.bans)):
            self._gateway.disconnect_banned(subjects)
            self._banned_have_lobbies = True
        for command in found.commands:
            self._last_command = command.n
            if command in self._executed:
                continue
            self._executed.add(command)
            if command.match is not None:
                self._matches_to_end.append(_MatchToEnd(command.match, command.text))
            elif command.text != BANS_CHANGED:
                self._gateway.announce(encode(Announcement(text=command.text)))

    def _read_from_start(self) -> None:
        """Read all commands at the next poll: in a new epoch, numbers may be used again."""
        self._last_command = 0

    async def _replace_hashed_bans(self) -> None:
        """Replace each ban of an address's hash by a ban of the address, if this node knows it.

        Raises StorageFailed.
        """
        for hashed, address in self._gateway.find_addresses(self._bans.hashes).items():
            if network := find_network(address):  # PROXY_ADDRESS is no network
                await self._store.write_locking(
                    replace_hashed_ban, hashed, network, self._clock.unix_milliseconds()
                )

    async def _end_matches(self) -> None:
        """End the queued matches, and the lobbies of banned players.

        The next call retries failures. Raises StorageFailed.
        """
        queued, self._matches_to_end = self._matches_to_end, []
        for ending in queued:
            if not await self._end_match(ending):
                self._matches_to_end.append(ending)
        if self._banned_have_lobbies:
            self._banned_have_lobbies = closed = False  # a ban may be added meanwhile
            try:
                closed = await self._closer.close_banned()
            finally:
                self._banned_have_lobbies |= not closed

    async def _end_match(self, ending: _MatchToEnd) -> bool:
        """End a match, and send the reason to its followers.

        Return False if the caller must retry.
        """
        log = with_context(_LOG, match=ending.match)
        try:
            await self._announce_and_end(ending)
        except Refused:
            log.debug("has already ended")
        except StorageFailed as error:
            log.warning("could not be ended: %s", error.code)
            return error.reason is Reason.LOG_DAMAGED  # a retry fails too
        except Exception:
            log.exception("could not be ended")
        return True

    async def _announce_and_end(self, ending: _MatchToEnd) -> None:
        """Send the operator's reason to the followers, and remove a player, which ends the match.

        `find_player_to_remove` chooses the player, usually the player to move. The reason is sent
        only once, also after a failed call. Each node sends the reason to its own followers. Raises
        Refused if another node has already ended the match, and StorageFailed.
        """
        async with self._tables.use(ending.match) as table:
            if not ending.announced:
                table.followers.broadcast(encode(Announcement(text=ending.why, match=ending.match)))
                ending.announced = True
            if (leaver := find_player_to_remove(table.log.state)) is not None:
                await table.perform(LeaveMatch(), leaver.id)
                with_context(_LOG, match=ending.match).info("ended by the operator")
