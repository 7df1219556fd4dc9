"""What an operator asks first of a store: who serves it, what is in it, what goes on.

It only reads, also while servers have the store, and locks nothing.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.match import Phase
from mastermind_server.bans import Ban
from mastermind_server.storage.database import DatabaseUnusable, explain
from mastermind_server.storage.schema import REVISION, find_revision, log, matches, nodes, players
from mastermind_server.storage.statements.admin import LIST_BANS
from mastermind_server.storage.statements.presence import Now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

MINUTE, HOUR = 60_000, 3_600_000  # milliseconds


class NodeStatus(NamedTuple):
    """A row of the table of nodes; times are in milliseconds since 1970."""

    node: str
    address: str
    version: str
    started: int
    until: int
    connections: int
    draining: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in the tables. `moves` are rows of logs, `due` when the first match is to end.

    `bans` are those that hold.
    """

    matches: dict[str, int]
    players: int
    moves_last_minute: int
    moves_last_hour: int
    due: int | None
    overdue: int
    nodes: list[NodeStatus]
    bans: list[Ban]


@dataclass(frozen=True, slots=True)
class Status:
    """A store at a moment, `at` in milliseconds since 1970 by the database's clock, as leases are.

    `size` is in bytes, with indexes and the write-ahead log. `contents` is None if the tables have
    another revision than this version's.
    """

    store: str
    at: int
    size: int
    revision: str
    contents: Contents | None


def read_status(place: Path | str) -> Status:
    """Return the status of a SQLite file or, by its URL, of a PostgreSQL database.

    Raises DatabaseUnusable.
    """
    try:
        with _connect(place) as connection:
            now = connection.execute(sa.select(Now())).scalar_one()
            revision = find_revision(connection)
            if revision is None:
                raise DatabaseUnusable("it has no tables of a mastermind-server")
            contents = _read_contents(connection, now) if revision == REVISION else None
            return Status(_name(place), now, _measure(place, connection), revision, contents)
    except (OSError, sa.exc.SQLAlchemyError) as error:
        raise DatabaseUnusable(f"{_name(place)} cannot be read: {explain(error)}") from error


@contextmanager
def _connect(place: Path | str) -> Iterator[Connection]:
    if isinstance(place, Path):
        engine = _make_reader(place.resolve(strict=True))
    else:
        from mastermind_server.storage.postgresql import make_engine  # its driver is an extra

        engine = make_engine(place)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _make_reader(file: Path) -> sa.Engine:
    """Return what reads the file beside a server.

    Where there is none, SQLite is to make no files for itself: these would be of whoever asks.
    """
    alone = "" if file.with_name(f"{file.name}-wal").exists() else "&immutable=1"
    uri = f"{file.as_uri()}?mode=ro{alone}"
    return sa.create_engine("sqlite://", creator=lambda: sqlite3.connect(uri, uri=True))


def _name(place: Path | str) -> str:
    if isinstance(place, Path):
        return str(place)
    try:
        url = sa.make_url(place).difference_update_query(("password", "sslpassword"))
        return url.render_as_string(hide_password=True)
    except (sa.exc.ArgumentError, ValueError):
        return "the store"


def _measure(place: Path | str, connection: Connection) -> int:
    if isinstance(place, Path):
        wal = place.with_name(f"{place.name}-wal")
        return place.stat().st_size + (wal.stat().st_size if wal.exists() else 0)
    size: int = connection.execute(
        sa.select(sa.func.pg_database_size(sa.func.current_database()))
    ).scalar_one()
    return size


def _read_contents(connection: Connection, now: int) -> Contents:
    by_phase = sa.select(matches.c.phase, sa.func.count()).group_by(matches.c.phase)
    counts = {row.phase: row[1] for row in connection.execute(by_phase)}
    overdue = sa.select(sa.func.count()).where(matches.c.due <= now)
    minute, hour = _count_moves(connection, now)
    rows = sa.select(*(nodes.c[name] for name in NodeStatus._fields)).order_by(nodes.c.started)
    return Contents(
        matches={phase.value: counts.get(phase.value, 0) for phase in Phase},
        players=connection.execute(sa.select(sa.func.count(players.c.id))).scalar_one(),
        moves_last_minute=minute,
        moves_last_hour=hour,
        due=connection.scalar(sa.select(sa.func.min(matches.c.due))),
        overdue=connection.execute(overdue).scalar_one(),
        nodes=[NodeStatus(*row) for row in connection.execute(rows)],
        bans=[Ban(*row) for row in connection.execute(LIST_BANS, {"now": now})],
    )


_row: sa.ColumnClause[int] = sa.literal_column("rowid", sa.Integer)


def _count_moves(connection: Connection, now: int) -> tuple[int, int]:
    """Return how many rows the logs have of the last minute, and of the last hour.

    Without going through all of them.
    """
    numbered = connection.dialect.name == "sqlite"  # it has no index for the time
    since = now - HOUR
    recent = _row >= _find_row(connection, since) if numbered else log.c.at >= since
    last = sa.func.count().filter(log.c.at >= now - MINUTE)
    counts = sa.select(last, sa.func.count()).select_from(log).where(recent)
    minute, hour = connection.execute(counts).one()
    return minute, hour


def _find_row(connection: Connection, since: int) -> int:
    """Return the number of the first row since a moment: SQLite numbers them as they come."""
    last = connection.scalar(sa.select(sa.func.max(_row)).select_from(log)) or 0
    next_at = sa.select(log.c.at).order_by(_row).limit(1)

    def find_at(row: int) -> int:
        at: int = connection.execute(next_at.where(_row >= row)).scalar_one()
        return at

    return 1 + bisect_left(range(1, last + 1), since, key=find_at)
