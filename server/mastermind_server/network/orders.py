"""The operator's commands: bans, the end of matches, and announcements.

The operator writes them to the store, and each node polls it. So no node needs a connection to the
operator.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import find_absentee
from mastermind_protocol.messages import Announcement
from mastermind_server.logs import about
from mastermind_server.network.addresses import find_network
from mastermind_server.storage.statements.admin import BANS_CHANGED, name_ban, read_orders
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.tuning import ORDERS_SECONDS

if TYPE_CHECKING:
    from mastermind_server.background import BackgroundTasks
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.network.gateway import Gateway
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)
_END = "end matches for the operator"


@dataclass(slots=True)
class _Ending:
    """A match to end. `told`: its followers on this node have been notified of the reason."""

    match: str
    why: str
    told: bool = False


class Orders:
    """Polls the store for commands, and runs them on this node.

    A command that the store cannot write, such as on a full disk, is retried later. Neither this
    nor a match that loads slowly delays other commands.
    """

    def __init__(
        self, gateway: Gateway, tables: Tables, services: Services, background: BackgroundTasks
    ) -> None:
        self._gateway, self._tables, self._background = gateway, tables, background
        self._store, self._clock, self._bans = services.store, services.clock, services.bans
        self._read = 0
        self._endings: list[_Ending] = []

    async def start(self) -> None:
        """Read the commands before any client is accepted, then poll. Raises StorageFailed."""
        await self._read_commands()
        self._background.run(self._end_all, _END)
        self._background.every(ORDERS_SECONDS, self._poll, "carry out the operator's commands")

    async def _poll(self) -> None:
        """Read new commands and carry them out. Raises StorageFailed.

        A ban waits at most ORDERS_SECONDS for matches that take long to end.
        """
        await self._read_commands()
        await self._name_bans()
        if self._endings:
            ending = self._background.run(self._end_all, _END)
            await asyncio.wait([ending], timeout=ORDERS_SECONDS)

    async def _read_commands(self) -> None:
        """Read the commands since the last poll, and carry out those that need no write.

        Raises StorageFailed.
        """
        found = await self._store.read(read_orders, self._read, self._clock.time_of_day())
        if found.bans is not None and (subjects := self._bans.replace(found.bans)):
            self._gateway.disconnect_banned(subjects)
        for order in found.orders:
            self._read = order.n
            if order.match is not None:
                self._endings.append(_Ending(order.match, order.text))
            elif order.text != BANS_CHANGED:
                self._gateway.announce(encode(Announcement(text=order.text)))

    async def _name_bans(self) -> None:
        """Ban the addresses of banned hashes. Only the node that published a hash can do so.

        Raises StorageFailed.
        """
        for hashed, address in self._gateway.find_addresses(self._bans.hashes).items():
            if network := find_network(address):  # the key of a proxy is no network
                await self._store.write_locking(
                    name_ban, hashed, network, self._clock.time_of_day()
                )

    async def _end_all(self) -> None:
        """End the queued matches, and queue those that failed again."""
        endings, self._endings = self._endings, []
        for ending in endings:
            if not await self._end(ending):
                self._endings.append(ending)

    async def _end(self, ending: _Ending) -> bool:
        """End a match, and notify its followers; return False to retry."""
        log = about(_LOG, match=ending.match)
        try:
            await self._leave(ending)
        except Refused:
            log.debug("has already ended")
        except StorageFailed as error:
            log.warning("could not be ended: %s", error.code)
            return error.reason is Reason.LOG_DAMAGED  # a retry fails too
        except Exception:
            log.exception("could not be ended")
        return True

    async def _leave(self, ending: _Ending) -> None:
        """Make the player that the match waits for leave. Raises Refused and StorageFailed.

        Each node notifies its own followers; the first node ends the match.
        """
        async with self._tables.at(ending.match) as table:
            if not ending.told:
                table.followers.broadcast(encode(Announcement(text=ending.why, match=ending.match)))
                ending.told = True
            if (leaver := find_absentee(table.log.state)) is not None:
                await table.perform(LeaveMatch(), leaver.id)
                about(_LOG, match=ending.match).info("ended by the operator")
