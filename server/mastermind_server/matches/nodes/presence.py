"""Who follows which matches: here, as the tables tell, and at other nodes, as the store does."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING

from mastermind_protocol.match import Phase
from mastermind_server.storage.records import find_due_time
from mastermind_server.storage.statements.lobby import update_presence
from mastermind_server.storage.statements.presence import NOBODY, PresenceRow, find_presence
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.tuning import (
    ATTENDANCES_AT_ONCE,
    LOBBY_GRACE_SECONDS,
    RETRY_SECONDS,
    SPECTATORS_SECONDS,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mastermind_protocol.match import Match
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

_GRACE = int(1000 * LOBBY_GRACE_SECONDS)


class Presence:
    """Keeps whom the tables have here, and tells the other nodes of a store that has others.

    Nobody waits for that, and what could not be written is written later. Of a store that this node
    alone has only public lobbies are told when their player comes or goes: they are closed by it.
    """

    def __init__(self, tables: Tables, services: Services) -> None:
        self._tables, self._store, self._clock = tables, services.store, services.clock
        self._abandon_after = services.abandon_after
        self.node = services.node
        self._here: dict[str, PresenceRow] = {}  # but those that nobody follows
        self._unwritten: set[str] = set()
        self._lobbies: dict[str, bool] = {}  # whether they are attended, which is not yet written
        self._writing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        tables.watchers.append(self._note)

    async def stop(self) -> None:
        """Write nothing more."""
        self._cancel_timer()
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)

    @contextmanager
    def opening(self, code: str, attendance: PresenceRow) -> Iterator[None]:
        """Count those who open a match as there, though they follow it only within the block.

        Lists are to show them in that moment.
        """
        self._here[code] = attendance
        try:
            yield
        finally:
            table = self._tables.get(code)
            self._change(code, table.followers.here if table else NOBODY, lobby=True)

    async def find(self, codes: Collection[str]) -> dict[str, PresenceRow]:
        """Return who follows which of these matches, at whatever node. Raises StorageFailed."""
        found = await self._find_elsewhere(codes)
        for code in codes:
            if here := self._here.get(code):
                found[code] = found.get(code, NOBODY) + here
        return found

    async def refresh(self, *codes: str) -> None:
        """Let tables know who follows them by way of other nodes. Raises StorageFailed."""
        if not self._store.shared:
            return
        found = await self._find_elsewhere(codes)
        for code in codes:
            if table := self._tables.get(code):
                table.followers.set_elsewhere(found.get(code, NOBODY))

    def write_all(self) -> None:
        """Write all anew: of what was written nothing counts."""
        self._unwritten.update(self._here)
        self._write_soon()

    async def _find_elsewhere(self, codes: Collection[str]) -> dict[str, PresenceRow]:
        if not (codes and self._store.shared):
            return {}
        return await self._store.read(find_presence, list(codes), self.node)

    def _note(self, table: Table) -> None:
        """Take up who follows a table, at which something has happened."""
        here = table.followers.here
        if here is not self._here.get(table.log.code, NOBODY):
            self._change(table.log.code, here, lobby=_is_public_lobby(table.log.state))

    def _change(self, code: str, here: PresenceRow, *, lobby: bool) -> None:
        before = self._here.pop(code, NOBODY)
        if here != NOBODY:
            self._here[code] = here
        if here == before:
            return
        if lobby and bool(here.players) != bool(before.players):
            self._lobbies[code] = bool(here.players)
        if self._store.shared:
            self._unwritten.add(code)
        if here.players == before.players and here.spectators and before.spectators:
            self._write_later()
        else:
            self._write_soon()

    def _write_later(self) -> None:
        """Write what is but a number, of a crowd as one."""
        if self._unwritten and self._timer is None:
            self._timer = self._clock.call_later(SPECTATORS_SECONDS, self._write_soon)

    def _write_soon(self) -> None:
        self._cancel_timer()
        if (self._unwritten or self._lobbies) and (self._writing is None or self._writing.done()):
            self._writing = asyncio.create_task(self._write(), name="presence")

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _write(self) -> None:
        """Write piece by piece: one that is too long for a transaction would never be there."""
        while self._unwritten or self._lobbies:
            every = chain(self._lobbies, self._unwritten - self._lobbies.keys())
            piece = list(islice(every, ATTENDANCES_AT_ONCE))
            lobbies = {code: self._lobbies.pop(code) for code in piece if code in self._lobbies}
            codes = self._unwritten.intersection(piece)
            self._unwritten -= codes
            now = self._clock.time_of_day()
            abandoned = find_due_time(now, self._abandon_after)
            try:
                await self._store.write_locking(
                    update_presence,
                    self.node,
                    {code: self._here.get(code, NOBODY) for code in codes},
                    abandoned={code: now + _GRACE for code in lobbies if not lobbies[code]},
                    attended={code: abandoned for code in lobbies if lobbies[code]},
                )
            except StorageFailed:
                self._unwritten |= codes
                self._lobbies = lobbies | self._lobbies
                await self._clock.sleep(RETRY_SECONDS)


def _is_public_lobby(match: Match) -> bool:
    return match.phase is Phase.GATHERING and match.opened.public
