"""One running match on this node: decide, append, evolve, show.

Commands take their turn under a lock. What a command causes is on disk before anybody is told,
and if somebody else has written meanwhile (another node, or this one before a reload), the table
reads on and decides again: the log's primary key is the judge, not this object.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.commands import refuse
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Guessed
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_ROWS, Happened, Log
from mastermind_protocol.transitions import decide
from mastermind_server.matches.tables.chat import MatchChat
from mastermind_server.matches.tables.followers import Followers
from mastermind_server.matches.tables.match_log import MatchLog, read_rows, write_row
from mastermind_server.matches.tables.views import show
from mastermind_server.storage.idempotency import ReusedId
from mastermind_server.storage.records import Projection, project
from mastermind_server.storage.rows import RowTaken
from mastermind_server.storage.statements.log import find_request, read_chat, read_log
from mastermind_server.tuning import ROWS_READ_AT_ONCE, ROWS_READ_QUICKLY, TABLES_LOADED_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mastermind_protocol.commands import Command
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.requests import Say
    from mastermind_protocol.transitions import Decision
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.services import Services
    from mastermind_server.storage.idempotency import RequestKey
    from mastermind_server.storage.rows import ChatRow, LogRow


class Table:
    """A match, those who follow it, and their chat; `load_table` makes one from its log.

    `changed` is called after a change of phase, mover or followers, and at each turn of a bot.
    `stale`: the log may have more rows, and no notification will come. `rewritten`: the log may
    have other rows. `leads`: this node plays for the bots, because it wrote the last known row, or
    because the node that wrote it did not continue in time.
    """

    __slots__ = (
        "_begun", "_changed", "_lock", "_read", "_services",
        "chat", "followers", "leads", "log", "rewritten", "stale",
    )  # fmt: skip

    def __init__(
        self,
        log: MatchLog,
        chat: Sequence[ChatRow],
        services: Services,
        changed: Callable[[Table], None],
    ) -> None:
        self.log, self.stale, self.rewritten, self.leads = log, False, False, False
        self.followers = Followers(log, services)
        self.chat = MatchChat(log, chat, self.followers, services)
        self._services, self._changed = services, changed
        self._lock = asyncio.Lock()
        self._begun = self._read = 0  # the last look at the log, and the last that was done

    @property
    def rows(self) -> int:
        """How many rows of the log, and lines of the chat, are in memory."""
        return self.log.version + self.chat.lines

    async def perform(
        self,
        command: Command,
        by: str,
        *,
        stamp: RequestKey | None = None,
        version: int | None = None,
        asker: Peer | None = None,
        opening: tuple[LogRow, Projection] | None = None,
    ) -> LogRow:
        """Do what the player `by` asks; returns its row, which is on disk, and shows it to all.

        A request that was done before is not done again: by its `stamp` its row is found, and
        returned. `version` is the one the player knows. `asker` is sent the event as the answer to
        its request.
        `opening` is the first row of another match that must begin in the same commit. Raises
        Refused or StorageFailed, or RowTaken if the code of that match is another's; nothing
        has changed then.
        """
        async with self._lock:
            while True:
                try:
                    decision = self._decide(command, by, version)
                except Refused:
                    if earlier := self.log.find_request(by, stamp):  # what was done is legal once
                        self._acknowledge(earlier, decode_events(earlier.events), asker)
                        return earlier
                    raise
                now = self._services.clock.time_of_day()
                row = write_row(
                    self.log.code, self.log.version + 1, now, decision.events, by, stamp
                )
                try:
                    await self._store(row, decision, opening)
                except RowTaken:
                    if not await self._read_on():
                        await self._check_reused(by, stamp or (opening and opening[0].key))
                        raise
                except asyncio.CancelledError:
                    self.stale = True  # nobody will know whether the row was written
                    raise
                else:
                    self.leads = True
                    self._apply(row, decision, asker)
                    return row

    async def read_on(self, version: int | None = None) -> None:
        """Take up what others wrote, and tell of it, unless a `version` is known already.

        Anybody may say that it knows one, and moves wait meanwhile: so what was read since this was
        asked for is not read again, nor anything where nobody else writes. Raises StorageFailed.
        """
        if not (self.stale or version is None or self._services.store.shared):
            return
        before = self._begun
        async with self._lock:
            lacks = version is None or version > self.log.version
            if self.stale or (lacks and self._read <= before):
                await self._read_on()

    async def read_beside(self) -> None:
        """Take up what others did that is no part of the log, and tell of it.

        Raises StorageFailed.
        """
        await self.chat.read_on(self.read_on)

    async def say(self, call: Call[Say]) -> None:
        """Keep and tell what a follower says, as `MatchChat.say` does."""
        await self.chat.say(call, self.read_on)

    def follow(self, peer: Peer, request: int, after: int) -> None:
        """Send the log after a version; from its end on, the peer is sent what happens.

        Raises Refused for a version that the log has not reached: it is not the log it was; and if
        too many look on.
        """
        self.followers.check_room(peer)
        log = self.log
        if after > log.version:
            log.check_version(after)
        viewer = peer.player.id if peer.player else None
        more = after + MAX_ROWS < log.version
        if not more:
            self.followers.add(peer)
        answer = Log(
            id=request,
            match=log.code,
            rows=log.show_rows(after, MAX_ROWS, viewer),
            present=self.followers.present,
            absent=self.followers.absent,
            spectators=self.followers.spectators,
            more=more,
        )
        peer.push(encode(answer))
        if not more:
            self.chat.greet(peer)
            self._changed(self)

    def unfollow(self, peer: Peer) -> None:
        """Send a peer nothing more."""
        self.followers.remove(peer)
        self._changed(self)

    def _decide(self, command: Command, by: str, version: int | None) -> Decision:
        """Return what the command causes; raises Refused, of several reasons for the law's."""
        try:
            self.log.check_version(version)
        except Refused as stale:
            raise refuse(self.log.state, command, by) or stale from None
        decision = decide(self.log.state, command, by)
        if isinstance(decision, Refused):
            raise decision
        return decision

    def _store(
        self, row: LogRow, decision: Decision, opening: tuple[LogRow, Projection] | None
    ) -> Awaitable[None]:
        rows, projections = [row], []
        if not isinstance(decision.events[-1], Guessed):  # a guess that ends nothing changes none
            days = self._services.abandon_after
            projection = project(row.match, decision.after, row.version, row.at, days)
            if projection != project(row.match, self.log.state, row.version - 1, row.at, days):
                projections.append(projection)
        if opening is not None:
            rows.append(opening[0])
            projections.append(opening[1])
        return self._services.store.append(*rows, projections=projections)

    async def _read_on(self) -> bool:
        """Take up what others wrote. Tell whether there was anything."""
        log, before = self.log, self.log.version
        self._begun += 1
        async for row, decision in read_rows(self._services, log.code, before, log.state):
            self.leads = False
            self._apply(row, decision, None)
        self.stale, self._read = False, self._begun
        return log.version > before

    async def _check_reused(self, player: str, stamp: RequestKey | None) -> None:
        """Raise ReusedId if a row that an older version has kept is this request's."""
        if stamp is None:
            return
        found = await self._services.store.read(find_request, player, stamp)
        if found is not None:
            raise ReusedId

    def _apply(self, row: LogRow, decision: Decision, asker: Peer | None) -> None:
        before, after = self.log.state, decision.after
        self.log.append(row, after)
        self._acknowledge(row, decision.events, asker)
        self._tell(row, decision.events, asker)
        if before.phase is Phase.GATHERING:
            self.followers.seat_players()
        self.chat.reveal(before)
        mover = after.to_move
        if (
            after.phase is not before.phase
            or mover != before.to_move
            or (mover is not None and mover.bot is not None)
        ):
            self._changed(self)

    def _tell(self, row: LogRow, events: tuple[AnyEvent, ...], asker: Peer | None) -> None:
        """Send a row to all who follow but the asker: one frame for all who may see the same."""
        others = [peer for peer in self.followers.seated if peer is not asker]
        if not others and not self.followers.watching:
            return
        public = show(events, None)
        frame = _frame(row, public)
        for peer in others:
            viewer = peer.player.id if peer.player else None
            shown = public if public == events else show(events, viewer)
            peer.push(frame if shown == public else _frame(row, shown))
        self.followers.watching.tell(frame)

    def _acknowledge(self, row: LogRow, events: tuple[AnyEvent, ...], asker: Peer | None) -> None:
        if asker is not None:
            asker.push(_frame(row, show(events, row.player), row.request))


