"""Opening, finding, joining, following and listing matches."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from mastermind_protocol.codec import encode
from mastermind_protocol.commands import OfferRematch, TakeSeat, refuse
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import AnyEvent, Joined, Player, Seat
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
from mastermind_protocol.transitions import fold
from mastermind_server.matches.lobby.first_events import (
    make_first_events,
    make_rematch_events,
    make_sought_match,
)
from mastermind_server.matches.lobby.lobby_index import LobbyIndex, find_seek_terms
from mastermind_server.matches.names import distinguish
from mastermind_server.matches.ratings import (
    add_first_rating,
    check_rated_name,
    counts_for_ratings,
    find_rating,
)
from mastermind_server.matches.tables.match_log import make_log_row
from mastermind_server.storage.records import (
    Projection,
    make_archived_match,
    make_own_match,
    make_projection,
)
from mastermind_server.storage.rows import RowTaken
from mastermind_server.storage.statements.lobby import (
    MatchSearch,
    NewMatch,
    OpponentFound,
    find_waiting,
    open_match,
)
from mastermind_server.storage.statements.log import find_request
from mastermind_server.storage.statements.matches import list_archive, list_public, list_running
from mastermind_server.storage.statements.presence import NO_PRESENCE, PresenceRow

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from mastermind_protocol.requests import (
        Archive,
        Challenge,
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

MAX_SEARCHED = 500  # of the last matches, to list public ones or those with connected players

_T = TypeVar("_T")
_PHASES = {"waiting": (Phase.GATHERING,), "running": (Phase.SETTING, Phase.BREAKING)}


class Lobby:
    """The handlers of requests that open, find, join, follow or list matches.

    Each pushes its answer to the peer. Raises Refused and StorageFailed.
    """

    def __init__(self, tables: Tables, presence: Presence, services: Services) -> None:
        self._tables, self._presence, self._services = tables, presence, services
        self._index = LobbyIndex(tables, services)

    async def open(self, call: Call[Open]) -> None:
        """Open the requested match, and answer with its log."""
        await self.open_with(call, make_first_events(call.player, call.request))

    async def open_with(
        self, call: Call[Open] | Call[Challenge], events: tuple[AnyEvent, ...]
    ) -> str:
        """Open a match that begins with `events`, and answer with its log. Return its code."""
        self._check_followed(call.peer)
        rated = await add_first_rating(self._services, events, call.player)
        return await self._open_match(call, rated)

    async def follow_earlier(self, call: Call[Challenge]) -> bool:
        """Answer with the log of the match that the same request opened; return if there is one."""
        earlier = await self._find_earlier_match(call.player, call.key)
        if earlier is not None:
            await self._follow_match(call.peer, call.request.id, earlier)
        return earlier is not None

    async def seek(self, call: Call[Seek]) -> None:
        """Join the oldest suitable public lobby, or open one. Answer with its log.

        People are paired with people, and programs with programs.
        """
        peer, player, request, key, _ = call
        self._check_followed(peer)
        opened = make_sought_match(player, request)
        terms = find_seek_terms(opened, player)
        tried, store = set[str](), self._services.store
        while True:
            if earlier := await self._find_earlier_match(player, key):
                await self._follow_match(peer, request.id, earlier)
                return
            wanted = MatchSearch(terms, request.seat, tried | self._index.claimed)
            elsewhere = None
            if store.shared:
                elsewhere = await store.read(find_waiting, wanted, self._presence.node)
            if code := self._index.find_oldest(wanted, player.id, elsewhere):
                tried.add(code)
                if await self._try_join(call, code):
                    return
                continue
            seat = request.seat or self._services.random.choice(list(Seat))
            events = (opened, Joined(player=distinguish(player), seat=seat))
            rated = await add_first_rating(self._services, events, player)
            try:
                await self._open_match(call, rated, wanted)
            except OpponentFound:
                continue  # a lobby at another node is suitable now
            return

    async def join(self, call: Call[Join] | Call[Rematch], code: str) -> None:
        """Take the free seat, unless the player has a seat already, and answer with the log."""
        peer, player, request, key, _ = call
        self._check_followed(peer, code)
        async with self._tables.use(code) as table:
            table.check_client(peer)
            await _take_seat(self._services, table, player, key)
            await self._follow_table(table, peer, request.id)

    async def follow(self, call: Call[Follow]) -> None:
        """Answer with a page of the log after version `request.v`.

        With the last page, subscribe the peer.
        """
        peer, _, request, _, _ = call
        self._check_followed(peer, request.match)
        await self._follow_match(peer, request.id, request.match, request.v)

    async def unfollow(self, peer: Peer, code: str) -> None:
        """Unsubscribe a peer from a match."""
        if code not in peer.followed:
            return
        async with self._tables.use(code) as table:
            table.unfollow(peer)

    async def rematch(self, call: Call[Rematch]) -> int:
        """Offer a rematch, or accept the opponent's offer, and answer with the log of the rematch.

        Return the number of rounds of the rematch.
        """
        peer, player, request, key, _ = call
        self._check_followed(peer)
        async with self._tables.use(request.match) as table:
            if table.log.state.rematch is None or table.log.state.seat_of(player.id) is None:
                await self._offer_rematch(table, player, key)
            offered, rounds = table.log.state.rematch, table.log.state.opened.rounds
        if offered is not None:
            await self.join(call, offered)
        return rounds

    async def list_matches(self, call: Call[ListMatches]) -> None:
        """Answer with up to MAX_LISTED public matches: lobbies or, by `request.what`, running ones.

        A match is listed while a player follows it, or any client if two bots play.
        """
        peer, _, request, _, _ = call
        phases = _PHASES[request.what]
        found = await self._services.store.read(list_public, phases, MAX_SEARCHED)
        free = [match for match in found if match.phase != Phase.GATHERING or not match.reserved]
        presence = await self._presence.find([match.match for match in free])
        followed = {
            match.match: match
            for match in free
            if _is_followed(match, presence.get(match.match, NO_PRESENCE))
        }
        chosen = set(self._order_fairly(followed, presence)[:MAX_LISTED])
        listed = tuple(_make_listed(match) for code, match in followed.items() if code in chosen)
        peer.push(encode(Listing(id=request.id, matches=listed)))

    async def list_archive(self, call: Call[Archive]) -> None:
        """Answer with up to MAX_ARCHIVED finished matches of the player, or of another player."""
        peer, player, request, _, _ = call
        found = await self._services.store.read(
            list_archive,
            request.player or player.id,
            request.before,
            limit=MAX_ARCHIVED + 1,
            search=None if request.player is None else MAX_SEARCHED,
        )
        if found is None:
            raise Refused(Reason.NOT_IN_ARCHIVE, field="before", match=str(request.before))
        page = tuple(make_archived_match(row) for row in found[:MAX_ARCHIVED])
        peer.push(encode(Archived(id=request.id, matches=page, more=len(found) > len(page))))

    async def list_own(self, call: Call[ListOwn]) -> None:
        """Answer with up to MAX_OWN unfinished matches of the player."""
        peer, player, request, _, _ = call
        found = await self._services.store.read(
            list_running, player.id, search=MAX_SEARCHED, limit=MAX_OWN + 1
        )
        presence = await self._presence.find([match.row.match for match in found[:MAX_OWN]])
        own = tuple(
            make_own_match(
                match, self._find_disconnect_time(match, presence.get(match.row.match, NO_PRESENCE))
            )
            for match in found[:MAX_OWN]
        )
        peer.push(encode(OwnMatches(id=request.id, matches=own, more=len(found) > MAX_OWN)))

    async def unfollow_all(self, peer: Peer) -> None:
        """Unsubscribe a peer from all matches, after its connection has ended."""
        for code in list(peer.followed):
            await self.unfollow(peer, code)

    def _find_disconnect_time(self, found: RunningMatch, presence: PresenceRow) -> int | None:
        """Return the time when the opponent disconnected, in milliseconds since 1970.

        If this node does not know that time, return the time of the match's last change. Return
        None if the opponent is connected or a bot, or the seat is free.
        """
        table, opponent = self._tables.get(found.row.match), found.row.opponent_id
        if opponent is None or opponent in presence.players:
            return None
        seconds = table.followers.count_absent_seconds(opponent) if table else None
        if seconds is None:
            return found.changed
        return self._services.clock.unix_milliseconds() - int(1000 * seconds)

    async def _follow_match(self, peer: Peer, request: int, code: str, after: int = 0) -> None:
        async with self._tables.use(code, after) as table:
            await self._follow_table(table, peer, request, after)

    async def _follow_table(self, table: Table, peer: Peer, request: int, after: int = 0) -> None:
        if not table.followers:  # a table without followers has no presence of other nodes
            await self._presence.read_elsewhere(table.log.code)
            if table.log.state.has_live_clock:
                await (
                    table.end_time()
                )  # gives back the time of an outage, before the player sees it
        table.follow(peer, request, after)

    def _order_fairly(self, codes: Iterable[str], presence: Mapping[str, PresenceRow]) -> list[str]:
        """Return the codes in an order that alternates between players and addresses.

        This way the matches of one player or address cannot fill a list. All matches without a
        connected player count as matches of the same player.
        """
        players = {code: next(iter(presence[code].players), None) for code in codes}
        by_player = round_robin(players, players.__getitem__)
        return round_robin(by_player, lambda code: self._index.find_address(code) or players[code])

    async def _open_match(
        self,
        call: Call[Open] | Call[Seek] | Call[Challenge],
        events: tuple[AnyEvent, ...],
        wanted: MatchSearch | None = None,
    ) -> str:
        """Store the first row of a new match, which has `events`, and answer with its log.

        Return the code of the match.

        Raises Refused if the player or its address has too many lobbies, and OpponentFound if
        another node has a lobby that matches `wanted`.
        """
        peer, player, _, key, _ = call
        store = self._services.store
        node = self._presence.node if store.shared else None
        state = fold(events)
        seated = state.seat_of(player.id) is not None
        presence = PresenceRow((player.id,)) if seated else PresenceRow(spectators=1)
        if state.is_bots_only:
            self._services.followed.check_bot_match_limit(peer.address, self._services.limiter)
        if state.phase is Phase.GATHERING:
            try:
                self._index.check_limits(player.id, peer.address)
            except Refused:
                if (earlier := await self._find_earlier_match(player, key)) is None:
                    raise
                await self._follow_match(peer, key.id, earlier)
                return earlier
        while True:
            code = self._services.draw_match_code()
            row, projection = self._make_first_row(code, events, player.id, key)
            with (
                self._presence.override_while_opening(code, presence),
                self._index.add_while_opening(code, peer.address, row.at, state),
            ):
                try:
                    new_match = NewMatch(row, projection, presence)
                    await store.write_locking(open_match, new_match, node, wanted)
                except RowTaken:
                    if (earlier := await self._find_earlier_match(player, key)) is None:
                        continue  # another match has this code: draw again
                    code = earlier
                await self._follow_match(peer, key.id, code)
            return code

    async def _find_earlier_match(self, player: Player, key: RequestKey) -> str | None:
        """Return the code of the match that the same request opened or joined before, or None."""
        earlier = await self._services.store.read(find_request, player.id, key)
        return earlier[0] if earlier else None

    def _make_first_row(
        self, code: str, events: tuple[AnyEvent, ...], player: str, key: RequestKey
    ) -> tuple[LogRow, Projection]:
        """Return the first row of a new match, and its projection."""
        now = self._services.clock.unix_milliseconds()
        first = make_log_row(code, 1, now, events, player, key)
        return first, make_projection(code, fold(events), 1, now, self._services.abandon_days)

    async def _try_join(self, call: Call[Seek], code: str) -> bool:
        """Join the lobby `code` and answer with its log, or return False if it cannot be joined."""
        peer, player, request, key, _ = call
        with self._index.claim_lobby(code):
            if not await self._index.wait_until_opened(code):
                return False
            async with self._tables.use(code) as table:
                if table.log.state.seat_of(player.id) is not None:
                    await table.read_new_rows()  # it may have ended at another node
                    if table.log.state.phase is Phase.FINISHED:
                        return False
                try:
                    await _take_seat(self._services, table, player, key, request.seat)
                except (
                    Refused,
                    RowTaken,
                ):  # another player, or another request of this one, took the seat
                    return False
                if request.seat not in (None, table.log.state.seat_of(player.id)):
                    return False
                await self._follow_table(table, peer, request.id)
                return True

    async def _offer_rematch(self, table: Table, player: Player, key: RequestKey) -> None:
        while True:
            code = self._services.draw_match_code()
            offer = OfferRematch(code)
            if refusal := refuse(table.log.state, offer, player.id):
                raise refusal
            events = make_rematch_events(table.log.code, table.log.state, player)
            events = await add_first_rating(self._services, events, player)
            new_match = self._make_first_row(code, events, player.id, key)
            try:
                await table.perform(offer, player.id, new_match=new_match)
            except RowTaken:
                continue  # another match has this code: draw again
            except Refused:
                if table.log.state.rematch is None:
                    raise
            return  # offered, here or by the opponent at the same moment

    def _check_followed(self, peer: Peer, code: str | None = None) -> None:
        if code in peer.followed:
            return
        limiter = self._services.limiter
        limiter.check_count("followed", len(peer.followed), Reason.TOO_MANY_FOLLOWED)
        table = self._tables.get(code) if code else None
        self._services.followed.check_limits(peer.address, limiter, table.log if table else None)


async def _take_seat(
    services: Services, table: Table, player: Player, key: RequestKey, seat: Seat | None = None
) -> None:
    """Take a seat for the player, unless it has one. Raises Refused and StorageFailed."""
    state = table.log.state
    if state.seat_of(player.id) is None:
        rating, counts = None, True
        if state.opened.rated:
            await check_rated_name(services, player)
            rating = await find_rating(services, state.rules.name, player.id)
            for opponent in state.players:
                counts = await counts_for_ratings(services, player.id, opponent.id)
        try:
            seated = distinguish(player, table.log.state.players)
            await table.perform(TakeSeat(seated, seat, rating, counts), player.id, key=key)
        except Refused:  # after reading rows of other nodes, which may have seated the player
            if table.log.state.seat_of(player.id) is None:
                raise


def round_robin(items: Iterable[_T], group: Callable[[_T], Hashable]) -> list[_T]:
    """Return the first item of each group, then the second of each group, and so on."""
    seen: Counter[Hashable] = Counter()
    ranked: list[tuple[int, _T]] = []
    for item in items:
        key = group(item)
        ranked.append((seen[key], item))
        seen[key] += 1
    ranked.sort(key=itemgetter(0))
    return [item for _, item in ranked]


def _is_followed(match: MatchRecord, presence: PresenceRow) -> bool:
    """Return whether a player follows the match, or a spectator follows a match of two bots."""
    return bool(presence.players) or (match.bots_only and presence.spectators > 0)


def _make_listed(match: MatchRecord) -> Listed:
    return Listed(
        match=match.match,
        rules=match.rules,
        rounds=match.rounds,
        phase=Phase(match.phase),
        maker=match.maker,
        breaker=match.breaker,
        bots=tuple(map(Seat, match.bots.split())),
        rated=bool(match.rated),  # SQLite has numbers
        clock=match.clock,
    )
