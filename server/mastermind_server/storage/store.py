"""What is kept: the event log and what is made of it, what was said, and the players.

Writes go through one group-committing thread (`writer`), the append by the bare driver: it is
the one hot statement, and SQLAlchemy's share of it would be most of a move's cost. Everything
else is SQLAlchemy Core; reads have connections of their own, which WAL lets run beside a write.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Player
from mastermind_server.limits import RETRY_SECONDS
from mastermind_server.storage import inserts
from mastermind_server.storage.database import FAILURES, Database, explain
from mastermind_server.storage.records import ArchiveRow, MatchRecord, RunningMatch, RunningRow
from mastermind_server.storage.rows import ChatRow as ChatRow
from mastermind_server.storage.rows import LogRow as LogRow
from mastermind_server.storage.rows import RowTaken as RowTaken
from mastermind_server.storage.schema import archive, chat, log, matches, players, running
from mastermind_server.storage.writer import StorageFailed, Writer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy.engine import Connection, Engine

    from mastermind_protocol.match import Phase
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.requests import Stamp

_LOG = logging.getLogger(__name__)


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
        alone = rows[0] if len(rows) == 1 and not projections else None
        await self._writer.write(
            lambda connection: inserts.append(connection, rows, projections), alone
        )

    async def read_log(self, match: str, after: int = 0, most: int | None = None) -> list[LogRow]:
        """Return the rows of a match with a version greater than `after`, in order: the first."""
        query = sa.select(*(log.c[name] for name in LogRow._fields)).where(
            log.c.match == match, log.c.version > after
        )
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
        await self._writer.write(lambda connection: inserts.append_chat(connection, row, forget))

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
    table: sa.Table, record: type[MatchRecord | ArchiveRow | RunningRow | ChatRow]
) -> list[sa.Column[Any]]:
    return [table.c[field.name] for field in fields(record)]


def _fetch(engine: Engine, query: sa.Select[Any]) -> Sequence[sa.RowMapping]:
    with engine.connect() as connection:
        return connection.execute(query).mappings().all()


def _execute(connection: Connection, statement: sa.Executable) -> None:
    connection.execute(statement)
