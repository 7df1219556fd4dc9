"""What is kept: the event log and what is made of it, what was said, and the players.

Writes go through one group-committing thread (`writer`), the append by the bare driver: it is
the one hot statement, and SQLAlchemy's share of it would be most of a move's cost. Everything
else is SQLAlchemy Core; reads have connections of their own, which WAL lets run beside a write.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Player
from mastermind_server.limits import RETRY_SECONDS
from mastermind_server.storage.database import FAILURES, Database, explain
from mastermind_server.storage.records import ArchiveRow, MatchRecord, RunningMatch, RunningRow
from mastermind_server.storage.requests import ReusedId, Stamp
from mastermind_server.storage.schema import archive, chat, log, matches, players, running
from mastermind_server.storage.writer import StorageFailed, Writer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy.engine import Connection, Engine

    from mastermind_protocol.chat import Room
    from mastermind_protocol.match import Phase
    from mastermind_server.storage.records import Projection

_LOG = logging.getLogger(__name__)
_APPEND = (
    "INSERT INTO log (match, version, at, events, player, request, digest)"
    " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7"
    " WHERE NOT EXISTS (SELECT 1 FROM chat WHERE player = ?5 AND request = ?6)"
    " ON CONFLICT DO NOTHING"
)


class RowTaken(Exception):
    """Somebody else's row has this number, or this very request was done already."""


