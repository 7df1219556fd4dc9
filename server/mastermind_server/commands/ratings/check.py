"""Compares `ratings`, `standings` and `names` with the log.

Each rated match is replayed, and its rows are compared with the stored ones. Then the rows of each
player, with the corrections from the log, must follow from each other, and their sum must be the
standing. All reads are in slices: the memory holds the rows of one player, the differences, and the
ratings of forgotten players, which only the log has.

The log alone does not determine two values. Luck depends on the estimates of this version. A name
belongs to the player with the first claim, so a stored claim is only compared with its owner's
matches.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import sqlalchemy as sa

from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import MastermindError, MessageError
from mastermind_protocol.events import Joined, Rated
from mastermind_protocol.glicko import INITIAL_RATING, Rating
from mastermind_protocol.rules import DEFAULT
from mastermind_server.bots import worker_functions
from mastermind_server.commands.ratings.replay import (
    NotRated,
    differ,
    list_rated_matches,
    replay_match,
)
from mastermind_server.look_alikes.skeletons import find_skeleton
from mastermind_server.storage.rating_rows import (
    NAME_KEPT_MILLISECONDS,
    NameClaim,
    RatingRow,
    Standing,
    find_rating_at,
    make_standing,
)
from mastermind_server.storage.schema import archive, matches, names, players, ratings, standings
from mastermind_server.storage.statements.log import read_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.events import AnyEvent
    from mastermind_server.commands.ratings.replay import ReplayedMatch
    from mastermind_server.storage.engines.database import Session

LUCK_TOLERANCE = 1e-6  # guesses: the order of a sum, and the library, change it by less
_SLICE_ROWS = 1000  # rows in one read
_ROWS_WITH_PLAYERS = 8  # of a log: both players have joined before the first secret
_Key: TypeAlias = tuple[str, str]
"""Player id and rules."""


class _Doubt(NamedTuple):
    """A rating before match number `n`, which does not follow from the row of match n - 1."""

    n: int
    before: Rating


def find_differences(session: Session) -> list[str]:
    """Return a line for each difference between the tables and the log, on one state of both.

    No line is printed before the end: a slow terminal would delay the reads of the snapshot.
    """
    worker_functions.measure_luck(DEFAULT, [])  # loads NumPy, which takes too long in a snapshot
    with session.snapshot():
        return list(_Check(session).run())


class _Check:
    """A check of all ratings.

    `_corrections` has the rows of the log that are missing or wrong in `ratings`, by player and n.
    `_doubts` has ratings that were compared with a stored row, and must be compared again with its
    correction. `_matched` counts stored rows with a match.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._corrections: dict[_Key, dict[int, RatingRow]] = defaultdict(dict)
        self._doubts: dict[_Key, list[_Doubt]] = defaultdict(list)
        self._unclaimed: set[str] = set()  # skeletons that were reported
        self._matched = 0

    def run(self) -> Iterator[str]:
        """Yield a line for each difference."""
        for match_code in list_rated_matches(self._session):
            try:
                replayed = replay_match(self._session, match_code)
            except NotRated:
                yield f"match {match_code}: it has changed no ratings"
            except (MastermindError, ValueError, TypeError) as error:
                yield f"match {match_code}: its log is damaged: {error}"
            else:
                if replayed is not None:
                    yield from self._compare_match(replayed)
        count = self._session.connection.scalar(sa.select(sa.func.count()).select_from(ratings))
        stored = (RatingRow(*row) for row in self._read_all(ratings))
        for key, group in groupby(stored, key=lambda row: (row.player, row.rules)):
            rows = {row.n: row for row in group} | self._corrections.pop(key, {})
            if self._matched != count:
                yield from self._drop_unknown_rows(rows)
            yield from self._compare_player(key, rows)
        forgotten = sorted(self._corrections.items())
        for key, rows in forgotten:
            yield from self._compare_player(key, rows)
        yield from self._find_orphans({key for key, _ in forgotten})
        yield from self._compare_names()

    def _compare_match(self, replayed: ReplayedMatch) -> Iterator[str]:
        """Yield a line for each row and claim of a match that the tables do not have."""
        for row, computed in replayed.wrong:
            yield _describe_rating(row, "after", row.after, computed)
        for row in replayed.rows:
            stored = self._find(ratings, player=row.player, rules=row.rules, n=row.n)
            self._matched += stored is not None
            if stored is None:
                if self._has_account(row.player):
                    yield f"match {row.match}: the rating of player {row.player} is not stored"
                self._corrections[row.player, row.rules][row.n] = row
            elif lines := list(_compare_columns(RatingRow(*stored), row)):
                yield from (f"match {row.match}: player {row.player}, {line}" for line in lines)
                self._corrections[row.player, row.rules][row.n] = row
            before = replayed.before[row.player]
            earlier = self._find(ratings, player=row.player, rules=row.rules, n=row.n - 1)
            expected = _find_before(row, None if earlier is None else RatingRow(*earlier))
            if (earlier is None and row.n > 1) or differ(before, expected):
                self._doubts[row.player, row.rules].append(_Doubt(row.n, before))
        for claim in replayed.claims:
            yield from self._compare_claim(claim, replayed.rows[0])

    def _compare_claim(self, claim: NameClaim, ended: RatingRow) -> Iterator[str]:
        """Yield a line if no player owned the claimed name after the match of `ended`."""
        row = self._find(names, skeleton=claim.skeleton)
        owned = row is not None and (
            row.seen >= ended.at
            if row.player == claim.player
            else row.seen >= ended.at - NAME_KEPT_MILLISECONDS
        )
        if owned or claim.skeleton in self._unclaimed or not self._has_account(claim.player):
            return
        self._unclaimed.add(claim.skeleton)
        yield f"match {ended.match}: the name of player {claim.player} is not stored"

    def _drop_unknown_rows(self, rows: dict[int, RatingRow]) -> Iterator[str]:
        """Remove the rows without a replayed match, and yield a line for each."""
        for row in list(rows.values()):
            match = self._find(matches, match=row.match)
            if not (match and match.rated and match.due is None) or not any(
                isinstance(event, Rated)
                and any((own.player, own.n) == (row.player, row.n) for own in event.players)
                for event in self._read_events(row.match)
            ):
                del rows[row.n]
                yield f"match {row.match}: the log has no rating of player {row.player}"

    def _compare_player(self, key: _Key, rows: dict[int, RatingRow]) -> Iterator[str]:
        """Yield a line for each wrong number, rating before a match, and standing of a player."""
        player, rules = key
        in_order = [rows[n] for n in sorted(rows)]
        for number, row in enumerate(in_order, 1):
            if row.n != number:
                yield f"match {row.match}: player {player} has number {row.n}, not {number}"
        for n, before in self._doubts.pop(key, ()):
            expected = _find_before(rows[n], rows.get(n - 1))
            if differ(before, expected):
                yield _describe_rating(rows[n], "before", before, expected)
        stored = self._find(standings, player=player, rules=rules)
        if stored is None:
            if in_order and self._has_account(player):
                yield f"player {player}, {rules}: the standing is not stored"
        elif not in_order:
            yield f"player {player}, {rules}: the log has no ratings"
        else:
            for line in _compare_columns(Standing(*stored), make_standing(in_order)):
                yield f"player {player}, {rules}, {line}"

    def _find_orphans(self, checked: set[_Key]) -> Iterator[str]:
        """Yield a line for each standing without ratings, except for the keys `checked`."""
        same = (ratings.c.player == standings.c.player) & (ratings.c.rules == standings.c.rules)
        query = sa.select(standings.c.player, standings.c.rules).where(~sa.exists().where(same))
        for player, rules in self._session.connection.execute(query):
            if (player, rules) not in checked:
                yield f"player {player}, {rules}: the log has no ratings"

    def _compare_names(self) -> Iterator[str]:
        """Yield a line for each name whose owner played no match under it that ended at `seen`."""
        for row in self._read_all(names):
            query = sa.select(archive.c.match).where(
                archive.c.player == row.player, archive.c.at == row.seen
            )
            claims = {
                NameClaim(find_skeleton(event.player.name), row.player, event.player.name)
                for match_code in self._session.connection.scalars(query).all()
                for event in self._read_events(match_code, _ROWS_WITH_PLAYERS)
                if isinstance(event, Joined) and event.player.id == row.player
            }
            if NameClaim(row.skeleton, row.player, row.name) not in claims:
                yield f"name {row.name}: no match of player {row.player} has claimed it"

    def _read_events(self, match_code: str, limit: int | None = None) -> list[AnyEvent]:
        """Return the events of the first `limit` rows of a match, without damaged rows.

        A damaged log was reported by the replay.
        """
        events: list[AnyEvent] = []
        for row in read_log(self._session, match_code, limit=limit):
            with suppress(MessageError):
                events += decode_events(row.events)
        return events

    def _has_account(self, player: str) -> bool:
        """Return whether a player exists. Of a forgotten player only the log has ratings."""
        return self._find(players, id=player) is not None

    def _find(self, table: sa.Table, **key: object) -> Any:
        """Return the row of `table` with this primary key, or None."""
        query = sa.select(table).where(*(table.c[name] == value for name, value in key.items()))
        return self._session.connection.execute(query).one_or_none()

    def _read_all(self, table: sa.Table) -> Iterator[Any]:
        """Yield all rows of `table` in the order of the primary key."""
        keys = sa.tuple_(*table.primary_key)
        query = sa.select(table).order_by(*table.primary_key).limit(_SLICE_ROWS)
        rows = self._session.connection.execute(query).all()
        while rows:
            yield from rows
            last = [sa.literal(getattr(rows[-1], key.name)) for key in table.primary_key]
            rows = self._session.connection.execute(query.where(keys > sa.tuple_(*last))).all()


def _find_before(row: RatingRow, earlier: RatingRow | None) -> Rating:
    """Return the rating before the match of `row`. `earlier` is the row of the match before it."""
    return INITIAL_RATING if earlier is None else find_rating_at(earlier.after, earlier.at, row.at)


def _compare_columns(found: RatingRow | Standing, expected: RatingRow | Standing) -> Iterator[str]:
    """Yield a text for each difference between the columns of two rows."""
    one: Any
    other: Any
    for column, one, other in zip(found._fields, found, expected, strict=True):
        if one == other:
            continue
        if column == "luck" and None not in (one, other) and abs(one - other) <= LUCK_TOLERANCE:
            continue
        yield f"{column}: {one}, expected {other}"


def _describe_rating(row: RatingRow, which: str, found: Rating, expected: Rating) -> str:
    return (
        f"match {row.match}: player {row.player}, {which}: {found.rating} ± {found.deviation}"
        f" ({found.volatility}), expected {expected.rating} ± {expected.deviation}"
        f" ({expected.volatility})"
    )
