"""One running match on this node: decide, append, evolve, show.

Commands take their turn under a lock. What a command causes is on disk before anybody is told,
and if somebody else has written meanwhile (another node, or this one before a reload), the table
reads on and decides again: the log's primary key is the judge, not this object.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.breaker import BreakerView, see
from mastermind_protocol.codec import decode_events, encode, encode_events
from mastermind_protocol.commands import Command, Guess, Leave, TakeAdvice, decide, refuse
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Advised, Forfeit, Seat
from mastermind_protocol.match import Match, Phase, fold, is_advised
from mastermind_protocol.messages import MAX_ROWS, Happened, Listed, Log, Row
from mastermind_server.archive import ArchiveRow, archive_match
from mastermind_server.bots.runner import find_fixed
from mastermind_server.followers import Followers
from mastermind_server.requests import ReusedId
from mastermind_server.store import LogRow, MatchRecord, RowTaken
from mastermind_server.talk import Talk
from mastermind_server.views import show
from mastermind_server.writer import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_protocol.events import AnyEvent, Player
    from mastermind_server.house import House
    from mastermind_server.peer import Peer
    from mastermind_server.requests import Stamp
    from mastermind_server.store import ChatRow

_LOG = logging.getLogger(__name__)
_RETRY_SECONDS = 1.0  # before a bot's move that could not be saved is tried again


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the log in memory: what happened, and whose request it was."""

    version: int
    events: tuple[AnyEvent, ...]
    player: str | None
    stamp: Stamp | None


