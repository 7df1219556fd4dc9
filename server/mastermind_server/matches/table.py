"""One running match on this node: decide, append, evolve, show.

Commands take their turn under a lock. What a command causes is on disk before anybody is told,
and if somebody else has written meanwhile (another node, or this one before a reload), the table
reads on and decides again: the log's primary key is the judge, not this object.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_protocol.breaker import BreakerView, see
from mastermind_protocol.codec import encode, encode_events
from mastermind_protocol.commands import Command, Guess, TakeAdvice, decide, refuse
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Advised, Forfeit, Seat
from mastermind_protocol.match import Match, Phase, fold, is_advised
from mastermind_protocol.messages import MAX_ROWS, Happened, Listed, Log, Row
from mastermind_server.bots.worker_pool import CannotThink
from mastermind_server.matches.bot_driver import Driver
from mastermind_server.matches.chat import Talk
from mastermind_server.matches.followers import Followers
from mastermind_server.matches.history import READ_AT_ONCE, Entry, read_entries
from mastermind_server.matches.views import show
from mastermind_server.storage.archive import ArchiveRow, archive_match
from mastermind_server.storage.requests import ReusedId
from mastermind_server.storage.store import LogRow, MatchRecord, RowTaken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_protocol.events import Player
    from mastermind_server.matches.peer import Peer
    from mastermind_server.services import Services
    from mastermind_server.storage.requests import Stamp
    from mastermind_server.storage.store import ChatRow

_LOG = logging.getLogger(__name__)


class Table:
    """A match and those who follow it; `load_table` makes one from its log.

    `chat` is what was said there; `talk` is where more is. `stale` tells that the log may have
    more than what is in memory.
    """

    def __init__(
        self,
        code: str,
        entries: list[Entry],
        state: Match,
        chat: Sequence[ChatRow],
        services: Services,
        bots_done: Callable[[str], None],
    ) -> None:
        self.code, self.state, self.stale = code, state, False
        self._entries, self._services = entries, services
        self._lock = asyncio.Lock()
        self._driver = Driver(self, services, bots_done)
        self._seen: dict[str, tuple[int, Match]] = {}  # what bots and the advised see, by version
        self._followers = Followers(code, services, self._look)
        self.talk = Talk(code, chat, services, self._followers, self._look)

    @property
    def version(self) -> int:
        """The version of the last row."""
        return len(self._entries)

    @property
    def idle(self) -> bool:
        """Nobody follows and no bot is at work: what is in memory can be dropped."""
        return not self._followers and not self._driver.at_work

    @property
    def followed(self) -> bool:
        """Whether somebody follows, in a seat or not."""
        return bool(self._followers)

    @property
    def is_show(self) -> bool:
        """Whether it is a match of two bots, for people to look on at."""
        players = self.state.players
        return bool(players) and all(player.bot is not None for player in players)

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
            await self._driver.forfeit(failed.bot, Forfeit.FAILED)
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
                except asyncio.CancelledError:
                    self.stale = True  # nobody will know whether the row was written
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
            return see(await self.seen_by(by))
        try:
            entry = await self.command(TakeAdvice(), by, stamp=stamp, version=version)
        except Refused:
            if is_advised(self.state, by):  # by another connection of the player, just now
                self._check_version(version)
            raise
        if entry.events != (Advised(by=by),):
            raise ReusedId
        return see(await self.seen_by(by, entry.version))

    async def seen_by(self, player: str, version: int | None = None) -> Match:
        """Return the match, at a version or as it is, as the player with this id may see it."""
        end = self.version if version is None else version
        at, seen = self._seen.get(player, (0, None))
        if at > end:
            at, seen = 0, None
        for number, entry in enumerate(self._entries[at:end], 1):
            seen = fold(show(entry.events, player), seen)
            if number % READ_AT_ONCE == 0:
                await asyncio.sleep(0)
        if seen is None:
            raise ValueError(f"match {self.code} has no version {end}")
        self._seen[player] = (end, seen)
        return seen

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
            self.wake()  # two bots may have waited for somebody to look on
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
        self._driver.wake()

    def stop(self) -> None:
        """Interrupt the bots; their turn is still theirs when the match is next loaded."""
        self._followers.stop()
        self._driver.stop()

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
            seen = await self.seen_by(maker.id)
            held = await self._services.bots.dodge(seen, maker, command.code)
        except CannotThink:
            raise  # it is not the bot's fault
        except Exception as error:
            _LOG.exception("match %s: the bot %s failed and forfeits", self.code, maker.name)
            raise _MakerFailed(maker) from error
        return Guess(command.code, held)

    async def _append(
        self, entry: Entry, after: Match, beside: tuple[LogRow, MatchRecord] | None
    ) -> None:
        now = self._services.now()
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
        await self._services.store.append(*rows, records=records, archived=archived)

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
        before = self.version
        async for entry, after in read_entries(
            self._services.store, self._services.clock, self.code, before, self.state
        ):
            self._apply(entry, after, None)
        return self.version > before

    async def _refuse_reused(self, player: str, stamp: Stamp | None) -> None:
        """Raise ReusedId if a row that an older version has kept is this request's."""
        if stamp is not None and await self._services.store.find_request(player, stamp):
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


async def load_table(
    code: str, services: Services, bots_done: Callable[[str], None]
) -> Table | None:
    """Return the table of a match, or None if there is no such match. Raises StorageFailed."""
    entries, state = [], None
    async for entry, after in read_entries(services.store, services.clock, code):
        entries.append(entry)
        state = after
    if state is None:
        return None
    chat = await services.store.read_chat(code)
    return Table(code, entries, state, chat, services, bots_done)
