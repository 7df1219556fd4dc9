"""Writes the codes of days, and the begin and end of tries.

A try begins and ends in the commit of its match's row. Both lock the row of the day in share mode,
so that no other node reveals the code before this commit.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.storage.day_rows import DayNotOpen, DayRow, TryTaken
from mastermind_server.storage.schema import days, tries

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.dialects import postgresql, sqlite

    from mastermind_server.storage.day_rows import NewTry, TryEnd
    from mastermind_server.storage.engines.database import Session

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


def add_try(session: Session, new: NewTry, match: str, started: int) -> None:
    """Store a try, which begins with the first row of `match` at `started`.

    It is not counted if a counted try of the same address exists. Only counted tries have an
    address, so an index decides. Must be called in a transaction. Raises DayNotOpen, and TryTaken.
    """
    _lock_open_day(session, new.day, new.rules)
    values = new._asdict() | {"match": match, "started": started}
    for counted in (new.counted, False):
        row = values | {"counted": counted, "address": new.address if counted else None}
        if session.run(_build_try_insert(session.insert), row).rowcount == 1:
            return
    raise TryTaken


def end_try(session: Session, end: TryEnd) -> None:
    """Store the end of a try, if it exists: the player may have been deleted.

    Must be called in a transaction. Raises DayNotOpen.
    """
    _lock_open_day(session, end.day, end.rules)
    session.run(_END_TRY, end._asdict())


def _lock_open_day(session: Session, day: int, rules: str) -> None:
    """Keep a day open until the transaction ends. Raises DayNotOpen."""
    state = session.run(_LOCK_DAY, {"day": day, "rules": rules}).fetchone()
    revealed, withdrawn = state or (None, None)
    if (revealed, withdrawn) != (None, None):
        raise DayNotOpen(withdrawn=withdrawn is not None)


@cache
def _build_try_insert(insert: Callable[[sa.Table], Insert]) -> sa.ClauseElement:
    values = {name: sa.bindparam(name, type_=tries.c[name].type) for name in _NEW_TRY_COLUMNS}
    return insert(tries).values(values).on_conflict_do_nothing()


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
_LOCK_DAY = sa.select(days.c.revealed, days.c.withdrawn).where(_is_day).with_for_update(read=True)
_NEW_TRY_COLUMNS = ("day", "rules", "player", "match", "started", "counted", "address")
_is_own_try = (
    (tries.c.day == sa.bindparam("day"))
    & (tries.c.rules == sa.bindparam("rules"))
    & (tries.c.player == sa.bindparam("player"))
)
_RESULT_COLUMNS = ("ended", "how", "guesses", "milliseconds", "luck")
_END_TRY = (
    sa.update(tries)
    .where(_is_own_try, tries.c.ended.is_(None))
    .values({name: sa.bindparam(name, type_=tries.c[name].type) for name in _RESULT_COLUMNS})
)