@dataclass(frozen=True, slots=True)
class LogRow:
    """One row of the log: one command's events. `at` is in milliseconds since 1970.

    `player`, `request` and `digest` tell whose request it was; a bot's move is nobody's.
    """

    match: str
    version: int
    at: int
    events: bytes
    player: str | None = None
    request: int | None = None
    digest: bytes | None = None

    @property
    def stamp(self) -> Stamp | None:
        """The stamp of the request that caused it."""
        return None if self.request is None else Stamp(self.request, self.digest)


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One line that was said during a round, the `n`-th of its room. `at` is as in `LogRow`."""

    match: str
    room: Room
    n: int
    round: int
    at: int
    player: str
    name: str
    text: str | None
    phrase: int | None
    request: int
    digest: bytes | None = None


class Store:
    """What is kept in a SQLite file. Made by `Store.open`, on a running event loop.

    Whatever reads or writes raises StorageFailed when the file or the disk fails.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writer = Writer(database.writing)

    @classmethod
    async def open(cls, path: Path) -> Store:
        """Open or make the file; raises as `Database` does."""
        return cls(await asyncio.to_thread(Database, path))

    async def close(self) -> None:
        """Finish what is being written and let go of the file."""
        await self._writer.close()
        self._database.close()

    async def append(self, *rows: LogRow, projections: Sequence[Projection] = ()) -> None:
        """Put the rows on disk, all or none; returns when they are there.

        `projections` replace what is kept of these matches beside their logs, in the same commit;
        what their players keep of a finished one stays. Raises RowTaken if one of the rows cannot
        be, for its version is taken or its request was done before, and ReusedId if its id was
        another request's.
        """
        await self._writer.write(lambda connection: _append(connection, rows, projections))

    async def read_log(self, match: str, after: int = 0, most: int | None = None) -> list[LogRow]:
        """Return the rows of a match with a version greater than `after`, in order: the first."""
        query = sa.select(*_columns(log, LogRow)).where(log.c.match == match, log.c.version > after)
        found = await self._read(query.order_by(log.c.version).limit(most))
        return [LogRow(**row) for row in found]

    async def find_request(self, player: str, stamp: Stamp) -> tuple[str, int] | None:
        """Return match and version of the row that this request of the player caused.

        Raises ReusedId if the row's request was another one.
        """
        query = sa.select(log.c.match, log.c.version, log.c.digest).where(
            log.c.player == player, log.c.request == stamp.id
        )
        found = await self._read(query)
        if not found:
            return None
        stamp.check(found[0]["digest"])
        return found[0]["match"], found[0]["version"]

    async def has_moved(self, player: str, match: str) -> bool:
        """Tell whether a row of the match is the player's, as one of whoever has a seat is."""
        query = sa.select(log.c.version).where(log.c.match == match, log.c.player == player)
        return bool(await self._read(query.limit(1)))

    async def list_public(self, *phases: Phase, limit: int) -> list[MatchRecord]:
        """Return the public matches in these phases, the last changed first."""
        query = (
            sa.select(*_columns(matches, MatchRecord))
            .where(matches.c.public, matches.c.phase.in_(phases))
            .order_by(matches.c.changed.desc())
            .limit(limit)
        )
        return [MatchRecord(**row) for row in await self._read(query)]

    async def list_archive(
        self, player: str, before: str | None = None, *, limit: int
    ) -> list[ArchiveRow] | None:
        """Return a player's finished matches, the newest first, or those `before` one of them.

        None if that one is not the player's.
        """
        query = sa.select(*_columns(archive, ArchiveRow)).where(archive.c.player == player)
        place = sa.tuple_(archive.c.at, archive.c.match)
        if before is not None:
            found = await self._read(query.where(archive.c.match == before))
            if not found:
                return None
            query = query.where(place < sa.tuple_(sa.literal(found[0]["at"]), sa.literal(before)))
        query = query.order_by(archive.c.at.desc(), archive.c.match.desc()).limit(limit)
        return [ArchiveRow(**row) for row in await self._read(query)]

    async def list_running(self, player: str, *, search: int, limit: int) -> list[RunningMatch]:
        """Return a player's matches that are not over: those that wait for it, then the newest.

        Of very many, those among the last `search` whose phase changed.
        """
        mine = sa.select(*_columns(running, RunningRow)).where(running.c.player == player)
        last = mine.order_by(running.c.at.desc()).limit(search).subquery()
        rows = log.alias()
        version = sa.select(sa.func.max(rows.c.version)).where(rows.c.match == last.c.match)
        newest = (log.c.match == last.c.match) & (log.c.version == version.scalar_subquery())
        query = sa.select(last, log.c.version, log.c.at.label("changed"))
        query = query.select_from(last.join(log, newest))
        query = query.order_by(last.c.turn.desc(), log.c.at.desc(), last.c.match).limit(limit)
        found = []
        for columns in map(dict, await self._read(query)):
            version, changed = columns.pop("version"), columns.pop("changed")
            found.append(RunningMatch(RunningRow(**columns), version, changed))
        return found

    async def append_chat(self, row: ChatRow, *, forget: int = 0) -> None:
        """Put a line on disk, and forget its room's up to number `forget`; returns when it is done.

        Raises RowTaken if it cannot be, for its number is taken or its request was done before, and
        ReusedId if its id was another request's.
        """
        await self._writer.write(lambda connection: _append_chat(connection, row, forget))

    async def read_chat(self, match: str) -> list[ChatRow]:
        """Return what was said at a match, each room's lines in order."""
        query = sa.select(*_columns(chat, ChatRow)).where(chat.c.match == match)
        return [ChatRow(**row) for row in await self._read(query.order_by(chat.c.room, chat.c.n))]

    async def find_said(self, player: str, stamp: Stamp) -> ChatRow | None:
        """Return the line that this request of the player caused.

        Raises ReusedId if the line's request was another one.
        """
        query = sa.select(*_columns(chat, ChatRow))
        found = await self._read(query.where(chat.c.player == player, chat.c.request == stamp.id))
        if not found:
            return None
        stamp.check(found[0]["digest"])
        return ChatRow(**found[0])

    async def add_player(self, player: Player, token: bytes, created: int) -> None:
        """Keep a new player; `token` is the SHA-256 of the token."""
        statement = sa.insert(players).values(
            id=player.id, name=player.name, token=token, created=created, program=player.program
        )
        await self._writer.write(lambda connection: _execute(connection, statement))

    async def change_player(self, player: Player) -> None:
        """Keep the name that a player now goes by, and that it is a program, if it is one."""
        statement = sa.update(players).where(players.c.id == player.id)
        changed = {"name": player.name, **({"program": True} if player.program else {})}
        statement = statement.values(changed)
        await self._writer.write(lambda connection: _execute(connection, statement))

    async def find_player(self, token: bytes) -> Player | None:
        """Return the player whose token has this SHA-256, as it was kept last."""
        query = sa.select(players.c.id, players.c.name, players.c.program)
        found = await self._read(query.where(players.c.token == token))
        return Player(**found[0]) if found else None

    async def _read(self, query: sa.Select[Any]) -> Sequence[sa.RowMapping]:
        try:
            return await asyncio.to_thread(_fetch, self._database.reading, query)
        except FAILURES as error:
            _LOG.error("the database could not be read: %s", explain(error))
            raise StorageFailed(Reason.NOT_READ, retry_after=RETRY_SECONDS) from error


