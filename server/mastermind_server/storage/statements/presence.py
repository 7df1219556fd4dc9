"""The nodes, each of which has a lease, and the followers of matches at each node.

Leases use the database's clock, so the clocks of the nodes do not matter. The server of a SQLite
file is the only node, so the file has no rows of followers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from mastermind_server.storage.notices import MatchChanged
from mastermind_server.storage.schema import matches, nodes, presence
from mastermind_server.storage.statements.matches import build_upsert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mastermind_server.storage.engines.database import Session
    from mastermind_server.storage.notices import Notice


class PresenceRow(NamedTuple):
    """The followers of a match at a node: ids of seated players, and the number of spectators."""

    players: tuple[str, ...] = ()
    spectators: int = 0

    def __add__(self, other: object) -> PresenceRow:
        """Return the followers at two nodes. A spectator at both counts twice."""
        if not isinstance(other, PresenceRow):
            return NotImplemented
        players = dict.fromkeys((*self.players, *other.players))
        return PresenceRow(tuple(players), self.spectators + other.spectators)


NO_PRESENCE = PresenceRow()


class Node(NamedTuple):
    """A row of the table of nodes. Times are in milliseconds since 1970.

    `until` is the end of the lease, by the database's clock. `renew_lease` ignores this field.
    `connection_limit` is None for nodes of earlier versions, which do not store it.
    """

    node: str
    address: str
    version: str
    started: int
    connections: int
    draining: bool
    until: int = 0
    connection_limit: int | None = None


class DatabaseTime(FunctionElement[int]):
    """The SQL function of the database's time, in milliseconds since 1970."""

    type = sa.BigInteger()
    inherit_cache = True


