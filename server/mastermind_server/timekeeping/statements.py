"""Outages: the times in which the servers of matches with running clocks were down.

Outages are stored in node time, in milliseconds since 1970. Node time is the time of day that all
nodes share, see `read_shared_time`.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.storage.notices import MatchChanged
from mastermind_server.storage.schema import matches, nodes, outages, presence
from mastermind_server.storage.statements.matches import has_running_clock
from mastermind_server.storage.statements.presence import DatabaseTime, end_lease
from mastermind_server.timekeeping.outages import Outage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_server.storage.database import Session

_OPEN_END = 2**62  # the stored end of an outage that has not ended


def list_outages(session: Session, match: str) -> list[Outage]:
    """Return the outages of a match, the earliest first."""
    query = sa.select(outages.c.began, outages.c.ended).where(outages.c.match == match)
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


def read_shared_time(session: Session) -> int:
    """Return the time of day that the nodes share, in milliseconds since 1970.

    This is the time by the clock of the oldest live node; without a live node, by the database's
    clock.
    """
    live = sa.select(nodes.c.ahead).where(nodes.c.until > DatabaseTime())
    ahead = live.order_by(nodes.c.started).limit(1).scalar_subquery()
    found = session.connection.scalar(sa.select(DatabaseTime() + sa.func.coalesce(ahead, 0)))
    return int(found or 0)


def record_outage_start(session: Session, now: int) -> None:
    """Record that an outage of all matches with a running clock begins at `now`.

    Does nothing if a node is live. `now` is in milliseconds since 1970.
    """
    live = sa.exists().where(nodes.c.until > DatabaseTime())
    if session.connection.scalar(sa.select(live)):
        return
    found = sa.select(matches.c.match, sa.literal(now), sa.literal(_OPEN_END)).where(
        has_running_clock
    )
    insert = session.insert(outages).from_select(["match", "began", "ended"], found)
    session.connection.execute(insert.on_conflict_do_nothing())


def record_outage_ends(session: Session, now: int) -> None:
    """Record `now` as the end of all outages that `record_outage_start` recorded.

    `now` is in milliseconds since 1970. Deletes outages of matches that have ended.
    """
    running = sa.select(matches.c.match).where(has_running_clock)
    session.connection.execute(sa.delete(outages).where(outages.c.match.not_in(running)))
    session.connection.execute(
        sa.update(outages).where(outages.c.ended == _OPEN_END).values(ended=now)
    )


def record_pauses(session: Session, match_codes: Iterable[str], pauses: Iterable[Outage]) -> None:
    """Record each of `pauses`, in which a node did not run, as an outage of all `match_codes`."""
    insert = session.insert(outages).on_conflict_do_nothing()
    for match_code, (began, ended) in product(sorted(match_codes), pauses):
        session.connection.execute(insert, {"match": match_code, "began": began, "ended": ended})
        session.notices.append(MatchChanged(match_code))


def record_stop(session: Session, node: str, match_codes: Iterable[str], stop: Outage) -> None:
    """End the lease of a stopping node, and record `stop` as an outage of all `match_codes`.

    Both are one transaction, because another node ends the time of the players as soon as it finds
    no lease. If no node is live, an outage of all matches with a running clock begins with `stop`.
    """
    end_lease(session, node)
    record_outage_start(session, stop.began)
    record_pauses(session, match_codes, [stop])


def record_outages(session: Session, lease_milliseconds: int, now: int | None = None) -> list[str]:
    """Record the outages of failed nodes for matches with a running clock.

    Return the names of the failed nodes.

    A node has failed if its lease, which lasts for `lease_milliseconds`, has expired. The outage
    lasts from the last renewal of the lease until now. If another node is live, the outage is
    recorded only for matches that a player followed at the failed node; otherwise for all matches.

    `now` is given only for a SQLite file. It is the server's time, in milliseconds since 1970, and
    each node in the file is an earlier server that has failed.
    """
    private = now is not None
    failed = sa.true() if private else nodes.c.until <= DatabaseTime()
    ahead = nodes.c.ahead
    ended = sa.literal(now) if private else DatabaseTime() + ahead
    began = nodes.c.until - lease_milliseconds + ahead
    query = sa.select(nodes.c.node, began, ended).where(failed).order_by(nodes.c.until.desc())
    found = session.connection.execute(query).all()
    if not found:
        return []
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
        for match_code in sorted(session.connection.scalars(chosen)):
            session.connection.execute(
                insert, {"match": match_code, "began": since, "ended": until}
            )
            session.notices.append(MatchChanged(match_code))
    if private:
        session.connection.execute(sa.delete(nodes))
    return [node for node, _, _ in found]
