"""The profile of a player: ratings, rated matches, and the record against another player."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.glicko import DRAW, LOSS, WIN
from mastermind_server.storage.rating_rows import Standing
from mastermind_server.storage.schema import archive, names, players, ratings, standings

if TYPE_CHECKING:
    from mastermind_server.storage.database import Session


class Record(NamedTuple):
    """The numbers of won, drawn and lost rated matches against one opponent."""

    wins: int
    draws: int
    losses: int


class RatedMatch(NamedTuple):
    """A rated match of a player. `before` is None for the first match by its rules.

    `opponent` is the opponent's name, `score` is 1, 0.5 or 0, and `mine` and `theirs` are points.
    """

    match: str
    at: int
    rules: str
    opponent: str
    score: float
    mine: int
    theirs: int
    before: float | None
    after: float


class Profile(NamedTuple):
    """A player's `standings`, the last played first, and its last rated matches.

    `name` is the name that the player owns, or None. `account` is the name of the account, or None
    if the account was deleted. `history` has the ratings by the rules of the first standing, the
    oldest first. `record` counts the rated matches of another player against this player. Its wins
    are those of the other player.
    """

    player: str
    name: str | None
    account: str | None
    standings: list[Standing]
    history: list[float]
    matches: list[RatedMatch]
    record: Record


def read_profile(
    session: Session, player: str, other: str | None, *, history: int, matches: int
) -> Profile:
    """Return the profile of the player id `player`, and the record of the player id `other`.

    `history` and `matches` limit the numbers of ratings and matches.
    """
    key = {"player": player}
    found = [Standing(*row) for row in session.run(_READ_STANDINGS, key)]
    name = session.run(_READ_NAME, key).fetchone()
    account = session.run(_READ_ACCOUNT, key).fetchone()
    past: list[float] = []
    if found:
        values = {**key, "rules": found[0].rules, "limit": history}
        past = [rating for (rating,) in session.run(_READ_HISTORY, values)]
    last = [RatedMatch(*row) for row in session.run(_READ_MATCHES, {**key, "limit": matches})]
    return Profile(
        player=player,
        name=name[0] if name else None,
        account=account[0] if account else None,
        standings=found,
        history=past[::-1],
        matches=last,
        record=_read_record(session, other, player),
    )


def _read_record(session: Session, player: str | None, opponent: str) -> Record:
    if player is None:
        return Record(0, 0, 0)
    values = {"player": player, "opponent": opponent}
    counts: dict[float, int] = dict(session.run(_READ_RECORD, values).fetchall())
    return Record(*(counts.get(score, 0) for score in (WIN, DRAW, LOSS)))


_player: sa.BindParameter[str] = sa.bindparam("player")
_limit: sa.BindParameter[int] = sa.bindparam("limit")
_no_offset: sa.ColumnClause[int] = sa.literal_column("0")
_READ_STANDINGS = (
    sa.select(*(standings.c[name] for name in Standing._fields))
    .where(standings.c.player == _player)
    .order_by(standings.c.at.desc(), standings.c.rules)
)
_READ_NAME = (
    sa.select(names.c.name)
    .where(names.c.player == _player)
    .order_by(names.c.seen.desc())
    .limit(sa.literal_column("1"))
    .offset(sa.literal_column("0"))
)
_READ_ACCOUNT = sa.select(players.c.name).where(players.c.id == _player)
_READ_HISTORY = (
    sa.select(ratings.c.rating)
    .where(ratings.c.player == _player, ratings.c.rules == sa.bindparam("rules"))
    .order_by(ratings.c.n.desc())
    .limit(_limit)
    .offset(_no_offset)
)
_earlier = ratings.alias("earlier")
_READ_MATCHES = (
    sa.select(
        ratings.c.match,
        ratings.c.at,
        ratings.c.rules,
        archive.c.opponent,
        ratings.c.score,
        archive.c.mine,
        archive.c.theirs,
        _earlier.c.rating,
        ratings.c.rating,
    )
    .join(archive, (archive.c.player == ratings.c.player) & (archive.c.match == ratings.c.match))
    .outerjoin(
        _earlier,
        (_earlier.c.player == ratings.c.player)
        & (_earlier.c.rules == ratings.c.rules)
        & (_earlier.c.n == ratings.c.n - sa.literal_column("1")),
    )
    .where(ratings.c.player == _player)
    .order_by(ratings.c.at.desc(), ratings.c.n.desc())
    .limit(_limit)
    .offset(_no_offset)
)
_READ_RECORD = (
    sa.select(ratings.c.score, sa.func.count())
    .where(ratings.c.player == _player, ratings.c.opponent == sa.bindparam("opponent"))
    .group_by(ratings.c.score)
)
