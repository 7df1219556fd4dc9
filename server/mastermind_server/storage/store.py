"""What is kept: the event log and what is made of it, what was said, and the players.

One thread writes, group by group (`writer`), and one reads (`reader`), which WAL lets run beside a
write. What is hot goes by the bare driver, for SQLAlchemy's share of it would be most of its cost;
everything else is SQLAlchemy Core.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_server.storage import inserts, queries
from mastermind_server.storage.database import Database
from mastermind_server.storage.reader import Reader
from mastermind_server.storage.rows import ChatRow, LogRow, RowTaken
from mastermind_server.storage.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence
    from pathlib import Path

    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Phase
    from mastermind_server.storage.records import (
        ArchiveRow,
        Projection,
        RunningMatch,
    )
    from mastermind_server.storage.requests import Stamp

__all__ = ["ChatRow", "LogRow", "RowTaken", "Store"]


class Store:
    """What is kept in a SQLite file. Made by `Store.open`, on a running event loop.

    Whatever reads or writes raises StorageFailed when the file or the disk fails.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writer, self._reader = Writer(database.writing), Reader(database.reading)

    @classmethod
    async def open(cls, path: Path) -> Store:
        """Open or make the file; raises as `Database` does."""
        return cls(await asyncio.to_thread(Database, path))

    async def close(self) -> None:
        """Finish what is being written and let go of the file."""
        await asyncio.gather(self._writer.close(), self._reader.close())
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
            lambda connection: inserts.append(connection, rows, projections), alone
        )

    async def read_log(self, match: str, after: int = 0, most: int | None = None) -> list[LogRow]:
        """Return the rows of a match with a version greater than `after`, in order: the first."""
        return await self._reader.read(
            lambda connection: queries.read_log(connection, match, after, most)
        )

    async def find_request(self, player: str, stamp: Stamp) -> tuple[str, int] | None:
        """Return match and version of the row that this request of the player caused.

        Raises ReusedId if the row's request was another one.
        """
        return await self._reader.read(
            lambda connection: queries.find_request(connection, player, stamp)
        )

    async def has_moved(self, player: str, match: str) -> bool:
        """Tell whether a row of the match is the player's, as one of whoever has a seat is."""
        return await self._reader.read(
            lambda connection: queries.has_moved(connection, player, match)
        )

    async def list_public(self, *phases: Phase, limit: int) -> list[str]:
        """Return the codes of the public matches in these phases, the last changed first."""
        return await self._reader.read(
            lambda connection: queries.list_public(connection, phases, limit)
        )

    async def list_archive(
        self, player: str, before: str | None = None, *, limit: int
    ) -> list[ArchiveRow] | None:
        """Return a player's finished matches, the newest first, or those `before` one of them.

        None if that one is not the player's.
        """
        return await self._reader.read(
            lambda connection: queries.list_archive(connection, player, before, limit)
        )

    async def list_running(self, player: str, *, search: int, limit: int) -> list[RunningMatch]:
        """Return a player's matches that are not over: those that wait for it, then the newest.

        Of very many, those among the last `search` whose phase changed.
        """
        return await self._reader.read(
            lambda connection: queries.list_running(connection, player, search, limit)
        )

    async def append_chat(self, row: ChatRow, *, forget: int = 0) -> None:
        """Put a line on disk, and forget its room's up to number `forget`; returns when it is done.

        Raises RowTaken if it cannot be, for its number is taken or its request was done before, and
        ReusedId if its id was another request's.
        """
        await self._writer.write(lambda connection: inserts.append_chat(connection, row, forget))

    async def read_chat(self, match: str) -> list[ChatRow]:
        """Return what was said at a match, each room's lines in order."""
        return await self._reader.read(lambda connection: queries.read_chat(connection, match))

    async def find_said(self, player: str, stamp: Stamp) -> ChatRow | None:
        """Return the line that this request of the player caused.

        Raises ReusedId if the line's request was another one.
        """
        return await self._reader.read(
            lambda connection: queries.find_said(connection, player, stamp)
        )

    async def add_player(self, player: Player, token: bytes, created: int) -> None:
        """Keep a new player; `token` is the SHA-256 of the token."""
        await self._writer.write(
            lambda connection: inserts.add_player(connection, player, token, created)
        )

    async def change_player(self, player: Player) -> None:
        """Keep the name that a player now goes by, and that it is a program, if it is one."""
        await self._writer.write(lambda connection: inserts.change_player(connection, player))

    async def find_player(self, token: bytes) -> Player | None:
        """Return the player whose token has this SHA-256, as it was kept last."""
        return await self._reader.read(lambda connection: queries.find_player(connection, token))
