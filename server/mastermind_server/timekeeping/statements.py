"""Statements that store outages, and that find the time of day of all nodes.

Outages are stored in node time, in milliseconds since 1970. Node time is the time of day that all
nodes share, see `read_shared_time`. An outage with the match code ALL_MATCHES counts for every
match of the store.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_protocol.clock import DAY
from mastermind_protocol.match import Phase
from mastermind_server.storage.notices import MatchChanged
from mastermind_server.storage.schema import matches, nodes, outages, presence
from mastermind_server.storage.statements.matches import has_running_clock
from mastermind_server.storage.statements.presence import DatabaseTime, end_lease
from mastermind_server.timekeeping.outages import NEVER, Outage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mastermind_server.storage.database import Session

ALL_MATCHES = ""  # instead of a match code
OUTAGES_KEPT_MS = 4000 * DAY  # longer than --abandon-after, the time of a turn without a clock


def list_outages(session: Session, match: str, since: int) -> list[Outage]:
    """Return the outages of a match that ended after `since`, the earliest first.

    `since` is in milliseconds since 1970.
    """
    query = sa.select(outages.c.began, outages.c.ended, outages.c.disconnected)
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
    live = sa.select(nodes.c.ahead).where(nodes.c.until > DatabaseTime())
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


def record_outages(session: Session, match_codes: Iterable[str], found: Sequence[Outage]) -> None:
    """Record each outage in `found` for all `match_codes`.

    Nodes read outages of ALL_MATCHES when they load a match, and before a flag.
    """
    insert = session.insert(outages).on_conflict_do_nothing()
    for match_code, outage in product(sorted(match_codes), found):
        session.connection.execute(insert, {"match": match_code, **outage._asdict()})
        if match_code != ALL_MATCHES:
            session.notices.append(MatchChanged(match_code))


def begin_outage(session: Session, began: int) -> None:
    """Record that an outage of all matches begins at `began`, unless a node is live.

    Its stored end is NEVER. `began` is in milliseconds since 1970. `end_outages` records the end.
    """
    live = sa.exists().where(nodes.c.until > DatabaseTime())
    if not session.connection.scalar(sa.select(live)):
        record_outages(session, [ALL_MATCHES], [Outage(began, NEVER, disconnected=True)])


def end_outages(session: Session, now: int) -> None:
    """Record `now` as the end of the outages that `begin_outage` recorded.

    `now` is in milliseconds since 1970. Also delete outages that no running match needs.
    """
    running = sa.select(matches.c.match).where(has_running_clock)
    unused = (outages.c.match != ALL_MATCHES) & outages.c.match.not_in(running)
    session.connection.execute(
        sa.delete(outages).where(unused | (outages.c.ended < now - OUTAGES_KEPT_MS))
    )
    session.connection.execute(sa.update(outages).where(outages.c.ended == NEVER).values(ended=now))


def end_node(
    session: Session, node: str, stopped: int, now: int, losses: Mapping[str, int]
) -> None:
    """End the lease of a node that began to stop at `stopped`, and record its outages until `now`.

    `losses` maps match codes to the times since which a player loses time at this node. If no node
    is live, an outage of all matches begins at `stopped`. Times are in milliseconds since 1970.

    All is one transaction, because another node ends the time of the players as soon as it finds no
    lease.
    """
    end_lease(session, node)
    begin_outage(session, stopped)
    for match_code, began in sorted(losses.items()):
        record_outages(session, [match_code], [Outage(began, now, disconnected=True)])


def record_failed_nodes(
    session: Session, lease_milliseconds: int, now: int | None = None
) -> list[str]:
    """Record the outages of failed nodes. Return the names of the failed nodes.

    A node has failed if its lease, which lasts for `lease_milliseconds`, has expired. The outage
    lasts from the last renewal of the lease until now. If another node is live, the outage is
    recorded only for matches with a running clock that a player followed at the failed node;
    otherwise it is an outage of all matches.

    `now` is given only for a SQLite file. It is the server's time, in milliseconds since 1970, and
    each node in the file is an earlier server that has failed.
    """
    private = now is not None
    failed = sa.true() if private else nodes.c.until <= DatabaseTime()
    ended = sa.literal(now) if private else DatabaseTime() + nodes.c.ahead
    began = nodes.c.until - lease_milliseconds + nodes.c.ahead
    query = sa.select(nodes.c.node, began, ended).where(failed).order_by(nodes.c.until.desc())
    found = session.connection.execute(query).all()
    if not found:
        return []
    live = sa.exists().where(nodes.c.until > DatabaseTime())
    if private or not session.connection.scalar(sa.select(live)):
        _, since, until = found[0]
        record_outages(session, [ALL_MATCHES], [Outage(since, until, disconnected=True)])
    else:
        for node, since, until in found:
            followed = sa.select(presence.c.match).where(
                presence.c.node == node, presence.c.players != ""
            )
            chosen = sa.select(matches.c.match).where(
                has_running_clock, matches.c.match.in_(followed)
            )
            match_codes = session.connection.scalars(chosen).all()
            record_outages(session, match_codes, [Outage(since, until, disconnected=True)])
    if private:
        session.connection.execute(sa.delete(nodes))
    return [node for node, _, _ in found]
