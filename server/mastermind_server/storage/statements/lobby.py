"""Storing new matches, pairing players across nodes, and expiring abandoned lobbies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.notices import Notice
from mastermind_server.storage.schema import matches
from mastermind_server.storage.statements.log import append
from mastermind_server.storage.statements.matches import (
    build_due_update,
    due_time,
    has_code,
    postpone,
)
from mastermind_server.storage.statements.presence import (
    HAS_PLAYER,
    HAS_PLAYER_ELSEWHERE,
    write_presence,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mastermind_server.storage.database import Session
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.rows import LogRow
    from mastermind_server.storage.statements.presence import PresenceRow


class SeekTerms(NamedTuple):
    """The settings that a seeker and a waiting match must share.

    `program` is true for two programs, and false for two people. `clock` is the name of a clock.
    """

    rules: str
    rounds: int
    rated: bool
    program: bool
    clock: str | None = None


class NewMatch(NamedTuple):
    """A new match to store: its first log row, its projection, and its followers at this node."""

    row: LogRow
    projection: Projection
    followers: PresenceRow


class MatchSearch(NamedTuple):
    """A search for a waiting match with a free `seat`; None means either seat.

    Matches whose code is in `excluded` are ignored.
    """

    terms: SeekTerms
    seat: Seat | None = None
    excluded: Collection[str] = ()


class WaitingMatch(NamedTuple):
    """The code of a match that waits for an opponent.

    The match has waited since `since`, in milliseconds since 1970.
    """

    code: str
    since: int


class OpponentFound(Exception):
    """A match that the seeking player can join waits at another node."""


def find_waiting(session: Session, wanted: MatchSearch, node: str) -> WaitingMatch | None:
    """Return the match that fits `wanted` and has waited longest, or None.

    The waiting player must be connected to a node other than `node`.
    """
    values = {
        **wanted.terms._asdict(),
        "seat": wanted.seat or "",
        "clock": wanted.terms.clock or "",
        "node": node,
        "limit": len(wanted.excluded) + 1,
    }
    for code, since in session.run(_FIND_WAITING, values):
        if code not in wanted.excluded:
            return WaitingMatch(code, since)
    return None


def open_match(
    session: Session, new: NewMatch, node: str | None, wanted: MatchSearch | None = None
) -> None:
    """Write the first row of a match and its followers at `node`. Raises as `append` does.

    With `wanted`, raises OpponentFound if a match for this search waits at another node. A lock
    across all nodes makes sure that one of two concurrent seekers finds the other. `node` is None
    on a database of one node.
    """
    with session.transaction():
        if wanted is not None and node is not None:
            session.advisory_lock("seek")
            if find_waiting(session, wanted, node) is not None:
                raise OpponentFound
        append(session, [new.row], [new.projection])
        if node is not None:
            write_presence(session, node, {new.row.match: new.followers})


def update_presence(
    session: Session,
    node: str,
    followers: Mapping[str, PresenceRow],
    abandoned: Mapping[str, int],
    postponed: Mapping[str, int],
) -> None:
    """Store the followers that `node` has of the matches in `followers`, and change due times.

    A match ends at its due time. `abandoned` and `postponed` map match codes to due times, in
    milliseconds since 1970. A public lobby in `abandoned` gets the mapped time if that is earlier
    and the lobby's player is connected to no node. A match in `postponed` gets the mapped time if
    that is later.
    """
    write_presence(session, node, followers)
    for match, due in sorted(abandoned.items()):
        session.run(_EXPIRE_ONE, {"due": due, "match": match})
    postpone(session, postponed)
    session.notices += map(Notice, followers)


def expire_lobbies(session: Session, due: int) -> None:
    """Let all public lobbies whose player is connected to no node end at `due` or earlier.

    `due` is in milliseconds since 1970. Sets the due time only if it is later.
    """
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
        sa.func.coalesce(matches.c.clock, sa.literal_column("''")) == sa.bindparam("clock"),
        (matches.c.bots != sa.literal_column("''")) == sa.bindparam("program", type_=sa.Boolean),
        matches.c.reserved.is_(None),
        (_seat != sa.literal_column(f"'{Seat.MAKER}'")) | matches.c.maker.is_(None),
        (_seat != sa.literal_column(f"'{Seat.BREAKER}'")) | matches.c.breaker.is_(None),
        HAS_PLAYER_ELSEWHERE,
    )
    .order_by(matches.c.changed)
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
_lobbies = sa.select(matches.c.match).where(
    matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'")
)
_abandoned = _lobbies.where(matches.c.public, matches.c.due > due_time, ~HAS_PLAYER)
_EXPIRE = build_due_update(_abandoned)
_EXPIRE_ONE = build_due_update(_abandoned.where(has_code))
