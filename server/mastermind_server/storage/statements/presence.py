"""Who is where: the nodes that have a lease, and who follows a match by way of each.

A lease goes by the clock of the database, so that those of the nodes' machines do not matter. Only
a database that other nodes have too has such rows: a node knows by itself who is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from mastermind_server.storage.schema import matches, nodes, presence
from mastermind_server.storage.statements.inserts import write_replacement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_server.storage.database import Session


class Attendance(NamedTuple):
    """Who follows a match: the ids of those who have a seat, and how many have none."""

    players: tuple[str, ...] = ()
    spectators: int = 0

    def __add__(self, other: object) -> Attendance:
        """Return who follows here or there; a spectator who does both counts twice."""
        if not isinstance(other, Attendance):
            return NotImplemented
        players = dict.fromkeys((*self.players, *other.players))
        return Attendance(tuple(players), self.spectators + other.spectators)


NOBODY = Attendance()


class Node(NamedTuple):
    """What others are told of a node. `started` is in milliseconds since 1970."""

    node: str
    address: str
    version: str
    started: int
    connections: int
    draining: bool


class Now(FunctionElement[int]):
    """The database's time of day, in milliseconds since 1970."""

    type = sa.BigInteger()
    inherit_cache = True


@compiles(Now, "postgresql")
def _write_postgresql_now(*_: Any, **__: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"


@compiles(Now, "sqlite")
def _write_sqlite_now(*_: Any, **__: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


def renew_lease(session: Session, node: Node, lease: int) -> bool:
    """Let a node's lease last for so many milliseconds; tell whether it was still there.

    If it is new, nothing counts of what the node has written of who is there.
    """
    values = {**node._asdict(), "lease": lease}
    if session.run(_RENEW, values).rowcount:
        return True
    session.run(_BEGIN, values)
    return False


def end_lease(session: Session, node: str) -> list[str]:
    """Forget a node and whoever was there by way of it; return the codes of those matches."""
    session.run(_END, {"node": node})
    return [match for (match,) in session.run(_FORGET_ALL, {"node": node})]


def end_leases(session: Session) -> list[str]:
    """Forget the nodes that are gone, and who was there by way of them; return these matches."""
    session.run(_END_PAST, {})
    return [match for (match,) in session.run(_FORGET_GONE, {})]


def write_attendances(session: Session, node: str, there: Mapping[str, Attendance]) -> None:
    """Keep who follows matches by way of a node."""
    for match, attendance in sorted(there.items()):
        place = {"match": match, "node": node}
        if attendance == NOBODY:
            session.run(_FORGET, place)
        else:
            players, spectators = " ".join(attendance.players), attendance.spectators
            row = {**place, "players": players, "spectators": spectators}
            session.run(write_replacement(session.insert, presence), row)


def find_attendances(session: Session, codes: Sequence[str], but: str) -> dict[str, Attendance]:
    """Return who follows which of these matches by way of other nodes than one."""
    found: dict[str, Attendance] = {}
    for match, players, spectators in session.run(_FIND, {"codes": list(codes), "node": but}):
        there = Attendance(tuple(players.split()), spectators)
        found[match] = found.get(match, NOBODY) + there
    return found


_node: sa.BindParameter[str] = sa.bindparam("node")
_lasting = Now() + sa.bindparam("lease", type_=sa.BigInteger)
_told: dict[str, sa.BindParameter[Any]] = {
    name: sa.bindparam(name) for name in Node._fields if name not in ("node", "started")
}
_RENEW = sa.update(nodes).where(nodes.c.node == _node).values(until=_lasting, **_told)
_BEGIN = sa.insert(nodes).values(
    node=_node, started=sa.bindparam("started"), until=_lasting, **_told
)
_END = sa.delete(nodes).where(nodes.c.node == _node)
_END_PAST = sa.delete(nodes).where(nodes.c.until <= Now())
_FORGET_ALL = sa.delete(presence).where(presence.c.node == _node).returning(presence.c.match)
_FORGET_GONE = (
    sa.delete(presence)
    .where(presence.c.node.not_in(sa.select(nodes.c.node)))
    .returning(presence.c.match)
)
_FORGET = sa.delete(presence).where(
    presence.c.match == sa.bindparam("match"), presence.c.node == _node
)
_LIVE = sa.select(nodes.c.node).where(nodes.c.until > Now())
_FIND = sa.select(presence.c.match, presence.c.players, presence.c.spectators).where(
    presence.c.match == sa.any_(sa.bindparam("codes", type_=sa.ARRAY(sa.String))),
    presence.c.node != _node,
    presence.c.node.in_(_LIVE),
)
_is_attending = (
    presence.c.match == matches.c.match,
    presence.c.players != sa.literal_column("''"),
    presence.c.node.in_(_LIVE),
)
ATTENDED = sa.exists().where(*_is_attending)
ATTENDED_ELSEWHERE = sa.exists().where(*_is_attending, presence.c.node != _node)
