"""The people against whom a player has finished matches, and the matches that they play now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.match import Phase
from mastermind_server.storage.schema import archive, matches, running
from mastermind_server.storage.schema import players as accounts
from mastermind_server.storage.statements.statistics import read_opening

if TYPE_CHECKING:
    from collections.abc import Collection

    from mastermind_server.storage.engines.database import Session

MAX_SEARCHED_MATCHES = 500  # running matches of all people of a list: ten of each


class Met(NamedTuple):
    """The results of a player against a person under one name: numbers of matches.

    `player` is the id of the person, or None in matches that earlier servers have stored. Then
    `opening` has the first rows of the log of one of the matches, as encoded events; otherwise it
    is empty. The last match ended at `last`, in milliseconds since 1970.
    """

    player: str | None
    name: str
    wins: int
    draws: int
    losses: int
    last: int
    opening: tuple[bytes, ...] = ()


def read_people(session: Session, player: str, *, searched: int, limit: int) -> list[Met]:
    """Return the results of the player with the id `player` against people, not programs.

    Only the last `searched` matches of the player count. At most `limit` results are returned, the
    last played first. A person who has changed the name has one for each name.
    """
    values = {"player": player, "searched": searched, "limit": limit}
    return [
        Met._make((known, *row, () if known else tuple(read_opening(session, match))))
        for known, *row, match in session.run(_READ_PEOPLE, values).fetchall()
    ]


def list_public_matches(session: Session, players: Collection[str]) -> list[tuple[str, str]]:
    """Return the running public matches of the players with these ids, the newest first.

    Each is a pair: the match code, and the id of the player.
    """
    query = _LIST_PUBLIC_MATCHES.where(running.c.player.in_(players))
    return [(match, player) for match, player in session.connection.execute(query)]


def list_refusing(session: Session, players: Collection[str]) -> set[str]:
    """Return those of the players with these ids who take no challenges."""
    query = _LIST_REFUSING.where(accounts.c.id.in_(players))
    return {player for (player,) in session.connection.execute(query)}


def _count(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.count(sa.case((condition, sa.literal_column("1"))))


_newest = (
    sa.select(
        *(archive.c[name] for name in ("opponent_id", "opponent", "won", "at", "match", "bot"))
    )
    .where(archive.c.player == sa.bindparam("player"))
    .order_by(archive.c.at.desc(), archive.c.match.desc())
    .limit(sa.bindparam("searched"))
    .offset(sa.literal_column("0"))
    .subquery("newest")
)
_READ_PEOPLE = (
    sa.select(
        _newest.c.opponent_id,
        _newest.c.opponent,
        _count(_newest.c.won.is_(True)),
        _count(_newest.c.won.is_(None)),
        _count(_newest.c.won.is_(False)),
        sa.func.max(_newest.c.at),
        sa.func.max(_newest.c.match),
    )
    .where(_newest.c.bot.is_(False))
    .group_by(_newest.c.opponent_id, _newest.c.opponent)
    .order_by(sa.func.max(_newest.c.at).desc(), _newest.c.opponent)
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
_LIST_REFUSING = sa.select(accounts.c.id).where(accounts.c.challenges.is_(False))
_LIST_PUBLIC_MATCHES = (
    sa.select(running.c.match, running.c.player)
    .join(matches, matches.c.match == running.c.match)
    .where(matches.c.public, running.c.phase.in_((Phase.SETTING, Phase.BREAKING)))
    .order_by(running.c.at.desc())
    .limit(MAX_SEARCHED_MATCHES)
)
