"""What is read: by the bare driver what every arrival needs, by SQLAlchemy the lists."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from mastermind_protocol.chat import ROOMS
from mastermind_server.storage.records import ArchiveRow, MatchRecord, RunningMatch, RunningRow
from mastermind_server.storage.rows import ChatRow, LogRow, Newest
from mastermind_server.storage.schema import archive, chat, log, matches, running

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Phase
    from mastermind_server.storage.database import Session
    from mastermind_server.storage.requests import Stamp

_LOG_COLUMNS = tuple(log.c[name] for name in LogRow._fields)
_CHAT_COLUMNS = tuple(chat.c[field.name] for field in fields(ChatRow))
_match: sa.BindParameter[str] = sa.bindparam("match")
_player: sa.BindParameter[str] = sa.bindparam("player")
_request: sa.BindParameter[int] = sa.bindparam("request")

_READ_LOG = (
    sa.select(*_LOG_COLUMNS)
    .where(log.c.match == _match, log.c.version > sa.bindparam("after"))
    .order_by(log.c.version)
    .limit(sa.bindparam("most"))
    .offset(sa.literal_column("0"))
)
_later = [
    (chat.c.room == sa.literal_column(f"'{room}'")) & (chat.c.n > sa.bindparam(room))
    for room in ROOMS
]
_READ_CHAT = (
    sa.select(*_CHAT_COLUMNS)
    .where(chat.c.match == _match, sa.or_(*_later))
    .order_by(chat.c.room, chat.c.n)
)
_FIND_REQUEST = sa.select(log.c.match, log.c.version, log.c.digest).where(
    log.c.player == _player, log.c.request == _request
)
_FIND_SAID = sa.select(*_CHAT_COLUMNS).where(chat.c.player == _player, chat.c.request == _request)
_HAS_MOVED = sa.select(sa.exists().where(log.c.match == _match, log.c.player == _player))
_HAS_EVER_MOVED = sa.select(sa.exists().where(log.c.player == _player))
_ALL = 2**31 - 1  # rows


def read_log(session: Session, match: str, after: int, most: int | None) -> list[LogRow]:
    """Return the first rows of a match with a version greater than `after`, in order."""
    asked = {"match": match, "after": after, "most": _ALL if most is None else most}
    return list(map(LogRow._make, session.run(_READ_LOG, asked).fetchall()))


def read_chat(session: Session, match: str, players: int, spectators: int) -> list[ChatRow]:
    """Return what was said at a match, each room's lines in order, after so many of each."""
    asked = {"match": match, "players": players, "spectators": spectators}
    return [ChatRow(*row) for row in session.run(_READ_CHAT, asked)]


def find_newest(session: Session, codes: Sequence[str]) -> list[Newest]:
    """Return how far these matches are: by three looks at the end of an index for each."""
    version = sa.select(sa.func.max(log.c.version)).where(log.c.match == matches.c.match)
    lines = (
        sa.select(sa.func.coalesce(sa.func.max(chat.c.n), 0))
        .where(chat.c.match == matches.c.match, chat.c.room == room)
        .scalar_subquery()
        for room in ROOMS
    )
    query = sa.select(matches.c.match, version.scalar_subquery(), *lines)
    query = query.where(matches.c.match.in_(codes))
    return list(map(Newest._make, session.connection.execute(query)))


def find_request(session: Session, player: str, stamp: Stamp) -> tuple[str, int] | None:
    """Return match and version of the row that a request caused; raises ReusedId."""
    asked = {"player": player, "request": stamp.id}
    for match, version, digest in session.run(_FIND_REQUEST, asked):
        stamp.check(digest)
        return match, version
    return None


def find_said(session: Session, player: str, stamp: Stamp) -> ChatRow | None:
    """Return the line that a request caused; raises ReusedId."""
    asked = {"player": player, "request": stamp.id}
    for row in session.run(_FIND_SAID, asked):
        said = ChatRow(*row)
        stamp.check(said.digest)
        return said
    return None


def has_moved(session: Session, player: str, match: str | None) -> bool:
    """Tell whether a row of the match is the player's, or of any."""
    asked = {"player": player}
    if match is None:
        return bool(session.run(_HAS_EVER_MOVED, asked).fetchone()[0])
    return bool(session.run(_HAS_MOVED, asked | {"match": match}).fetchone()[0])


def list_public(session: Session, phases: Sequence[Phase], limit: int) -> list[MatchRecord]:
    """Return the public matches in these phases, the last changed first."""
    query = _write_public_query(tuple(phases))
    return list(map(MatchRecord._make, session.run(query, {"limit": limit}).fetchall()))


def list_archive(
    session: Session, player: str, before: str | None, limit: int
) -> list[ArchiveRow] | None:
    """Return a player's finished matches, the newest first, or those `before` one of them.

    None if that one is not the player's.
    """
    query = sa.select(*_columns(archive, ArchiveRow)).where(archive.c.player == player)
    place = sa.tuple_(archive.c.at, archive.c.match)
    if before is not None:
        at = session.connection.execute(query.where(archive.c.match == before)).mappings().first()
        if at is None:
            return None
        query = query.where(place < sa.tuple_(sa.literal(at["at"]), sa.literal(before)))
    query = query.order_by(archive.c.at.desc(), archive.c.match.desc()).limit(limit)
    return [ArchiveRow(*row) for row in session.connection.execute(query)]


def list_running(session: Session, player: str, search: int, limit: int) -> list[RunningMatch]:
    """Return a player's matches that are not over: those that wait for it, then the newest."""
    mine = sa.select(*_columns(running, RunningRow)).where(running.c.player == player)
    last = mine.order_by(running.c.at.desc()).limit(search).subquery()
    rows = log.alias()
    version = sa.select(sa.func.max(rows.c.version)).where(rows.c.match == last.c.match)
    newest = (log.c.match == last.c.match) & (log.c.version == version.scalar_subquery())
    query = sa.select(last, log.c.version, log.c.at).select_from(last.join(log, newest))
    query = query.order_by(last.c.turn.desc(), log.c.at.desc(), last.c.match).limit(limit)
    return [
        RunningMatch(RunningRow(*row), version, changed)
        for *row, version, changed in session.connection.execute(query)
    ]


@cache
def _write_public_query(phases: tuple[Phase, ...]) -> sa.ClauseElement:
    chosen: list[sa.ColumnClause[str]] = [sa.literal_column(f"'{phase}'") for phase in phases]
    return (
        sa.select(*_columns(matches, MatchRecord))
        .where(matches.c.public, matches.c.phase.in_(chosen))
        .order_by(matches.c.changed.desc())
        .limit(sa.bindparam("limit"))
        .offset(sa.literal_column("0"))
    )


def _columns(
    table: sa.Table, record: type[ArchiveRow | MatchRecord | RunningRow]
) -> list[sa.Column[Any]]:
    return [table.c[name] for name in record._fields]
