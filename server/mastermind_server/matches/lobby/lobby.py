"""Opening, finding, joining and following matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.commands import OfferRematch, TakeSeat, find_refusal
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import AnyEvent, Joined, Player, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.transitions import fold
from mastermind_server.matches.lobby.closing import LobbyCloser
from mastermind_server.matches.lobby.first_events import (
    make_first_events,
    make_opening_event,
    make_rematch_events,
)
from mastermind_server.matches.lobby.lobby_index import LobbyIndex, find_seek_terms
from mastermind_server.matches.names import distinguish
from mastermind_server.matches.ratings import (
    add_opener_rating,
    check_rated_name,
    find_rating,
    read_pair_limit,
)
from mastermind_server.matches.tables.match_log import make_log_row
from mastermind_server.storage.conditions import ConditionFailed
from mastermind_server.storage.records import (
    Projection,
    make_projection,
)
from mastermind_server.storage.rows import RowTaken
from mastermind_server.storage.statements.lobby import (
    MatchSearch,
    NewMatch,
    NoOpponent,
    find_waiting,
    open_match,
)
from mastermind_server.storage.statements.log import find_request
from mastermind_server.storage.statements.presence import PresenceRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.requests import (
        Challenge,
        EnterDay,
        Follow,
        Join,
        Open,
        Rematch,
        Seek,
    )
    from mastermind_server.matches.contests.entries import Entries
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.conditions import Condition
    from mastermind_server.storage.day_rows import NewTry
    from mastermind_server.storage.idempotency import RequestKey
    from mastermind_server.storage.rows import LogRow


class Lobby:
    """The handlers of requests that open, find, join or follow matches.

    Each handler pushes its answer to the peer, and raises Refused and StorageFailed.
    """

    def __init__(
        self, tables: Tables, presence: Presence, services: Services, entries: Entries
    ) -> None:
        self._tables, self._presence, self._services = tables, presence, services
        self._entries = entries
        self.index = LobbyIndex(tables, services)
        self.closer = LobbyCloser(tables, self.index, services)

    async def open(self, call: Call[Open]) -> None:
        """Open the requested match, and answer with its log."""
        await self.open_with(call, make_first_events(call.player, call.request))

    async def open_with(
        self,
        call: Call[Open] | Call[Challenge] | Call[EnterDay],
        events: tuple[AnyEvent, ...],
        conditions: Sequence[Condition] = (),
        own_try: NewTry | None = None,
    ) -> str:
        """Open a match that begins with `events`, and answer with its log. Return the code.

        Raises ConditionFailed if one of `conditions` does not hold. With `own_try`, the match is
        this try at the code of a day: raises TryTaken and DayNotOpen.
        """
        self._check_follow_limits(call.peer)
        rated = await add_opener_rating(self._services, events, call.player)
        return await self._open_match(call, rated, conditions, own_try)

    async def answer_if_repeated(self, call: Call[Challenge] | Call[EnterDay]) -> bool:
        """Return whether the request is a repetition, and has already opened a match.

        If so, answer it with the log of that match.
        """
        earlier = await self._find_earlier_match(call.player, call.key)
        if earlier is not None:
            await self._follow_match(call.peer, call.request.id, earlier)
        return earlier is not None

    async def seek(self, call: Call[Seek]) -> None:
        """Join the oldest suitable public lobby, or open one. Answer with its log.

        People are paired with people, and programs with programs.
        """
        peer, player, request, key, _ = call
        self._check_follow_limits(peer)
        opened = make_opening_event(player, request)
        terms = find_seek_terms(opened, player)
        tried, store = set[str](), self._services.store
        while True:
            if earlier := await self._find_earlier_match(player, key):
                await self._follow_match(peer, request.id, earlier)
                return
            wanted = MatchSearch(terms, request.seat, tried | self.index.claimed)
            elsewhere, conditions = None, []
            if store.shared:
                conditions.append(NoOpponent(wanted, self._presence.node))
                elsewhere = await store.read(find_waiting, wanted, self._presence.node)
            if match_code := self.index.find_oldest(wanted, player.id, elsewhere):
                tried.add(match_code)
                if await self._try_join(call, match_code):
                    return
                continue
            seat = request.seat or self._services.random.choice(list(Seat))
            events = (opened, Joined(player=distinguish(player), seat=seat))
            rated = await add_opener_rating(self._services, events, player)
            try:
                await self._open_match(call, rated, conditions)
            except ConditionFailed:
                continue  # a lobby at another node is suitable now
            return

    async def join(self, call: Call[Join] | Call[Rematch], match_code: str) -> None:
        """Take the free seat, unless the player has a seat already, and answer with the log."""
        peer, player, request, key, _ = call
        self._check_follow_limits(peer, match_code)
        async with self._tables.use(match_code) as table:
            table.check_dialect(peer)
            await self._entries.admit_viewer(table, player.id)
            await self._check_offerer(table, player)
            await self._take_seat(table, player, key)
            await self._follow_table(table, peer, request.id)

    async def follow(self, call: Call[Follow]) -> None:
        """Answer with a page of the log: the rows after version `request.v`.

        If the page is the last one, subscribe the peer.
        """
        peer, _, request, _, _ = call
        await self.follow_match(peer, request.id, request.match, request.v)

    async def follow_match(self, peer: Peer, request: int, match_code: str, after: int = 0) -> None:
        """Answer the request with this id with a page of the log, as `follow` does."""
        self._check_follow_limits(peer, match_code)
        await self._follow_match(peer, request, match_code, after)

    def unfollow(self, peer: Peer, match_code: str) -> None:
        """Unsubscribe a peer from a match. Needs no store: followed tables are in memory."""
        if match_code not in peer.followed:
            return
        self._tables.keep_table(match_code)
        if table := self._tables.get(match_code):
            table.unfollow(peer)
        self._tables.release_table(match_code)

    async def rematch(self, call: Call[Rematch]) -> int:
        """Offer a rematch or accept the opponent's offer. Answer with the log of the rematch.

        Return the number of rounds of the rematch.
        """
        peer, player, request, key, _ = call
        self._check_follow_limits(peer)
        async with self._tables.use(request.match) as table:
            table.check_dialect(peer)
            if table.log.state.rematch is None or table.log.state.seat_of(player.id) is None:
                await self._offer_rematch(table, peer, player, key)
            offered, rounds = table.log.state.rematch, table.log.state.opened.rounds
        if offered is not None:
            await self.join(call, offered)
        return rounds

    def unfollow_all(self, peer: Peer) -> None:
        """Unsubscribe a peer from all matches, after its connection has ended."""
        for match_code in list(peer.followed):
            self.unfollow(peer, match_code)

    async def _follow_match(
        self, peer: Peer, request: int, match_code: str, after: int = 0
    ) -> None:
        async with self._tables.use(match_code, after) as table:
            await self._follow_table(table, peer, request, after)

    async def _follow_table(self, table: Table, peer: Peer, request: int, after: int = 0) -> None:
        if not table.followers:  # a table without followers has no presence of other nodes
            await self._presence.read_elsewhere(table.log.code)
        player = peer.player
        await self._entries.admit_viewer(table, player.id if player else None)
        mover = table.log.state.to_move
        returns = mover is not None and player is not None and mover.id == player.id
        if table.log.state.clock is not None and (returns or not table.followers):
            await table.give_back_time()
        table.follow(peer, request, after)

    async def _open_match(
        self,
        call: Call[Open] | Call[Seek] | Call[Challenge] | Call[EnterDay],
        events: tuple[AnyEvent, ...],
        conditions: Sequence[Condition] = (),
        own_try: NewTry | None = None,
    ) -> str:
        """Store the first row of a new match, with `events`, and answer with its log.

        Return the code of the match. Raises Refused if the client does not understand the match, or
        the player or its address has too many lobbies; ConditionFailed if one of `conditions` does
        not hold; and the errors of `own_try`.
        """
        peer, player, _, key, _ = call
        store = self._services.store
        node = self._presence.node if store.shared else None
        state = fold(events)
        if refusal := peer.dialect.find_refusal(state):
            raise refusal
        seated = state.seat_of(player.id) is not None
        presence = PresenceRow((player.id,)) if seated else PresenceRow(spectators=1)
        if state.is_bots_only:
            self._tables.followed.check_bot_match_limit(peer.address, self._services.limiter)
        if state.phase is Phase.GATHERING:
            try:
                self.index.check_limits(player.id, peer.address)
            except Refused:
                if (earlier := await self._find_earlier_match(player, key)) is None:
                    raise
                await self._follow_match(peer, key.id, earlier)
                return earlier
        while True:
            match_code = self._services.draw_match_code()
            row, projection = self._make_first_row(match_code, events, player.id, key)
            with (
                self._presence.override_while_opening(match_code, presence),
                self.index.add_while_opening(match_code, peer.address, row.at, state),
            ):
                try:
                    new_match = NewMatch(row, projection, presence, own_try)
                    await store.write_locking(open_match, new_match, node, conditions)
                except RowTaken:
                    if (earlier := await self._find_earlier_match(player, key)) is None:
                        continue  # another match has this code: draw again
                    match_code = earlier
                if state.phase is Phase.GATHERING:
                    await self.closer.close_if_banned(match_code, player, peer.address)
                else:
                    await self.closer.close_searches(state)
                await self._follow_match(peer, key.id, match_code)
            return match_code

    async def _find_earlier_match(self, player: Player, key: RequestKey) -> str | None:
        """Return the code of the match that the same request opened or joined earlier, or None."""
        earlier = await self._services.store.look_up(find_request, player.id, key)
        return earlier[0] if earlier else None

    def _make_first_row(
        self, match_code: str, events: tuple[AnyEvent, ...], player: str, key: RequestKey
    ) -> tuple[LogRow, Projection]:
        """Return the first log row of a new match, and the projection of the match."""
        now = self._services.clock.unix_milliseconds()
        first = make_log_row(match_code, 1, now, events, player, key)
        return first, make_projection(match_code, fold(events), 1, now, self._services.abandon_days)

    async def _try_join(self, call: Call[Seek], match_code: str) -> bool:
        """Join a lobby and answer with its log, or return False if it cannot be joined.

        Raises Refused if the client does not understand the match.
        """
        peer, player, request, key, _ = call
        with self.index.claim_lobby(match_code):
            if not await self.index.wait_until_opened(match_code):
                return False
            async with self._tables.use(match_code) as table:
                table.check_dialect(peer)
                if table.log.state.seat_of(player.id) is not None:
                    await table.read_new_rows()  # it may have ended at another node
                    if table.log.state.phase is Phase.FINISHED:
                        return False
                try:
                    await self._take_seat(table, player, key, request.seat)
                except (
                    Refused,
                    RowTaken,
                ):  # another player, or another request of this one, took the seat
                    return False
                if request.seat not in (None, table.log.state.seat_of(player.id)):
                    return False
                await self._follow_table(table, peer, request.id)
                return True

    async def _offer_rematch(
        self, table: Table, peer: Peer, player: Player, key: RequestKey
    ) -> None:
        while True:
            match_code = self._services.draw_match_code()
            offer = OfferRematch(match_code)
            if refusal := find_refusal(table.log.state, offer, player.id):
                raise refusal
            events = make_rematch_events(table.log.code, table.log.state, player)
            events = await add_opener_rating(self._services, events, player)
            new_match = self._make_first_row(match_code, events, player.id, key)
            try:
                await table.perform(offer, player.id, new_match=new_match)
            except RowTaken:
                continue  # another match has this code: draw again
            except Refused:
                if table.log.state.rematch is None:
                    raise
            await self.closer.close_if_banned(match_code, player, peer.address)
            return  # offered, here or by the opponent at the same moment

    async def _check_offerer(self, table: Table, player: Player) -> None:
        """Raise Refused if a rated challenge or rematch would begin while its sender is absent.

        The sender of a rematch may follow the match before instead: other nodes learn a little
        later that it follows the rematch.
        """
        opened, match_code = table.log.state.opened, table.log.code
        if table.log.state.phase is not Phase.GATHERING or opened.reserved != player.id:
            return
        if opened.rated:
            codes = [match_code] if opened.previous is None else [match_code, opened.previous]
            found = await self._presence.find(codes)
            present = {each for followers in found.values() for each in followers.players}
            for sender in table.log.state.players:
                if sender.id not in present:
                    raise Refused(Reason.SENDER_ABSENT, field="match", name=sender.name)

    def _check_follow_limits(self, peer: Peer, match_code: str | None = None) -> None:
        if match_code in peer.followed:
            return
        limiter = self._services.limiter
        limiter.check_count("followed", len(peer.followed), Reason.TOO_MANY_FOLLOWED)
        table = self._tables.get(match_code) if match_code else None
        self._tables.followed.check_limits(peer.address, limiter, table.log if table else None)

    async def _take_seat(
        self, table: Table, player: Player, key: RequestKey, seat: Seat | None = None
    ) -> None:
        """Give the player the seat `seat`. Raises Refused and StorageFailed.

        None means the free seat. Does nothing if the player has a seat.
        """
        services = self._services
        while table.log.state.seat_of(player.id) is None:
            state, rating, limits = table.log.state, None, []
            if state.opened.rated:
                await check_rated_name(services, player)
                rating = await find_rating(services, state.rules.name, player.id)
                limits = [await read_pair_limit(services, player.id, p.id) for p in state.players]
            counts = all(limit.counts for limit in limits)
            conditions: list[Condition] = [*limits, *await self.closer.close_if_playing(table)]
            command = TakeSeat(distinguish(player, state.players), seat, rating, counts)
            try:
                await table.perform(command, player.id, key=key, conditions=conditions)
            except ConditionFailed:
                continue  # one of the players has begun another match
            except Refused:  # after reading rows of other nodes, which may have seated the player
                if table.log.state.seat_of(player.id) is None:
                    raise
            else:
                await self.closer.close_searches(table.log.state)
            return
