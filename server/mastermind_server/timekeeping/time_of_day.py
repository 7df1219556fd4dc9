"""The time of day of a node: the system's, or the one that all nodes of a database share."""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING

from mastermind_server.timekeeping.statements import read_shared_time

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.storage.store import Store
    from mastermind_server.timekeeping.clocked_tables import ClockedTables

TIME_READINGS = 3  # of the database's clock


class TimeOfDay:
    """Sets the time of day of `clock`, while no clock of a match depends on it."""

    def __init__(self, clock: Clock, store: Store, tables: ClockedTables) -> None:
        self._clock, self._store, self._tables = clock, store, tables

    async def set(self) -> None:
        """Set this node's time of day, unless the clock of a match runs at this node.

        The time is the database's, or the system's if no other node uses the store. The database's
        time is read several times, and the reading with the shortest round trip is used. Raises
        StorageFailed.
        """
        if any(table.log.state.timer for table in self._tables.list_used()):
            return
        if not self._store.shared:
            self._clock.set_time(time_ns() // 1_000_000)
            return
        readings = []
        for _ in range(TIME_READINGS):
            asked = self._clock.now()
            told = await self._store.look_up(read_shared_time)
            answered = self._clock.now()
            readings.append((answered - asked, told, (asked + answered) / 2))
        _, told, at = min(readings)
        self._clock.set_time(told + int(1000 * (self._clock.now() - at)))
