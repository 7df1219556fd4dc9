"""Finding an opponent in one turn with all who seek, by way of whatever node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.schema import matches
from mastermind_server.storage.statements.inserts import append
from mastermind_server.storage.statements.presence import ATTENDED_ELSEWHERE, write_attendances

if TYPE_CHECKING:
    from collections.abc import Collection

    from mastermind_server.storage.database import Session
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.rows import LogRow
    from mastermind_server.storage.statements.presence import Attendance


class Terms(NamedTuple):
    """What a player seeks. `program`: an opponent that is one, or else a person."""

    rules: str
    rounds: int
    rated: bool
    program: bool


class Opening(NamedTuple):
    """How a match begins: its first row, what is kept beside, and who follows it at what node."""

    row: LogRow
    projection: Projection
    attendance: Attendance


class Wanted(NamedTuple):
    """What a player seeks: on these terms this seat, None is either; but none of some matches."""

    terms: Terms
    seat: Seat | None = None
    but: Collection[str] = ()


class Found(NamedTuple):
    """A match that waits, since a time in milliseconds since 1970."""

    code: str
    since: int


class OthersWait(Exception):
    """A match waits, of a player who is at another node, that the seeker has not tried."""


def find_waiting(session: Session, wanted: Wanted, node: str) -> Found | None:
    """Return the match that waits the longest for anybody, of players who are at other nodes."""
    asked = {
        **wanted.terms._asdict(),
        "seat": wanted.seat or "",
        "node": node,
        "most": len(wanted.but) + 1,
    }
    for code, since in session.run(_FIND_WAITING, asked):
        if code not in wanted.but:
            return Found(code, since)
    return None


def begin(
    session: Session, opening: Opening, node: str | None, wanted: Wanted | None = None
) -> None:
    """Let a match begin, and its player be there; raises as `append` does.

    Whoever seeks an opponent does so in turn with all others, by way of whatever node: raises
    OthersWait then if a match waits elsewhere. None is the node of a database that has no others.
    """
    with session.transaction():
        if wanted is not None and node is not None:
            session.take_turns("seek")
            if find_waiting(session, wanted, node) is not None:
                raise OthersWait
        append(session, [opening.row], [opening.projection])
        if node is not None:
            write_attendances(session, node, {opening.row.match: opening.attendance})


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
    .limit(sa.bindparam("most"))
    .offset(sa.literal_column("0"))
)
