"""Checks of the days: after a change of the store's history, and after a jump of its clock."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mastermind_server.matches.contests.withdrawals import (
    Proof,
    check_losses,
    has_early_days,
    withdraw_early_days,
)
from mastermind_server.storage.statements.log import read_log

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_server.matches.contests.places import DayKey
    from mastermind_server.services import Services
    from mastermind_server.storage.rows import LogRow


_LOG = logging.getLogger(__name__)
LOST = "the store may have lost tries"
CLOCK_CHECK_SECONDS = 60.0  # often within the five minutes that a clock may be wrong


def warn_of_withdrawals(days: Iterable[DayKey], why: str) -> None:
    """Log a line for each withdrawn day, with the reason `why`."""
    for day, rules in days:
        _LOG.warning("code %d of %s is withdrawn: %s", day, rules, why)


class DayChecks:
    """Withdraws days with a code that is known too early, or with tries that may be lost.

    All methods raise StorageFailed.
    """

    def __init__(self, services: Services) -> None:
        self._store, self._clock = services.store, services.clock
        self._node = services.node
        self._rows: list[LogRow] = []  # not yet compared with the store

    async def check_clock(self) -> None:
        """Withdraw days that a wrong clock drew or closed. Must be called regularly.

        Requests cannot do this: they name no future day, and a closed day stays closed anyway.
        """
        now = self._clock.unix_milliseconds()
        if await self._store.look_up(has_early_days, now):
            early = await self._store.write_locking(withdraw_early_days, now)
            warn_of_withdrawals(early, "a wrong clock drew or closed it too early")

    async def check_losses(self, until: int | None) -> None:
        """Withdraw open days, or prove that they have lost none of this node's rows.

        Must be called in each epoch of the store before this node renews its lease, which ended at
        `until` in the epoch before. A new node passes None.
        """
        store, epoch = self._store, self._store.epoch
        self._rows += store.take_earlier_rows()
        lost = [row.at for row in self._rows if not await self._has(row, epoch)]
        proof = None if until is None else Proof(self._node, until, max(lost, default=None))
        store.check_epoch(epoch)
        now = self._clock.unix_milliseconds()
        found = await store.write_locking(check_losses, epoch, now, proof, shared=store.shared)
        warn_of_withdrawals(found, LOST)
        self._rows.clear()

    async def _has(self, row: LogRow, epoch: str) -> bool:
        """Return whether the store has `row`. The command `forget` may have changed its events."""
        self._store.check_epoch(epoch)
        stored = await self._store.look_up(read_log, row.match, row.version - 1, 1)
        return [each._replace(events=row.events) for each in stored] == [row]
