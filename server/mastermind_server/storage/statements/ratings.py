"""Ratings: a row for each rated match, a standing for each player, and the owners of names.

The rows of a match are written in the commit of its last log row. By their primary key only one
match can be number `n` of a player, so each match changes a rating exactly once. Rows of several
players are written in the order of their ids, so that two nodes cannot deadlock.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.glicko import DRAW, LOSS, PROVISIONAL_DEVIATION, WIN, Rating
from mastermind_protocol.match import Phase
from mastermind_server.storage.rating_rows import (
    NAME_KEPT_MILLISECONDS,
    LastRating,
    NameClaim,
    RatingRow,
    RatingsChanged,
)
from mastermind_server.storage.schema import names, players, ratings, running, standings
from mastermind_server.storage.statements.log import append

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.dialects import postgresql, sqlite

    from mastermind_server.storage.engines.database import Session
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.rows import LogRow

    Insert = sqlite.Insert | postgresql.Insert


class PairLimit(NamedTuple):
    """The condition that `counts` is still true, or still false, for two players.

    `counts` is whether a new match changes ratings: the players have fewer than `limit` rated
    matches since `since` (see `count_pair_matches`).
    """

    player: str
    opponent: str
    since: int
    limit: int
    counts: bool

    @property
    def lock(self) -> str:
        """The lock of all rated matches of the pair, which begin one after the other."""
        return f"pair {' '.join(sorted((self.player, self.opponent)))}"

    def holds(self, session: Session) -> bool:
        """Return whether `counts` is unchanged."""
        played = count_pair_matches(session, self.player, self.opponent, self.since)
        return (played < self.limit) is self.counts


def append_rated(
    session: Session,
    rows: Sequence[LogRow],
    projections: Sequence[Projection],
    rated: Sequence[RatingRow],
    claims: Sequence[NameClaim] = (),
) -> None:
    """Append log rows with the rows of `ratings` that they cause, all or nothing.

    Raises RatingsChanged if one of the players has finished another rated match since its rating
    was read. Raises RowTaken or ReusedId if `log.append` rejects a row.
    """
    with session.transaction():
        append(session, rows, projections)
        add_ratings(session, rated, claims)


def add_ratings(
    session: Session, rated: Sequence[RatingRow], claims: Sequence[NameClaim] = ()
) -> None:
    """Add the rating rows of one match, and update the players' standings and names.

    The caller has begun a transaction. A claim has no effect while another player owns the name.
    Raises RatingsChanged.
    """
    in_order = sorted(rated)
    for row in in_order:
        if session.run(_build_rating_insert(session.insert), row._asdict()).rowcount != 1:
            raise RatingsChanged(row.player, row.rules, row.n)
    for row in in_order:
        _update_standing(session, row)
    at = max(row.at for row in rated)
    for claim in sorted(claims):
        values = {**claim._asdict(), "seen": at, "expired": at - NAME_KEPT_MILLISECONDS}
        session.run(_build_claim_insert(session.insert), values)


def read_last_ratings(session: Session, rules: str, ids: Sequence[str]) -> dict[str, LastRating]:
    """Map each player's id in `ids` to the player's last rating by `rules`."""
    found = {}
    for player in ids:
        row = session.run(_READ_LAST_RATING, {"player": player, "rules": rules}).fetchone()
        name = session.run(_READ_NAME, {"player": player}).fetchone()
        last = LastRating(row[0], row[1], Rating(*row[2:])) if row else LastRating()
        found[player] = last._replace(name=name[0] if name else None)
    return found


def count_pair_matches(session: Session, player: str, opponent: str, since: int) -> int:
    """Return the number of two players' rated matches, running or ended after `since`.

    Matches that change no ratings are not counted. `player` and `opponent` are the players' ids.
    `since` is in milliseconds since 1970.
    """
    values = {"player": player, "opponent": opponent, "since": since}
    return int(session.run(_COUNT_PAIR_MATCHES, values).fetchone()[0])


def find_name_owner(session: Session, skeleton: str, now: int) -> str | None:
    """Return the id of the player who owns the names with this skeleton at `now`, or None.

    `now` is in milliseconds since 1970. The skeleton is that of `skeletons.find_skeleton`.
    """
    values = {"skeleton": skeleton, "expired": now - NAME_KEPT_MILLISECONDS}
    row = session.run(_FIND_OWNER, values).fetchone()
    return row[0] if row else None


def _update_standing(session: Session, row: RatingRow) -> None:
    """Add a rated match to the standing of its player."""
    new = False
    if row.established:
        met = {"player": row.player, "rules": row.rules, "opponent": row.opponent, "n": row.n}
        new = session.run(_IS_KNOWN_OPPONENT, met).fetchone() is None
    best = row.rating if row.deviation < PROVISIONAL_DEVIATION else None
    values: dict[str, Any] = {
        name: value for name, value in row._asdict().items() if name in standings.c
    }
    values |= {
        "wins": int(row.score == WIN),
        "draws": int(row.score == DRAW),
        "losses": int(row.score == LOSS),
        "opponents": int(new),
        "best": best,
        "best_at": None if best is None else row.at,
    }
    session.run(_build_standing_upsert(session.insert), values)


@cache
def _build_rating_insert(insert: Callable[[sa.Table], Insert]) -> sa.ClauseElement:
    return insert(ratings).on_conflict_do_nothing()


@cache
def _build_standing_upsert(insert: Callable[[sa.Table], Insert]) -> sa.ClauseElement:
    """Return an INSERT of a row of `standings`, which is added to the player's row if it exists."""
    statement = insert(standings)
    new, old = statement.excluded, standings.c
    better = new.best.is_not(None) & (old.best.is_(None) | (new.best > old.best))
    changes: dict[str, Any] = {
        name: new[name] for name in ("n", "at", "rating", "deviation", "volatility")
    }
    changes |= {
        name: old[name] + new[name]
        for name in ("wins", "draws", "losses", "rounds", "broken", "guesses", "luck", "opponents")
    }
    changes |= {name: sa.case((better, new[name]), else_=old[name]) for name in ("best", "best_at")}
    fewer = old.fewest.is_(None) | (new.fewest < old.fewest)
    changes["fewest"] = sa.case((fewer, new.fewest), else_=old.fewest)
    return statement.on_conflict_do_update(index_elements=["player", "rules"], set_=changes)


