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
from mastermind_server.storage.rows import RowTaken
from mastermind_server.storage.statements.lobby import (
    Opening,
    OthersWait,
    Terms,
    Wanted,
    find_waiting,
    open_match,
)
from mastermind_server.storage.statements.log import find_request
from mastermind_server.storage.statements.matches import list_archive, list_public, list_running
from mastermind_server.storage.statements.presence import NOBODY, PresenceRow
from mastermind_server.tuning import MAX_SEARCHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol.requests import (
        Archive,
        Follow,
        Join,
        ListMatches,
        ListOwn,
        Open,
        Rematch,
        Seek,
    )
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.idempotency import RequestKey
    from mastermind_server.storage.records import MatchRecord, RunningMatch
    from mastermind_server.storage.rows import LogRow

_LISTED = {"waiting": (Phase.GATHERING,), "running": (Phase.SETTING, Phase.BREAKING)}


class Lobby:
    """Finds, opens, joins and lists matches."""

    def __init__(self, tables: Tables, presence: Presence, services: Services) -> None:
        self._tables, self._presence, self._services = tables, presence, services
        self._lobbies = OpenLobbies(tables, services)

    async def open(self, call: Call[Open]) -> None:
        """Open a match as requested, and answer with its log."""
        self._check_room(call.peer)
        await self._begin(call, begin_match(call.player, call.request))

    async def seek(self, call: Call[Seek]) -> None:
        """Join the suitable public match that has waited longest, or open one.

        People are paired with people, and programs with programs.
        """
        peer, player, request, key = call
        self._check_room(peer)
        rules = find_rules(request.rules)
        opened = Opened(rules=rules.name, rounds=request.rounds, public=True, rated=request.rated)
        if request.rated and player.program:
            raise Refused(Reason.RATED_NEEDS_TWO, field="rated")
        terms = Terms(rules.name, request.rounds, request.rated, player.program)
        waiting, tried, store = self._lobbies.waiting, set[str](), self._services.store
        while True:
            if earlier := await self._find_earlier(player, key):
                await self._enter(peer, request.id, earlier)
                return
            wanted = Wanted(terms, request.seat, tried | waiting.claimed)
            elsewhere = None
            if store.shared:
                elsewhere = await store.read(find_waiting, wanted, self._presence.node)
            if code := waiting.find(wanted, player.id, elsewhere):
                tried.add(code)
                if await self._try_join(call, code):
                    return
                continue
            seat = request.seat or self._services.random.choice(list(Seat))
            begin = (opened, Joined(player=distinguish(player), seat=seat))
            try:
                await self._begin(call, begin, wanted)
            except OthersWait:
                continue  # somebody has begun to wait meanwhile
            return

    async def join(self, call: Call[Join] | Call[Rematch], code: str) -> None:
        """Take the free seat, or return to one's own, and answer with the log."""
        peer, player, request, key = call
        self._check_room(peer, code)
        async with self._tables.at(code) as table:
            await _sit_down(table, player, key)
            await self._follow(table, peer, request.id)

    async def follow(self, call: Call[Follow]) -> None:
        """Answer with the log after a version, and send later events."""
        peer, _, request, _ = call
        self._check_room(peer, request.match)
        await self._enter(peer, request.id, request.match, request.v)

    async def unfollow(self, peer: Peer, code: str) -> None:
        """Send no more of this match; a match that is not followed is no error."""
        if code not in peer.followed:
            return
        async with self._tables.at(code) as table:
            table.unfollow(peer)

    async def rematch(self, call: Call[Rematch]) -> int:
        """Offer a match with the roles swapped, or accept the offer; return its rounds.

        A bot accepts at once and keeps its seat, because the person has chosen that.
        """
        peer, player, request, key = call
        self._check_room(peer)
        async with self._tables.at(request.match) as table:
            if table.log.state.rematch is None or table.log.state.seat_of(player.id) is None:
                await self._offer_rematch(table, player, key)
            offered, rounds = table.log.state.rematch, table.log.state.opened.rounds
        if offered is not None:
            await self.join(call, offered)
        return rounds

    async def list_matches(self, call: Call[ListMatches]) -> None:
        """Answer with the public matches that wait or run and whose players are connected."""
        peer, _, request, _ = call
        phases = _LISTED[request.what]
        found = await self._services.store.read(list_public, phases, MAX_SEARCHED)
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

    async def list_archive(self, call: Call[Archive]) -> None:
        """Answer with a page of the player's finished matches. Raises Refused."""
        peer, player, request, _ = call
        found = await self._services.store.read(
            list_archive, player.id, request.before, limit=MAX_ARCHIVED + 1
        )
        if found is None:
            raise Refused(Reason.NOT_IN_ARCHIVE, field="before", match=str(request.before))
        page = tuple(write_archived(row) for row in found[:MAX_ARCHIVED])
        peer.push(encode(Archived(id=request.id, matches=page, more=len(found) > len(page))))

    async def list_own(self, call: Call[ListOwn]) -> None:
        """Answer with the player's unfinished matches."""
        peer, player, request, _ = call
        found = await self._services.store.read(
            list_running, player.id, search=MAX_SEARCHED, limit=MAX_OWN + 1
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

    def _find_away(self, found: RunningMatch, there: PresenceRow) -> int | None:
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
            await self._presence.refresh(table.log.code)
        table.follow(peer, request, after)

    def _take_turns(self, codes: Iterable[str], there: Mapping[str, PresenceRow]) -> list[str]:
        """Let players, and then addresses, take turns: nobody's matches hide all others'.

        All that only spectators follow are as one player's.
        """
        players = {code: next(iter(there[code].players), None) for code in codes}
        by_player = take_turns(players, players.__getitem__)
        return take_turns(by_player, lambda code: self._lobbies.find_address(code) or players[code])

    async def _begin(
        self,
        call: Call[Open] | Call[Seek],
        events: tuple[AnyEvent, ...],
        wanted: Wanted | None = None,
    ) -> None:
        """Append the first row of a new match, and answer with its log.

        Raises Refused if too many of the player's, or of those at its address, wait already, and
        OthersWait if one waits elsewhere that is `wanted`.
        """
        peer, player, _, key = call
        store = self._services.store
        node = self._presence.node if store.shared else None
        state = fold(events)
        seated = state.seat_of(player.id) is not None
        attendance = PresenceRow((player.id,)) if seated else PresenceRow(spectators=1)
        if state.is_bots_only:
            self._services.following.check_show(peer.address, self._services.limiter)
        with ExitStack() as stack:
            if state.phase is Phase.GATHERING:
                try:
                    stack.enter_context(self._lobbies.place(player.id, peer.address))
                except Refused:
                    if (earlier := await self._find_earlier(player, key)) is None:
                        raise
                    await self._enter(peer, key.id, earlier)
                    return
            while True:
                code = self._services.draw_match_code()
                row, projection = self._open(code, events, player.id, key)
                with (
                    self._presence.opening(code, attendance),
                    self._lobbies.waiting.opening(code, row.at, state),
                ):
                    try:
                        opening = Opening(row, projection, attendance)
                        await store.write_locking(open_match, opening, node, wanted)
                    except RowTaken:
                        if (earlier := await self._find_earlier(player, key)) is None:
                            continue  # the code is another match's: draw again
                        code = earlier
                    await self._enter(peer, key.id, code)
                return

    async def _find_earlier(self, player: Player, key: RequestKey) -> str | None:
        """Return the code of the match that the same request has led to before."""
        earlier = await self._services.store.read(find_request, player.id, key)
        return earlier[0] if earlier else None

    def _open(
        self, code: str, events: tuple[AnyEvent, ...], player: str, key: RequestKey
    ) -> tuple[LogRow, Projection]:
        """Return the first row of a new match, and what is kept beside it."""
        now = self._services.clock.time_of_day()
        first = write_row(code, 1, now, events, player, key)
        return first, project(code, fold(events), 1, now, self._services.abandon_after)

    async def _try_join(self, call: Call[Seek], code: str) -> bool:
        """Try to seat the player; return whether the answer, with the log, was sent."""
        peer, player, request, key = call
        with self._lobbies.waiting.claim(code):
            if not await self._lobbies.waiting.is_there(code):
                return False
            async with self._tables.at(code) as table:
                if table.log.state.seat_of(player.id) is not None:
                    await table.read_on()  # it may have ended at another node
                    if table.log.state.phase is Phase.FINISHED:
                        return False
                try:
                    await _sit_down(table, player, key, request.seat)
                except (Refused, RowTaken):  # somebody has just sat down, or this player elsewhere
                    return False
                if request.seat not in (None, table.log.state.seat_of(player.id)):
                    return False
                await self._follow(table, peer, request.id)
                return True

    async def _offer_rematch(self, table: Table, player: Player, key: RequestKey) -> None:
        while True:
            code = self._services.draw_match_code()
            offer = OfferRematch(code)
            if refusal := refuse(table.log.state, offer, player.id):
                raise refusal
            events = begin_rematch(table.log.code, table.log.state, player)
            opening = self._open(code, events, player.id, key)
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
        limiter.check("followed", len(peer.followed), Reason.TOO_MANY_FOLLOWED)
        table = self._tables.get(code) if code else None
        self._services.following.check(peer.address, limiter, table.log if table else None)


async def _sit_down(
    table: Table, player: Player, key: RequestKey, seat: Seat | None = None
) -> None:
    """Take a seat for whoever has none, also by way of a node that this one has not heard of yet.

    Raises Refused or StorageFailed.
    """
    if table.log.state.seat_of(player.id) is None:
        try:
            sitting = distinguish(player, table.log.state.players)
            await table.perform(TakeSeat(sitting, seat), player.id, stamp=key)
        except Refused:
            if table.log.state.seat_of(player.id) is None:
                raise


def _is_attended(match: MatchRecord, there: PresenceRow) -> bool:
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
