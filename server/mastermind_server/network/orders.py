"""The operator's word, by way of the store: bans, matches that are to end, announcements.

Every node looks for it by itself, so that it takes no line between an operator and a node.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.match import find_absentee
from mastermind_protocol.messages import Announcement
from mastermind_server.log_lines import about
from mastermind_server.tuning import ORDERS_SECONDS

if TYPE_CHECKING:
    from mastermind_server.matches.tables import Tables
    from mastermind_server.network.gateway import Gateway
    from mastermind_server.services import Services
    from mastermind_server.storage.statements.orders import Order

_LOG = logging.getLogger(__name__)


class Orders:
    """Looks every few seconds for what the operator orders, and does it here."""

    def __init__(self, gateway: Gateway, tables: Tables, services: Services) -> None:
        self._gateway, self._tables = gateway, tables
        self._store, self._clock, self._bans = services.store, services.clock, services.bans
        self._done = 0
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Look for the first time, before anybody is let in, and go on. Raises StorageFailed."""
        await self.look()
        self._task = asyncio.create_task(self._keep_looking(), name="orders")

    async def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def look(self) -> None:
        """Do what was ordered since the last look. Raises StorageFailed.

        What cannot be done for that is done at the next look, with all after it.
        """
        found = await self._store.read_orders(self._done, self._clock.time_of_day())
        if subjects := self._bans.replace(found.bans):
            self._gateway.send_away(subjects)
        for order in found.orders:
            await self._do(order)
            self._done = order.n

    async def _do(self, order: Order) -> None:
        if order.match is None:
            self._gateway.announce(encode(Announcement(text=order.text)))
            return
        try:
            await self._end(order.match, order.text)
        except Refused:
            about(_LOG, match=order.match).debug("it was to be ended, and is over")
        except MastermindError as error:
            if error.reason is not Reason.LOG_DAMAGED:
                raise
            about(_LOG, match=order.match).warning("it could not be ended: %s", error.code)

    async def _end(self, match: str, why: str) -> None:
        """Let whom a match waits for leave it, and all who follow it know why. Raises Refused.

        Every node tells its own, and one of them ends it.
        """
        async with self._tables.at(match) as table:
            table.followers.tell(encode(Announcement(text=why, match=match)))
            if (leaver := find_absentee(table.log.state)) is not None:
                await table.perform(LeaveMatch(), leaver.id)
                about(_LOG, match=match).info("ended by the operator")

    async def _keep_looking(self) -> None:
        while True:
            await self._clock.sleep(ORDERS_SECONDS)
            try:
                await self.look()
            except MastermindError as error:
                _LOG.warning("what the operator orders is not known: %s", error.code)
            except Exception:
                _LOG.exception("what the operator orders could not be done")
