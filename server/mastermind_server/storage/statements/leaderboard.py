"""The leaderboard of one set of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.glicko import PROVISIONAL_DEVIATION
from mastermind_server.storage.rating_rows import (
    GROWTH,
    LEADERBOARD_MATCHES,
    LEADERBOARD_OPPONENTS,
    LEADERBOARD_TIME,
    Standing,
)
from mastermind_server.storage.schema import names, players, standings

if TYPE_CHECKING:
    from mastermind_server.storage.database import Session


class LeaderboardRow(NamedTuple):
    """A player of rated matches. `place` counts from 1, or is None off the leaderboard.

    `name` is the name that the player owns, or None. `account` is the name of the account.
    """

    place: int | None
    name: str | None
    account: str | None
    standing: Standing


class LeaderboardPart(NamedTuple):
    """Consecutive `rows` of the leaderboard, the row of one player, and the number of players.

    `own` is None for a player without a rated match by these rules.
    """

    rows: list[LeaderboardRow]
    own: LeaderboardRow | None
    total: int


def read_leaderboard(
    session: Session, rules: str, now: int, *, after: int = 0, limit: int, player: str | None = None
) -> LeaderboardPart:
    """Return up to `limit` rows after the place `after`, the highest rating first.

    `own` is the row of the player id `player`. `now` is in milliseconds since 1970. A player is on
    the leaderboard with a rating that is not provisional at `now`, LEADERBOARD_MATCHES matches,
    LEADERBOARD_OPPONENTS established opponents, and a match within LEADERBOARD_TIME.
    """
    values = {**_make_values(rules, now), "after": after, "limit": limit}
    page = session.run(_READ_PAGE, values).fetchall()
    rows = [
        LeaderboardRow(after + number, name, account, Standing(*columns))
        for number, (name, account, *columns) in enumerate(page, 1)
    ]
    total = count_places(session, rules, now)
    own = session.run(_READ_OWN, {"rules": rules, "player": player}).fetchone() if player else None
    if own is None:
        return LeaderboardPart(rows, None, total)
    name, account, *columns = own
    standing = Standing(*columns)
    place = find_place(session, standing, now)
    return LeaderboardPart(rows, LeaderboardRow(place, name, account, standing), total)


def count_places(session: Session, rules: str, now: int) -> int:
    """Return the number of players on the leaderboard of `rules` at `now`."""
    count: int = session.run(_COUNT, _make_values(rules, now)).fetchone()[0]
    return count


def find_place(session: Session, standing: Standing, now: int) -> int | None:
    """Return the place of a player on the leaderboard at `now`, from 1, or None off it."""
    values = {**_make_values(standing.rules, now), "player": standing.player}
    if session.run(_IS_LISTED, values).fetchone() is None:
        return None
    above: int = session.run(_COUNT_ABOVE, {**values, "rating": standing.rating}).fetchone()[0]
    return above + 1


def _make_values(rules: str, now: int) -> dict[str, Any]:
    """Return the parameters of the conditions for a place."""
    return {"rules": rules, "now": now, "since": now - LEADERBOARD_TIME}


OWNED_NAME = (
    sa.select(names.c.name)
    .where(names.c.player == standings.c.player)
    .order_by(names.c.seen.desc())
    .limit(sa.literal_column("1"))
    .offset(sa.literal_column("0"))
    .scalar_subquery()
)
_account = sa.select(players.c.name).where(players.c.id == standings.c.player).scalar_subquery()
_rules: sa.BindParameter[str] = sa.bindparam("rules")
_player: sa.BindParameter[str] = sa.bindparam("player")
_rating: sa.BindParameter[float] = sa.bindparam("rating", type_=sa.Double)
_now: sa.BindParameter[int] = sa.bindparam("now", type_=sa.BigInteger)
_grown = standings.c.deviation * standings.c.deviation + (
    _now - standings.c.at
) * standings.c.volatility * standings.c.volatility * sa.literal_column(repr(GROWTH))
_listed = (
    standings.c.rules == _rules,
    standings.c.n >= sa.literal_column(str(LEADERBOARD_MATCHES)),
    standings.c.opponents >= sa.literal_column(str(LEADERBOARD_OPPONENTS)),
    standings.c.at > sa.bindparam("since", type_=sa.BigInteger),
    _grown < sa.literal_column(repr(PROVISIONAL_DEVIATION**2)),
)
_COLUMNS = (OWNED_NAME, _account, *(standings.c[name] for name in Standing._fields))
_READ_PAGE = (
    sa.select(*_COLUMNS)
    .where(*_listed)
    .order_by(standings.c.rating.desc(), standings.c.player.desc())
    .limit(sa.bindparam("limit"))
    .offset(sa.bindparam("after"))
)
_COUNT = sa.select(sa.func.count()).where(*_listed)
_COUNT_ABOVE = _COUNT.where(
    (standings.c.rating > _rating)
    | ((standings.c.rating == _rating) & (standings.c.player > _player))
)
_IS_LISTED = sa.select(standings.c.n).where(standings.c.player == _player, *_listed)
_READ_OWN = sa.select(*_COLUMNS).where(standings.c.player == _player, standings.c.rules == _rules)
