"""What is written to the log, the chat and the projections, by the bare driver where it is hot.

The driver lets go of the interpreter at every statement, and the event loop takes it: what counts
is how few statements a group of moves is. So the rows of a whole group are one.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict
from functools import cache
from itertools import chain as chained
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from mastermind_server.storage.driver import compile_statement, find_driver
from mastermind_server.storage.requests import ReusedId, Stamp
from mastermind_server.storage.rows import ChatRow, LogRow, RowTaken
from mastermind_server.storage.schema import archive, chat, log, matches, players, running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from mastermind_protocol.events import Player
    from mastermind_server.storage.records import Projection

_COLUMNS = len(LogRow._fields)
_ALONE = (
    "INSERT INTO log (match, version, at, events, player, request, digest)"
    " SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7"
    " WHERE NOT EXISTS (SELECT 1 FROM chat WHERE player = ?5 AND request = ?6)"
    " ON CONFLICT DO NOTHING"
)


def append_together(driver: sqlite3.Connection, rows: Sequence[LogRow]) -> bool:
    """Append rows by one statement, in a transaction of its own unless there is one already.

    False if one of them cannot be, or they are too many for this SQLite: none is there then.
    """
    if not rows:
        return True
    size = 1 << (len(rows) - 1).bit_length()  # few statements to prepare: rows of 0 fill the last
    if size * _COLUMNS > driver.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER):
        return False  # 999 before SQLite 3.32
    values = list(chained.from_iterable(rows))
    values += [0] * _COLUMNS * (size - len(rows))
    try:
        driver.execute(_write_together(size), values)
    except (driver.IntegrityError, OverflowError, UnicodeError):
        return False
    return True


def append(
    connection: Connection, rows: Sequence[LogRow], projections: Sequence[Projection]
) -> None:
    """Append rows, all or none, and replace what is kept beside their logs.

    Raises RowTaken or ReusedId if one of them cannot be.
    """
    driver = find_driver(connection)
    if len(rows) == 1:
        _append_alone(driver, rows[0])
    else:
        with connection.begin_nested():
            for row in rows:
                _append_alone(driver, row)
    for projection in projections:
        _replace(driver, projection)


def append_chat(connection: Connection, row: ChatRow, forget: int) -> None:
    """Append a line, and forget its room's up to number `forget`; raises as `append` does."""
    values = asdict(row)
    answered = sa.exists().where(log.c.player == row.player, log.c.request == row.request)
    fresh = sa.select(*(sa.literal(value, chat.c[name].type) for name, value in values.items()))
    statement = sqlite.insert(chat).from_select(list(values), fresh.where(~answered))
    if connection.execute(statement.on_conflict_do_nothing()).rowcount != 1:
        _check_stamp(find_driver(connection), row, own="chat", other="log")
        raise RowTaken(row.match, row.room, row.n)
    if forget > 0:
        room = (chat.c.match == row.match, chat.c.room == row.room)
        connection.execute(sa.delete(chat).where(*room, chat.c.n <= forget))


def add_player(connection: Connection, player: Player, token: bytes, created: int) -> None:
    """Add a player; `token` is the SHA-256 of the token."""
    kept = (player.id, player.name, token, created, player.program)
    find_driver(connection).execute(_INSERT_PLAYER, kept)


def change_player(connection: Connection, player: Player) -> None:
    """Keep the name that a player now goes by, and that it is a program, if it is one."""
    changed = {"name": player.name, **({"program": True} if player.program else {})}
    connection.execute(sa.update(players).where(players.c.id == player.id).values(changed))


@cache
def _write_together(size: int) -> str:
    """Return the statement that appends up to `size` rows, and fails if one cannot be.

    A request that was a line of the chat has no match here, which no row may lack.
    """
    row = f"({', '.join('?' * _COLUMNS)})"
    return (
        "INSERT INTO log (match, version, at, events, player, request, digest)"  # noqa: S608 - ours
        " SELECT CASE WHEN EXISTS"
        " (SELECT 1 FROM chat WHERE player = column5 AND request = column6)"
        " THEN NULL ELSE column1 END, column2, column3, column4, column5, column6, column7"
        f" FROM (VALUES {', '.join([row] * size)}) WHERE column1 <> 0"
    )


def _append_alone(driver: sqlite3.Connection, row: LogRow) -> None:
    if driver.execute(_ALONE, row).rowcount != 1:
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


def _write_replacement(table: sa.Table) -> str:
    statement = sqlite.insert(table)
    keys = [column.name for column in table.primary_key]
    return compile_statement(
        statement.on_conflict_do_update(index_elements=keys, set_=statement.excluded)
    )


_REPLACE_RECORD = _write_replacement(matches)
_DELETE_RUNNING = compile_statement(
    sa.delete(running).where(running.c.match == sa.bindparam("match"))
)
_INSERT_PLAYER = compile_statement(sa.insert(players))
_INSERT_RUNNING = compile_statement(sa.insert(running))
_INSERT_ARCHIVED = compile_statement(sa.insert(archive))


def _replace(driver: sqlite3.Connection, projection: Projection) -> None:
    driver.execute(_REPLACE_RECORD, projection.record)
    driver.execute(_DELETE_RUNNING, (projection.record.match,))
    if projection.running:
        driver.executemany(_INSERT_RUNNING, projection.running)
    if projection.archived:
        archived = [(*kept[:-1], json.dumps(kept.tries)) for kept in projection.archived]
        driver.executemany(_INSERT_ARCHIVED, archived)
