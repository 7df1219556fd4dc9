"""Draws and reveals the codes of days, when a request first needs it.

No job does this at a fixed time, so a server that is down at midnight, or at the reveal, misses
nothing. If several nodes draw at once, the primary key of the table `days` accepts one code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.commitment import NONCE_BYTES, commit
from mastermind_protocol.days import DAY_RULES, find_day, find_reveal
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.hiding import draw_code
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.contests.day_checks import LOST, warn_of_withdrawals
from mastermind_server.matches.contests.withdrawals import check_losses, is_undecided
from mastermind_server.storage.day_rows import DayRow
from mastermind_server.storage.statements.days import add_day, read_day, reveal_day
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from mastermind_server.services import Services

KEY_BYTES = 16  # of the hashes of addresses: without it, all 2**32 addresses could be tried


class Days:
    """Draws, finds and reveals the codes of days. Without `enabled` the server has none.

    All methods that read raise StorageFailed.
    """

    def __init__(self, services: Services, *, enabled: bool = True) -> None:
        self._services, self.enabled = services, enabled

    def find_today(self) -> int:
        """Return the number of today, by the clock of the database."""
        return find_day(self._services.clock.unix_milliseconds())

    def check_rules(self, rules: str) -> None:
        """Raise Refused if this server has no codes of days, or none for `rules`."""
        if not self.enabled:
            raise Refused(Reason.DAY_NEEDS_SERVER, field="op")
        if rules not in DAY_RULES:
            allowed = ", ".join(DAY_RULES)
            raise Refused(Reason.RULES_WITHOUT_DAY, field="rules", rules=rules, allowed=allowed)

    async def find(self, day: int, rules: str) -> DayRow | None:
        """Return the code of the day number `day`, or None if it has none. `rules` is in DAY_RULES.

        Draws today's code if no node has drawn it, and reveals the code of an open day if it is
        time. Raises StorageFailed while the store may have lost tries of an open day.
        """
        store, now = self._services.store, self._services.clock.unix_milliseconds()
        row = await self._read(day, rules, now)
        if row is None and day == find_day(now):
            await store.write_locking(add_day, self._draw(day, rules, now))
        elif row is not None and row.state == "open" and now >= find_reveal(day):
            await store.write_locking(reveal_day, day, rules, now)
        else:
            return row
        return await store.look_up(read_day, day, rules)

    async def _read(self, day: int, rules: str, now: int) -> DayRow | None:
        """Return a stored day, once it is decided whether the store may have lost tries of it."""
        store, epoch = self._services.store, self._services.store.epoch
        for decided in (False, True):
            row = await store.look_up(read_day, day, rules)
            if row is None or row.state != "open" or row.epoch == epoch:
                return row
            if decided or await store.look_up(is_undecided, epoch, now):
                break
            store.check_epoch(epoch)
            found = await store.write_locking(check_losses, epoch, now, shared=store.shared)
            warn_of_withdrawals(found, LOST)
        raise StorageFailed(Reason.NOT_READ, retry_after=RETRY_SECONDS)

    def _draw(self, day: int, rules: str, now: int) -> DayRow:
        random = self._services.random
        code, nonce = draw_code(find_rules(rules), random), random.randbytes(NONCE_BYTES)
        return DayRow(
            day=day,
            rules=rules,
            code=bytes(code),
            nonce=nonce,
            commitment=commit(nonce, code),
            key=random.randbytes(KEY_BYTES),
            epoch=self._services.store.epoch,
            drawn=now,
        )
