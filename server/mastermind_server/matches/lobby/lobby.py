"""Finding, opening, joining and watching: how anybody gets to a match."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.commands import OfferRematch, TakeSeat, refuse
from mastermind_protocol.errors import Reason, Refused
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
from mastermind_server.matches.lobby.open_lobbies import OpenLobbies, take_turns
from mastermind_server.matches.lobby.openings import begin_match, begin_rematch
from mastermind_server.matches.names import distinguish
from mastermind_server.matches.tables.match_log import write_row
from mastermind_server.storage.records import Projection, project, write_archived, write_running
from mastermind_server.storage.statements.matchmaking import Opening, OthersWait, Terms, Wanted
from mastermind_server.storage.statements.presence import NOBODY, Attendance
from mastermind_server.storage.store import RowTaken
from mastermind_server.tuning import MAX_SEARCHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol.requests import Archive, ListMatches, ListOwn, Open, Seek
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.records import MatchRecord, RunningMatch
    from mastermind_server.storage.requests import Stamp
    from mastermind_server.storage.store import LogRow

_LISTED = {"waiting": (Phase.GATHERING,), "running": (Phase.SETTING, Phase.BREAKING)}


class Lobby:
    """Finds, opens, joins and lists matches."""

    def __init__(self, tables: Tables, presence: Presence, services: Services) -> None:
        self._tables, self._presence, self._services = tables, presence, services
        self._lobbies = OpenLobbies(tables, services)

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
        terms = Terms(rules.name, request.rounds, request.rated, player.program)
        waiting, tried = self._lobbies.waiting, set[str]()
        while True:
            if earlier := await self._find_earlier(player, stamp):
                await self._enter(peer, request.id, earlier)
                return
            wanted = Wanted(terms, request.seat, tried | waiting.claimed)
            elsewhere = await self._services.store.find_waiting(wanted, self._presence.node)
            if code := waiting.find(wanted, player.id, elsewhere):
                tried.add(code)
                if await self._try_join(peer, player, request, stamp, code):
                    return
                continue
            seat = request.seat or self._services.random.choice(list(Seat))
            begin = (opened, Joined(player=distinguish(player), seat=seat))
            try:
                await self._begin(peer, player, stamp, begin, wanted)
            except OthersWait:
                continue  # somebody has begun to wait meanwhile
            return

    async def join(self, peer: Peer, player: Player, stamp: Stamp, code: str) -> None:
        """Take the free seat, or get one's own back; answer with the log."""
        self._check_room(peer, code)
        async with self._tables.at(code) as table:
            await _sit_down(table, player, stamp)
            await self._follow(table, peer, stamp.id)

    async def follow(self, peer: Peer, request: int, code: str, after: int) -> None:
        """Answer with the log after a version; then send what happens."""
        self._check_room(peer, code)
        await self._enter(peer, request, code, after)

    async def unfollow(self, peer: Peer, code: str) -> None:
        """Send no more of this match; a match that is not followed is no error."""
        if code not in peer.followed:
            return
        async with self._tables.at(code) as table:
            table.unfollow(peer)

    async def rematch(self, peer: Peer, player: Player, stamp: Stamp, code: str) -> int:
        """Offer another match with the roles swapped, or take the one that is offered.

        Bots accept at once, and their seats stay: the person has chosen them. Returns its rounds.
        """
        self._check_room(peer)
        async with self._tables.at(code) as table:
            if table.log.state.rematch is None or table.log.state.seat_of(player.id) is None:
                await self._offer_rematch(table, player, stamp)
            offered, rounds = table.log.state.rematch, table.log.state.opened.rounds
        if offered is not None:
            await self.join(peer, player, stamp, offered)
        return rounds

    async def list_matches(self, peer: Peer, request: ListMatches) -> None:
        """Answer with the public matches that wait or run, those whose players are here."""
        phases = _LISTED[request.what]
        found = await self._services.store.list_public(*phases, limit=MAX_SEARCHED)
        free = [match for match in found if match.phase != Phase.GATHERING or not match.reserved]
        there = await self._presence.find([match.match for match in free])
        attended = {
            match.match: match
            for match in free
            if _is_attended(match, there.get(match.match, NOBODY))
        }
        chosen = set(self._take_turns(attended, there)[:MAX_LISTED])
        listed = tuple(_describe(match) for code, match in attended.items() if code in chosen)
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
        there = await self._presence.find([match.row.match for match in found[:MAX_OWN]])
        own = tuple(
            write_running(match, self._find_away(match, there.get(match.row.match, NOBODY)))
            for match in found[:MAX_OWN]
        )
        peer.push(encode(OwnMatches(id=request.id, matches=own, more=len(found) > MAX_OWN)))

    async def gone(self, peer: Peer) -> None:
        """Forget a peer whose connection has ended. Seats are kept."""
        for code in list(peer.followed):
            await self.unfollow(peer, code)

    def _find_away(self, found: RunningMatch, there: Attendance) -> int | None:
        """Return since when a running match's other player does not follow it, in ms since 1970.

        None if it does or is a bot of this server. Of a player who has not been seen at the match
        lately nothing better is known than when the match last changed.
        """
        table, opponent = self._tables.get(found.row.match), found.row.opponent_id
        if opponent is None or opponent in there.players:
            return None
        seconds = table.followers.gone_for(opponent) if table else None
        if seconds is None:
            return found.changed
        return self._services.clock.time_of_day() - int(1000 * seconds)

    async def _enter(self, peer: Peer, request: int, code: str, after: int = 0) -> None:
        async with self._tables.at(code, after) as table:
            await self._follow(table, peer, request, after)

    async def _follow(self, table: Table, peer: Peer, request: int, after: int = 0) -> None:
        if not table.followers:  # nobody here has to know who is elsewhere
            await self._presence.look(table.log.code)
        table.follow(peer, request, after)

    def _take_turns(self, codes: Iterable[str], there: Mapping[str, Attendance]) -> list[str]:
        """Let players, and then addresses, take turns: nobody's matches hide all others'.

        All that only spectators follow are as one player's.
        """
        players = {code: next(iter(there[code].players), None) for code in codes}
        by_player = take_turns(players, players.__getitem__)
        return take_turns(by_player, lambda code: self._lobbies.find_address(code) or players[code])

    async def _begin(
        self,
        peer: Peer,
        player: Player,
        stamp: Stamp,
        events: tuple[AnyEvent, ...],
        wanted: Wanted | None = None,
    ) -> None:
        """Append the first row of a new match, and answer with its log.

        Raises Refused if too many of the player's, or of those at its address, wait already, and
        OthersWait if one waits elsewhere that is `wanted`.
        """
        state = fold(events)
        seated = state.seat_of(player.id) is not None
        attendance = Attendance((player.id,)) if seated else Attendance(spectators=1)
        if state.is_bots_only:
            self._services.following.check_show(peer.address, self._services.limiter)
        with ExitStack() as stack:
            if state.phase is Phase.GATHERING:
                try:
                    stack.enter_context(self._lobbies.place(player.id, peer.address))
                except Refused:
                    if (earlier := await self._find_earlier(player, stamp)) is None:
                        raise
                    await self._enter(peer, stamp.id, earlier)
                    return
            while True:
                code = self._services.draw_match_code()
                row, projection = self._open(code, events, player.id, stamp)
                with (
                    self._presence.opening(code, attendance),
                    self._lobbies.waiting.opening(code, row.at, state),
                ):
                    try:
                        await self._services.store.begin(
                            Opening(row, projection, attendance), self._presence.node, wanted
                        )
                    except RowTaken:
                        if (earlier := await self._find_earlier(player, stamp)) is None:
                            continue  # the code is another match's: draw again
                        code = earlier
                    await self._enter(peer, stamp.id, code)
                return

    async def _find_earlier(self, player: Player, stamp: Stamp) -> str | None:
        """Return the code of the match that the same request has led to before."""
        earlier = await self._services.store.find_request(player.id, stamp)
        return earlier[0] if earlier else None

    def _open(
        self, code: str, events: tuple[AnyEvent, ...], player: str, stamp: Stamp
    ) -> tuple[LogRow, Projection]:
        """Return the first row of a new match, and what is kept beside it."""
        now = self._services.clock.time_of_day()
        first = write_row(code, 1, now, events, player, stamp)
        return first, project(code, fold(events), 1, now, self._services.abandon_after)

    async def _try_join(
        self, peer: Peer, player: Player, request: Seek, stamp: Stamp, code: str
    ) -> bool:
        """Tell whether the player has now a seat where it wants one; the answer is its log then."""
        with self._lobbies.waiting.claim(code):
            if not await self._lobbies.waiting.is_there(code):
                return False
            async with self._tables.at(code) as table:
                if table.log.state.seat_of(player.id) is not None:
                    await table.read_on()  # it may have ended at another node
                    if table.log.state.phase is Phase.FINISHED:
                        return False
                try:
                    await _sit_down(table, player, stamp, request.seat)
                except (Refused, RowTaken):  # somebody has just sat down, or this player elsewhere
                    return False
                if request.seat not in (None, table.log.state.seat_of(player.id)):
                    return False
                await self._follow(table, peer, request.id)
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

    def _check_room(self, peer: Peer, code: str | None = None) -> None:
        if code in peer.followed:
            return
        limiter = self._services.limiter
        most = limiter.limits.followed
        if len(peer.followed) >= most:
            limiter.met["followed"] += 1
            raise Refused(Reason.TOO_MANY_FOLLOWED, limit=most)
        table = self._tables.get(code) if code else None
        self._services.following.check(peer.address, limiter, table.log if table else None)


async def _sit_down(table: Table, player: Player, stamp: Stamp, seat: Seat | None = None) -> None:
    """Take a seat for whoever has none, also by way of a node that this one has not heard of yet.

    Raises Refused or StorageFailed.
    """
    if table.log.state.seat_of(player.id) is None:
        try:
            sitting = distinguish(player, table.log.state.players)
            await table.perform(TakeSeat(sitting, seat), player.id, stamp=stamp)
        except Refused:
            if table.log.state.seat_of(player.id) is None:
                raise


def _is_attended(match: MatchRecord, there: Attendance) -> bool:
    """Tell whether a seated player is there, or bots play before somebody."""
    return bool(there.players) or (match.shown and there.spectators > 0)


def _describe(match: MatchRecord) -> Listed:
    """Return what lists show of a match."""
    return Listed(
        match=match.match,
        rules=match.rules,
        rounds=match.rounds,
        phase=Phase(match.phase),
        maker=match.maker,
        breaker=match.breaker,
        bots=tuple(map(Seat, match.bots.split())),
        rated=bool(match.rated),  # SQLite has numbers
    )