def _columns(
    table: sa.Table, record: type[LogRow | MatchRecord | ArchiveRow | RunningRow | ChatRow]
) -> list[sa.Column[Any]]:
    return [table.c[field.name] for field in fields(record)]


def _fetch(engine: Engine, query: sa.Select[Any]) -> Sequence[sa.RowMapping]:
    with engine.connect() as connection:
        return connection.execute(query).mappings().all()


def _execute(connection: Connection, statement: sa.Executable) -> None:
    connection.execute(statement)


def _append(
    connection: Connection, rows: Sequence[LogRow], projections: Sequence[Projection]
) -> None:
    driver = _driver(connection)
    if len(rows) == 1:
        _insert(driver, rows[0])
    else:
        with connection.begin_nested():
            for row in rows:
                _insert(driver, row)
    for projection in projections:
        _replace(connection, projection)


def _replace(connection: Connection, projection: Projection) -> None:
    values = asdict(projection.record)
    statement = sqlite.insert(matches).values(values)
    connection.execute(statement.on_conflict_do_update(index_elements=["match"], set_=values))
    connection.execute(sa.delete(running).where(running.c.match == projection.record.match))
    for row in projection.running:
        connection.execute(sa.insert(running).values(asdict(row)))
    for kept in projection.archived:
        connection.execute(sa.insert(archive).values(asdict(kept)))


def _driver(connection: Connection) -> sqlite3.Connection:
    return cast("sqlite3.Connection", connection.connection.driver_connection)


def _append_chat(connection: Connection, row: ChatRow, forget: int) -> None:
    values = asdict(row)
    answered = sa.exists().where(log.c.player == row.player, log.c.request == row.request)
    fresh = sa.select(*(sa.literal(value, chat.c[name].type) for name, value in values.items()))
    statement = sqlite.insert(chat).from_select(list(values), fresh.where(~answered))
    if connection.execute(statement.on_conflict_do_nothing()).rowcount != 1:
        _check_stamp(_driver(connection), row, own="chat", other="log")
        raise RowTaken(row.match, row.room, row.n)
    if forget > 0:
        room = (chat.c.match == row.match, chat.c.room == row.room)
        connection.execute(sa.delete(chat).where(*room, chat.c.n <= forget))


def _insert(driver: sqlite3.Connection, row: LogRow) -> None:
    values = (row.match, row.version, row.at, row.events, row.player, row.request, row.digest)
    if driver.execute(_APPEND, values).rowcount != 1:
        _check_stamp(driver, row, own="log", other="chat")
        raise RowTaken(row.match, row.version)


def _check_stamp(driver: sqlite3.Connection, row: LogRow | ChatRow, own: str, other: str) -> None:
    """Raise ReusedId if a row that cannot be is that way for its id was another request's."""
    if row.player is None or row.request is None:
        return
    asked = (row.player, row.request)
    for table in (own, other):
        query = f"SELECT digest FROM {table} WHERE player = ? AND request = ?"  # noqa: S608 - ours
        for (digest,) in driver.execute(query, asked):
            if table == other:
                raise ReusedId
            Stamp(row.request, row.digest).check(digest)
