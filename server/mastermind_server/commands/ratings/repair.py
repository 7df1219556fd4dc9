"""Fills what servers of an earlier release leave out of the tables of ratings.

Such a server may run beside servers of this release after `migrate`. It knows no newer columns, and
claims names by the look-alikes of its own release. Everything else that differs from the log is
damage, whose cause is unknown: `check` reports it, and it stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_protocol.errors import MastermindError
from mastermind_server.commands.ratings.replay import NotRated, replay_match
from mastermind_server.look_alikes.skeletons import find_skeleton
from mastermind_server.storage.revisions import update_skeletons
from mastermind_server.storage.schema import names, ratings, standings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_server.storage.engines.database import Session
    from mastermind_server.storage.rating_rows import RatingRow


def repair_ratings(session: Session) -> Iterator[str]:
    """Fill missing fewest guesses, and update skeletons of names. Yield a line for each change.

    Servers may use the database: each row is a transaction. A repeated call changes nothing. It
    skips damaged logs, and rows of another match than in the log.
    """
    missing = sa.select(ratings.c.match).where(ratings.c.fewest.is_(None), ratings.c.broken > 0)
    for match_code in session.connection.scalars(missing.distinct().order_by("match")).all():
        try:
            replayed = replay_match(session, match_code)
        except (NotRated, MastermindError, ValueError, TypeError):
            continue
        for row in sorted(replayed.rows) if replayed else ():
            if row.fewest is not None and _fill_fewest(session, row):
                yield f"match {row.match}: player {row.player}, fewest: {row.fewest} stored"
    yield from (f"name {name}: skeleton updated" for name in _update_skeletons(session))


def _fill_fewest(session: Session, row: RatingRow) -> bool:
    """Store the fewest guesses of a match unless they are stored. Return whether they were missing.

    The standing is changed like by the end of the match: it has the minimum.
    """
    stored = (ratings.c[name] == getattr(row, name) for name in ("player", "rules", "n", "match"))
    fill = sa.update(ratings).where(*stored, ratings.c.fewest.is_(None)).values(fewest=row.fewest)
    more = standings.c.fewest.is_(None) | (standings.c.fewest > row.fewest)
    owned = (standings.c.player == row.player) & (standings.c.rules == row.rules)
    with session.transaction():
        filled = session.connection.execute(fill).rowcount == 1
        if filled:
            session.connection.execute(
                sa.update(standings).where(owned, more).values(fewest=row.fewest)
            )
    return filled


def _update_skeletons(session: Session) -> list[str]:
    """Update the skeletons of names if one is outdated. Return the names that had such a one."""
    claims = session.connection.execute(sa.select(names.c.name, names.c.skeleton)).all()
    if all(find_skeleton(name) == skeleton for name, skeleton in claims):
        return []  # without the lock, for which ends of rated matches wait
    with session.transaction():
        return update_skeletons(session.connection)
