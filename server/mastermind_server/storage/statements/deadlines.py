"""When matches end that nobody comes back to: by a time that is kept beside each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_protocol.match import Phase
from mastermind_server.storage.schema import matches
from mastermind_server.storage.statements.presence import ATTENDED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_server.storage.database import Session


def list_due(session: Session, now: int, limit: int) -> list[str]:
    """Return the codes of the matches that are due at a time, the longest due first."""
    query = sa.select(matches.c.match).where(matches.c.due <= now)
    return list(session.connection.scalars(query.order_by(matches.c.due).limit(limit)))


def desert_all_lobbies(session: Session, due: int) -> None:
    """Let all public lobbies whose player is at no node end at a time, unless they do sooner."""
    session.run(_DESERT, {"due": due})


def desert_lobbies(session: Session, deserted: Mapping[str, int]) -> None:
    """Let some public lobbies, if their player is at no node, end no later than at a time each."""
    for match, due in sorted(deserted.items()):
        session.run(_DESERT_ONE, {"due": due, "match": match})


def postpone(session: Session, attended: Mapping[str, int]) -> None:
    """Let some matches end no sooner than at a time each."""
    for match, due in sorted(attended.items()):
        session.run(_POSTPONE, {"due": due, "match": match})


def _write_change(lobbies: sa.Select[tuple[str]]) -> sa.ClauseElement:
    """Return what changes when lobbies end, but those that somebody writes to at that moment.

    A move is not waited for: two such transactions might wait for each other. It may itself wait
    for one of these, as long as that lasts.
    """
    chosen = lobbies.with_for_update(skip_locked=True)
    return sa.update(matches).where(matches.c.match.in_(chosen)).values(due=_due)


_due: sa.BindParameter[int] = sa.bindparam("due", type_=sa.BigInteger)
_is_one = matches.c.match == sa.bindparam("match")
_gathering = matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'")
_lobbies = sa.select(matches.c.match).where(_gathering)
_deserted = _lobbies.where(matches.c.public, matches.c.due > _due, ~ATTENDED)
_DESERT = _write_change(_deserted)
_DESERT_ONE = _write_change(_deserted.where(_is_one))
_POSTPONE = _write_change(sa.select(matches.c.match).where(_is_one, matches.c.due < _due))
