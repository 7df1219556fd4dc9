"""The operator's word, by way of the store: bans, matches that are to end, announcements.

Every node looks for it by itself, so that it takes no line between an operator and a node.
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
from mastermind_server.network.sockets.address import find_network
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
    """A match that is to end. `told`: those who follow it by way of this node know why."""

    match: str
    why: str
    told: bool = False


class Orders:
    """Looks every few seconds for what the operator orders, and does it here.

    What cannot be written just then, for the disk is full, is done later and holds nothing else up;
    nor does a match that takes long to be read.
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
            self._gateway.send_away(subjects)
        for order in found.orders:
            self._read = order.n
            if order.match is not None:
                self._endings.append(_Ending(order.match, order.text))
            elif order.text != BANS_CHANGED:
                self._gateway.announce(encode(Announcement(text=order.text)))

    async def _name_bans(self) -> None:
        """Ban the addresses of hashes that are banned: only the node that has told them can.

        Raises StorageFailed.
        """
        for hashed, address in self._gateway.find_addresses(self._bans.hashes).items():
            if network := find_network(address):  # a proxy that tells of nobody is no client
                await self._store.write_locking(
                    name_ban, hashed, network, self._clock.time_of_day()
                )

    async def _end_all(self) -> None:
        """End the matches that are to end; those that could not be are to end later."""
        endings, self._endings = self._endings, []
        for ending in endings:
            if not await self._end(ending):
                self._endings.append(ending)

    async def _end(self, ending: _Ending) -> bool:
        """End a match, and tell all who follow it why; tell whether no more is to be done."""
        log = about(_LOG, match=ending.match)
        try:
            await self._leave(ending)
        except Refused:
            log.debug("it was to be ended, and is over")
        except StorageFailed as error:
            log.warning("it could not be ended: %s", error.code)
            return error.reason is Reason.LOG_DAMAGED  # as it will be the next time
        except Exception:
            log.exception("it could not be ended")
        return True

    async def _leave(self, ending: _Ending) -> None:
        """Let whom a match waits for leave it. Raises Refused and StorageFailed.

        Every node tells its own, and one of them ends it.
        """
        async with self._tables.at(ending.match) as table:
            if not ending.told:
                table.followers.broadcast(encode(Announcement(text=ending.why, match=ending.match)))
                ending.told = True
            if (leaver := find_absentee(table.log.state)) is not None:
                await table.perform(LeaveMatch(), leaver.id)
                about(_LOG, match=ending.match).info("ended by the operator")
