"""One match in memory on this node, which carries out commands.

A lock serializes commands. The events of a command are on disk before any client receives them. If
another node has written the next row first, the table reads that row and decides again. The primary
key of the log lets one node write each version.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_protocol.codec import encode
from mastermind_protocol.commands import LeaveMatch, find_refusal
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.events import Guessed, Resumed
from mastermind_protocol.match import Phase, is_time_over
from mastermind_protocol.messages import MAX_ROWS, Log
from mastermind_protocol.transitions import UNTIMED, decide
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.ratings import ends_rated_match, rate_ending
from mastermind_server.matches.tables.chat import MatchChat
from mastermind_server.matches.tables.filled_lobby import FilledLobby
from mastermind_server.matches.tables.followers import Followers
from mastermind_server.matches.tables.match_log import (
    MatchLog,
    count_kept_rows,
    fold_row,
    make_log_row,
    read_rows,
)
from mastermind_server.matches.tables.row_charges import count_charged_rows
from mastermind_server.matches.tables.row_messages import answer_repeated, send_row
from mastermind_server.matches.tries import find_match_day, find_try_end, refuse_closed_day
from mastermind_server.storage.day_rows import DayNotOpen
from mastermind_server.storage.idempotency import ReusedId
from mastermind_server.storage.rating_rows import RatingsChanged
from mastermind_server.storage.records import Projection, make_projection
from mastermind_server.storage.rows import PredecessorMissing, RowTaken
from mastermind_server.storage.statements.log import find_request
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.lost_time import RETURN_MS
from mastermind_server.timekeeping.match_time import MatchTime
from mastermind_server.timekeeping.statements import list_outages

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mastermind_protocol.commands import Command
    from mastermind_protocol.events import Player
    from mastermind_protocol.requests import Say
    from mastermind_protocol.transitions import Decision, Moment
    from mastermind_server.matches.ratings import RatedEnding
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followed import FollowedMatches
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.services import Services
    from mastermind_server.storage.conditions import Condition
    from mastermind_server.storage.day_rows import TryEnd
    from mastermind_server.storage.idempotency import RequestKey
    from mastermind_server.storage.rows import ChatRow, LogRow


class Table:
    """A match with its followers and chat. `load_table` makes it from the log.

    `changed` is called when the phase or the followers have changed, and when a bot must move.
    `stale`: the store may have more rows, because this table received no notices. `rewritten`: rows
    in memory may differ from the store, because a player was deleted. `dropped`: the store has lost
    rows of this table, so another one replaces it. `drives_bots`: this node makes the bots' moves,
    because it wrote the last row, or because another node did not move in time.
    """

    __slots__ = (
        "_changed", "_filled", "_lock", "_reads_done", "_reads_started", "_services", "chat",
        "drives_bots", "dropped", "followers", "log", "rewritten", "stale", "time",
    )  # fmt: skip

    def __init__(
        self,
        log: MatchLog,
        chat: Sequence[ChatRow],
        services: Services,
        followed: FollowedMatches,
        changed: Callable[[Table], None],
    ) -> None:
        self.log = log
        self.stale = self.rewritten = self.drives_bots = self.dropped = False
        self.followers = Followers(log, services, followed)
        self.chat = MatchChat(log, chat, self.followers, services)
        self.time = MatchTime(
            log, self.followers, services.clock, services.pauses, services.random,
            shared=services.store.shared,
        )  # fmt: skip
        self._services, self._changed = services, changed
        self._lock = asyncio.Lock()
        self._reads_started = self._reads_done = 0  # numbers of reads
        self._filled = FilledLobby(log, services.clock)

    @property
    def row_count(self) -> int:
        """The number of rows and chat lines in memory."""
        return self.log.version + self.chat.line_count

    @property
    def confirmed(self) -> bool:
        """Whether the rows in memory are those of the store in its present epoch.

        While they may differ, nothing is written or read for this table.
        """
        return self.log.epoch == self._services.store.epoch

    async def confirm(self) -> int | None:
        """Compare the rows in memory with the store, after its epoch has changed.

        Return the number of rows until the first one that the store does not have, or None if the
        table is confirmed already. If the store has all rows, and the last lines of the chat, the
        table is confirmed. Raises StorageFailed.
        """
        async with self._lock:
            store, epoch = self._services.store, self._services.store.epoch
            if self.confirmed:
                return None
            kept = await count_kept_rows(store, self.log, epoch)
            if kept == self.log.version and await self.chat.is_stored():
                await self.read_outages()
                self.log.epoch = epoch
            return kept

    async def perform(
        self,
        command: Command,
        by: str,
        *,
        key: RequestKey | None = None,
        version: int | None = None,
        requester: Peer | None = None,
        new_match: tuple[LogRow, Projection] | None = None,
        conditions: Sequence[Condition] = (),
        at: float | None = None,
    ) -> LogRow:
        """Carry out a command of the player with the id `by`. Store, broadcast and return its row.

        `key` is the request's key: if a row has it, that row is returned and nothing else is done.
        `version`, if given, must be the last version. `requester` receives the row as the answer to
        its request. `new_match` is the first row of a rematch, which is stored in the same commit.
        `conditions` are checked in that commit: raises ConditionFailed, and stores nothing.

        `at` is the time when the request was read, in monotonic seconds; None is now. If a player's
        time was over at `at`, the end of the time is stored first, and usually makes the command
        illegal. With `at`, LeaveMatch is refused to a player whose lobby has just filled (see
        `FilledLobby`). Raises Refused and StorageFailed. If another match has the code of the
        rematch, raises RowTaken and does not store the command.
        """
        async with self._lock:
            while True:
                moment = UNTIMED
                if self.log.state.clock is not None:
                    moment = self.time.find_moment(at)
                    await self._settle_time(moment, for_request=True)
                try:
                    if at is not None and command.__class__ is LeaveMatch:  # isinstance is a call
                        self._filled.check_leaver(by, at)
                    decision = self._decide(command, by, version, moment)
                except Refused:
                    if earlier := self.log.find_request(by, key):  # a repeated command is illegal
                        answer_repeated(self.log, earlier, requester)
                        return earlier
                    raise
                row = await self._store_decision(
                    decision, moment, by, key, requester, new_match, conditions
                )
                if row is not None:
                    return row

    async def end_time_if_over(self) -> None:
        """Give back lost time, and end the time of the player to move if it is over.

        Raises StorageFailed, and Refused while this must wait (see `MatchTime.must_wait`).
        """
        async with self._lock:
            await self._settle_time(self.time.find_moment())

    async def give_back_time(self) -> None:
        """Give back lost time, before a new follower receives the state of the clocks.

        Time that is over is ended by `Flags`, not here. If other nodes use the store, do nothing
        after the end of time: one of these nodes may have failed, and only `Flags` reads this from
        the store. Raises StorageFailed.
        """
        async with self._lock:
            self._services.pauses.record_pause_if_late()
            moment = self.time.find_moment()
            over = is_time_over(self.log.state, moment.at, moment.credit)
            decision = self.time.decide(moment)
            if decision is None or not isinstance(decision.events[0], Resumed):
                return
            if not (over and self._services.store.shared):
                await self._store_time(decision, moment)

    async def _settle_time(self, moment: Moment, *, for_request: bool = False) -> None:
        """Store and broadcast the events that the clock of the match causes at `moment`.

        `for_request` is true if a request caused this call. Raises StorageFailed. Raises Refused
        while another node must write these events, or while an earlier request must be handled
        first.
        """
        self._services.pauses.record_pause_if_late()
        while (decision := self.time.decide(moment)) is not None:
            if self.time.must_wait(decision, moment, for_request=for_request):
                raise Refused(Reason.CLOCK_ELSEWHERE, retry_after=RETRY_SECONDS)
            await self._store_time(decision, moment)

    async def _store_time(self, decision: Decision, moment: Moment) -> None:
        """Store and broadcast the events of the clock, and count the time that they give back."""
        first = decision.events[0]
        stored = await self._store_decision(decision, moment, None, None, None, None)
        if stored and isinstance(first, Resumed):
            self._services.pauses.given_back_seconds += first.lost / 1000

    async def _store_decision(
        self,
        decision: Decision,
        moment: Moment,
        by: str | None,
        key: RequestKey | None,
        requester: Peer | None,
        new_match: tuple[LogRow, Projection] | None,
        conditions: Sequence[Condition] = (),
    ) -> LogRow | None:
        """Store and broadcast the row of a decision, with the changed ratings.

        Return None if the caller must decide again. There are two reasons: a rating has changed, or
        another node was first to write this version. The other node's row is then broadcast, too.
        Raises StorageFailed, ReusedId if `key` belongs to an earlier request, RowTaken if another
        match has the code of `new_match`, ConditionFailed, and Refused if a try ends too late.
        """
        now = self._services.clock.unix_milliseconds()
        if self.log.state.clock is not None:
            now = self.time.to_unix(moment)
        rated = ended = None
        if decision.after.outcome is not None:
            if ends_rated_match(decision):
                rated = await rate_ending(self._services, self.log.code, decision, now)
                decision = rated.decision
            elif decision.after.is_entry:
                ended = await find_try_end(self._services, self.log.rows, decision, now)
        row = make_log_row(self.log.code, self.log.version + 1, now, decision.events, by, key)
        try:
            await self._store_row(row, decision, new_match, rated, ended, conditions)
        except DayNotOpen as closed:
            day, rules = find_match_day(decision.after), decision.after.rules.name
            withdrawn = closed.withdrawn
            raise refuse_closed_day(day, rules, withdrawn=withdrawn, field="match") from None
        except RatingsChanged:
            return None  # a player has just finished another rated match
        except PredecessorMissing:
            self.log.epoch = ""  # the next use confirms the table, or drops it
            raise StorageFailed(Reason.NOT_SAVED, retry_after=RETRY_SECONDS) from None
        except RowTaken:
            if not await self._read_rows():
                if by is not None:
                    await self._check_reused(by, key or (new_match and new_match[0].key))
                raise
            return None
        except asyncio.CancelledError:
            self.stale = True  # the row may have been written
            raise
        if ended is not None:
            self._services.tries[ended.rules, "ended"] += 1
        self.drives_bots = True
        self._apply_row(row, decision, requester)
        return row

    async def read_new_rows(self, version: int | None = None) -> None:
        """Read new rows from the store and broadcast them.

        There are three reasons to read nothing: the table has the row `version`; another call has
        read the store while this call waited for the table's lock; no other node writes to the
        store. These checks are needed because clients can claim any version, and a read delays
        moves. Raises StorageFailed.
        """
        if not (self.stale or version is None or self._services.store.shared):
            return
        before = self._reads_started
        async with self._lock:
            lacks = version is None or version > self.log.version
            if self.stale or (lacks and self._reads_done <= before):
                await self._read_rows()

    def add_row(self, row: LogRow, epoch: str) -> None:
        """Add and broadcast a row that was stored in `epoch`, if it can be done now.

        It cannot if the row is not the next one, if the table is `stale` or of another epoch, or
        while a command is carried out. The row must then be read from the store.
        """
        log = self.log
        if row.version != log.version + 1 or self.stale or self._lock.locked():
            return
        if not epoch == log.epoch == self._services.store.epoch:
            return
        try:
            decision = fold_row(row, row.version, log.state, log.rows[0].at)
        except (MastermindError, ValueError, TypeError):
            return  # the read logs that the row is damaged
        self.drives_bots = False
        self._apply_row(row, decision, None)

    async def read_outages(self) -> None:
        """Read from the store the times in which servers of the match were down.

        Does nothing for a match without a clock. Raises StorageFailed.
        """
        if self.log.state.clock is not None:
            since = self.time.lost.find_turn_start() - RETURN_MS
            self.time.lost.outages = await self._services.store.look_up(
                list_outages, self.log.code, since
            )

    async def read_new_lines(self) -> None:
        """Read new chat lines of other nodes, and send them to readers. Raises StorageFailed."""
        await self.chat.read_new(self.read_new_rows)

    async def say(self, call: Call[Say]) -> None:
        """Store and send a chat line of a follower, see `MatchChat.say`."""
        await self.chat.say(call, self.read_new_rows)

    def follow(self, peer: Peer, request: int, after: int) -> None:
        """Send a page of the log after version `after`. With the last page, subscribe the peer.

        `request` is the id of the request. Raises Refused above a limit of followers, and if the
        log has no version `after`. Raises StorageFailed if the table was dropped, and if the peer
        still follows a dropped table of the match, which will disconnect it.
        """
        self.check_not_dropped()
        if self.log.code in peer.followed and peer not in self.followers:
            raise StorageFailed(Reason.NOT_READ, retry_after=RETRY_SECONDS)
        self.check_dialect(peer)
        self.followers.check_limits(peer)
        log = self.log
        if after > log.version:
            log.check_is_current(after)
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
            now=self.time.find_moment().at,
            epoch=log.epoch or None,
        )
        peer.push(encode(answer))
        if not more:
            if log.state.clock is not None:
                peer.measure_round_trip()
            self.chat.send_last_lines(peer)
            self._changed(self)

    def admit_move(self, peer: Peer, player: Player) -> int:
        """Return the number of log rows that a move of `player` is charged for.

        Raises Refused if the client does not understand the match, and for a program in a rated
        match.
        """
        opened = self.log.state.opened
        self.check_dialect(peer)
        if player.program and opened.rated:
            raise Refused(Reason.RATED_WITHOUT_PROGRAMS, field="match")
        return count_charged_rows(self.log.version, opened.rounds)

    def check_not_dropped(self) -> None:
        """Raise StorageFailed if the table was dropped."""
        if self.dropped:
            raise StorageFailed(Reason.NOT_READ, retry_after=RETRY_SECONDS)

    def check_dialect(self, peer: Peer) -> None:
        """Raise Refused if the client does not understand the events of the match."""
        if refusal := peer.dialect.find_refusal(self.log.state):
            raise refusal

    def unfollow(self, peer: Peer) -> None:
        """Unsubscribe a peer from the match."""
        self.followers.remove(peer)
        self._changed(self)

    def _decide(self, command: Command, by: str, version: int | None, moment: Moment) -> Decision:
        """Return the decision on a command. Raises Refused if it is illegal or `version` is old.

        `version` is the last version that the player `by` knows, or None. It is not old if all
        later rows only gave lost time back.
        """
        try:
            self.log.check_is_current(version)
        except Refused as stale:
            if version is None or not self.log.is_position_current(version):
                raise find_refusal(self.log.state, command, by) or stale from None
        decision = decide(self.log.state, command, by, moment)
        if isinstance(decision, Refused):
            raise decision
        return decision

    def _store_row(
        self,
        row: LogRow,
        decision: Decision,
        new_match: tuple[LogRow, Projection] | None,
        rated: RatedEnding | None,
        ended: TryEnd | None,
        conditions: Sequence[Condition],
    ) -> Awaitable[None]:
        rows, projections = [row], []
        if not isinstance(decision.events[-1], Guessed):  # such a guess changes no projection
            version, days = row.version, self._services.abandon_days
            earlier = make_projection(row.match, self.log.state, version - 1, row.at, days)
            projection = make_projection(row.match, decision.after, version, row.at, days, ended)
            if projection != earlier:
                projections.append(projection)
        if new_match is not None:
            rows.append(new_match[0])
            projections.append(new_match[1])
        store = self._services.store
        store.check_epoch(self.log.epoch)
        if rated is not None:
            return store.append_rated(row, projections, rated.rows, rated.claims)
        return store.append(*rows, projections=projections, conditions=conditions)

    async def _read_rows(self) -> bool:
        """Read and broadcast new rows. Return whether there are any."""
        log, before = self.log, self.log.version
        self._reads_started += 1
        async for row, decision in read_rows(
            self._services, log.code, log.epoch, before, log.state, log.rows[0].at
        ):
            self.drives_bots = False
            self._apply_row(row, decision, None)
        self.stale, self._reads_done = False, self._reads_started
        return log.version > before

    async def _check_reused(self, player: str, key: RequestKey | None) -> None:
        """Raise ReusedId if the store has a row of `player` with the request id of `key`."""
        if key is None:
            return
        found = await self._services.store.look_up(find_request, player, key)
        if found is not None:
            raise ReusedId

    def _apply_row(self, row: LogRow, decision: Decision, requester: Peer | None) -> None:
        before, after = self.log.state, decision.after
        self.log.append(row, after)
        if row.version == 2:
            self._filled.note_second_row()
        send_row(self.log, self.followers, row, decision.events, requester)
        if before.phase is Phase.GATHERING:
            self.followers.move_seated_players()
        self.chat.reveal_lines(before)
        mover = after.to_move
        if after.phase is not before.phase or (mover is not None and mover.bot is not None):
            self._changed(self)
