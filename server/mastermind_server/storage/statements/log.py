"""The log and the chat: appending rows, reading them, and finding the row of a request."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict, fields
from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_protocol.chat import ROOMS
from mastermind_protocol.codec import decode_events
from mastermind_protocol.events import Guessed
from mastermind_server.storage.conditions import check_conditions
from mastermind_server.storage.idempotency import RequestKey, ReusedId
from mastermind_server.storage.notices import MatchChanged, RowCopied, RowWritten
from mastermind_server.storage.rows import (
    ChatRow,
    LogHead,
    LogRow,
    PredecessorMissing,
    RowTaken,
)
from mastermind_server.storage.schema import chat, log, matches
from mastermind_server.storage.statements.days import end_try
from mastermind_server.storage.statements.matches import replace_projection

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from sqlalchemy.dialects import postgresql, sqlite

    from mastermind_server.storage.conditions import Condition
    from mastermind_server.storage.engines.database import Session
    from mastermind_server.storage.records import Projection

    Insert = sqlite.Insert | postgresql.Insert


def append(
    session: Session,
    rows: Sequence[LogRow],
    projections: Sequence[Projection] = (),
    conditions: Collection[Condition] = (),
) -> None:
    """Append rows to the log, all or none, and replace the projections of their matches.

    The caller has begun a transaction if there are `conditions`. Raises ConditionFailed if one of
    them does not hold. Raises RowTaken if the log already has the version of a row, or a row of the
    same request. Raises ReusedId if the id of a row's request belongs to another request, and
    PredecessorMissing if the log has neither the version of a row nor the version before it. Raises
    DayNotOpen if the end of a try is too late.
    """
    check_conditions(session, conditions)
    ended = [projection.ended for projection in projections if projection.ended is not None]
    with session.transaction() if len(rows) > 1 or ended else nullcontext():
        for row in rows:
            _append_row(session, row)
        for end in ended:
            end_try(session, end)
    for projection in projections:
        replace_projection(session, projection)


def append_many(session: Session, rows: Sequence[LogRow]) -> Sequence[int]:
    """Append rows of different commands. Return the indices in `rows` of the rejected rows.

    A row is rejected if the log already has its version or its request, or if the log does not have
    the version before it.
    """
    left = session.insert_log(rows)
    skipped = set(left)
    written = [row for n, row in enumerate(rows) if n not in skipped]
    if session.shared:
        copied = filter(_has_no_secret, written)
        session.notices += [RowCopied(row, session.epoch) for row in copied]
    session.notices += [RowWritten(row.match, row.version) for row in written]
    session.last_row = written[-1] if written else session.last_row
    return left


def append_chat(session: Session, row: ChatRow, delete_until: int = 0) -> None:
    """Append a chat line, and delete the lines of its room up to the line number `delete_until`.

    Raises RowTaken if the room already has the number of the line, or a line of the same request.
    Raises ReusedId if the id of the line's request belongs to another request.
    """
    statement = _build_new_row_insert(session.insert, chat, log)
    if session.run(statement, asdict(row)).rowcount != 1:
        _check_reused_id(session, row, own=chat, other=log)
        raise RowTaken(row.match, row.room, row.n)
    if delete_until > 0:
        session.run(_DELETE_OLD_LINES, {"match": row.match, "room": row.room, "n": delete_until})
    session.notices.append(MatchChanged(row.match))


def read_log(
    session: Session, match: str, after: int = 0, limit: int | None = None
) -> list[LogRow]:
    """Return up to `limit` rows of a match in order, from the version `after` + 1."""
    values = {"match": match, "after": after, "limit": _NO_LIMIT if limit is None else limit}
    return list(map(LogRow._make, session.run(_READ_LOG, values).fetchall()))


def read_chat(session: Session, match: str, players: int = 0, spectators: int = 0) -> list[ChatRow]:
    """Return the chat lines of a match, sorted by room and number.

    Only lines after the line number `players` of the players' room, and after the line number
    `spectators` of the spectators' room, are returned.
    """
    values = {"match": match, "players": players, "spectators": spectators}
    return [ChatRow(*row) for row in session.run(_READ_CHAT, values)]


def read_heads(session: Session, match_codes: Sequence[str]) -> list[LogHead]:
    """Return a `LogHead` for each known match in `match_codes`, by one query."""
    version = sa.select(sa.func.max(log.c.version)).where(log.c.match == matches.c.match)
    lines = (
        sa.select(sa.func.coalesce(sa.func.max(chat.c.n), 0))
        .where(chat.c.match == matches.c.match, chat.c.room == room)
        .scalar_subquery()
        for room in ROOMS
    )
    query = sa.select(matches.c.match, version.scalar_subquery(), *lines)
    query = query.where(matches.c.match.in_(match_codes))
    return list(map(LogHead._make, session.connection.execute(query)))


def find_request(session: Session, player: str, key: RequestKey) -> tuple[str, int] | None:
    """Return the match code and version of the log row that the request `key` wrote, or None.

    `player` is the id of the request's player. Raises ReusedId if another request of this player
    with the same request id wrote a row.
    """
    values = {"player": player, "request": key.id}
    for match, version, digest in session.run(_FIND_REQUEST, values):
        key.check_same_request(digest)
        return match, version
    return None


def find_line(session: Session, player: str, key: RequestKey) -> ChatRow | None:
    """Return the chat line that the request `key` wrote, or None.

    `player` is the id of the request's player. Raises ReusedId if another request of this player
    with the same request id wrote a line.
    """
    values = {"player": player, "request": key.id}
    for row in session.run(_FIND_LINE, values):
        line = ChatRow(*row)
        key.check_same_request(line.digest)
        return line
    return None


def has_moved(session: Session, player: str, match: str | None = None) -> bool:
    """Return whether the log of `match` has a row of the player with this id.

    Without `match`, return whether the log of any match has one.
    """
    values = {"player": player}
    if match is None:
        return bool(session.run(_HAS_EVER_MOVED, values).fetchone()[0])
    return bool(session.run(_HAS_MOVED, values | {"match": match}).fetchone()[0])


def _has_no_secret(row: LogRow) -> bool:
    """Return whether a row is a guess that any role of the database may read.

    All rows of other kinds count as secret, and so do guesses at an adaptive codemaker.
    """
    events = decode_events(row.events)
    return len(events) == 1 and isinstance(events[0], Guessed) and events[0].held is None


def _append_row(session: Session, row: LogRow) -> None:
    statement = _build_new_row_insert(session.insert, log, chat)
    if session.run(statement, row._asdict()).rowcount != 1:
        _check_reused_id(session, row, own=log, other=chat)
        place = {"match": row.match, "version": row.version}
        if row.version > 1 and not session.run(_HAS_VERSION_OR_PREDECESSOR, place).fetchone()[0]:
            raise PredecessorMissing(row.match, row.version)
        raise RowTaken(row.match, row.version)
    session.notices.append(RowWritten(row.match, row.version))
    session.last_row = row


def _check_reused_id(
    session: Session, row: LogRow | ChatRow, own: sa.Table, other: sa.Table
) -> None:
    """Raise ReusedId if `row` was rejected because its request id belongs to another request.

    `own` is the table of `row`. `other` is the chat table for a log row, and the log table for a
    chat row.
    """
    if row.player is None or row.request is None:
        return
    values = {"player": row.player, "request": row.request}
    for table in (own, other):
        for (digest,) in session.run(_SELECT_REQUEST_DIGEST[table.name], values):
            if table is other:
                raise ReusedId
            RequestKey(row.request, row.digest).check_same_request(digest)


@cache
def _build_new_row_insert(
    insert: Callable[[sa.Table], Insert], table: sa.Table, other: sa.Table
) -> sa.ClauseElement:
    """Return an INSERT of one row into `table`.

    The INSERT has no effect if a row in `table` has the same primary key, or if a row in `table` or
    `other` belongs to the same request. Into the log it has no effect if the row before is missing.
    """
    values = {column.name: sa.bindparam(column.name, type_=column.type) for column in table.c}
    repeated = (other.c.player == values["player"]) & (other.c.request == values["request"])
    fresh = sa.select(*values.values()).where(~sa.exists().where(repeated))
    if table is log:
        earlier, version = log.alias("earlier"), values["version"]
        is_next = (earlier.c.match == values["match"]) & (earlier.c.version == version - _one)
        fresh = fresh.where((version == _one) | sa.exists().where(is_next))
    return insert(table).from_select(list(values), fresh).on_conflict_do_nothing()


def _select_request_digest(table: sa.Table) -> sa.ClauseElement:
    return sa.select(table.c.digest).where(
        table.c.player == _player_parameter, table.c.request == _request_parameter
    )


_LOG_COLUMNS = tuple(log.c[name] for name in LogRow._fields)
_CHAT_COLUMNS = tuple(chat.c[field.name] for field in fields(ChatRow))
_one: sa.ColumnClause[int] = sa.literal_column("1", sa.Integer)
_match_parameter: sa.BindParameter[str] = sa.bindparam("match")
_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_request_parameter: sa.BindParameter[int] = sa.bindparam("request")
_NO_LIMIT = 2**31 - 1  # rows

_SELECT_REQUEST_DIGEST = {table.name: _select_request_digest(table) for table in (log, chat)}
_READ_LOG = (
    sa.select(*_LOG_COLUMNS)
    .where(log.c.match == _match_parameter, log.c.version > sa.bindparam("after"))
    .order_by(log.c.version)
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
_version_parameter: sa.BindParameter[int] = sa.bindparam("version", type_=sa.Integer)
_HAS_VERSION_OR_PREDECESSOR = sa.select(
    sa.exists().where(
        log.c.match == _match_parameter,
        log.c.version.between(_version_parameter - _one, _version_parameter),
    )
)
_is_later_line = [
    (chat.c.room == sa.literal_column(f"'{room}'")) & (chat.c.n > sa.bindparam(room))
    for room in ROOMS
]
_READ_CHAT = (
    sa.select(*_CHAT_COLUMNS)
    .where(chat.c.match == _match_parameter, sa.or_(*_is_later_line))
    .order_by(chat.c.room, chat.c.n)
)
_DELETE_OLD_LINES = sa.delete(chat).where(
    chat.c.match == _match_parameter,
    chat.c.room == sa.bindparam("room"),
    chat.c.n <= sa.bindparam("n"),
)
_FIND_REQUEST = sa.select(log.c.match, log.c.version, log.c.digest).where(
    log.c.player == _player_parameter, log.c.request == _request_parameter
)
_FIND_LINE = sa.select(*_CHAT_COLUMNS).where(
    chat.c.player == _player_parameter, chat.c.request == _request_parameter
)
_HAS_MOVED = sa.select(
    sa.exists().where(log.c.match == _match_parameter, log.c.player == _player_parameter)
)
_HAS_EVER_MOVED = sa.select(sa.exists().where(log.c.player == _player_parameter))
