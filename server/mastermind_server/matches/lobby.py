"""Finding, opening, joining and watching: how anybody gets to a match."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode, encode_events
from mastermind_protocol.commands import Join, Leave, OfferRematch, refuse
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.errors import ErrorCode, MastermindError, Refused
from mastermind_protocol.events import AnyEvent, Joined, Opened, Player, Seat
from mastermind_protocol.match import Phase, fold
from mastermind_protocol.messages import (
    MAX_ARCHIVED,
    MAX_LISTED,
    Archive,
    Archived,
    Listing,
    ListMatches,
    Open,
    Say,
    Seek,
)
from mastermind_protocol.rules import find_rules
from mastermind_server.limits import LOBBY_GRACE_SECONDS, MAX_FOLLOWED
from mastermind_server.matches.openings import begin_match, begin_rematch
from mastermind_server.matches.table import load_table, record
from mastermind_server.storage.archive import write_archived
from mastermind_server.storage.store import LogRow, MatchRecord, RowTaken

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_server.matches.peer import Peer
    from mastermind_server.matches.table import Table
    from mastermind_server.services import Services
    from mastermind_server.storage.requests import Stamp

_LOG = logging.getLogger(__name__)
_SEARCHED = 500  # of the last public matches, when those are listed whose players are here
TABLES_KEPT = 256  # that nobody uses, for those who come back: loading one takes a while
ROWS_KEPT = 50_000  # in all of these, some 30 MiB: the longest match has 40,000
LOADS = 2  # at once: so many pieces of logs may be folded in one turn of the loop


@dataclass(slots=True, eq=False)
class _Use:
    """How many use a table just now, and who of them loads it."""

    count: int = 0
    loading: asyncio.Lock = field(default_factory=asyncio.Lock)


class Lobby:
    """All matches of this node: loads their tables when needed and drops them some time after.

    Of tables that nobody uses at most `tables_kept` stay in memory, and only as many as have at
    most `rows_kept` rows together.
    """

    def __init__(
        self,
        services: Services,
        tables_kept: int = TABLES_KEPT,
        rows_kept: int = ROWS_KEPT,
    ) -> None:
        self._services = services
        self._tables_kept, self._rows_kept = tables_kept, rows_kept
        self._tables: dict[str, Table] = {}
        self._unused: OrderedDict[str, None] = OrderedDict()  # of these, the longest unused first
        self._uses: dict[str, _Use] = {}
        self._loads = asyncio.Semaphore(LOADS)
        self._seeking = asyncio.Lock()
        self._closings: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Give the lobbies that the last run left waiting their time to be taken up again."""
        for waiting in await self._services.store.list_public(Phase.GATHERING, limit=_SEARCHED):
            self._close_later(waiting.match)

    async def stop(self) -> None:
        """Stop the bots and the timers; the log has everything."""
        for table in self._tables.values():
            table.stop()
        for closing in self._closings.values():
            closing.cancel()
        await asyncio.gather(*self._closings.values(), return_exceptions=True)

    @asynccontextmanager
    async def at(self, code: str) -> AsyncIterator[Table]:
        """Use the table of a match, loading it if need be. Raises Refused if there is none."""
        use = self._uses.setdefault(code, _Use())
        use.count += 1
        self._unused.pop(code, None)
        try:
            yield self._tables.get(code) or await self._load(code, use)
        finally:
            use.count -= 1
            self._drop_unused(code)

    async def is_seated(self, player: Player, code: str) -> bool:
        """Tell whether there is a match of this code and the player has a seat in it."""
        return await self._services.store.has_moved(player.id, code)

    async def open(self, peer: Peer, player: Player, request: Open, stamp: Stamp) -> None:
        """Open a match as asked, and answer with its log."""
        self._check_room(peer)
        await self._begin(peer, player, stamp, begin_match(player, request))

    async def seek(self, peer: Peer, player: Player, request: Seek, stamp: Stamp) -> None:
        """Join the longest waiting public match that fits, a person a person's, or open one."""
        self._check_room(peer)
        rules = find_rules(request.rules)
        opened = Opened(rules=rules.name, rounds=request.rounds, public=True, rated=request.rated)
        if request.rated and player.program:
            raise Refused(ErrorCode.RATED, "a rated match is for two people", field="rated")
        async with self._seeking:  # two who seek at once must find each other
            if done := await self._services.store.find_request(player.id, stamp):
                async with self.at(done[0]) as table:
                    self._follow(table, peer, request.id, 0)
                return
            for waiting in reversed(await self._list_waiting()):
                if not self._is_wanted(waiting.match, opened, player):
                    continue
                if await self._try_join(peer, player, request, stamp, waiting.match):
                    return
            seat = request.seat or self._services.random.choice(list(Seat))
            await self._begin(peer, player, stamp, (opened, Joined(player=player, seat=seat)))

    async def join(self, peer: Peer, player: Player, stamp: Stamp, code: str) -> None:
        """Take the free seat, or get one's own back; answer with the log."""
        self._check_room(peer, code)
        async with self.at(code) as table:
            if table.state.seat_of(player.id) is None:
                await table.command(Join(player), player.id, stamp=stamp)
            self._follow(table, peer, stamp.id, 0)

    async def follow(self, peer: Peer, request: int, code: str, after: int) -> None:
        """Answer with the log after a version; then send what happens."""
        self._check_room(peer, code)
        async with self.at(code) as table:
            self._follow(table, peer, request, after)

    async def unfollow(self, peer: Peer, code: str) -> None:
        """Send no more of this match; a match that is not followed is no error."""
        if code not in peer.followed:
            return
        async with self.at(code) as table:
            table.unfollow(peer)
            self._close_if_deserted(table)

    async def rematch(self, peer: Peer, player: Player, stamp: Stamp, code: str) -> None:
        """Offer another match with the roles swapped, or take the one that is offered.

        Bots accept at once, and their seats stay: the person has chosen them.
        """
        self._check_room(peer)
        async with self.at(code) as table:
            if table.state.rematch is None or table.state.seat_of(player.id) is None:
                await self._offer_rematch(table, player, stamp)
            offered = table.state.rematch
        if offered is not None:
            await self.join(peer, player, stamp, offered)

    async def list_matches(self, peer: Peer, request: ListMatches) -> None:
        """Answer with the public matches that wait or run, those whose players are here."""
        if request.what == "waiting":
            found = await self._list_waiting()
        else:
            phases = (Phase.SETTING, Phase.BREAKING)
            running = await self._services.store.list_public(*phases, limit=_SEARCHED)
            found = [row for row in running if self._is_attended(row.match)]
        listed = tuple(self._tables[row.match].listed for row in found[:MAX_LISTED])
        peer.push(encode(Listing(id=request.id, matches=listed)))

    async def list_archive(self, peer: Peer, player: Player, request: Archive) -> None:
        """Answer with a page of the player's own finished matches. Raises Refused."""
        found = await self._services.store.list_archive(
            player.id, request.before, limit=MAX_ARCHIVED + 1
        )
        if found is None:
            raise Refused(
                ErrorCode.UNKNOWN_MATCH,
                f"match {request.before} is none of your finished ones",
                field="before",
            )
        page = tuple(write_archived(row) for row in found[:MAX_ARCHIVED])
        peer.push(encode(Archived(id=request.id, matches=page, more=len(found) > len(page))))

    async def say(self, peer: Peer, player: Player, request: Say, stamp: Stamp) -> None:
        """Let a player say something at a match. Raises Refused."""
        async with self.at(request.match) as table:
            await table.talk.say(peer, player, request, stamp)

    def draw_nonce(self) -> bytes:
        """Return a fresh random nonce for a commitment."""
        return self._services.random.randbytes(NONCE_BYTES)

    async def gone(self, peer: Peer) -> None:
        """Forget a peer whose connection has ended. Seats are kept."""
        for code in list(peer.followed):
            await self.unfollow(peer, code)

    def _follow(self, table: Table, peer: Peer, request: int, after: int) -> None:
        table.follow(peer, request, after)
        if table.present and (closing := self._closings.pop(table.code, None)):
            closing.cancel()

    async def _load(self, code: str, use: _Use) -> Table:
        async with use.loading:  # whoever comes meanwhile takes what is loaded here
            if loaded := self._tables.get(code):
                return loaded
            async with self._loads:
                table = await load_table(code, self._services, self._drop_unused)
            if table is None:
                raise Refused(
                    ErrorCode.UNKNOWN_MATCH,
                    f"there is no match {code} on this server",
                    field="match",
                )
            self._tables[code] = table
            table.wake()
            return table

    def _drop_unused(self, code: str) -> None:
        """Keep a table that nobody uses any more for a while, and drop what is then too much."""
        if (use := self._uses.get(code)) and use.count:
            return
        self._uses.pop(code, None)
        table = self._tables.get(code)
        if table is None or not table.idle:
            return
        if table.stale:
            del self._tables[code]
            return
        self._unused[code] = None
        self._unused.move_to_end(code)
        while len(self._unused) > self._tables_kept or self._count_unused_rows() > self._rows_kept:
            dropped, _ = self._unused.popitem(last=False)
            del self._tables[dropped]

    def _count_unused_rows(self) -> int:
        return sum(self._tables[code].version for code in self._unused)

    async def _begin(
        self, peer: Peer, player: Player, stamp: Stamp, events: tuple[AnyEvent, ...]
    ) -> None:
        """Append the first row of a new match, and answer with its log."""
        while True:
            code = self._services.draw_match_code()
            row, listed = self._first_row(code, events, player.id, stamp)
            try:
                await self._services.store.append(row, records=[listed])
            except RowTaken:
                done = await self._services.store.find_request(player.id, stamp)
                if done is None:
                    continue  # the code is another match's: draw again
                code = done[0]
            async with self.at(code) as table:
                self._follow(table, peer, stamp.id, 0)
            return

    def _first_row(
        self, code: str, events: tuple[AnyEvent, ...], player: str, stamp: Stamp
    ) -> tuple[LogRow, MatchRecord]:
        now = self._services.now()
        row = LogRow(code, 1, now, encode_events(events), player, *stamp)
        return row, record(code, fold(events), now)

    async def _try_join(
        self, peer: Peer, player: Player, request: Seek, stamp: Stamp, code: str
    ) -> bool:
        async with self.at(code) as table:
            mine = table.state.seat_of(player.id)
            if mine is None:
                try:
                    await table.command(Join(player, request.seat), player.id, stamp=stamp)
                except Refused:  # not for this player, or somebody else has just sat down
                    return False
            elif request.seat not in (None, mine):
                return False
            self._follow(table, peer, request.id, 0)
            return True

    async def _offer_rematch(self, table: Table, player: Player, stamp: Stamp) -> None:
        while True:
            code = self._services.draw_match_code()
            offer = OfferRematch(code)
            if refusal := refuse(table.state, offer, player.id):
                raise refusal
            events = begin_rematch(table.code, table.state, player)
            beside = self._first_row(code, events, player.id, stamp)
            try:
                await table.command(offer, player.id, beside=beside)
            except RowTaken:
                continue  # the code is another match's: draw again
            except Refused:
                if table.state.rematch is None:
                    raise
            return  # offered, here or by the opponent at the same moment

    async def _list_waiting(self) -> list[MatchRecord]:
        waiting = await self._services.store.list_public(Phase.GATHERING, limit=_SEARCHED)
        return [row for row in waiting if self._is_attended(row.match) and self._is_free(row.match)]

    def _is_attended(self, code: str) -> bool:
        """Tell whether a seated player is connected, or bots play before somebody."""
        table = self._tables.get(code)
        return table is not None and bool(table.present or (table.is_show and table.followed))

    def _is_wanted(self, code: str, terms: Opened, seeker: Player) -> bool:
        """Tell whether one like the seeker waits on these terms: people are not given programs."""
        waiting = self._tables[code].state
        alike = all(player.program == seeker.program for player in waiting.players)
        return waiting.opened == terms and alike

    def _is_free(self, code: str) -> bool:
        """Tell whether the free seat is anybody's, and not kept for a rematch."""
        return self._tables[code].state.opened.reserved is None

    def _check_room(self, peer: Peer, code: str | None = None) -> None:
        if len(peer.followed) >= MAX_FOLLOWED and code not in peer.followed:
            raise Refused(
                ErrorCode.TOO_MANY,
                f"one connection follows at most {MAX_FOLLOWED} matches: unfollow one",
                limit=MAX_FOLLOWED,
            )

    def _close_if_deserted(self, table: Table) -> None:
        state = table.state
        if state.phase is Phase.GATHERING and state.opened.public and not table.present:
            self._close_later(table.code)

    def _close_later(self, code: str) -> None:
        if code not in self._closings:
            task = asyncio.create_task(self._close_deserted(code), name=f"closing {code}")
            self._closings[code] = task

    async def _close_deserted(self, code: str) -> None:
        await self._services.clock.sleep(LOBBY_GRACE_SECONDS)
        del self._closings[code]  # what is being written is not to be cancelled
        try:
            async with self.at(code) as table:
                if table.state.phase is not Phase.GATHERING or table.present:
                    return
                (waiting,) = table.state.players
                await table.command(Leave(), waiting.id, version=table.version)
        except Refused:
            return  # somebody has come meanwhile
        except MastermindError as error:
            _LOG.warning("the deserted lobby %s could not be closed: %s", code, error.code)
