"""Presence: the followers of matches at this node, by its tables, and at others, by the store."""

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
    """Writes the presence at this node to a shared store, in the background, with retries.

    In a private store it writes only the deadlines of public lobbies, which depend on the presence
    of their players.
    """

    def __init__(self, tables: Tables, services: Services) -> None:
        self._tables, self._store, self._clock = tables, services.store, services.clock
        self._abandon_after = services.abandon_after
        self.node = services.node
        self._opening: dict[str, PresenceRow] = {}
        self._unwritten: set[str] = set()
        self._lobbies: dict[str, bool] = {}  # unwritten: whether the player of a lobby follows it
        self._writing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        tables.watchers.append(self._on_change)

    async def stop(self) -> None:
        """Cancel pending writes."""
        self._cancel_timer()
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)

    @contextmanager
    def opening(self, code: str, presence: PresenceRow) -> Iterator[None]:
        """Count the player who opens a match as present before it follows the match.

        So lists show the match as soon as it is in the store.
        """
        self._opening[code] = presence
        try:
            yield
        finally:
            del self._opening[code]
            self._update(code, presence, self._find_here(code), lobby=True)

    async def find(self, codes: Collection[str]) -> dict[str, PresenceRow]:
        """Return the presence at these matches, at all nodes. Raises StorageFailed."""
        found = await self._find_elsewhere(codes)
        for code in codes:
            if (here := self._find_here(code)) != NOBODY:
                found[code] = found.get(code, NOBODY) + here
        return found

    async def refresh(self, *codes: str) -> None:
        """Update the presence at other nodes in these tables. Raises StorageFailed."""
        if not self._store.shared:
            return
        found = await self._find_elsewhere(codes)
        for code in codes:
            if table := self._tables.get(code):
                table.followers.set_elsewhere(found.get(code, NOBODY))

    def write_all(self) -> None:
        """Write the presence at all matches again: other nodes may have deleted it."""
        self._unwritten.update(
            self._opening, (table.log.code for table in self._tables.list_used())
        )
        self._write_soon()

    async def _find_elsewhere(self, codes: Collection[str]) -> dict[str, PresenceRow]:
        if not (codes and self._store.shared):
            return {}
        return await self._store.read(find_presence, list(codes), self.node)

    def _find_here(self, code: str) -> PresenceRow:
        if code in self._opening:
            return self._opening[code]
        table = self._tables.get(code)
        return table.followers.here if table else NOBODY

    def _on_change(self, table: Table) -> None:
        followers, code = table.followers, table.log.code
        before, followers.reported = followers.reported, followers.here
        if code not in self._opening:
            self._update(code, before, followers.here, lobby=_is_public_lobby(table.log.state))

    def _update(self, code: str, before: PresenceRow, here: PresenceRow, *, lobby: bool) -> None:
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
        """Write changes in the number of spectators together, after an interval."""
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
        """Write in batches that fit into a transaction. Repeat a failed batch after an interval."""
        while self._unwritten or self._lobbies:
            pending = chain(self._lobbies, self._unwritten - self._lobbies.keys())
            batch = list(islice(pending, ATTENDANCES_AT_ONCE))
            lobbies = {code: self._lobbies.pop(code) for code in batch if code in self._lobbies}
            codes = self._unwritten.intersection(batch)
            self._unwritten -= codes
            now = self._clock.time_of_day()
            abandoned = find_due_time(now, self._abandon_after)
            try:
                await self._store.write_locking(
                    update_presence,
                    self.node,
                    {code: self._find_here(code) for code in codes},
                    abandoned={code: now + _GRACE for code in lobbies if not lobbies[code]},
                    attended={code: abandoned for code in lobbies if lobbies[code]},
                )
            except StorageFailed:
                self._unwritten |= codes
                self._lobbies = lobbies | self._lobbies
                await self._clock.sleep(RETRY_SECONDS)


def _is_public_lobby(match: Match) -> bool:
    return match.phase is Phase.GATHERING and match.opened.public
