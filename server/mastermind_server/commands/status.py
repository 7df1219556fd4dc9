"""The command `status`: print the nodes and the contents of a database.

The command only reads, acquires no locks, and works while servers use the database.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.days import find_day
from mastermind_protocol.match import Phase
from mastermind_server.bans import Ban
from mastermind_server.commands.options import add_database_option, require_database
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.store_url import format_store_url
from mastermind_server.storage.revisions import REVISION, find_revision
from mastermind_server.storage.schema import days, log, matches, nodes, players, standings, tries
from mastermind_server.storage.statements.admin import LIST_BANS
from mastermind_server.storage.statements.matches import has_running_clock
from mastermind_server.storage.statements.presence import DatabaseTime, Node
from mastermind_server.storage.statements.standbys import Standbys, read_standbys
from mastermind_server.storage.store import SessionMode, open_session
from mastermind_server.timekeeping.downtime import LEASE_SECONDS

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

MINUTE_MILLISECONDS, HOUR_MILLISECONDS = 60_000, 3_600_000  # milliseconds
_SIZE_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


class DayTotals(NamedTuple):
    """The number of tries at the code of today for `rules` that have begun, and that have ended."""

    rules: str
    begun: int
    ended: int
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """Totals from the tables of a database, with its nodes and bans.

    `matches` maps each phase to the number of matches. A move is a log row. `clocks` is the number
    of running clocks. `rated_matches` is half the sum of all players' rated matches, rounded up,
    because two players share a match. Forgotten players are missing from the sum. `today` is the
    number of the day, and `tries` has the rules whose code was drawn.

    If no player moves, a match without a running clock ends at its due time. `due` is the earliest
    of these due times, in milliseconds since 1970, and `overdue` the number of them that have
    passed. `nodes` has the leases: of all nodes, or of the only server of a file if not `shared`.
    `bans` has no expired bans.
    """

    matches: dict[str, int]
    players: int
    moves_last_minute: int
    moves_last_hour: int
    due: int | None
    overdue: int
    clocks: int
    rated_matches: int
    rated_players: int
    today: int
    tries: list[DayTotals]
    nodes: list[Node]
    bans: list[Ban]
    shared: bool


@dataclass(frozen=True, slots=True)
class Status:
    """The status of the database `store`: a path, or a URL without its password.

    `at` is the time of the status by the database's clock, in milliseconds since 1970. `size` is in
    bytes, and includes indexes and the write-ahead log. `revision` is the revision of the tables.
    `contents` is None if this version needs another revision, `standbys` for a SQLite file.
    """

    store: str
    at: int
    size: int
    revision: str
    contents: Contents | None
    standbys: Standbys | None = None


def add_status_command(parser: ArgumentParser) -> None:
    """Add the arguments of `status`."""
    add_database_option(parser)
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object, with times in ms"
    )
    parser.add_argument(
        "--bans", action="store_true", help="list the bans too (the JSON always has them)"
    )
    parser.set_defaults(perform=_perform)


def read_status(location: Path | str) -> Status:
    """Return the status of a SQLite file, or of a PostgreSQL database by its URL.

    Raises DatabaseUnusable.
    """
    with open_session(location, SessionMode.READ) as session:
        connection = session.connection
        now = connection.execute(sa.select(DatabaseTime())).scalar_one()
        revision = find_revision(connection)
        if revision is None:
            raise DatabaseUnusable(
                f"{_format_location(location)} has no tables of a mastermind-server"
            )
        contents = _read_contents(connection, now) if revision == REVISION else None
        size, standbys = _find_size(location, connection), read_standbys(session)
        return Status(_format_location(location), now, size, revision, contents, standbys)


def describe(status: Status, *, bans: bool = False) -> Iterator[str]:
    """Yield the lines of text that describe a status. With `bans`, each ban has a line."""
    yield f"store     {status.store}, {_format_size(status.size)}"
    fits = "as" if status.revision == REVISION else "and"
    needed = "" if status.revision == REVISION else f" {REVISION}"
    yield f"tables    revision {status.revision}, {fits} this program needs{needed}"
    if status.standbys is not None and (status.standbys.connected or status.standbys.expected):
        yield f"standbys  {_describe_standbys(status.standbys)}"
    if status.contents is not None:
        yield from _describe_contents(status.contents, status.at)
        yield f"bans      {len(status.contents.bans)}"
        if bans:
            yield from map(_describe_ban, status.contents.bans)


def _perform(options: Namespace) -> None:
    status = read_status(require_database(options))
    if options.json:
        fields = asdict(status)
        if status.contents is not None:
            for name in ("tries", "nodes", "bans"):
                rows = getattr(status.contents, name)
                fields["contents"][name] = [row._asdict() for row in rows]
        print(json.dumps(fields))
    else:
        print("\n".join(describe(status, bans=options.bans)))


def _describe_standbys(standbys: Standbys) -> str:
    connected = f"{standbys.connected} connected"
    if standbys.synchronous is None:
        return f"{connected}; only with pg_read_all_stats the role sees if one is synchronous"
    if standbys.synchronous:
        return f"{connected}, {standbys.synchronous} synchronous"
    effect = "moves wait for one" if standbys.required else "a failover loses moves"
    return f"{connected}, none synchronous: {effect}"


def _describe_contents(contents: Contents, now: int) -> Iterator[str]:
    yield f"players   {contents.players}"
    yield f"matches   {', '.join(f'{phase} {count}' for phase, count in contents.matches.items())}"
    minute, hour = contents.moves_last_minute, contents.moves_last_hour
    yield f"moves     {minute} in the last minute, {hour} in the last hour"
    first = "none" if contents.due is None else f"the first {_format_time(contents.due)}"
    yield f"due       {first}; {contents.overdue} overdue"
    yield f"clocks    {contents.clocks} running"
    yield f"ratings   {contents.rated_players} players, {contents.rated_matches} matches"
    codes = "; ".join(map(_describe_day, contents.tries)) or "no code drawn"
    yield f"today     day {contents.today}: {codes}"
    yield f"nodes     {len(contents.nodes) or 'none'}"
    for node in contents.nodes:
        yield f"  {_describe_node(node, now, shared=contents.shared)}"


def _describe_day(totals: DayTotals) -> str:
    withdrawn = ", withdrawn" if totals.withdrawn else ""
    return f"{totals.rules} {totals.begun} tries, {totals.ended} ended{withdrawn}"


def _describe_node(node: Node, now: int, *, shared: bool) -> str:
    left = (node.until - now) / 1000
    if not shared:  # it renews its lease less often than the lease lasts
        lease = f"seen {max(0.0, LEASE_SECONDS - left):.0f} s ago"
    else:
        lease = f"lease for {left:.0f} s" if left > 0 else f"lost, lease expired {-left:.0f} s ago"
    most = "" if node.connection_limit is None else f" of {node.connection_limit}"
    parts = [
        f"{node.node} at {node.address}",
        f"version {node.version}",
        f"since {_format_time(node.started)}",
        f"{node.connections}{most} connections",
        lease,
    ]
    return ", ".join([*parts, "draining"] if node.draining else parts)


def _describe_ban(ban: Ban) -> str:
    end = "for ever" if ban.until is None else f"until {_format_time(ban.until)}"
    return f"  {ban.subject} {end}: {ban.why}"


def _format_time(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _format_size(size: float) -> str:
    for unit in _SIZE_UNITS[:-1]:
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == _SIZE_UNITS[0] else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {_SIZE_UNITS[-1]}"


def _format_location(location: Path | str) -> str:
    if isinstance(location, Path):
        return str(location)
    return format_store_url(location)


def _find_size(location: Path | str, connection: Connection) -> int:
    if isinstance(location, Path):
        wal = location.with_name(f"{location.name}-wal")
        return location.stat().st_size + (wal.stat().st_size if wal.exists() else 0)
    query = sa.select(sa.func.pg_database_size(sa.func.current_database()))
    size: int = connection.execute(query).scalar_one()
    return size


def _read_contents(connection: Connection, now: int) -> Contents:
    by_phase = sa.select(matches.c.phase, sa.func.count()).group_by(matches.c.phase)
    counts = {row.phase: row[1] for row in connection.execute(by_phase)}
    inactive = ~has_running_clock  # the due times of running clocks are lower bounds
    overdue = sa.select(sa.func.count()).where(matches.c.due <= now, inactive)
    clocks = sa.select(sa.func.count(matches.c.match)).where(has_running_clock)
    rated = sa.select(sa.func.coalesce(sa.func.sum(standings.c.n), 0))
    rated_players = sa.select(sa.func.count(sa.distinct(standings.c.player)))
    minute, hour = _count_moves(connection, now)
    rows = sa.select(*(nodes.c[name] for name in Node._fields)).order_by(nodes.c.started)
    today = find_day(now)
    return Contents(
        matches={phase.value: counts.get(phase.value, 0) for phase in Phase},
        players=connection.execute(sa.select(sa.func.count(players.c.id))).scalar_one(),
        moves_last_minute=minute,
        moves_last_hour=hour,
        due=connection.scalar(sa.select(sa.func.min(matches.c.due)).where(inactive)),
        overdue=connection.execute(overdue).scalar_one(),
        clocks=connection.execute(clocks).scalar_one(),
        rated_matches=-(-connection.execute(rated).scalar_one() // 2),  # of two players each
        rated_players=connection.execute(rated_players).scalar_one(),
        today=today,
        tries=[DayTotals(*row) for row in connection.execute(_COUNT_TRIES, {"today": today})],
        nodes=[Node(*row) for row in connection.execute(rows)],
        bans=[Ban(*row) for row in connection.execute(LIST_BANS, {"now": now})],
        shared=connection.dialect.name != "sqlite",
    )


_of_day = (tries.c.day == days.c.day) & (tries.c.rules == days.c.rules)
_COUNT_TRIES = (
    sa.select(
        days.c.rules,
        sa.select(sa.func.count()).where(_of_day).scalar_subquery(),
        sa.select(sa.func.count(tries.c.ended)).where(_of_day).scalar_subquery(),
        days.c.withdrawn.is_not(None),
    )
    .where(days.c.day == sa.bindparam("today"))
    .order_by(days.c.rules)
)
_rowid: sa.ColumnClause[int] = sa.literal_column("rowid", sa.Integer)


def _count_moves(connection: Connection, now: int) -> tuple[int, int]:
    """Return the numbers of log rows of the last minute and of the last hour before `now`.

    `now` is in milliseconds since 1970. Reads only the rows of the last hour.
    """
    since = now - HOUR_MILLISECONDS
    sqlite = connection.dialect.name == "sqlite"  # has no index on the time
    recent = _rowid >= _find_rowid(connection, since) if sqlite else log.c.at >= since
    last_minute = sa.func.count().filter(log.c.at >= now - MINUTE_MILLISECONDS)
    counts = sa.select(last_minute, sa.func.count()).select_from(log).where(recent)
    minute, hour = connection.execute(counts).one()
    return minute, hour


def _find_rowid(connection: Connection, since: int) -> int:
    """Return the rowid of the first log row at or after `since`, in milliseconds since 1970.

    Searches by bisection: rowids are in the order of time, and the time has no index.
    """
    last = connection.scalar(sa.select(sa.func.max(_rowid)).select_from(log)) or 0
    next_at = sa.select(log.c.at).order_by(_rowid).limit(1)

    def read_time(rowid: int) -> int:
        at: int = connection.execute(next_at.where(_rowid >= rowid)).scalar_one()
        return at

    return 1 + bisect_left(range(1, last + 1), since, key=read_time)
