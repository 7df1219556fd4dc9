"""Statements that store outages, and that find the time of day of all nodes.

Outages are stored in node time, in milliseconds since 1970. Node time is the time of day that all
nodes share, see `read_shared_time`. An outage with the match code ALL_MATCHES counts for every
match of the store.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from mastermind_protocol.clock import DAY
from mastermind_protocol.match import Phase
from mastermind_server.storage.notices import MatchChanged
from mastermind_server.storage.schema import matches, nodes, outages, presence
from mastermind_server.storage.statements.matches import has_running_clock
from mastermind_server.storage.statements.presence import DatabaseTime, end_lease, is_live
from mastermind_server.timekeeping.outages import NEVER, Outage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_server.storage.engines.database import Session

ALL_MATCHES = ""  # instead of a match code
_NODES_LOCK = "nodes"  # while a transaction decides whether any node is live
OUTAGES_KEPT_MS = 4000 * DAY  # longer than --abandon-after, the time of a turn without a clock


def list_outages(session: Session, match: str, since: int) -> list[Outage]:
    """Return the outages of a match that ended after `since`, the earliest first.

    `since` is in milliseconds since 1970.
    """
    of_all = outages.c.match == ALL_MATCHES
    query = sa.select(outages.c.began, outages.c.ended, outages.c.disconnected, of_all)
    query = query.where(outages.c.match.in_([match, ALL_MATCHES]), outages.c.ended > since)
    return [Outage(*row) for row in session.connection.execute(query.order_by(outages.c.began))]


def find_last_renewal(
    session: Session, match: str, player: str, excluded: str, lease_milliseconds: int
) -> int | None:
    """Return the time of the last lease renewal of the node at which `player` follows `match`.

    The time is in milliseconds since 1970. The node `excluded` is ignored. If the player follows
    the match at several other nodes, return the earliest time; if at none, return None. A failed
    node is included until its outage is recorded. A lease lasts for `lease_milliseconds`.
    """
    query = sa.select(presence.c.players, nodes.c.until - lease_milliseconds + nodes.c.ahead).where(
        presence.c.match == match, presence.c.node == nodes.c.node, nodes.c.node != excluded
    )
    found = session.connection.execute(query).all()
    return min((renewed for players, renewed in found if player in players.split()), default=None)


def read_shared_time(session: Session, lease_milliseconds: int) -> int:
    """Return the time of day that the nodes share, in milliseconds since 1970.

    This is the time by the clock of the oldest live node. Without a live node, it is the time of
    the database's clock, but at least `find_newest_time`.
    """
    live = sa.select(nodes.c.ahead).where(is_live(lease_milliseconds))
    oldest = live.order_by(nodes.c.started).limit(1).scalar_subquery()
    now, ahead = session.connection.execute(sa.select(DatabaseTime(), oldest)).one()
    newest = find_newest_time(session, lease_milliseconds) if ahead is None else 0
    return max(int(now + (ahead or 0)), newest)


def find_newest_time(session: Session, lease_milliseconds: int) -> int:
    """Return the newest time of day in the store, in milliseconds since 1970; 0 without one.

    Guesses are not searched, because no index has their times. While live clocks run, each node
    renews its lease every few seconds, so guesses are hardly newer than the result.
    """
    changed = [
        sa.select(sa.func.max(matches.c.changed).label("at")).where(
            matches.c.public == public, matches.c.phase == phase.value
        )
        for public, phase in product((True, False), Phase)  # uses an index
    ]
    renewed = sa.select(sa.func.max(nodes.c.until - lease_milliseconds + nodes.c.ahead))
    began = sa.select(sa.func.max(outages.c.began))
    ended = sa.select(sa.func.max(outages.c.ended)).where(outages.c.ended < NEVER)
    found = sa.union_all(*changed, renewed, began, ended).subquery()
    return session.connection.scalar(sa.select(sa.func.max(found.c.at))) or 0


def has_other_open_node(session: Session, node: str, lease_milliseconds: int) -> bool:
    """Return whether a live node other than `node` accepts new connections."""
    is_open = is_live(lease_milliseconds) & ~nodes.c.draining & (nodes.c.node != node)
    return bool(session.connection.scalar(sa.select(sa.exists().where(is_open))))


def record_outages(session: Session, losses: Iterable[tuple[str, Outage]]) -> None:
    """Record outages of matches, given by their codes, or of ALL_MATCHES.

    An outage that is stored can only grow. Nodes read outages of ALL_MATCHES when they load a
    match, and before a flag.
    """
    rows: list[dict[str, Any]] = [
        {"match": match_code, "began": began, "ended": ended, "disconnected": disconnected}
        for match_code, (began, ended, disconnected, _) in sorted(losses)
    ]
    if not rows:
        return
    insert = session.insert(outages)
    longer = insert.excluded.ended > outages.c.ended
    insert = insert.on_conflict_do_update(
        index_elements=["match", "began"], set_={"ended": insert.excluded.ended}, where=longer
    )
    session.connection.execute(insert, rows)
    session.notices += [
        MatchChanged(match_code) for match_code in {row["match"] for row in rows} - {ALL_MATCHES}
    ]


def delete_old_outages(session: Session, now: int) -> None:
    """Delete outages that no running match needs. `now` is in milliseconds since 1970."""
    running = sa.select(matches.c.match).where(has_running_clock)
    unused = (outages.c.match != ALL_MATCHES) & outages.c.match.not_in(running)
    session.connection.execute(
        sa.delete(outages).where(unused | (outages.c.ended < now - OUTAGES_KEPT_MS))
    )


def end_node(
    session: Session,
    node: str,
    lease_milliseconds: int,
    stopped: int,
    now: int,
    losses: Mapping[str, int],
) -> None:
    """End the lease of a node that began to stop at `stopped`, and record its outages until `now`.

    `losses` maps match codes to the times since which a player loses time at this node. If no node
    is live, an outage of all matches begins at `stopped`, whose stored end is NEVER until
    `record_failed_nodes` ends it. Times are in milliseconds since 1970.

    All is one transaction, because another node ends the time of the players as soon as it finds no
    lease. A lock makes sure that of two nodes that stop at once, the second one finds no lease.
    """
    session.advisory_lock(_NODES_LOCK)
    end_lease(session, node)
    found = [
        (match_code, Outage(began, now, disconnected=True)) for match_code, began in losses.items()
    ]
    if not _has_live_node(session, lease_milliseconds):
        found.append((ALL_MATCHES, Outage(stopped, NEVER, disconnected=True)))
    record_outages(session, found)


def record_failed_nodes(
    session: Session, lease_milliseconds: int, now: int, *, private: bool
) -> list[str]:
    """Record the outages of failed nodes, and end those of stopped ones at `now`.

    Return the names of the failed nodes. `now` is in milliseconds since 1970.

    A node has failed if its lease, which lasts for `lease_milliseconds`, has expired. The outage
    lasts from the last renewal of the lease until now. It is recorded for matches with a running
    clock that a player followed at the failed node. If no node is live, an outage of all matches is
    recorded, too, since the last renewal of any node.

    If the store is `private` to one server, each node in it is an earlier server that has failed.
    """
    session.advisory_lock(_NODES_LOCK)
    session.connection.execute(sa.update(outages).where(outages.c.ended == NEVER).values(ended=now))
    failed = sa.true() if private else ~is_live(lease_milliseconds)
    ended = sa.literal(now) if private else DatabaseTime() + nodes.c.ahead
    began = nodes.c.until - lease_milliseconds + nodes.c.ahead
    query = sa.select(nodes.c.node, began, ended).where(failed).order_by(nodes.c.until.desc())
    found = session.connection.execute(query).all()
    losses = [
        (match_code, Outage(since, max(since, until), disconnected=True))
        for node, since, until in found
        for match_code in _list_followed(session, node)
    ]
    if found and (private or not _has_live_node(session, lease_milliseconds)):
        _, since, until = found[0]
        losses.append((ALL_MATCHES, Outage(since, max(since, until), disconnected=True)))
    record_outages(session, losses)
    return [node for node, _, _ in found]


def _list_followed(session: Session, node: str) -> Iterable[str]:
    """Return the codes of matches with a running clock that a player follows at a node."""
    followed = sa.select(presence.c.match).where(presence.c.node == node, presence.c.players != "")
    chosen = sa.select(matches.c.match).where(has_running_clock, matches.c.match.in_(followed))
    return session.connection.scalars(chosen).all()


def _has_live_node(session: Session, lease_milliseconds: int) -> bool:
    live = sa.exists().where(is_live(lease_milliseconds))
    return bool(session.connection.scalar(sa.select(live)))
