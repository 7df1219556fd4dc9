"""The profile of a player: ratings, rated matches, and results against another player."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.glicko import DRAW, LOSS, WIN
from mastermind_server.storage.rating_rows import Standing
from mastermind_server.storage.schema import archive, matches, names, players, ratings, standings

if TYPE_CHECKING:
    from mastermind_server.storage.engines.database import Session


class Results(NamedTuple):
    """The numbers of won, drawn and lost rated matches."""

    wins: int
    draws: int
    losses: int


class RatedMatch(NamedTuple):
    """A rated match of a player, which ended at `at` in milliseconds since 1970.

    `opponent_id` and `opponent` are the opponent's id and name. `score` is 1, 0.5 or 0. `mine` and
    `theirs` are points of the player and the opponent. `before` and `after` are the player's
    ratings before and after the match; `before` is None for the first match by these rules.
    """

    match: str
    opponent_id: str
    public: bool
    at: int
    rules: str
    opponent: str
    score: float
    mine: int
    theirs: int
    before: float | None
    after: float


class Profile(NamedTuple):
    """A player's ratings by all rules, and its results by the chosen `rules`.

    `name` is the name that the player has claimed and still owns, or None. `account` is the name of
    the account, and `created` the time of its creation in milliseconds since 1970; both are None if
    the account was deleted. `standings` has one row for each set of rules, the last played first.
    `games` is the number of finished matches.

    By `rules`: `history` has the last ratings, the oldest first, `form` counts the last results,
    and `matches` has the last rated matches.

    `record` counts the wins, draws and losses of the requesting player against this player. `met`
    is the time when the last of these matches ended, in milliseconds since 1970, and `met_as` the
    name of this player in it. Both are None without such a match.
    `challenges` is false if the player has chosen to take none.
    """

    player: str
    name: str | None
    account: str | None
    created: int | None
    standings: list[Standing]
    rules: str | None
    history: list[float]
    form: Results
    matches: list[RatedMatch]
    games: int
    record: Results
    met: int | None
    met_as: str | None = None
    challenges: bool = True


class ProfileSize(NamedTuple):
    """The limits of a profile.

    `history` and `matches` are the maximum lengths of the lists `Profile.history` and
    `Profile.matches`. `form` is the number of last results that `Profile.form` counts. `games` is
    the maximum of `Profile.games`.
    """

    history: int
    form: int
    matches: int
    games: int


def read_profile(
    session: Session,
    player: str,
    requester: str | None,
    rules: str | None,
    size: ProfileSize,
) -> Profile:
    """Return the profile of the player with the id `player`.

    `requester` is the id of the player who requests the profile, or None for a player's own
    profile. If `rules` is None, the rules of the last rated match are chosen.
    """
    key = {"player": player}
    found = [Standing(*row) for row in session.run(_READ_STANDINGS, key)]
    name = session.run(_READ_NAME, key).fetchone()
    account, created, challenges = session.run(_READ_ACCOUNT, key).fetchone() or (None, None, True)
    rules = rules or (found[0].rules if found else None)
    chosen = {**key, "rules": rules}
    past = session.run(_READ_HISTORY, {**chosen, "limit": size.history}).fetchall()
    last = session.run(_READ_MATCHES, {**chosen, "limit": size.matches})
    record, met = _read_record(session, requester, player)
    pair = {"player": requester, "opponent": player, "at": met}
    met_as = session.run(_READ_MET_NAME, pair).fetchone() if met is not None else None
    return Profile(
        player=player,
        name=name[0] if name else None,
        account=account,
        created=created,
        standings=found,
        rules=rules,
        history=[rating for rating, _ in reversed(past)],
        form=_make_results([score for _, score in past[: size.form]]),
        matches=[RatedMatch(*row) for row in last],
        games=session.run(_COUNT_GAMES, {**key, "limit": size.games}).fetchone()[0],
        record=record,
        met=met,
        met_as=met_as[0] if met_as else None,
        challenges=bool(challenges),
    )


def _make_results(scores: list[float]) -> Results:
    return Results(*(scores.count(score) for score in (WIN, DRAW, LOSS)))


def _read_record(session: Session, player: str | None, opponent: str) -> tuple[Results, int | None]:
    """Return the results of `player` against `opponent`, and when the last match ended."""
    values = {"player": player, "opponent": opponent}
    rows = session.run(_READ_RECORD, values).fetchall() if player is not None else []
    counts = {won: count for won, count, _ in rows}  # SQLite has 1 for True, which is equal
    results = Results(*(counts.get(won, 0) for won in (True, None, False)))
    return results, max((at for _, _, at in rows), default=None)


_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_rules_parameter: sa.BindParameter[str] = sa.bindparam("rules", type_=sa.String)
_limit_parameter: sa.BindParameter[int] = sa.bindparam("limit")
_no_offset: sa.ColumnClause[int] = sa.literal_column("0")
_READ_STANDINGS = (
    sa.select(*(standings.c[name] for name in Standing._fields))
    .where(standings.c.player == _player_parameter)
    .order_by(standings.c.at.desc(), standings.c.rules)
)
_READ_NAME = (
    sa.select(names.c.name)
    .where(names.c.player == _player_parameter)
    .order_by(names.c.seen.desc())
    .limit(sa.literal_column("1"))
    .offset(sa.literal_column("0"))
)
_READ_ACCOUNT = sa.select(players.c.name, players.c.created, players.c.challenges).where(
    players.c.id == _player_parameter
)
_READ_HISTORY = (
    sa.select(ratings.c.rating, ratings.c.score)
    .where(ratings.c.player == _player_parameter, ratings.c.rules == _rules_parameter)
    .order_by(ratings.c.n.desc())
    .limit(_limit_parameter)
    .offset(_no_offset)
)
_earlier_ratings = ratings.alias("earlier")
_READ_MATCHES = (
    sa.select(
        ratings.c.match,
        ratings.c.opponent,
        matches.c.public,
        ratings.c.at,
        ratings.c.rules,
        archive.c.opponent,
        ratings.c.score,
        archive.c.mine,
        archive.c.theirs,
        _earlier_ratings.c.rating,
        ratings.c.rating,
    )
    .join(archive, (archive.c.player == ratings.c.player) & (archive.c.match == ratings.c.match))
    .join(matches, matches.c.match == ratings.c.match)
    .outerjoin(
        _earlier_ratings,
        (_earlier_ratings.c.player == ratings.c.player)
        & (_earlier_ratings.c.rules == ratings.c.rules)
        & (_earlier_ratings.c.n == ratings.c.n - sa.literal_column("1")),
    )
    .where(ratings.c.player == _player_parameter, ratings.c.rules == _rules_parameter)
    .order_by(ratings.c.n.desc())
    .limit(_limit_parameter)
    .offset(_no_offset)
)
_READ_RECORD = (
    sa.select(archive.c.won, sa.func.count(), sa.func.max(archive.c.at))
    .where(archive.c.player == _player_parameter, archive.c.opponent_id == sa.bindparam("opponent"))
    .group_by(archive.c.won)
)
_READ_MET_NAME = sa.select(archive.c.opponent).where(
    archive.c.player == _player_parameter,
    archive.c.at == sa.bindparam("at", type_=sa.BigInteger),
    archive.c.opponent_id == sa.bindparam("opponent"),
)
_COUNT_GAMES = sa.select(sa.func.count()).select_from(
    sa.select(archive.c.match)
    .where(archive.c.player == _player_parameter)
    .order_by(archive.c.at.desc(), archive.c.match.desc())
    .limit(_limit_parameter)
    .offset(_no_offset)
    .subquery()
)
