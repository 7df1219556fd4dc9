"""What is written to the log, the chat and the projections, as part of a session's transaction."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.storage.requests import ReusedId, Stamp
from mastermind_server.storage.rows import ChatRow, LogRow, RowTaken
from mastermind_server.storage.schema import archive, chat, log, matches, running

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.dialects import postgresql, sqlite

    from mastermind_server.storage.database import Session
    from mastermind_server.storage.records import Projection

    Insert = sqlite.Insert | postgresql.Insert


def append(session: Session, rows: Sequence[LogRow], projections: Sequence[Projection]) -> None:
    """Append rows, all or none, and replace what is kept beside their logs.

    Raises RowTaken or ReusedId if one of them cannot be.
    """
    if len(rows) == 1:
        _append_alone(session, rows[0])
    else:
        with session.transaction():
            for row in rows:
                _append_alone(session, row)
    for projection in projections:
        _replace(session, projection)


def append_chat(session: Session, row: ChatRow, forget: int) -> None:
    """Append a line, and forget its room's up to number `forget`; raises as `append` does."""
    statement = _write_insert(session.insert, chat, log)
    if session.run(statement, asdict(row)).rowcount != 1:
        _check_stamp(session, row, own=chat, other=log)
        raise RowTaken(row.match, row.room, row.n)
    if forget > 0:
        session.run(_FORGET, {"match": row.match, "room": row.room, "n": forget})


def _append_alone(session: Session, row: LogRow) -> None:
    statement = _write_insert(session.insert, log, chat)
    if session.run(statement, row._asdict()).rowcount != 1:
        _check_stamp(session, row, own=log, other=chat)
        raise RowTaken(row.match, row.version)


def _check_stamp(session: Session, row: LogRow | ChatRow, own: sa.Table, other: sa.Table) -> None:
    """Raise ReusedId if a row that cannot be is that way for its id was another request's."""
    if row.player is None or row.request is None:
        return
    asked = {"player": row.player, "request": row.request}
    for table in (own, other):
        for (digest,) in session.run(_DIGESTS[table.name], asked):
            if table is other:
                raise ReusedId
            Stamp(row.request, row.digest).check(digest)


def _replace(session: Session, projection: Projection) -> None:
    session.run(write_replacement(session.insert, matches), projection.record._asdict())
    session.run(_DELETE_RUNNING, {"match": projection.record.match})
    for row in projection.running:
        session.run(_INSERT_RUNNING, row._asdict())
    for kept in projection.archived:
        session.run(_INSERT_ARCHIVED, kept._asdict() | {"tries": json.dumps(kept.tries)})


@cache
def _write_insert(
    insert: Callable[[sa.Table], Insert], table: sa.Table, other: sa.Table
) -> sa.ClauseElement:
    """Return what inserts a row, unless one is in its place or its request is in the `other`."""
    values = {column.name: sa.bindparam(column.name, type_=column.type) for column in table.c}
    asked = (other.c.player == values["player"]) & (other.c.request == values["request"])
    fresh = sa.select(*values.values()).where(~sa.exists().where(asked))
    return insert(table).from_select(list(values), fresh).on_conflict_do_nothing()


@cache
def write_replacement(insert: Callable[[sa.Table], Insert], table: sa.Table) -> sa.ClauseElement:
    """Return what inserts a row, or replaces the one that has its key."""
    statement = insert(table)
    keys = [column.name for column in table.primary_key]
    return statement.on_conflict_do_update(index_elements=keys, set_=statement.excluded)


def _write_digest_query(table: sa.Table) -> sa.ClauseElement:
    asked = (table.c[name] == sa.bindparam(name) for name in ("player", "request"))
    return sa.select(table.c.digest).where(*asked)


_DIGESTS = {table.name: _write_digest_query(table) for table in (log, chat)}
_FORGET = sa.delete(chat).where(
    chat.c.match == sa.bindparam("match"),
    chat.c.room == sa.bindparam("room"),
    chat.c.n <= sa.bindparam("n"),
)
_DELETE_RUNNING = sa.delete(running).where(running.c.match == sa.bindparam("match"))
_INSERT_RUNNING = sa.insert(running)
_INSERT_ARCHIVED = sa.insert(archive)
