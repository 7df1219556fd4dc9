"""NewMatch matches, pairing players across nodes, and expiring abandoned lobbies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.notices import Notice
from mastermind_server.storage.schema import matches
from mastermind_server.storage.statements.log import append
from mastermind_server.storage.statements.matches import due_time, has_code, postpone, write_due
from mastermind_server.storage.statements.presence import (
    ATTENDED,
    ATTENDED_ELSEWHERE,
    write_presence,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mastermind_server.storage.database import Session
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.rows import LogRow
    from mastermind_server.storage.statements.presence import PresenceRow


class Terms(NamedTuple):
    """The match that a player seeks. `program`: against a program, otherwise against a person."""

    rules: str
    rounds: int
    rated: bool
    program: bool


class NewMatch(NamedTuple):
    """A new match: its first row, its projection, and its followers at the node."""

    row: LogRow
    projection: Projection
    followers: PresenceRow


class Wanted(NamedTuple):
    """A search: terms, the seat (None: either), and the codes of matches to leave out."""

    terms: Terms
    seat: Seat | None = None
    but: Collection[str] = ()


class Found(NamedTuple):
    """A match with a waiting player, since a time in milliseconds since 1970."""

    code: str
    since: int


class OthersWait(Exception):
    """Raised if a suitable player waits at another node, whom the seeker can join."""


def find_waiting(session: Session, wanted: Wanted, node: str) -> Found | None:
    """Return the match that has waited longest, among matches of players at other nodes."""
    values = {
        **wanted.terms._asdict(),
        "seat": wanted.seat or "",
        "node": node,
        "limit": len(wanted.but) + 1,
    }
    for code, since in session.run(_FIND_WAITING, values):
        if code not in wanted.but:
            return Found(code, since)
    return None


def open_match(
    session: Session, opening: NewMatch, node: str | None, wanted: Wanted | None = None
) -> None:
    """Append the first row of a match and its followers at a node. Raises as `append` does.

    With `wanted`, raise OthersWait if a suitable match waits at another node. A lock across all
    nodes makes sure that of two players who seek at once, one finds the other. `node` is None on a
    database of one node.
    """
    with session.transaction():
        if wanted is not None and node is not None:
            session.advisory_lock("seek")
            if find_waiting(session, wanted, node) is not None:
                raise OthersWait
        append(session, [opening.row], [opening.projection])
        if node is not None:
            write_presence(session, node, {opening.row.match: opening.followers})


def update_presence(
    session: Session,
    node: str,
    followers: Mapping[str, PresenceRow],
    abandoned: Mapping[str, int],
    attended: Mapping[str, int],
) -> None:
    """Replace a node's followers of some matches, and change the due times of lobbies.

    A public lobby in `abandoned` ends at that time at the latest if its player is at no node; one
    in `attended` ends at that time at the earliest.
    """
    write_presence(session, node, followers)
    for match, due in sorted(abandoned.items()):
        session.run(_EXPIRE_ONE, {"due": due, "match": match})
    postpone(session, attended)
    session.notices += map(Notice, followers)


def expire_lobbies(session: Session, due: int) -> None:
    """Set a deadline on all public lobbies if their player is connected to no node."""
    session.run(_EXPIRE, {"due": due})


_seat: sa.BindParameter[str] = sa.bindparam("seat", type_=sa.String)
_FIND_WAITING = (
    sa.select(matches.c.match, matches.c.changed)
    .where(
        matches.c.public,
        matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'"),
        matches.c.rules == sa.bindparam("rules"),
        matches.c.rounds == sa.bindparam("rounds"),
        matches.c.rated == sa.bindparam("rated"),
        (matches.c.bots != sa.literal_column("''")) == sa.bindparam("program", type_=sa.Boolean),
        matches.c.reserved.is_(None),
        (_seat != sa.literal_column(f"'{Seat.MAKER}'")) | matches.c.maker.is_(None),
        (_seat != sa.literal_column(f"'{Seat.BREAKER}'")) | matches.c.breaker.is_(None),
        ATTENDED_ELSEWHERE,
    )
    .order_by(matches.c.changed)
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
_lobbies = sa.select(matches.c.match).where(
    matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'")
)
_abandoned = _lobbies.where(matches.c.public, matches.c.due > due_time, ~ATTENDED)
_EXPIRE = write_due(_abandoned)
_EXPIRE_ONE = write_due(_abandoned.where(has_code))
