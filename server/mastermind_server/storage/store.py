"""What is kept: the event log and what is made of it, what was said, and the players.

One thread writes, group by group (`writer`), and one reads (`reader`), beside it; PostgreSQL has
another that writes what may have to wait for other nodes. What is hot goes by the bare driver, for
SQLAlchemy's share of it would be most of its cost; everything else is SQLAlchemy Core. Which
database it is, `database` knows.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import Reason
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.echo import Echo
from mastermind_server.storage.news import LOGGED_OUT, News
from mastermind_server.storage.reader import Reader
from mastermind_server.storage.registrations import Registrations
from mastermind_server.storage.rows import ChatRow, LogRow, RowTaken
from mastermind_server.storage.schema import find_revision
from mastermind_server.storage.sqlite import SqliteFile
from mastermind_server.storage.statements import (
    deadlines,
    identities,
    inserts,
    matchmaking,
    orders,
    presence,
    queries,
)
from mastermind_server.storage.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Phase
    from mastermind_server.health.histogram import Histogram
    from mastermind_server.storage.database import Database, Session
    from mastermind_server.storage.records import (
        ArchiveRow,
        MatchRecord,
        Projection,
        RunningMatch,
    )
    from mastermind_server.storage.requests import Stamp
    from mastermind_server.storage.rows import Newest
    from mastermind_server.storage.statements.matchmaking import Found, Opening, Wanted
    from mastermind_server.storage.statements.orders import Orders
    from mastermind_server.storage.statements.presence import Attendance, Node

__all__ = ["ChatRow", "LogRow", "RowTaken", "Store"]


class Measures(NamedTuple):
    """What a store has done: rows of the log, failures, and how long things took.

    `telling` is from when something is on disk until nodes hear of it.
    """

    rows: int
    failures: int
    writing: Histogram
    reading: Histogram
    telling: Histogram


class Store:
    """What is kept in a database. Made by `Store.open`, on a running event loop.

    Whatever reads or writes raises StorageFailed when the database or its disk fails.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._echo = Echo()
        echo = self._echo if database.shared else None  # nobody else hears of a file
        self._writer, self._reader = Writer(database, echo=echo), Reader(database)
        # What waits for other nodes' turns, no move may wait for; a file has one writer. What one
        # has locked is free again before the next may wait: moves of other nodes want it.
        self._patient = (
            Writer(database, pace=0, most=1, echo=echo, name="store-patient-writer")
            if database.shared
            else self._writer
        )
        self._writers = {self._writer, self._patient}
        self._registrations = Registrations(self._writer)

    @classmethod
    async def open(cls, place: Path | str) -> Store:
        """Open or make a SQLite file, or open a PostgreSQL database by its URL.

        Raises DatabaseUnusable, such as DatabaseLocked.
        """
        return cls(await asyncio.to_thread(open_database, place))

    @property
    def shared(self) -> bool:
        """Whether other nodes may have this database too."""
        return self._database.shared

    def listen(self, hear: Callable[[Sequence[News]], None]) -> Callable[[], None]:
        """Hear what other nodes, and this one, have put there; return what ends that.

        It is heard on the event loop. Now and then it may be lost; no news at all are heard as soon
        as one can hear, again or for the first time.
        """
        loop = asyncio.get_running_loop()

        def pass_on(news: Sequence[News]) -> None:
            self._echo.hear(news)
            loop.call_soon_threadsafe(hear, news)

        return self._database.listen(pass_on)

    async def close(self) -> None:
        """Finish what is being written and let go of the database.

        The reader goes first: of two who leave an SQLite file at once none is the last, who tidies.
        """
        self._registrations.close()
        await self._reader.close()
        await asyncio.gather(*(writer.close() for writer in self._writers))
        self._database.close()

    def append(self, *rows: LogRow, projections: Sequence[Projection] = ()) -> Awaitable[None]:
        """Put the rows on disk, all or none; to be awaited until they are there.

        `projections` replace what is kept of these matches beside their logs, in the same commit;
        what their players keep of a finished one stays. Raises RowTaken if one of the rows cannot
        be, for its version is taken or its request was done before, and ReusedId if its id was
        another request's.
        """
        alone = rows[0] if len(rows) == 1 and not projections else None
        return self._writer.write(
            lambda session: inserts.append(session, rows, projections),
            alone,
            () if alone else [News(row.match, row.version) for row in rows],
            move=True,
        )

    @property
    def wait(self) -> float:
        """For how many seconds whoever waits longest for the store has waited."""
        return max(self._reader.wait, *(writer.wait for writer in self._writers))

    async def check(self) -> int | None:
        """Return how many bytes more its disk has room for, None if only a write can tell.

        Raises StorageFailed if what is always there cannot be read; or, where only a write can
        tell, if the last one has failed: a node of many writes again and again that it is one.
        Raises OSError if the disk cannot be asked.
        """

        def read(session: Session) -> int | None:
            find_revision(session.connection)
            return self._database.find_room()

        room = await self._reader.read(read)
        if room is None and self._patient.failing:
            raise StorageFailed(Reason.NOT_SAVED)
        return room

    def measure(self) -> Measures:
        """Return what has been counted since the store was opened."""
        return Measures(
            rows=sum(writer.rows for writer in self._writers),
            failures=self._reader.failures + sum(writer.failures for writer in self._writers),
            writing=self._writer.delays,
            reading=self._reader.delays,
            telling=self._echo.delays,
        )

    async def read_log(self, match: str, after: int = 0, most: int | None = None) -> list[LogRow]:
        """Return the rows of a match with a version greater than `after`, in order: the first."""
        return await self._reader.read(
            lambda session: queries.read_log(session, match, after, most)
        )

    async def find_request(self, player: str, stamp: Stamp) -> tuple[str, int] | None:
        """Return match and version of the row that this request of the player caused.

        Raises ReusedId if the row's request was another one.
        """
        return await self._reader.read(lambda session: queries.find_request(session, player, stamp))

    async def has_moved(self, player: str, match: str | None = None) -> bool:
        """Tell whether a row of the match, or of any, is the player's.

        One of whoever has a seat is.
        """
        return await self._reader.read(lambda session: queries.has_moved(session, player, match))

    async def list_public(self, *phases: Phase, limit: int) -> list[MatchRecord]:
        """Return the public matches in these phases, the last changed first."""
        return await self._reader.read(lambda session: queries.list_public(session, phases, limit))

    async def begin(self, opening: Opening, node: str, wanted: Wanted | None = None) -> None:
        """Let a match begin that a player of this node opens; raises as `append` does.

        Or, if one is `wanted`, only if none waits at another node: raises OthersWait then. Of two
        who seek at once at two nodes, one finds the other.
        """
        here = node if self.shared else None
        await self._patient.write(
            lambda session: matchmaking.begin(session, opening, here, wanted),
            news=[News(opening.row.match, 1)],
        )

    async def find_waiting(self, wanted: Wanted, node: str) -> Found | None:
        """Return the match that waits the longest for anybody, of players at other nodes."""
        if not self.shared:
            return None
        return await self._reader.read(
            lambda session: matchmaking.find_waiting(session, wanted, node)
        )

    async def list_archive(
        self, player: str, before: str | None = None, *, limit: int
    ) -> list[ArchiveRow] | None:
        """Return a player's finished matches, the newest first, or those `before` one of them.

        None if that one is not the player's.
        """
        return await self._reader.read(
            lambda session: queries.list_archive(session, player, before, limit)
        )

    async def list_running(self, player: str, *, search: int, limit: int) -> list[RunningMatch]:
        """Return a player's matches that are not over: those that wait for it, then the newest.

        Of very many, those among the last `search` whose phase changed.
        """
        return await self._reader.read(
            lambda session: queries.list_running(session, player, search, limit)
        )

    async def append_chat(self, row: ChatRow, *, forget: int = 0) -> None:
        """Put a line on disk, and forget its room's up to number `forget`; returns when it is done.

        Raises RowTaken if it cannot be, for its number is taken or its request was done before, and
        ReusedId if its id was another request's.
        """
        await self._writer.write(
            lambda session: inserts.append_chat(session, row, forget), news=[News(row.match)]
        )

    async def read_chat(self, match: str, players: int = 0, spectators: int = 0) -> list[ChatRow]:
        """Return what was said at a match, each room's lines in order, after so many of each."""
        return await self._reader.read(
            lambda session: queries.read_chat(session, match, players, spectators)
        )

    async def find_newest(self, matches: Sequence[str]) -> list[Newest]:
        """Return how far these matches are, in one query; those that are not there are left out."""
        return await self._reader.read(lambda session: queries.find_newest(session, matches))

    async def find_said(self, player: str, stamp: Stamp) -> ChatRow | None:
        """Return the line that this request of the player caused.

        Raises ReusedId if the line's request was another one.
        """
        return await self._reader.read(lambda session: queries.find_said(session, player, stamp))

    async def write_attendances(
        self,
        node: str,
        there: Mapping[str, Attendance],
        *,
        deserted: Mapping[str, int] = MappingProxyType({}),
        attended: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Keep who follows which matches by way of a node.

        Public lobbies that nobody attends at any node end no later than at a time, which is that
        of `deserted`; those that are `attended` no sooner.
        """

        def write(session: Session) -> None:
            presence.write_attendances(session, node, there)
            deadlines.desert_lobbies(session, deserted)
            deadlines.postpone(session, attended)

        await self._patient.write(write, news=[News(match) for match in there])

    async def find_attendances(self, codes: Sequence[str], but: str) -> dict[str, Attendance]:
        """Return who follows which of these matches by way of other nodes than one."""
        return await self._reader.read(
            lambda session: presence.find_attendances(session, codes, but)
        )

    async def renew_lease(self, node: Node, seconds: float) -> bool:
        """Let a node be one for so long; tell whether it still was.

        If it was not, nothing counts of what it has written of who is there.
        """
        lease = int(1000 * seconds)
        return await self._patient.write(lambda session: presence.renew_lease(session, node, lease))

    async def end_lease(self, node: str) -> None:
        """Let a node be none, and nobody be anywhere by way of it."""
        await self._forget(lambda session: presence.end_lease(session, node))

    async def end_leases(self) -> None:
        """Forget the nodes whose lease is over, and who was anywhere by way of them."""
        await self._forget(presence.end_leases)

    async def desert_lobbies(self, due: int) -> None:
        """Let all public lobbies that nobody attends end at a time, unless they do sooner.

        A node of a database that has no others does not ask while somebody may attend one.
        """
        await self._patient.write(lambda session: deadlines.desert_all_lobbies(session, due))

    async def list_due(self, now: int, *, limit: int) -> list[str]:
        """Return the codes of the matches that are due at a time, the longest due first."""
        return await self._reader.read(lambda session: deadlines.list_due(session, now, limit))

    async def postpone(self, match: str, due: int) -> None:
        """Let a match end no sooner than at a time."""
        await self._patient.write(lambda session: deadlines.postpone(session, {match: due}))

    async def read_orders(self, after: int, now: int) -> Orders:
        """Return what the operator ordered after a number, and the bans at a time.

        The bans only if they may be others than when that number was read.
        """
        return await self._reader.read(lambda session: orders.read_orders(session, after, now))

    async def name_ban(self, hashed: str, network: str, now: int) -> None:
        """Ban a network in place of the hash by which it was banned."""
        await self._patient.write(lambda session: orders.name_ban(session, hashed, network, now))

    async def add_player(self, player: Player, token: bytes, created: int) -> None:
        """Keep a new player; `token` is the SHA-256 of the token."""
        await self._registrations.add(identities.NewPlayer(player, token, created))

    async def change_player(self, player: Player) -> None:
        """Keep the name that a player now goes by, and that it is a program, if it is one."""
        await self._writer.write(lambda session: identities.change_player(session, player))

    async def is_program(self, player: str) -> bool:
        """Tell whether the player has ever said to be a program."""
        return await self._reader.read(lambda session: identities.is_program(session, player))

    async def find_player(self, token: bytes) -> Player | None:
        """Return the player who has the token with this SHA-256, as it was kept last."""
        return await self._reader.read(lambda session: identities.find_player(session, token))

    async def count_tokens(self, player: str) -> int:
        """Return how many tokens a player has."""
        return await self._reader.read(lambda session: identities.count_tokens(session, player))

    async def find_tokens(self, digests: Collection[bytes]) -> set[bytes]:
        """Return of which of these digests there is a token."""
        return await self._reader.read(lambda session: identities.find_tokens(session, digests))

    async def revoke(self, player: str, token: bytes, *, others: bool = False) -> bool:
        """Let a player have the token with this SHA-256 no more; or let it have no other.

        Returns False, and nothing has changed, if the token is not the player's.
        """
        return await self._writer.write(
            lambda session: identities.revoke(session, player, token, others=others),
            news=[News(player, LOGGED_OUT)],
        )

    async def add_transfer(
        self, player: str, token: bytes, code: bytes, until: int, now: int
    ) -> bool:
        """Let the code with this SHA-256 be good for a token of the player, until a time.

        Returns False, and nothing has changed, if the token of who asks is not the player's.
        """
        return await self._writer.write(
            lambda session: identities.add_transfer(session, player, token, code, until, now)
        )

    async def find_transfer(self, code: bytes, now: int) -> Player | None:
        """Return the player of the code with this SHA-256, if it is good."""
        return await self._reader.read(lambda session: identities.find_transfer(session, code, now))

    async def take_transfer(
        self,
        code: bytes,
        token: bytes,
        now: int,
        change: Callable[[Player], Player] = lambda found: found,
    ) -> Player | None:
        """Give the player of a code, by its SHA-256, a token, once; None if it is nobody's.

        The player is kept and returned as it is after a `change`.
        """
        return await self._writer.write(
            lambda session: identities.take_transfer(session, code, token, now, change)
        )

    async def _forget(self, forget: Callable[[Session], Sequence[str]]) -> None:
        """Forget who was where, and tell the nodes of those matches."""
        told: list[News] = []  # which is read when all is written
        await self._patient.write(
            lambda session: told.extend(map(News, forget(session))), news=told
        )


def open_database(place: Path | str, *, hurried: bool = True) -> Database:
    """Open or make a SQLite file, or open a PostgreSQL database by its URL.

    Unless it is `hurried`, as nodes are, PostgreSQL waits as long as it takes. Raises
    DatabaseUnusable, such as DatabaseLocked.
    """
    if isinstance(place, Path):
        return SqliteFile(place)
    from mastermind_server.storage.postgresql import PostgresDatabase  # its driver is an extra

    return PostgresDatabase(place, hurried=hurried)