@cache
def _build_claim_insert(insert: Callable[[sa.Table], Insert]) -> sa.ClauseElement:
    """Return an INSERT into `names` that replaces an expired claim, or the player's own claim.

    Of two matches that end at once, the later one may be stored first.
    """
    statement = insert(names)
    statement = statement.values({column.name: sa.bindparam(column.name) for column in names.c})
    new = statement.excluded
    free = (names.c.player == new.player) | (
        names.c.seen < sa.bindparam("expired", type_=sa.BigInteger)
    )
    return statement.on_conflict_do_update(
        index_elements=["skeleton"],
        set_={
            "player": new.player,
            "name": new.name,
            "seen": sa.case((names.c.seen > new.seen, names.c.seen), else_=new.seen),
        },
        where=free,
    )


_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_opponent_parameter: sa.BindParameter[str] = sa.bindparam("opponent")
_rules_parameter: sa.BindParameter[str] = sa.bindparam("rules")
_READ_LAST_RATING = sa.select(
    *(standings.c[name] for name in ("n", "at", "rating", "deviation", "volatility"))
).where(standings.c.player == _player_parameter, standings.c.rules == _rules_parameter)
_READ_NAME = sa.select(players.c.name).where(players.c.id == _player_parameter)
_IS_KNOWN_OPPONENT = (
    sa.select(ratings.c.n)
    .where(
        ratings.c.player == _player_parameter,
        ratings.c.opponent == _opponent_parameter,
        ratings.c.rules == _rules_parameter,
        ratings.c.established,
        ratings.c.n < sa.bindparam("n", type_=sa.Integer),
    )
    .limit(sa.literal_column("1"))
    .offset(sa.literal_column("0"))
)
_count_ended = sa.select(sa.func.count()).where(
    ratings.c.player == _player_parameter,
    ratings.c.opponent == _opponent_parameter,
    ratings.c.at > sa.bindparam("since", type_=sa.BigInteger),
)
_count_running = sa.select(sa.func.count()).where(
    running.c.player == _player_parameter,
    running.c.opponent_id == _opponent_parameter,
    running.c.rated,
    running.c.phase != sa.literal_column(f"'{Phase.GATHERING}'"),  # an offered rematch
)
# One statement: between two, a match could end, and be in neither count.
_COUNT_PAIR_MATCHES = sa.select(_count_ended.scalar_subquery() + _count_running.scalar_subquery())
_FIND_OWNER = sa.select(names.c.player).where(
    names.c.skeleton == sa.bindparam("skeleton"),
    names.c.seen >= sa.bindparam("expired", type_=sa.BigInteger),
)
