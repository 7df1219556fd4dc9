"""The nodes that have a lease, and the followers of matches at each node.

Leases use the database's clock, so the clocks of the nodes do not matter. Only PostgreSQL has such
rows, because the server of a SQLite file is the only node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from mastermind_server.storage.notices import Notice
from mastermind_server.storage.schema import matches, nodes, presence
from mastermind_server.storage.statements.matches import build_upsert

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mastermind_server.storage.database import Session


class PresenceRow(NamedTuple):
    """The followers of a match at a node: ids of seated players, and the number of spectators."""

    players: tuple[str, ...] = ()
    spectators: int = 0

    def __add__(self, other: object) -> PresenceRow:
        """Return the sum of two nodes: the players at either, and all spectators.

        A spectator at both nodes counts twice.
        """
        if not isinstance(other, PresenceRow):
            return NotImplemented
        players = dict.fromkeys((*self.players, *other.players))
        return PresenceRow(tuple(players), self.spectators + other.spectators)


NO_PRESENCE = PresenceRow()


class Node(NamedTuple):
    """A row of the table of nodes. Times are in milliseconds since 1970.

    `until` is the end of the lease, by the database's clock. `renew_lease` ignores this field.
    """

    node: str
    address: str
    version: str
    started: int
    connections: int
    draining: bool
    until: int = 0


class DatabaseTime(FunctionElement[int]):
    """The time of the database's clock as an SQL function, in milliseconds since 1970."""

    type = sa.BigInteger()
    inherit_cache = True


@compiles(DatabaseTime, "postgresql")
def _compile_postgresql_time(*_: Any, **__: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"


@compiles(DatabaseTime, "sqlite")
def _compile_sqlite_time(*_: Any, **__: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


def renew_lease(session: Session, node: Node, seconds: float, read_time: Callable[[], int]) -> bool:
    """Extend the lease of `node` to `seconds` from now. Return False if its row was missing.

    `read_time` returns the time of the node, in milliseconds since 1970, whose difference from the
    database's time is stored.

    Other nodes delete the row, and all presence rows of the node, after the lease has expired. A
    missing row is inserted again.
    """
    values = {**node._asdict(), "lease": int(1000 * seconds), "now": read_time()}
    if session.run(_RENEW, values).rowcount:
        return True
    session.run(_BEGIN, values)
    return False


def end_lease(session: Session, node: str) -> None:
    """Delete the lease and the presence rows of a node, and notify the other nodes."""
    session.run(_END, {"node": node})
    session.notices += [Notice(match) for (match,) in session.run(_DELETE_ALL, {"node": node})]


def end_expired_leases(session: Session) -> None:
    """Delete the expired leases and the presence rows of their nodes; notify the other nodes."""
    session.run(_END_EXPIRED, {})
    session.notices += [Notice(match) for (match,) in session.run(_DELETE_ORPHANS, {})]


def list_other_nodes(session: Session, node: str) -> list[str]:
    """Return the names of all nodes with a lease, except `node`."""
    return [name for (name,) in session.run(_LIST_OTHERS, {"node": node})]


def write_presence(session: Session, node: str, followers: Mapping[str, PresenceRow]) -> None:
    """Replace the rows of `node` for the matches in `followers`, which maps codes to followers."""
    for match, here in sorted(followers.items()):
        key = {"match": match, "node": node}
        if here == NO_PRESENCE:
            session.run(_DELETE, key)
        else:
            row = {**key, "players": " ".join(here.players), "spectators": here.spectators}
            session.run(build_upsert(session.insert, presence), row)


def find_presence(session: Session, codes: Sequence[str], excluded: str) -> dict[str, PresenceRow]:
    """Return the followers of the matches `codes`, by code, at all nodes except `excluded`."""
    found: dict[str, PresenceRow] = {}
    for match, players, spectators in session.run(_FIND, {"codes": list(codes), "node": excluded}):
        there = PresenceRow(tuple(players.split()), spectators)
        found[match] = found.get(match, NO_PRESENCE) + there
    return found


_node: sa.BindParameter[str] = sa.bindparam("node")
_end = DatabaseTime() + sa.bindparam("lease", type_=sa.BigInteger)
_status: dict[str, sa.BindParameter[Any]] = {
    name: sa.bindparam(name) for name in Node._fields if name not in ("node", "started", "until")
}
_ahead = sa.bindparam("now", type_=sa.BigInteger) - DatabaseTime()
_RENEW = sa.update(nodes).where(nodes.c.node == _node).values(until=_end, ahead=_ahead, **_status)
_BEGIN = sa.insert(nodes).values(
    node=_node, started=sa.bindparam("started"), until=_end, ahead=_ahead, **_status
)
_END = sa.delete(nodes).where(nodes.c.node == _node)
_END_EXPIRED = sa.delete(nodes).where(nodes.c.until <= DatabaseTime())
_DELETE_ALL = sa.delete(presence).where(presence.c.node == _node).returning(presence.c.match)
_DELETE_ORPHANS = (
    sa.delete(presence)
    .where(presence.c.node.not_in(sa.select(nodes.c.node)))
    .returning(presence.c.match)
)
_DELETE = sa.delete(presence).where(
    presence.c.match == sa.bindparam("match"), presence.c.node == _node
)
_LIVE = sa.select(nodes.c.node).where(nodes.c.until > DatabaseTime())
_LIST_OTHERS = _LIVE.where(nodes.c.node != _node)
_FIND = sa.select(presence.c.match, presence.c.players, presence.c.spectators).where(
    presence.c.match == sa.any_(sa.bindparam("codes", type_=sa.ARRAY(sa.String))),
    presence.c.node != _node,
    presence.c.node.in_(_LIVE),
)
_has_player_at = (
    presence.c.match == matches.c.match,
    presence.c.players != sa.literal_column("''"),
    presence.c.node.in_(_LIVE),
)
HAS_PLAYER = sa.exists().where(*_has_player_at)
HAS_PLAYER_ELSEWHERE = sa.exists().where(*_has_player_at, presence.c.node != _node)
