"""Reads the tries of players at the codes of days. `statements.log` writes them.

Times are in milliseconds since 1970. A result is a pair: the number of guesses, which is the limit
+ 1 if the code was not broken, and the milliseconds from the first guess to the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import RoundEnd
from mastermind_server.storage.schema import days, names, players, tries

if TYPE_CHECKING:
    from mastermind_server.storage.engines.database import Session


class EndedTry(NamedTuple):
    """A try that ended in time. If not `counted`, it has no place."""

    player: str
    ended: int
    counted: bool
    guesses: int
    milliseconds: int


class StoredTry(NamedTuple):
    """The try of one player in the match `match`.

    A try that has not ended in time has no fields after `counted`.
    """

    player: str
    match: str
    counted: bool
    ended: int | None
    how: str | None
    guesses: int | None
    milliseconds: int | None

    def as_ended(self) -> EndedTry | None:
        """Return the try as an ended one, or None if it has not ended in time."""
        if self.ended is None or self.guesses is None or self.milliseconds is None:
            return None
        return EndedTry(self.player, self.ended, self.counted, self.guesses, self.milliseconds)


class PlacedRow(NamedTuple):
    """A counted try in a list of places.

    `owned` is the name that the player has claimed and still owns, or None. `account` is the name
    of the account. A try that has not ended in time has no result.
    """

    player: str
    owned: str | None
    account: str
    match: str
    guesses: int | None
    milliseconds: int | None


class MonthRow(NamedTuple):
    """A day with a code, and the match of the own try, if any.

    The code was revealed at `revealed`, or the day was withdrawn at `withdrawn`. `guesses` and
    `luck` are None without an own try that ended in time. `luck` is the number of
    guesses that it lost by bad luck (see `bots.analysis.advice`), or None if it was not computed.
    """

    day: int
    revealed: int | None
    withdrawn: int | None
    match: str | None
    guesses: int | None
    luck: float | None


class TriedDays(NamedTuple):
    """The days of a player's tries that ended in time, and the days that it has missed.

    `tried` maps a day to the number of broken codes. A day can be missed if it has a code, and if
    none of its codes was withdrawn.
    """

    tried: dict[int, int]
    missable: list[int]


def find_try(session: Session, day: int, rules: str, player: str) -> StoredTry | None:
    """Return the try of the player with this id, or None."""
    values = {"day": day, "rules": rules, "player": player}
    row = session.run(_FIND_TRY, values).fetchone()
    if row is None:
        return None
    found = StoredTry._make(row)
    return found._replace(counted=bool(found.counted))


def count_tries(session: Session, day: int, rules: str, since: int, until: int) -> int:
    """Return the number of tries that began at `since` or later, and before `until`."""
    values = {"day": day, "rules": rules, "since": since, "until": until}
    return int(session.run(_COUNT_TRIES, values).fetchone()[0])


def count_unfinished(session: Session, day: int, rules: str) -> tuple[int, int]:
    """Return the numbers of all tries and of counted tries that have not ended in time."""
    values = {"day": day, "rules": rules}
    counted, others = (
        int(session.run(_COUNT_UNFINISHED, {**values, "counted": each}).fetchone()[0])
        for each in (True, False)
    )
    return counted + others, counted


def list_endings(
    session: Session, day: int, rules: str, after: tuple[int, str], limit: int
) -> list[EndedTry]:
    """Return up to `limit` tries that ended, in the order of the key (ended, player) > `after`."""
    ended, player = after
    values = {"day": day, "rules": rules, "ended": ended, "player": player, "limit": limit}
    return list(map(EndedTry._make, session.run(_LIST_ENDINGS, values).fetchall()))


def list_results(
    session: Session,
    day: int,
    rules: str,
    after: tuple[int, int, str],
    limit: int,
    *,
    counted: bool,
) -> list[EndedTry]:
    """Return up to `limit` tries in the order of the key (result, player) > `after`.

    Only the counted ones are returned, or only the others.
    """
    guesses, milliseconds, player = after
    key = {"guesses": guesses, "milliseconds": milliseconds, "player": player}
    values = {"day": day, "rules": rules, "counted": counted, "limit": limit, **key}
    return list(map(EndedTry._make, session.run(_LIST_RESULTS, values).fetchall()))


def list_placed(
    session: Session, day: int, rules: str, start: tuple[int, int], skip: int, limit: int
) -> list[PlacedRow]:
    """Return up to `limit` counted tries by result and player id.

    The list begins at the result `start`, and omits the first `skip` tries with this result.
    """
    guesses, milliseconds = start
    values = {"day": day, "rules": rules, "guesses": guesses, "milliseconds": milliseconds}
    found = session.run(_LIST_PLACED, {**values, "skip": skip, "limit": limit})
    return list(map(PlacedRow._make, found.fetchall()))


def list_unfinished(
    session: Session, day: int, rules: str, skip: int, limit: int
) -> list[PlacedRow]:
    """Return up to `limit` counted tries that have not ended in time, after the first `skip`."""
    values = {"day": day, "rules": rules, "skip": skip, "limit": limit}
    return list(map(PlacedRow._make, session.run(_LIST_UNFINISHED, values).fetchall()))


def read_tried_days(session: Session, player: str, last: int) -> TriedDays:
    """Return the tried days of the player with this id.

    `missable` ends with the day `last`, and begins with the player's first tried day. Withdrawn
    days are in neither.
    """
    tried = dict(map(tuple, session.run(_READ_TRIED, {"player": player}).fetchall()))
    values = {"first": min(tried, default=last + 1), "last": last}
    return TriedDays(tried, [day for (day,) in session.run(_READ_MISSABLE, values)])


def list_month(session: Session, rules: str, player: str, first: int, last: int) -> list[MonthRow]:
    """Return the days with a code from `first` to `last`, the last first."""
    values = {"rules": rules, "player": player, "first": first, "last": last}
    return list(map(MonthRow._make, session.run(_LIST_MONTH, values).fetchall()))


_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_rules_parameter: sa.BindParameter[str] = sa.bindparam("rules")
_limit_parameter: sa.BindParameter[int] = sa.bindparam("limit")
_skip_parameter: sa.BindParameter[int] = sa.bindparam("skip")
_zero: sa.ColumnClause[int] = sa.literal_column("0")
_guesses: sa.BindParameter[int] = sa.bindparam("guesses", type_=sa.Integer)
_milliseconds: sa.BindParameter[int] = sa.bindparam("milliseconds", type_=sa.BigInteger)
_counted: sa.BindParameter[bool] = sa.bindparam("counted", type_=sa.Boolean)
_is_day = (tries.c.day == sa.bindparam("day")) & (tries.c.rules == _rules_parameter)
_FIND_TRY = sa.select(*(tries.c[name] for name in StoredTry._fields)).where(
    _is_day, tries.c.player == _player_parameter
)
_COUNT_TRIES = sa.select(sa.func.count()).where(
    _is_day,
    tries.c.started >= sa.bindparam("since", type_=sa.BigInteger),
    tries.c.started < sa.bindparam("until", type_=sa.BigInteger),
)
_COUNT_UNFINISHED = sa.select(sa.func.count()).where(
    _is_day, tries.c.counted == _counted, tries.c.guesses.is_(None)
)
_SELECT_ENDED = sa.select(*(tries.c[name] for name in EndedTry._fields))
_LIST_ENDINGS = (
    _SELECT_ENDED.where(
        _is_day,
        sa.tuple_(tries.c.ended, tries.c.player)
        > sa.tuple_(sa.bindparam("ended", type_=sa.BigInteger), _player_parameter),
    )
    .order_by(tries.c.ended, tries.c.player)
    .limit(_limit_parameter)
    .offset(_zero)
)
_LIST_RESULTS = (
    _SELECT_ENDED.where(
        _is_day,
        tries.c.counted == _counted,
        sa.tuple_(tries.c.guesses, tries.c.milliseconds, tries.c.player)
        > sa.tuple_(_guesses, _milliseconds, _player_parameter),
    )
    .order_by(tries.c.guesses, tries.c.milliseconds, tries.c.player)
    .limit(_limit_parameter)
    .offset(_zero)
)
_owned_name = (
    sa.select(names.c.name)
    .where(names.c.player == tries.c.player)
    .order_by(names.c.seen.desc())
    .limit(sa.literal_column("1"))
    .offset(_zero)
    .scalar_subquery()
)
_SELECT_PLACED = (
    sa.select(
        tries.c.player,
        _owned_name,
        players.c.name,
        tries.c.match,
        tries.c.guesses,
        tries.c.milliseconds,
    )
    .join(players, players.c.id == tries.c.player)
    .where(_is_day, tries.c.counted)
    .order_by(tries.c.guesses, tries.c.milliseconds, tries.c.player)
    .limit(_limit_parameter)
    .offset(_skip_parameter)
)
_LIST_PLACED = _SELECT_PLACED.where(
    sa.tuple_(tries.c.guesses, tries.c.milliseconds) >= sa.tuple_(_guesses, _milliseconds)
)
_LIST_UNFINISHED = _SELECT_PLACED.where(tries.c.guesses.is_(None))
_withdrawn = days.alias("withdrawn_days")
_select_withdrawn = sa.select(_withdrawn.c.day).where(_withdrawn.c.withdrawn.is_not(None))
_broken: sa.Case[str] = sa.case(
    (tries.c.how == sa.literal_column(f"'{RoundEnd.BROKEN}'"), tries.c.how)
)
_READ_TRIED = (
    sa.select(tries.c.day, sa.func.count(_broken))
    .where(
        tries.c.player == _player_parameter,
        tries.c.how.is_not(None),
        sa.tuple_(tries.c.day, tries.c.rules).not_in(
            _select_withdrawn.add_columns(_withdrawn.c.rules)
        ),
    )
    .group_by(tries.c.day)
)
_READ_MISSABLE = (
    sa.select(days.c.day)
    .where(
        days.c.day.between(sa.bindparam("first"), sa.bindparam("last")),
        days.c.day.not_in(_select_withdrawn),
    )
    .distinct()
    .order_by(days.c.day)
)
_LIST_MONTH = (
    sa.select(
        days.c.day,
        days.c.revealed,
        days.c.withdrawn,
        tries.c.match,
        tries.c.guesses,
        tries.c.luck,
    )
    .outerjoin(
        tries,
        (tries.c.day == days.c.day)
        & (tries.c.rules == days.c.rules)
        & (tries.c.player == _player_parameter),
    )
    .where(
        days.c.day.between(sa.bindparam("first"), sa.bindparam("last")),
        days.c.rules == _rules_parameter,
    )
    .order_by(days.c.day.desc())
)
