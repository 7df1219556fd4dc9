"""The presence of players and spectators at this node and at other nodes."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_protocol.match import Phase
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.tables.followers import SPECTATOR_COUNT_SECONDS
from mastermind_server.storage.records import CHALLENGE_MILLISECONDS, add_days, is_challenge
from mastermind_server.storage.statements.lobby import (
    set_due_of_abandoned_lobbies,
    update_presence,
)
from mastermind_server.storage.statements.presence import NO_PRESENCE, PresenceRow, find_presence
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

LOBBY_GRACE_SECONDS = 60.0  # until a public lobby or challenge without its player expires
ROWS_PER_COMMIT = 200  # some 0.5 s if the database is on another machine
WRITE_WAIT_SECONDS = (
    5.0  # a move waits at most this long until the presence of its player is stored
)

LOBBY_GRACE_MILLISECONDS = int(1000 * LOBBY_GRACE_SECONDS)


class Presence:
    """Reads the followers of matches at other nodes, and stores the followers at this node.

    A background task stores changes. It writes presence rows only if other nodes use the store. It
    also sets the due time of a public lobby or a challenge: LOBBY_GRACE_SECONDS after its player
    has disconnected, and the usual due time when the player connects again.
    """

    def __init__(self, tables: Tables, services: Services) -> None:
        self._tables, self._store, self._clock = tables, services.store, services.clock
        self._abandon_days = services.abandon_days
        self.node = services.node
        self._opening: dict[str, PresenceRow] = {}
        self._unwritten: set[str] = set()
        self._unwritten_players: set[str] = set()  # of these, matches with changed players
        # The unwritten due times of lobbies by code; None if the player has disconnected.
        self._unwritten_lobbies: dict[str, int | None] = {}
        self._in_batch: frozenset[str] = frozenset()  # codes whose players are being written
        self._written = asyncio.Event()  # set after each batch
        self._writing: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._frozen = False
        tables.watchers.append(self._on_change)

    async def stop(self) -> None:
        """Cancel the background task and its timer."""
        self._cancel_timer()
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)

    def freeze(self) -> None:
        """Store no further changes, because this node stops.

        Players whose connections it closes count as present until its outage is recorded, so that
        no other node ends their time before.
        """
        self._frozen = True

    @contextmanager
    def override_while_opening(self, match_code: str, presence: PresenceRow) -> Iterator[None]:
        """Use `presence` as the followers at this node while the block opens the match.

        So lists show the match as soon as it is in the store, before its player follows it.
        """
        self._opening[match_code] = presence
        try:
            yield
        finally:
            del self._opening[match_code]
            # The player of a lobby may have disconnected, but cannot have connected again.
            self._note_change(match_code, presence, self._find_here(match_code), lobby_due=0)

    async def find(self, codes: Collection[str]) -> dict[str, PresenceRow]:
        """Return the followers of the matches `codes` at all nodes together, by match code.

        Raises StorageFailed.
        """
        found = await self._find_elsewhere(codes)
        for match_code in codes:
            if (here := self._find_here(match_code)) != NO_PRESENCE:
                found[match_code] = found.get(match_code, NO_PRESENCE) + here
        return found

    async def read_elsewhere(self, *codes: str) -> None:
        """Read the followers at other nodes, and set them in the tables of the matches `codes`.

        Raises StorageFailed.
        """
        if not self._store.shared:
            return
        found = await self._find_elsewhere(codes)
        for match_code in codes:
            if table := self._tables.get(match_code):
                table.followers.set_elsewhere(found.get(match_code, NO_PRESENCE))

    async def wait_until_written(self, match_code: str) -> None:
        """Wait until the store contains the players who follow the match `match_code` at this node.

        Other nodes then do not end the time of these players. If no other node uses the store,
        return at once. The number of spectators may be written later. Raises StorageFailed after
        WRITE_WAIT_SECONDS.
        """
        if not self._is_unwritten(match_code):
            return
        try:
            async with asyncio.timeout(WRITE_WAIT_SECONDS):
                while self._is_unwritten(match_code):
                    self._written.clear()
                    await self._written.wait()
        except TimeoutError:
            raise StorageFailed(Reason.NOT_SAVED, retry_after=RETRY_SECONDS) from None

    def _is_unwritten(self, match_code: str) -> bool:
        return match_code in self._unwritten_players or match_code in self._in_batch

    def write_all(self) -> None:
        """Write the presence at this node again, because other nodes may have deleted its rows."""
        codes = {*self._opening, *(table.log.code for table in self._tables.list_used())}
        self._unwritten |= codes
        self._unwritten_players |= codes
        self._write_soon()

    async def expire_lobbies(self) -> None:
        """Set the due times of public lobbies and challenges whose player is connected to no node.

        Raises StorageFailed.
        """
        due = self._clock.unix_milliseconds() + LOBBY_GRACE_MILLISECONDS
        await self._store.write_locking(set_due_of_abandoned_lobbies, due)

    async def _find_elsewhere(self, codes: Collection[str]) -> dict[str, PresenceRow]:
        if not (codes and self._store.shared):
            return {}
        return await self._store.look_up(find_presence, list(codes), self.node)

    def _find_here(self, match_code: str) -> PresenceRow:
        if match_code in self._opening:
            return self._opening[match_code]
        table = self._tables.get(match_code)
        return table.followers.here if table else NO_PRESENCE

    def _on_change(self, table: Table) -> None:
        followers, match_code = table.followers, table.log.code
        before, followers.reported = followers.reported, followers.here
        if match_code not in self._opening:
            self._note_change(match_code, before, followers.here, self._find_lobby_due(table))

    def _find_lobby_due(self, table: Table) -> int | None:
        """Return the due time of a lobby that expires without its player, while the player is here.

        Return None for other matches. Times are in milliseconds since 1970.
        """
        state = table.log.state
        if is_challenge(state):
            return table.log.rows[0].at + CHALLENGE_MILLISECONDS
        if state.phase is Phase.GATHERING and state.opened.public:
            return add_days(self._clock.unix_milliseconds(), self._abandon_days)
        return None

    def _note_change(
        self, match_code: str, before: PresenceRow, here: PresenceRow, lobby_due: int | None
    ) -> None:
        if here == before or self._frozen:
            return
        if lobby_due is not None and bool(here.players) != bool(before.players):
            self._unwritten_lobbies[match_code] = lobby_due if here.players else None
        if self._store.shared:
            self._unwritten.add(match_code)
            if here.players != before.players:
                self._unwritten_players.add(match_code)
        if here.players == before.players and here.spectators and before.spectators:
            self._write_later()
        else:
            self._write_soon()

    def _write_later(self) -> None:
        """Schedule a write in SPECTATOR_COUNT_SECONDS, so that it includes later changes."""
        if self._unwritten and self._timer is None:
            self._timer = self._clock.call_later(SPECTATOR_COUNT_SECONDS, self._write_soon)

    def _write_soon(self) -> None:
        self._cancel_timer()
        if (self._unwritten or self._unwritten_lobbies) and (
            self._writing is None or self._writing.done()
        ):
            self._writing = asyncio.create_task(self._write_changes(), name="presence")

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _write_changes(self) -> None:
        """Write all changes, with at most ROWS_PER_COMMIT rows per transaction.

        Retry failed transactions.
        """
        while self._unwritten or self._unwritten_lobbies:
            pending = chain(
                self._unwritten_lobbies, self._unwritten - self._unwritten_lobbies.keys()
            )
            batch = list(islice(pending, ROWS_PER_COMMIT))
            lobbies = {
                match_code: self._unwritten_lobbies.pop(match_code)
                for match_code in batch
                if match_code in self._unwritten_lobbies
            }
            codes = self._unwritten.intersection(batch)
            self._unwritten -= codes
            self._in_batch = frozenset(codes & self._unwritten_players)
            self._unwritten_players -= codes
            expiry = self._clock.unix_milliseconds() + LOBBY_GRACE_MILLISECONDS
            try:
                await self._store.write_locking(
                    update_presence,
                    self.node,
                    {match_code: self._find_here(match_code) for match_code in codes},
                    abandoned={code: expiry for code, due in lobbies.items() if due is None},
                    postponed={code: due for code, due in lobbies.items() if due is not None},
                )
            except StorageFailed:
                self._unwritten |= codes
                self._unwritten_players |= self._in_batch
                self._in_batch = frozenset()
                self._unwritten_lobbies = lobbies | self._unwritten_lobbies
                await self._clock.sleep(RETRY_SECONDS)
            else:
                self._in_batch = frozenset()
                self._written.set()
