"""The time of day of a node: the system's, or the one that all nodes of a database share."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mastermind_server.timekeeping.downtime import LEASE_MILLISECONDS
from mastermind_server.timekeeping.statements import find_newest_time, read_shared_time

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.storage.store import Store
    from mastermind_server.timekeeping.clocked_tables import ClockedTables

_LOG = logging.getLogger(__name__)
TIME_READINGS = 3  # of the database's clock
SLEEP_MS = 60_000  # a larger step is no correction: the monotonic clock stops in a sleep


class TimeOfDay:
    """Sets the time of day of `clock`, while no clock of a match depends on it.

    The time of the only server of a store never goes back, not even to follow the system's clock:
    the clocks of matches would stand still until the old time is reached.
    """

    def __init__(self, clock: Clock, store: Store, tables: ClockedTables) -> None:
        self._clock, self._store, self._tables = clock, store, tables

    async def start(self) -> None:
        """Set the time of day before clocks run, at least to the newest in the store.

        Raises StorageFailed.
        """
        if not self._store.shared:
            newest = await self._store.look_up(find_newest_time, LEASE_MILLISECONDS)
            now = self._clock.unix_milliseconds()
            if newest > now + SLEEP_MS:
                _LOG.warning("the system's clock is %d s behind the store", (newest - now) // 1000)
            self._clock.set_time(max(now, newest))
        else:
            await self.set()

    def find_sleep(self) -> tuple[int, int] | None:
        """Return the start and end of a sleep of the machine, or None.

        After a sleep the system's clock is ahead, because monotonic time stops in it. While a clock
        of a match runs here, that match has lost no time, and the result is None. Times are in
        milliseconds since 1970.
        """
        now, system = self._clock.unix_milliseconds(), self._clock.system_milliseconds()
        slept = not self._store.shared and system - now > SLEEP_MS
        return (now, system) if slept and not self._is_in_use() else None

    def follow_system(self) -> None:
        """Set the time of day to the system's, but never back.

        After a sleep this is right even if a clock of a match runs, because the sleep is recorded
        as an outage before.
        """
        now, system = self._clock.unix_milliseconds(), self._clock.system_milliseconds()
        self._clock.set_time(max(now, system))

    async def set(self) -> None:
        """Set this node's time of day, unless the clock of a match runs at this node.

        The time is the database's, or the system's if no other node uses the store. The database's
        time is read several times, and the reading with the shortest round trip is used. Raises
        StorageFailed.
        """
        if self._is_in_use():
            return
        if not self._store.shared:
            self.follow_system()
            return
        readings = []
        for _ in range(TIME_READINGS):
            asked = self._clock.now()
            told = await self._store.look_up(read_shared_time, LEASE_MILLISECONDS)
            answered = self._clock.now()
            readings.append((answered - asked, told, (asked + answered) / 2))
        _, told, at = min(readings)
        self._clock.set_time(told + int(1000 * (self._clock.now() - at)))

    def _is_in_use(self) -> bool:
        """Return whether the clock of a match runs at this node."""
        return any(table.log.state.timer for table in self._tables.list_used())