def _frame(row: LogRow, events: tuple[AnyEvent, ...], request: int | None = None) -> bytes:
    """Return the frame that tells what is shown of a row; with a `request`, its answer."""
    return encode(Happened(match=row.match, v=row.version, events=events, id=request))


class Loads:
    """Where those wait for each other who load logs: so many at once of each length.

    Whoever comes to a match that has just begun waits for none that has gone on for hours.
    """

    __slots__ = ("long", "short", "very_long")

    def __init__(self) -> None:
        self.short = asyncio.Semaphore(TABLES_LOADED_AT_ONCE)  # the first piece of any
        self.long = asyncio.Semaphore(TABLES_LOADED_AT_ONCE)
        self.very_long = asyncio.Semaphore(TABLES_LOADED_AT_ONCE)  # which are read at leisure


async def load_table(
    code: str, services: Services, changed: Callable[[Table], None], loads: Loads
) -> Table | None:
    """Return the table of a match, or None if there is no such match. Raises StorageFailed."""
    rows, state = [], None
    async with loads.short:
        async for row, decision in read_rows(services, code, piece=True):
            rows.append(row)
            state = decision.after
        if state is None:
            return None
        if len(rows) < ROWS_READ_AT_ONCE:
            return await _make_table(MatchLog(code, rows, state), services, changed)
    very_long = await services.store.read(read_log, code, ROWS_READ_QUICKLY, 1)
    async with loads.very_long if very_long else loads.long:
        async for row, decision in read_rows(services, code, len(rows), state):
            rows.append(row)
            state = decision.after
        return await _make_table(MatchLog(code, rows, state), services, changed)


async def _make_table(log: MatchLog, services: Services, changed: Callable[[Table], None]) -> Table:
    chat = await services.store.read(read_chat, log.code)
    return Table(log, chat, services, changed)