class Table:
    """A match and those who follow it. Made from the rows of its log, of which there is one.

    `chat` is what was said there; `talk` is where more is.
    """

    def __init__(
        self,
        code: str,
        rows: Sequence[LogRow],
        chat: Sequence[ChatRow],
        house: House,
        bots_done: Callable[[str], None],
    ) -> None:
        self.code = code
        self._house = house
        self._bots_done = bots_done
        self._lock = asyncio.Lock()
        self._bot_task: asyncio.Task[None] | None = None
        self._entries = [_entry(row) for row in rows]
        self.state = fold(event for entry in self._entries for event in entry.events)
        self._followers = Followers(code, house, self._look)
        self.talk = Talk(code, chat, house, self._followers, self._look)

    @property
    def version(self) -> int:
        """The version of the last row."""
        return len(self._entries)

    @property
    def idle(self) -> bool:
        """Nobody follows and no bot is at work: what is in memory can be dropped."""
        return not self._followers and self._bot_task is None

    @property
    def present(self) -> tuple[str, ...]:
        """The ids of the seated players who follow from some connection."""
        return self._followers.present

    @property
    def listed(self) -> Listed:
        """What lists show of the match."""
        match = self.state
        seated = {seat: match.in_seat(seat) for seat in Seat}
        return Listed(
            match=self.code,
            rules=match.rules.name,
            rounds=match.opened.rounds,
            phase=match.phase,
            maker=match.maker.name if match.maker else None,
            breaker=match.breaker.name if match.breaker else None,
            bots=tuple(seat for seat, player in seated.items() if player and player.is_bot),
            rated=match.opened.rated,
        )

    async def command(
        self,
        command: Command,
        by: str,
        *,
        stamp: Stamp | None = None,
        version: int | None = None,
        asker: Peer | None = None,
        beside: tuple[LogRow, MatchRecord] | None = None,
    ) -> Entry:
        """Do what the player `by` asks; returns its row, which is on disk, and shows it to all.

        A request that was done before is not done again: by its `stamp` its row is found, and
        returned. `version` is the one the player knows. `asker` is sent the event as the answer to
        its request.
        `beside` is the first row of another match that must begin in the same commit. Raises
        Refused or StorageFailed, or RowTaken if the code of that match is another's; nothing
        has changed then.
        """
        try:
            return await self._command(command, by, stamp, version, asker, beside)
        except _MakerFailed as failed:
            await self._forfeit(failed.bot, Forfeit.FAILED)
            raise Refused(
                ErrorCode.WRONG_PHASE, f"{failed.bot.name} could not answer and has left the match"
            ) from failed

    async def _command(
        self,
        command: Command,
        by: str,
        stamp: Stamp | None,
        version: int | None,
        asker: Peer | None,
        beside: tuple[LogRow, MatchRecord] | None,
    ) -> Entry:
        async with self._lock:
            while True:
                if done := self._find_request(by, stamp):
                    self._acknowledge(done, asker)
                    return done
                answered = await self._answer(command, by, version)
                outcome = decide(self.state, answered, by)
                if isinstance(outcome, Refused):
                    raise outcome
                self._check_version(version)
                entry = Entry(self.version + 1, outcome, by, stamp)
                after = fold(outcome, self.state)
                try:
                    await self._append(entry, after, beside)
                except RowTaken:
                    if not await self._read_on():
                        await self._refuse_reused(by, stamp or (beside and beside[0].stamp))
                        raise
                else:
                    self._apply(entry, after, asker)
                    return entry

    async def take_advice(self, by: str, stamp: Stamp, version: int) -> BreakerView:
        """Tell all that the player `by` takes advice; return the view that it is about.

        Once it is told it may be asked for again, until the guess. Raises as `command` does.
        """
        if self._find_request(by, stamp) is None and is_advised(self.state, by):
            self._check_version(version)
            return see(self.seen_by(by))
        try:
            entry = await self.command(TakeAdvice(), by, stamp=stamp, version=version)
        except Refused:
            if is_advised(self.state, by):  # by another connection of the player, just now
                self._check_version(version)
            raise
        if entry.events != (Advised(by=by),):
            raise ReusedId
        return see(self.seen_by(by, entry.version))

    def seen_by(self, player: str, version: int | None = None) -> Match:
        """Return the match, at a version or as it is, as the player with this id may see it."""
        entries = self._entries[:version]
        return fold(event for entry in entries for event in show(entry.events, player))

    def follow(self, peer: Peer, request: int, after: int) -> None:
        """Send the log after a version; from its end on, the peer is sent what happens.

        Raises Refused for a version that the log has not reached: it is not the log it was.
        """
        if after > self.version:
            self._check_version(after)
        viewer = peer.player.id if peer.player else None
        missing = self._entries[after : after + MAX_ROWS]
        rows = tuple(Row(entry.version, show(entry.events, viewer)) for entry in missing)
        more = after + MAX_ROWS < self.version
        if not more:
            self._followers.add(peer)
        log = Log(
            id=request,
            match=self.code,
            rows=rows,
            present=self._followers.present,
            absent=self._followers.absent,
            spectators=self._followers.spectators,
            more=more,
        )
        peer.push(encode(log))
        if not more:
            self.talk.greet(peer)

    def unfollow(self, peer: Peer) -> None:
        """Send this peer no more; the others are told if a seated player is gone by that."""
        self._followers.remove(peer)

    def wake(self) -> None:
        """See to it that a bot whose turn it is plays."""
        mover = self.state.to_move
        if mover is not None and mover.bot is not None and self._bot_task is None:
            self._bot_task = asyncio.create_task(self._play_bots(), name=f"bots of {self.code}")

    def stop(self) -> None:
        """Interrupt the bots; their turn is still theirs when the match is next loaded."""
        self._followers.stop()
        if self._bot_task is not None:
            self._bot_task.cancel()

    def _look(self) -> Match:
        return self.state

    async def _answer(self, command: Command, by: str, version: int | None) -> Command:
        """Let a codemaker that keeps no code say by which one it answers; raises Refused."""
        match = self.state
        if not isinstance(command, Guess) or match.current is None or match.maker is None:
            return command
        if match.current.commitment is not None:
            return command
        if refusal := refuse(match, command, by):
            raise refusal
        self._check_version(version)
        maker = match.maker
        try:
            held = await self._house.bots.dodge(self.seen_by(maker.id), maker, command.code)
        except Exception as error:
            _LOG.exception("match %s: the bot %s failed and forfeits", self.code, maker.name)
            raise _MakerFailed(maker) from error
        return Guess(command.code, held)

    async def _append(
        self, entry: Entry, after: Match, beside: tuple[LogRow, MatchRecord] | None
    ) -> None:
        now = self._house.now()
        asked = entry.stamp or (None, None)
        row = LogRow(
            self.code, entry.version, now, encode_events(entry.events), entry.player, *asked
        )
        rows, records = [row], []
        listed = record(self.code, after, now)
        if listed != record(self.code, self.state, now):
            records.append(listed)
        if beside is not None:
            rows.append(beside[0])
            records.append(beside[1])
        archived: tuple[ArchiveRow, ...] = ()
        if after.phase is Phase.FINISHED and self.state.phase is not Phase.FINISHED:
            archived = archive_match(self.code, after, now)
        await self._house.store.append(*rows, records=records, archived=archived)

    def _check_version(self, version: int | None) -> None:
        if version is not None and version != self.version:
            raise Refused(
                ErrorCode.STALE_VERSION,
                f"the match is at version {self.version}, not {version}: follow it first",
                field="v",
                limit=self.version,
            )

    def _find_request(self, player: str, stamp: Stamp | None) -> Entry | None:
        """Return the row that a request caused; raises ReusedId if it was another one's."""
        if stamp is None:
            return None
        for entry in reversed(self._entries):
            if entry.stamp and entry.stamp.id == stamp.id and entry.player == player:
                stamp.check(entry.stamp.digest)
                return entry
        return None

    async def _read_on(self) -> bool:
        """After a lost race: take up what others wrote. Tell whether there was anything."""
        rows = await self._house.store.read_log(self.code, self.version)
        for row in rows:
            entry = _entry(row)
            self._apply(entry, fold(entry.events, self.state), None)
        return bool(rows)

    async def _refuse_reused(self, player: str, stamp: Stamp | None) -> None:
        """Raise ReusedId if a row that an older version has kept is this request's."""
        if stamp is not None and await self._house.store.find_request(player, stamp):
            raise ReusedId

    def _apply(self, entry: Entry, after: Match, asker: Peer | None) -> None:
        before, self.state = self.state, after
        self._entries.append(entry)
        frames: dict[str | None, bytes] = {}
        for peer in self._followers:
            if peer is asker:
                continue
            viewer = peer.player.id if peer.player and self.state.seat_of(peer.player.id) else None
            if viewer not in frames:
                frames[viewer] = self._frame(entry, viewer)
            peer.push(frames[viewer])
        self._acknowledge(entry, asker)
        if before.phase is Phase.GATHERING:
            self._followers.refresh()  # one of them may have sat down
        self.talk.reveal(before)
        self.wake()

    def _acknowledge(self, entry: Entry, asker: Peer | None) -> None:
        if asker is not None:
            request = entry.stamp.id if entry.stamp else None
            asker.push(self._frame(entry, entry.player, request))

    def _frame(self, entry: Entry, viewer: str | None, request: int | None = None) -> bytes:
        """Return the frame that tells a viewer of an entry; with a `request`, its answer."""
        events = show(entry.events, viewer)
        return encode(Happened(match=self.code, v=entry.version, events=events, id=request))

    async def _play_bots(self) -> None:
        """Play for the bots until it is a person's turn or the match is over."""
        try:
            while (mover := self.state.to_move) is not None and mover.bot is not None:
                try:
                    await self._play_bot(mover)
                except StorageFailed:
                    await asyncio.sleep(_RETRY_SECONDS)
        finally:
            self._bot_task = None
            self._bots_done(self.code)

    async def _play_bot(self, bot: Player) -> None:
        version = self.version
        try:
            setting = self.state.phase is Phase.SETTING  # nobody else is to have what is fixed
            fixed = find_fixed(self.state, bot) if setting else None
            command = await self._house.bots.choose_move(self.seen_by(bot.id), bot, fixed)
            await self.command(command, bot.id, version=version)
        except StorageFailed:
            raise
        except Refused as refusal:
            if refusal.code != ErrorCode.STALE_VERSION and self.version == version:
                await self._forfeit(bot, Forfeit.ILLEGAL)
        except Exception:
            _LOG.exception("match %s: the bot %s failed and forfeits", self.code, bot.name)
            await self._forfeit(bot, Forfeit.FAILED)

    async def _forfeit(self, bot: Player, why: Forfeit) -> None:
        with contextlib.suppress(Refused):  # the match is over, or the bot has left it
            await self.command(Leave(why), bot.id)


class _MakerFailed(Exception):
    """A codemaker that keeps no code could not answer."""

    def __init__(self, bot: Player) -> None:
        super().__init__(bot.name)
        self.bot = bot


def record(code: str, state: Match, now: int) -> MatchRecord:
    """Return what lists show of a match in this state."""
    return MatchRecord(
        match=code,
        rules=state.rules.name,
        rounds=state.opened.rounds,
        public=state.opened.public,
        phase=state.phase,
        maker=state.maker.name if state.maker else None,
        breaker=state.breaker.name if state.breaker else None,
        changed=now,
    )


def _entry(row: LogRow) -> Entry:
    return Entry(row.version, decode_events(row.events), row.player, row.stamp)
