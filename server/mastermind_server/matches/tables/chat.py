"""The chat of one match: a room of the players, and one of the spectators."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.chat import MAX_CHAT_LINES_SHOWN, ROOMS, ChatLine, Room, normalise_chat
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Chat, Said
from mastermind_server.matches.names import distinguish
from mastermind_server.matches.tables.views import may_read
from mastermind_server.storage.idempotency import ReusedId
from mastermind_server.storage.rows import ChatRow, RowTaken
from mastermind_server.storage.statements.log import append_chat, find_line, read_chat

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match
    from mastermind_protocol.requests import Say
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Followers, Peer
    from mastermind_server.matches.tables.match_log import MatchLog
    from mastermind_server.services import Services
    from mastermind_server.storage.rows import LogHead

    ReadLog: TypeAlias = Callable[[], Awaitable[None]]


class MatchChat:
    """The chat of one match, in two rooms: one of the players, and one of the spectators.

    A room has at most `Limits.chat_lines` lines: a new line then deletes the oldest one. Only lines
    that a new follower could receive are in memory. `views.may_read` decides who can read a line. A
    chat line does not change the version of the match.
    """

    __slots__ = ("_counts", "_followers", "_last", "_lock", "_log", "_rows", "_services")

    def __init__(
        self,
        log: MatchLog,
        rows: Iterable[ChatRow],
        followers: Followers,
        services: Services,
    ) -> None:
        self._log, self._followers, self._services = log, followers, services
        self._lock = asyncio.Lock()
        self._counts: Counter[str] = Counter()  # the number of the last line of each room
        self._last: dict[str, ChatRow] = {}  # the last line of each room
        self._rows: dict[tuple[str, int], deque[ChatRow]] = {}  # by room and round
        for row in rows:
            self._add_row(row)

    @property
    def line_count(self) -> int:
        """The number of lines of both rooms in memory."""
        return sum(map(len, self._rows.values()))

    async def say(self, call: Call[Say], read_log: ReadLog) -> None:
        """Store a follower's line, send it to its readers, and answer the request.

        A repeated request stores no second line: the answer is the stored line. `read_log` reads
        new rows of the match. It is called before lines of other nodes are sent, because the state
        of the match decides who can read them. Raises Refused and StorageFailed.
        """
        peer, player, request, key, _ = call
        text = normalise_chat(request.text, request.phrase)
        async with self._lock:
            while (said := await self._services.store.look_up(find_line, player.id, key)) is None:
                try:
                    said = await self._store_line(call, text)
                except RowTaken:
                    await self._read_new_lines(read_log)
                else:
                    self._send_line(said, peer)
                    break
            if said.n > self._counts[said.room]:  # another node wrote the line
                await self._read_new_lines(read_log)
        if said.match != self._log.code:
            raise ReusedId  # an old version stored the line without a digest
        peer.push(encode(Said(match=self._log.code, line=self._make_line(said), id=request.id)))

    def lacks_lines(self, newest: LogHead) -> bool:
        """Return whether the store has lines that this node has not read.

        `newest` has the number of the last stored line of each room.
        """
        counts = self._counts
        return newest.players > counts["players"] or newest.spectators > counts["spectators"]

    async def is_stored(self) -> bool:
        """Return whether the store has the last line of each room. Raises StorageFailed."""
        rows = await self._services.store.look_up(read_chat, self._log.code)
        return all(last in rows for last in self._last.values())

    async def read_new(self, read_log: ReadLog) -> None:
        """Read the new lines of other nodes, and send them to readers. Raises StorageFailed.

        If there are new lines, `read_log` is called first. It reads new rows of the match, because
        the state of the match decides who can read a line.
        """
        async with self._lock:
            await self._read_new_lines(read_log)

    def send_last_lines(self, peer: Peer) -> None:
        """Send the last readable lines of both rooms to a new follower, in the order of time.

        At most MAX_CHAT_LINES_SHOWN lines of a room are sent.
        """
        lines = (self._list_room_lines(peer, room) for room in ROOMS)
        self._send_lines(peer, [*merge(*lines, key=lambda row: row.at)])

    def reveal_lines(self, before: Match) -> None:
        """Send to the players the spectators' lines that have become readable since `before`.

        `before` is an earlier state of the match. Each player receives at most the last
        MAX_CHAT_LINES_SHOWN of these lines.
        """
        after = self._log.state
        if len(after.played) == len(before.played) and after.phase is not Phase.FINISHED:
            return
        for peer in self._followers.seated:
            self._send_lines(peer, self._list_room_lines(peer, "spectators", before))

    async def _store_line(self, call: Call[Say], text: str | None) -> ChatRow:
        peer, player, request, key, _ = call
        match = self._log.state
        room: Room = "players" if match.seat_of(player.id) else "spectators"
        self._check_author(peer, player, match)
        row = ChatRow(
            match=self._log.code,
            room=room,
            n=self._counts[room] + 1,
            round=match.round_number,
            at=self._services.clock.unix_milliseconds(),
            player=player.id,
            name=_find_author_name(player, match),
            text=text,
            phrase=request.phrase,
            request=key.id,
            digest=key.digest,
        )
        self._services.store.check_epoch(self._log.epoch)
        await self._services.store.write(append_chat, row, delete_until=row.n - self._lines_kept)
        if row.n > self._lines_kept:
            self._services.limiter.exceeded["chat_lines"] += 1
        self._add_row(row)
        return row

    @property
    def _lines_kept(self) -> int:
        return self._services.limiter.limits.chat_lines

    def _check_author(self, peer: Peer, player: Player, match: Match) -> None:
        if peer not in self._followers:
            raise Refused(Reason.NOT_FOLLOWED, field="match")
        if match.is_entry:
            raise Refused(Reason.CONTEST_WITHOUT_CHAT, field="match")
        if player.id in match.departed:
            raise Refused(Reason.YOU_HAVE_LEFT)

    async def _read_new_lines(self, read_log: ReadLog) -> None:
        self._services.store.check_epoch(self._log.epoch)
        rows = await self._services.store.look_up(
            read_chat, self._log.code, self._counts["players"], self._counts["spectators"]
        )
        if rows:
            await read_log()
        for row in rows:
            self._add_row(row)
            if _has_content(row):
                self._send_line(row, None)

    def _add_row(self, row: ChatRow) -> None:
        self._counts[row.room], self._last[row.room] = row.n, row
        for rows in self._list_rows_by_round(row.room):
            while rows and rows[0].n <= row.n - self._lines_kept:
                rows.popleft()
        if not _has_content(row):
            return
        rows = self._rows.setdefault((row.room, row.round), deque(maxlen=MAX_CHAT_LINES_SHOWN))
        rows.append(row)

    def _list_rows_by_round(self, room: Room) -> list[deque[ChatRow]]:
        return [rows for (name, _), rows in self._rows.items() if name == room]

    def _send_line(self, row: ChatRow, author: Peer | None) -> None:
        message = encode(Said(match=self._log.code, line=self._make_line(row)))
        for peer in self._followers.seated:
            if peer is not author and _may_read(row, self._log.state, peer):
                peer.push(message)
        self._followers.watching.broadcast(message, author)

    def _list_room_lines(
        self, peer: Peer, room: Room, before: Match | None = None
    ) -> list[ChatRow]:
        """Return the last MAX_CHAT_LINES_SHOWN lines of a room that the peer can read.

        If `before`, an earlier state of the match, is given, omit lines that the peer could read
        then.
        """
        rows = [
            row
            for row in chain.from_iterable(self._list_rows_by_round(room))
            if _may_read(row, self._log.state, peer)
            and not (before and _may_read(row, before, peer))
        ]
        return rows[-MAX_CHAT_LINES_SHOWN:]

    def _send_lines(self, peer: Peer, rows: Sequence[ChatRow]) -> None:
        for start in range(0, len(rows), MAX_CHAT_LINES_SHOWN):
            lines = tuple(map(self._make_line, rows[start : start + MAX_CHAT_LINES_SHOWN]))
            peer.push(encode(Chat(match=self._log.code, lines=lines)))

    def _make_line(self, row: ChatRow) -> ChatLine:
        return ChatLine(
            room=row.room, n=row.n, by=row.player, name=row.name, text=row.text, phrase=row.phrase,
            v=self._log.find_version_at(row.at), at=max(0, row.at - self._log.rows[0].at),
        )  # fmt: skip


def _has_content(row: ChatRow) -> bool:
    """Return whether a line has content. Lines of deleted players have none."""
    return row.text is not None or row.phrase is not None


def _find_author_name(player: Player, match: Match) -> str:
    """Return the name that chat lines show for `player`, distinct from other names in the match."""
    for seated in match.players:
        if seated.id == player.id:
            return seated.name
    return distinguish(player, match.players).name


def _may_read(row: ChatRow, match: Match, peer: Peer) -> bool:
    return may_read(row.room, row.round, match, peer.player.id if peer.player else None)
