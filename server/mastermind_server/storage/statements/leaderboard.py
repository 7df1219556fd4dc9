"""The leaderboard of one set of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.glicko import PROVISIONAL_DEVIATION
from mastermind_server.storage.rating_rows import (
    DEVIATION_GROWTH,
    LEADERBOARD_MIN_MATCHES,
    LEADERBOARD_MIN_OPPONENTS,
    LEADERBOARD_WINDOW_MILLISECONDS,
    Standing,
)
from mastermind_server.storage.schema import names, players, standings

if TYPE_CHECKING:
    from mastermind_server.storage.database import Session


class LeaderboardRow(NamedTuple):
    """A player of rated matches. `place` is 1 for the best player, and None off the leaderboard.

    `name` is the name that the player has claimed and still owns, or None. `account` is the name of
    the account, or None if the account was deleted.
    """

    place: int | None
    name: str | None
    account: str | None
    standing: Standing


class LeaderboardPart(NamedTuple):
    """Consecutive `rows` of a leaderboard that has `total` players.

    `own` is the row of the asking player, or None if the player has no rated match by these rules.
    """

    rows: list[LeaderboardRow]
    own: LeaderboardRow | None
    total: int


def read_leaderboard(
    session: Session, rules: str, now: int, *, after: int = 0, limit: int, player: str | None = None
) -> LeaderboardPart:
    """Return up to `limit` rows after the place `after`, the highest rating first.

    `LeaderboardPart.own` is the row of the player with the id `player`. A player is on the
    leaderboard if all of this is true: its rating is not provisional at `now`, in milliseconds
    since 1970; it has at least LEADERBOARD_MIN_MATCHES matches; it has played against at least
    LEADERBOARD_MIN_OPPONENTS established opponents; its last match ended within
    LEADERBOARD_WINDOW_MILLISECONDS before `now`.
    """
    values = {**_make_values(rules, now), "after": after, "limit": limit}
    page = session.run(_READ_PAGE, values).fetchall()
    rows = [
        LeaderboardRow(after + number, name, account, Standing(*columns))
        for number, (name, account, *columns) in enumerate(page, 1)
    ]
    total = count_places(session, rules, now)
    own = (
        session.run(_READ_PLAYER, {"rules": rules, "player": player}).fetchone() if player else None
    )
    if own is None:
        return LeaderboardPart(rows, None, total)
    name, account, *columns = own
    standing = Standing(*columns)
    place = find_place(session, standing, now)
    return LeaderboardPart(rows, LeaderboardRow(place, name, account, standing), total)


def count_places(session: Session, rules: str, now: int) -> int:
    """Return the number of players on the leaderboard at `now`, in milliseconds since 1970."""
    count: int = session.run(_COUNT_PLACES, _make_values(rules, now)).fetchone()[0]
    return count


def find_place(session: Session, standing: Standing, now: int) -> int | None:
    """Return the place of a player on the leaderboard, from 1, or None off the leaderboard.

    `now` is in milliseconds since 1970.
    """
    values = {**_make_values(standing.rules, now), "player": standing.player}
    if session.run(_IS_ON_LEADERBOARD, values).fetchone() is None:
        return None
    above: int = session.run(
        _COUNT_HIGHER_PLACES, {**values, "rating": standing.rating}
    ).fetchone()[0]
    return above + 1


def _make_values(rules: str, now: int) -> dict[str, Any]:
    """Return the parameters of `_is_on_leaderboard`."""
    return {"rules": rules, "now": now, "since": now - LEADERBOARD_WINDOW_MILLISECONDS}


OWNED_NAME = (
    sa.select(names.c.name)
    .where(names.c.player == standings.c.player)
    .order_by(names.c.seen.desc())
    .limit(sa.literal_column("1"))
    .offset(sa.literal_column("0"))
    .scalar_subquery()
)
_account_name = (
    sa.select(players.c.name).where(players.c.id == standings.c.player).scalar_subquery()
)
_rules_parameter: sa.BindParameter[str] = sa.bindparam("rules")
_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_rating_parameter: sa.BindParameter[float] = sa.bindparam("rating", type_=sa.Double)
_now_parameter: sa.BindParameter[int] = sa.bindparam("now", type_=sa.BigInteger)
_grown_variance = standings.c.deviation * standings.c.deviation + (
    _now_parameter - standings.c.at
) * standings.c.volatility * standings.c.volatility * sa.literal_column(repr(DEVIATION_GROWTH))
_is_on_leaderboard = (
    standings.c.rules == _rules_parameter,
    standings.c.n >= sa.literal_column(str(LEADERBOARD_MIN_MATCHES)),
    standings.c.opponents >= sa.literal_column(str(LEADERBOARD_MIN_OPPONENTS)),
    standings.c.at > sa.bindparam("since", type_=sa.BigInteger),
    _grown_variance < sa.literal_column(repr(PROVISIONAL_DEVIATION**2)),
)
_COLUMNS = (OWNED_NAME, _account_name, *(standings.c[name] for name in Standing._fields))
_READ_PAGE = (
    sa.select(*_COLUMNS)
    .where(*_is_on_leaderboard)
    .order_by(standings.c.rating.desc(), standings.c.player.desc())
    .limit(sa.bindparam("limit"))
    .offset(sa.bindparam("after"))
)
_COUNT_PLACES = sa.select(sa.func.count()).where(*_is_on_leaderboard)
_COUNT_HIGHER_PLACES = _COUNT_PLACES.where(
    (standings.c.rating > _rating_parameter)
    | ((standings.c.rating == _rating_parameter) & (standings.c.player > _player_parameter))
)
_IS_ON_LEADERBOARD = sa.select(standings.c.n).where(
    standings.c.player == _player_parameter, *_is_on_leaderboard
)
_READ_PLAYER = sa.select(*_COLUMNS).where(
    standings.c.player == _player_parameter, standings.c.rules == _rules_parameter
)
