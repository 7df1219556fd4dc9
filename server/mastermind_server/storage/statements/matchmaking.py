"""Finding an opponent in one turn with all who seek, by way of whatever node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.match import Phase
from mastermind_server.storage.schema import matches
from mastermind_server.storage.statements.inserts import append
from mastermind_server.storage.statements.presence import write_attendances
from mastermind_server.tuning import MAX_SEARCHED

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


class OthersWait(Exception):
    """A match waits on these terms that the seeker has not looked at."""


def list_waiting(session: Session, terms: Terms) -> list[str]:
    """Return the codes of the matches that wait for anybody on these terms, the oldest first.

    Of very many, those that began last.
    """
    found = [match for (match,) in session.run(_LIST_WAITING, terms._asdict())]
    found.reverse()
    return found


def begin(
    session: Session,
    opening: Opening,
    node: str | None,
    terms: Terms | None = None,
    looked_at: Collection[str] = (),
) -> None:
    """Let a match begin, and its player be there; raises as `append` does.

    Whoever seeks an opponent on some terms does so in turn with all others: raises OthersWait then
    if a match waits that the seeker has not `looked_at`. None is the node of a database that has
    no others.
    """
    with session.transaction():
        if terms is not None:
            session.take_turns("seek")
            if not set(list_waiting(session, terms)) <= set(looked_at):
                raise OthersWait
        append(session, [opening.row], [opening.projection])
        if node is not None:
            write_attendances(session, node, {opening.row.match: opening.attendance})


_LIST_WAITING = (
    sa.select(matches.c.match)
    .where(
        matches.c.public,
        matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'"),
        matches.c.rules == sa.bindparam("rules"),
        matches.c.rounds == sa.bindparam("rounds"),
        matches.c.rated == sa.bindparam("rated"),
        (matches.c.bots != sa.literal_column("''")) == sa.bindparam("program", type_=sa.Boolean),
        matches.c.reserved.is_(None),
    )
    .order_by(matches.c.changed.desc())
    .limit(sa.literal_column(str(MAX_SEARCHED)))
    .offset(sa.literal_column("0"))
)
