"""The players of a leaderboard, in the order of their last rated matches, and rows by id."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.messages import MAX_RANKED_PLAYERS
from mastermind_server.storage.rating_rows import (
    LEADERBOARD_MIN_MATCHES,
    LEADERBOARD_MIN_OPPONENTS,
    Candidate,
    Standing,
)
from mastermind_server.storage.schema import names, players, standings

if TYPE_CHECKING:
    from collections.abc import Collection

    from mastermind_server.storage.engines.database import Session

MAX_READ_ROWS = MAX_RANKED_PLAYERS + 1  # a page and the player's own row: one compiled statement


class LeaderboardRow(NamedTuple):
    """A player of rated matches.

    `name` is the name that the player has claimed and still owns, or None. `account` is the name of
    the account, or None if the account was deleted.
    """

    name: str | None
    account: str | None
    standing: Standing


def list_candidates(
    session: Session, rules: str, after: tuple[int, str], limit: int
) -> list[Candidate]:
    """Return up to `limit` players with enough matches and opponents for the leaderboard.

    They are in the order of the key (`Candidate.at`, `Candidate.player`), which is above `after`. A
    player's rated match moves the player to the end of this order.
    """
    at, player = after
    values = {"rules": rules, "at": at, "player": player, "limit": limit}
    return list(map(Candidate._make, session.run(_LIST_CANDIDATES, values).fetchall()))


def list_recent_players(session: Session, rules: str, since: int, limit: int) -> list[str]:
    """Return the ids of up to `limit` players of rated matches by `rules`, the last played first.

    Matches before `since`, in milliseconds since 1970, do not count.
    """
    values = {"rules": rules, "since": since, "limit": limit}
    return [player for (player,) in session.run(_LIST_RECENT, values)]


def read_leaderboard_rows(
    session: Session, rules: str, ids: Collection[str]
) -> dict[str, LeaderboardRow]:
    """Map up to MAX_READ_ROWS ids of players to their rows.

    Players without a rated match by `rules` are omitted.
    """
    if len(ids) > MAX_READ_ROWS:
        raise ValueError(f"{len(ids)} rows are more than {MAX_READ_ROWS}")
    values = {"rules": rules, **dict(zip_longest(_ID_NAMES, ids, fillvalue=""))}
    found = [
        LeaderboardRow(name, account, Standing(*columns))
        for name, account, *columns in session.run(_READ_ROWS, values)
    ]
    return {row.standing.player: row for row in found}


_LIST_CANDIDATES = (
    sa.select(*(standings.c[name] for name in Candidate._fields))
    .where(
        standings.c.rules == sa.bindparam("rules"),
        sa.tuple_(standings.c.at, standings.c.player)
        > sa.tuple_(sa.bindparam("at", type_=sa.BigInteger), sa.bindparam("player")),
        standings.c.n >= sa.literal_column(str(LEADERBOARD_MIN_MATCHES)),
        standings.c.opponents >= sa.literal_column(str(LEADERBOARD_MIN_OPPONENTS)),
    )
    .order_by(standings.c.at, standings.c.player)
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
_LIST_RECENT = (
    sa.select(standings.c.player)
    .where(
        standings.c.rules == sa.bindparam("rules"),
        standings.c.at >= sa.bindparam("since", type_=sa.BigInteger),
    )
    .order_by(standings.c.at.desc(), standings.c.player)
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
_owned_name = (
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
_ID_NAMES = [f"id{number}" for number in range(MAX_READ_ROWS)]
_READ_ROWS = sa.select(
    _owned_name, _account_name, *(standings.c[name] for name in Standing._fields)
).where(
    standings.c.rules == sa.bindparam("rules"),
    standings.c.player.in_([sa.bindparam(name) for name in _ID_NAMES]),
)
