"""Finding, opening, joining and watching: how anybody gets to a match."""

from __future__ import annotations

import asyncio
import logging
from itertools import islice
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.commands import LeaveMatch, OfferRematch, TakeSeat, refuse
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.events import AnyEvent, Joined, Opened, Player, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    MAX_ARCHIVED,
    MAX_LISTED,
    MAX_OWN,
    Archived,
    Listed,
    Listing,
    OwnMatches,
)
from mastermind_protocol.rules import find_rules
from mastermind_protocol.transitions import fold
from mastermind_server.limits import LOBBY_GRACE_SECONDS, MAX_FOLLOWED, MAX_SEARCHED
from mastermind_server.log_lines import about
from mastermind_server.matches.bot_driver import is_bots_only
from mastermind_server.matches.match_log import write_row
from mastermind_server.matches.openings import begin_match, begin_rematch
from mastermind_server.storage.records import Projection, project, write_archived, write_running
from mastermind_server.storage.store import RowTaken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.match import Match
    from mastermind_protocol.requests import Archive, ListMatches, ListOwn, Open, Seek
    from mastermind_server.matches.followers import Peer
    from mastermind_server.matches.match_log import MatchLog
    from mastermind_server.matches.table import Table
    from mastermind_server.matches.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.records import RunningMatch
    from mastermind_server.storage.requests import Stamp
    from mastermind_server.storage.store import LogRow

_LOG = logging.getLogger(__name__)