@compiles(DatabaseTime, "postgresql")
def _compile_postgresql_time(*_: Any, **__: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"


@compiles(DatabaseTime, "sqlite")
def _compile_sqlite_time(*_: Any, **__: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


def renew_lease(
    session: Session, node: Node, seconds: float, read_time: Callable[[], int]
) -> tuple[bool, int]:
    """Extend the lease of `node` to `seconds` from now. Insert the row if it is missing.

    Return whether the row existed, and the end of the lease by the database's clock. After a lease
    has expired, other nodes delete the node's row and its presence rows. `read_time` returns the
    time of the node's clock. Its difference from the database's time is stored. All times are in
    milliseconds since 1970.
    """
    values = {**node._asdict(), "lease": int(1000 * seconds), "now": read_time()}
    if renewed := session.run(_RENEW_LEASE, values).fetchone():
        return True, renewed[0]
    return False, session.run(_INSERT_LEASE, values).fetchone()[0]


def end_lease(session: Session, node: str) -> None:
    """Delete the lease and the presence rows of a node, and notify the other nodes."""
    session.run(_DELETE_LEASE, {"node": node})
    session.notices += [
        MatchChanged(match) for (match,) in session.run(_DELETE_NODE_PRESENCE, {"node": node})
    ]


def is_live(lease_milliseconds: int) -> sa.ColumnElement[bool]:
    """Return the condition that the lease of a node, which lasts for some time, has not expired.

    A lease that ends after two times `lease_milliseconds` is older than a change of the database's
    clock, which was set back: the node has failed if it does not renew the lease.
    """
    now = DatabaseTime()
    return (nodes.c.until > now) & (nodes.c.until <= now + 2 * lease_milliseconds)


def end_expired_leases(session: Session, failed: Iterable[str], lease_milliseconds: int) -> None:
    """Delete the leases of the nodes `failed` that have expired, and notify the other nodes.

    Also delete the presence rows of all nodes without a lease. The outages of `failed` must have
    been recorded before, because that reads the presence rows. A lease lasts for
    `lease_milliseconds`.
    """
    expired = sa.delete(nodes).where(nodes.c.node.in_(list(failed)), ~is_live(lease_milliseconds))
    session.connection.execute(expired)
    session.notices += [
        MatchChanged(match) for (match,) in session.run(_DELETE_ORPHANED_PRESENCE, {})
    ]


def list_other_nodes(session: Session, node: str) -> list[str]:
    """Return the names of the nodes with a lease, except `node`."""
    return [name for (name,) in session.run(_LIST_OTHER_NODES, {"node": node})]


def send_notice(session: Session, notice: Notice) -> None:
    """Send `notice` to all nodes after the commit, although no row changes."""
    session.notices.append(notice)


def write_presence(session: Session, node: str, followers: Mapping[str, PresenceRow]) -> None:
    """Replace the rows of `node` for the matches in `followers`, whose keys are match codes."""
    for match, here in sorted(followers.items()):
        key = {"match": match, "node": node}
        if here == NO_PRESENCE:
            session.run(_DELETE_PRESENCE, key)
        else:
            row = {**key, "players": " ".join(here.players), "spectators": here.spectators}
            session.run(build_upsert(session.insert, presence), row)


def find_presence(
    session: Session, match_codes: Sequence[str], excluded: str
) -> dict[str, PresenceRow]:
    """Map each of `match_codes` to its followers at all nodes except the node `excluded`."""
    found: dict[str, PresenceRow] = {}
    for match, players, spectators in session.run(
        _FIND_PRESENCE, {"codes": list(match_codes), "node": excluded}
    ):
        there = PresenceRow(tuple(players.split()), spectators)
        found[match] = found.get(match, NO_PRESENCE) + there
    return found


_node_parameter: sa.BindParameter[str] = sa.bindparam("node")
_lease_end = DatabaseTime() + sa.bindparam("lease", type_=sa.BigInteger)
_status_parameters: dict[str, sa.BindParameter[Any]] = {
    name: sa.bindparam(name) for name in Node._fields if name not in ("node", "started", "until")
}
_clock_difference = sa.bindparam("now", type_=sa.BigInteger) - DatabaseTime()
_RENEW_LEASE = (
    sa.update(nodes)
    .where(nodes.c.node == _node_parameter)
    .values(until=_lease_end, ahead=_clock_difference, **_status_parameters)
    .returning(nodes.c.until)
)
_INSERT_LEASE = (
    sa.insert(nodes)
    .values(
        node=_node_parameter,
        started=sa.bindparam("started"),
        until=_lease_end,
        ahead=_clock_difference,
        **_status_parameters,
    )
    .returning(nodes.c.until)
)
_DELETE_LEASE = sa.delete(nodes).where(nodes.c.node == _node_parameter)
_DELETE_NODE_PRESENCE = (
    sa.delete(presence).where(presence.c.node == _node_parameter).returning(presence.c.match)
)
_DELETE_ORPHANED_PRESENCE = (
    sa.delete(presence)
    .where(presence.c.node.not_in(sa.select(nodes.c.node)))
    .returning(presence.c.match)
)
_DELETE_PRESENCE = sa.delete(presence).where(
    presence.c.match == sa.bindparam("match"), presence.c.node == _node_parameter
)
_LIST_LIVE_NODES = sa.select(nodes.c.node).where(nodes.c.until > DatabaseTime())
_LIST_OTHER_NODES = _LIST_LIVE_NODES.where(nodes.c.node != _node_parameter)
_FIND_PRESENCE = sa.select(presence.c.match, presence.c.players, presence.c.spectators).where(
    presence.c.match == sa.any_(sa.bindparam("codes", type_=sa.ARRAY(sa.String))),
    presence.c.node != _node_parameter,
    presence.c.node.in_(_LIST_LIVE_NODES),
)
_has_connected_player = (
    presence.c.match == matches.c.match,
    presence.c.players != sa.literal_column("''"),
    presence.c.node.in_(_LIST_LIVE_NODES),
)
HAS_CONNECTED_PLAYER = sa.exists().where(*_has_connected_player)
MATCH_HAS_PLAYER_AT_OTHER_NODE = sa.exists().where(
    *_has_connected_player, presence.c.node != _node_parameter
)
