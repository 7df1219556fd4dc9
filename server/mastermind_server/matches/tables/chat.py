"""The chat of one match: two rooms, kept in the store and shown by `views.may_read`."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.chat import MAX_CHAT_SHOWN, ROOMS, ChatLine, Room, check_chat
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
    from collections.abc import Awaitable, Callable, Iterable

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
    """The chat of one match. Only of what can still be shown at once is there a copy in memory.

    Nobody can fill a room: beyond so many lines its oldest line goes when another is said. The
    state of the match decides about the room and who may read it. What is said is no part of the
    match: its version stays what it is.
    """

    __slots__ = ("_counts", "_followers", "_lock", "_log", "_rows", "_services")

    def __init__(
        self,
        log: MatchLog,
        rows: Iterable[ChatRow],
        followers: Followers,
        services: Services,
    ) -> None:
        self._log, self._followers, self._services = log, followers, services
        self._lock = asyncio.Lock()
        self._counts: Counter[str] = Counter()  # the number of each room's last line
        self._rows: dict[tuple[str, int], deque[ChatRow]] = {}  # by room and round
        for row in rows:
            self._keep(row)

    @property
    def lines(self) -> int:
        """How many lines are in memory."""
        return sum(map(len, self._rows.values()))

    async def say(self, call: Call[Say], read_log: ReadLog) -> None:
        """Keep what a follower says, answer it, and tell it to all who may read it.

        It is on disk then. A request that was done before is only answered, as long as its line is
        kept. Before what others have said is told, the match has to `read_log`: it tells who may
        read that. Raises Refused or StorageFailed; nothing was said then.
        """
        peer, player, request, key = call
        text = check_chat(request.text, request.phrase)
        async with self._lock:
            while (said := await self._services.store.read(find_line, player.id, key)) is None:
                try:
                    said = await self._append(call, text)
                except RowTaken:
                    await self._read_on(read_log)
                else:
                    self._tell(said, peer)
                    break
            if said.n > self._counts[said.room]:  # by way of another node, as others before it
                await self._read_on(read_log)
        if said.match != self._log.code:
            raise ReusedId  # a line of an older version, which told nothing of its request
        peer.push(encode(Said(match=self._log.code, line=_line(said), id=request.id)))

    def lacks(self, newest: LogHead) -> bool:
        """Tell whether one of the rooms has more lines than are known here."""
        counts = self._counts
        return newest.players > counts["players"] or newest.spectators > counts["spectators"]

    async def read_on(self, read_log: ReadLog) -> None:
        """Take up, and tell, what was said by way of other nodes. Raises StorageFailed."""
        async with self._lock:
            await self._read_on(read_log)

    def greet(self, peer: Peer) -> None:
        """Tell a peer that has begun to follow the last of what was said and it may read."""
        for room in ROOMS:
            self._send_last(peer, room)

    def reveal(self, before: Match) -> None:
        """Tell the players the last of what they may read now but might not before."""
        after = self._log.state
        if len(after.played) == len(before.played) and after.phase is not Phase.FINISHED:
            return
        for peer in self._followers.seated:
            self._send_last(peer, "spectators", before)

    async def _append(self, call: Call[Say], text: str | None) -> ChatRow:
        peer, player, request, key = call
        match = self._log.state
        room: Room = "players" if match.seat_of(player.id) else "spectators"
        self._check(peer, player, match)
        row = ChatRow(
            match=self._log.code,
            room=room,
            n=self._counts[room] + 1,
            round=match.round_number,
            at=self._services.clock.time_of_day(),
            player=player.id,
            name=_find_name(player, match),
            text=text,
            phrase=request.phrase,
            request=key.id,
            digest=key.digest,
        )
        await self._services.store.write(append_chat, row, forget=row.n - self._lines_kept)
        self._keep(row)
        return row

    @property
    def _lines_kept(self) -> int:
        return self._services.limiter.limits.chat_lines

    def _check(self, peer: Peer, player: Player, match: Match) -> None:
        if peer not in self._followers:
            raise Refused(Reason.NOT_FOLLOWED, field="match")
        if player.id in match.left:
            raise Refused(Reason.YOU_HAVE_LEFT)

    async def _read_on(self, read_log: ReadLog) -> None:
        """Take up, and tell, what others wrote."""
        rows = await self._services.store.read(
            read_chat, self._log.code, self._counts["players"], self._counts["spectators"]
        )
        if rows:
            await read_log()
        for row in rows:
            self._keep(row)
            if _has_words(row):
                self._tell(row, None)

    def _keep(self, row: ChatRow) -> None:
        self._counts[row.room] = row.n
        for rows in self._list_rounds(row.room):
            while rows and rows[0].n <= row.n - self._lines_kept:
                rows.popleft()
        if not _has_words(row):
            return
        rows = self._rows.setdefault((row.room, row.round), deque(maxlen=MAX_CHAT_SHOWN))
        rows.append(row)

    def _list_rounds(self, room: Room) -> list[deque[ChatRow]]:
        return [rows for (of, _), rows in self._rows.items() if of == room]

    def _tell(self, row: ChatRow, sayer: Peer | None) -> None:
        frame = encode(Said(match=self._log.code, line=_line(row)))
        for peer in self._followers.seated:
            if peer is not sayer and _may_read(row, self._log.state, peer):
                peer.push(frame)
        self._followers.watching.tell(frame, sayer)

    def _send_last(self, peer: Peer, room: Room, before: Match | None = None) -> None:
        """Send the last lines of a room that the peer may read, but might not `before`."""
        rows = [
            row
            for row in chain.from_iterable(self._list_rounds(room))
            if _may_read(row, self._log.state, peer)
            and not (before and _may_read(row, before, peer))
        ]
        if rows:
            lines = tuple(_line(row) for row in rows[-MAX_CHAT_SHOWN:])
            peer.push(encode(Chat(match=self._log.code, lines=lines)))


def _has_words(row: ChatRow) -> bool:
    """Tell whether there is more of a line than its number: whoever said it may be forgotten."""
    return row.text is not None or row.phrase is not None


def _find_name(player: Player, match: Match) -> str:
    """Return by what name somebody speaks: who has a seat by that of the seat, as it was told.

    Two who sit opposite may both have come by the same other name since.
    """
    for seated in match.players:
        if seated.id == player.id:
            return seated.name
    return distinguish(player, match.players).name


def _may_read(row: ChatRow, match: Match, peer: Peer) -> bool:
    return may_read(row.room, row.round, match, peer.player.id if peer.player else None)


def _line(row: ChatRow) -> ChatLine:
    return ChatLine(
        room=row.room, n=row.n, by=row.player, name=row.name, text=row.text, phrase=row.phrase
    )