class Lobby:
    """Finds, opens, joins and lists matches, and closes public ones that nobody waits in."""

    def __init__(self, tables: Tables, services: Services) -> None:
        self._tables, self._services = tables, services
        self._seeking = asyncio.Lock()
        self._closings: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Give the lobbies that the last run left waiting their time to be taken up again."""
        for code in await self._services.store.list_public(Phase.GATHERING, limit=MAX_SEARCHED):
            self._close_later(code)

    async def stop(self) -> None:
        """Cancel the pending closings."""
        for closing in self._closings.values():
            closing.cancel()
        await asyncio.gather(*self._closings.values(), return_exceptions=True)

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
            raise Refused(Reason.RATED_NEEDS_TWO, field="rated")
        async with self._seeking:  # two who seek at once must find each other
            if earlier := await self._services.store.find_request(player.id, stamp):
                await self._enter(peer, request.id, earlier[0])
                return
            for waiting in reversed(list(await self._find_waiting())):
                if not _is_wanted(waiting.log.state, opened, player):
                    continue
                if await self._try_join(peer, player, request, stamp, waiting.log.code):
                    return
            seat = request.seat or self._services.random.choice(list(Seat))
            await self._begin(peer, player, stamp, (opened, Joined(player=player, seat=seat)))

    async def join(self, peer: Peer, player: Player, stamp: Stamp, code: str) -> None:
        """Take the free seat, or get one's own back; answer with the log."""
        self._check_room(peer, code)
        async with self._tables.at(code) as table:
            if table.log.state.seat_of(player.id) is None:
                await table.perform(TakeSeat(player), player.id, stamp=stamp)
            self._follow(table, peer, stamp.id)

    async def follow(self, peer: Peer, request: int, code: str, after: int) -> None:
        """Answer with the log after a version; then send what happens."""
        self._check_room(peer, code)
        await self._enter(peer, request, code, after)

    async def unfollow(self, peer: Peer, code: str) -> None:
        """Send no more of this match; a match that is not followed is no error."""
        if code not in peer.followed:
            return
        async with self._tables.at(code) as table:
            table.followers.remove(peer)
            self._close_if_deserted(table)

    async def rematch(self, peer: Peer, player: Player, stamp: Stamp, code: str) -> None:
        """Offer another match with the roles swapped, or take the one that is offered.

        Bots accept at once, and their seats stay: the person has chosen them.
        """
        self._check_room(peer)
        async with self._tables.at(code) as table:
            if table.log.state.rematch is None or table.log.state.seat_of(player.id) is None:
                await self._offer_rematch(table, player, stamp)
            offered = table.log.state.rematch
        if offered is not None:
            await self.join(peer, player, stamp, offered)

    async def list_matches(self, peer: Peer, request: ListMatches) -> None:
        """Answer with the public matches that wait or run, those whose players are here."""
        if request.what == "waiting":
            found = await self._find_waiting()
        else:
            found = await self._find_attended(Phase.SETTING, Phase.BREAKING)
        listed = tuple(_describe(table.log) for table in islice(found, MAX_LISTED))
        peer.push(encode(Listing(id=request.id, matches=listed)))

    async def list_archive(self, peer: Peer, player: Player, request: Archive) -> None:
        """Answer with a page of the player's own finished matches. Raises Refused."""
        found = await self._services.store.list_archive(
            player.id, request.before, limit=MAX_ARCHIVED + 1
        )
        if found is None:
            raise Refused(Reason.NOT_IN_ARCHIVE, field="before", match=str(request.before))
        page = tuple(write_archived(row) for row in found[:MAX_ARCHIVED])
        peer.push(encode(Archived(id=request.id, matches=page, more=len(found) > len(page))))

    async def list_own(self, peer: Peer, player: Player, request: ListOwn) -> None:
        """Answer with the player's own matches that are not over."""
        found = await self._services.store.list_running(
            player.id, search=MAX_SEARCHED, limit=MAX_OWN + 1
        )
        own = tuple(write_running(match, self._find_away(match)) for match in found[:MAX_OWN])
        peer.push(encode(OwnMatches(id=request.id, matches=own, more=len(found) > MAX_OWN)))

    async def gone(self, peer: Peer) -> None:
        """Forget a peer whose connection has ended. Seats are kept."""
        for code in list(peer.followed):
            await self.unfollow(peer, code)

    def _find_away(self, found: RunningMatch) -> int | None:
        """Return since when a running match's other player does not follow it, in ms since 1970.

        None if it does or is a bot of this server. Of a player who has not been seen at the match
        lately nothing better is known than when the match last changed.
        """
        table, opponent = self._tables.get(found.row.match), found.row.opponent_id
        if opponent is None or (table and opponent in table.followers.present):
            return None
        seconds = table.followers.gone_for(opponent) if table else None
        if seconds is None:
            return found.changed
        return self._services.clock.time_of_day() - int(1000 * seconds)

    async def _enter(self, peer: Peer, request: int, code: str, after: int = 0) -> None:
        async with self._tables.at(code, after) as table:
            self._follow(table, peer, request, after)

    def _follow(self, table: Table, peer: Peer, request: int, after: int = 0) -> None:
        table.follow(peer, request, after)
        if table.followers.present and (closing := self._closings.pop(table.log.code, None)):
            closing.cancel()

    async def _begin(
        self, peer: Peer, player: Player, stamp: Stamp, events: tuple[AnyEvent, ...]
    ) -> None:
        """Append the first row of a new match, and answer with its log."""
        while True:
            code = self._services.draw_match_code()
            row, projection = self._open(code, events, player.id, stamp)
            try:
                await self._services.store.append(row, projections=[projection])
            except RowTaken:
                earlier = await self._services.store.find_request(player.id, stamp)
                if earlier is None:
                    continue  # the code is another match's: draw again
                code = earlier[0]
            await self._enter(peer, stamp.id, code)
            return

    def _open(
        self, code: str, events: tuple[AnyEvent, ...], player: str, stamp: Stamp
    ) -> tuple[LogRow, Projection]:
        """Return the first row of a new match, and what is kept beside it."""
        now = self._services.clock.time_of_day()
        first = write_row(code, 1, now, events, player, stamp)
        return first, project(code, fold(events), 1, now)

    async def _try_join(
        self, peer: Peer, player: Player, request: Seek, stamp: Stamp, code: str
    ) -> bool:
        async with self._tables.at(code) as table:
            mine = table.log.state.seat_of(player.id)
            if mine is None:
                try:
                    await table.perform(TakeSeat(player, request.seat), player.id, stamp=stamp)
                except Refused:  # not for this player, or somebody else has just sat down
                    return False
            elif request.seat not in (None, mine):
                return False
            self._follow(table, peer, request.id)
            return True

    async def _offer_rematch(self, table: Table, player: Player, stamp: Stamp) -> None:
        while True:
            code = self._services.draw_match_code()
            offer = OfferRematch(code)
            if refusal := refuse(table.log.state, offer, player.id):
                raise refusal
            events = begin_rematch(table.log.code, table.log.state, player)
            opening = self._open(code, events, player.id, stamp)
            try:
                await table.perform(offer, player.id, opening=opening)
            except RowTaken:
                continue  # the code is another match's: draw again
            except Refused:
                if table.log.state.rematch is None:
                    raise
            return  # offered, here or by the opponent at the same moment

    async def _find_waiting(self) -> Iterator[Table]:
        """Yield those that wait for anybody, and not for the player of a rematch."""
        waiting = await self._find_attended(Phase.GATHERING)
        return (table for table in waiting if table.log.state.opened.reserved is None)

    async def _find_attended(self, *phases: Phase) -> Iterator[Table]:
        """Yield public matches that somebody attends, the last changed first."""
        codes = await self._services.store.list_public(*phases, limit=MAX_SEARCHED)
        return filter(_is_attended, filter(None, map(self._tables.get, codes)))

    def _check_room(self, peer: Peer, code: str | None = None) -> None:
        if len(peer.followed) >= MAX_FOLLOWED and code not in peer.followed:
            raise Refused(Reason.TOO_MANY_FOLLOWED, limit=MAX_FOLLOWED)

    def _close_if_deserted(self, table: Table) -> None:
        state = table.log.state
        if state.phase is Phase.GATHERING and state.opened.public and not table.followers.present:
            self._close_later(table.log.code)

    def _close_later(self, code: str) -> None:
        if code not in self._closings:
            task = asyncio.create_task(self._close_deserted(code), name=f"closing {code}")
            self._closings[code] = task

    async def _close_deserted(self, code: str) -> None:
        await self._services.clock.sleep(LOBBY_GRACE_SECONDS)
        del self._closings[code]  # what is being written is not to be cancelled
        try:
            async with self._tables.at(code) as table:
                if table.log.state.phase is not Phase.GATHERING or table.followers.present:
                    return
                (waiting,) = table.log.state.players
                await table.perform(LeaveMatch(), waiting.id, version=table.log.version)
        except Refused:
            return  # somebody has come meanwhile
        except MastermindError as error:
            about(_LOG, match=code).warning(
                "this deserted lobby could not be closed: %s", error.code
            )


def _is_attended(table: Table) -> bool:
    """Tell whether a seated player is connected, or bots play before somebody."""
    if is_bots_only(table.log.state):
        return len(table.followers) > 0
    return len(table.followers.present) > 0


def _is_wanted(waiting: Match, terms: Opened, seeker: Player) -> bool:
    """Tell whether one like the seeker waits on these terms: people are not given programs."""
    alike = all(player.program == seeker.program for player in waiting.players)
    return waiting.opened == terms and alike


def _describe(log: MatchLog) -> Listed:
    """Return what lists show of a match."""
    match = log.state
    return Listed(
        match=log.code,
        rules=match.rules.name,
        rounds=match.opened.rounds,
        phase=match.phase,
        maker=match.maker.name if match.maker else None,
        breaker=match.breaker.name if match.breaker else None,
        bots=tuple(seat for seat in Seat if (player := match.in_seat(seat)) and player.is_bot),
        rated=match.opened.rated,
    )
