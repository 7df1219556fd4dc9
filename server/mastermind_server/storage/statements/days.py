"""The codes of days: drawing, reading and revealing them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.storage.day_rows import DayRow
from mastermind_server.storage.schema import days

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.dialects import postgresql, sqlite

    from mastermind_server.storage.database import Session

    Insert = sqlite.Insert | postgresql.Insert


def read_day(session: Session, day: int, rules: str) -> DayRow | None:
    """Return the code of the day number `day` for the rules with this name, or None."""
    row = session.run(_READ_DAY, {"day": day, "rules": rules}).fetchone()
    return DayRow._make(row) if row else None


def add_day(session: Session, row: DayRow) -> None:
    """Store the code of a day, unless the day has one: the first node's code is that of all."""
    session.run(_build_day_insert(session.insert), row._asdict())


def reveal_day(session: Session, day: int, rules: str, now: int) -> None:
    """Mark the code of an open day as revealed at `now`, and forget the key of its addresses."""
    session.run(_REVEAL_DAY, {"day": day, "rules": rules, "now": now})


@cache
def _build_day_insert(insert: Callable[[sa.Table], Insert]) -> sa.ClauseElement:
    return insert(days).on_conflict_do_nothing()


_is_day = (days.c.day == sa.bindparam("day")) & (days.c.rules == sa.bindparam("rules"))
_READ_DAY = sa.select(*(days.c[name] for name in DayRow._fields)).where(_is_day)
_REVEAL_DAY = (
    sa.update(days)
    .where(_is_day, days.c.revealed.is_(None), days.c.withdrawn.is_(None))
    .values(revealed=sa.bindparam("now"), key=sa.null())
)
