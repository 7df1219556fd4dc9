"""The times in which the servers of matches with running clocks were down.

They are in node time: the time of day that all nodes share, see `read_node_time`.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.pauses import Outage
from mastermind_server.storage.notices import Notice
from mastermind_server.storage.schema import matches, nodes, outages, presence
from mastermind_server.storage.statements.matches import has_running_clock
from mastermind_server.storage.statements.presence import DatabaseTime

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_server.storage.database import Session

_OPEN = 2**62  # the end of an outage that goes on


def list_outages(session: Session, match: str) -> list[Outage]:
    """Return the times in which the server of a match was down, the earliest first."""
    query = sa.select(outages.c.began, outages.c.ended).where(outages.c.match == match)
    return [Outage(*row) for row in session.connection.execute(query.order_by(outages.c.began))]


def find_last_renewal(
    session: Session, match: str, player: str, node: str, lease: int
) -> int | None:
    """Return when a node renewed its lease that `player` follows a match at, except `node`.

    It is the earliest of the last renewals of these nodes, in milliseconds since 1970, or None.
    Nodes that have failed count until their outage is recorded. A lease has `lease` milliseconds.
    """
    query = sa.select(presence.c.players, nodes.c.until - lease + nodes.c.ahead).where(
        presence.c.match == match, presence.c.node == nodes.c.node, nodes.c.node != node
    )
    found = session.connection.execute(query).all()
    return min((renewed for players, renewed in found if player in players.split()), default=None)


def read_node_time(session: Session) -> int:
    """Return the time of day that the nodes share, in milliseconds since 1970.

    It is the time of the database, unless the oldest live node is ahead of that.
    """
    live = sa.select(nodes.c.ahead).where(nodes.c.until > DatabaseTime())
    ahead = live.order_by(nodes.c.started).limit(1).scalar_subquery()
    found = session.connection.scalar(sa.select(DatabaseTime() + sa.func.coalesce(ahead, 0)))
    return int(found or 0)


def begin_outage(session: Session, now: int) -> None:
    """Begin an outage of all matches with a running clock, unless another node is live.

    A node that stops calls this after the end of its lease. The outage begins at `now`, in
    milliseconds since 1970.
    """
    live = sa.exists().where(nodes.c.until > DatabaseTime())
    if session.connection.scalar(sa.select(live)):
        return
    found = sa.select(matches.c.match, sa.literal(now), sa.literal(_OPEN)).where(has_running_clock)
    insert = session.insert(outages).from_select(["match", "began", "ended"], found)
    session.connection.execute(insert.on_conflict_do_nothing())


def end_outages(session: Session, now: int) -> None:
    """End the outages that stopped nodes began, at `now` in milliseconds since 1970.

    Outages of matches that have ended are deleted.
    """
    running = sa.select(matches.c.match).where(has_running_clock)
    session.connection.execute(sa.delete(outages).where(outages.c.match.not_in(running)))
    session.connection.execute(sa.update(outages).where(outages.c.ended == _OPEN).values(ended=now))


def record_pauses(session: Session, codes: Iterable[str], pauses: Iterable[Outage]) -> None:
    """Record `pauses` of a node as outages of the matches `codes`."""
    insert = session.insert(outages).on_conflict_do_nothing()
    for code, (began, ended) in product(sorted(codes), pauses):
        session.connection.execute(insert, {"match": code, "began": began, "ended": ended})
        session.notices.append(Notice(code))


def record_outages(session: Session, lease: int, now: int | None = None) -> None:
    """Record an outage of each match with a running clock whose node has failed.

    That is a node whose lease of `lease` milliseconds has expired. The outage lasts from the last
    renewal of the lease until now. It concerns the matches that a player followed at the node or,
    if no node is left, all matches. A server with a private store gives its own time `now`, in
    milliseconds since 1970: any earlier server has failed or was stopped.
    """
    private = now is not None
    failed = sa.true() if private else nodes.c.until <= DatabaseTime()
    ahead = nodes.c.ahead
    ended = sa.literal(now) if private else DatabaseTime() + ahead
    began = nodes.c.until - lease + ahead
    query = sa.select(nodes.c.node, began, ended).where(failed).order_by(nodes.c.until.desc())
    found = session.connection.execute(query).all()
    if not found:
        return
    alive = not private and bool(
        session.connection.scalar(sa.select(sa.exists().where(nodes.c.until > DatabaseTime())))
    )
    for node, since, until in found if alive else found[:1]:
        chosen = sa.select(matches.c.match).where(has_running_clock)
        if alive:
            followed = sa.select(presence.c.match).where(
                presence.c.node == node, presence.c.players != ""
            )
            chosen = chosen.where(matches.c.match.in_(followed))
        insert = session.insert(outages).on_conflict_do_nothing()
        for code in sorted(session.connection.scalars(chosen)):
            session.connection.execute(insert, {"match": code, "began": since, "ended": until})
            session.notices.append(Notice(code))
    if private:
        session.connection.execute(sa.delete(nodes))
