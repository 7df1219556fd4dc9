"""The sums of a player's finished matches.

Reading the rows and adding them here takes less time than window functions in SQL, which would sort
all matches for each kind of group. It runs few lines of Python for each match, because these delay
the event loop: most loops are those of built-in functions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa

from mastermind_protocol.events import MatchEnd, Seat
from mastermind_server.storage.schema import archive, log

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from mastermind_server.storage.engines.database import Session

_Key = TypeVar("_Key")
Result: TypeAlias = Sequence[Any]
"""A finished match: its code, its end in milliseconds since 1970, whether the player won, the
guesses of the player in each round without advice as JSON, the guesses of a bot that the match
measured, and the number of rounds in which the player broke codes. Won is None for a draw, the
guesses of a bot are None in other matches, and LEFT if the match was left. The rounds of a match
that was left are None: they are not known. A plain sequence, because there are 10,000."""

LEFT = -1
OPENING_ROWS = 2  # of a log: one opens the match, the next may seat the player who joins


class ArchiveState(NamedTuple):
    """The number of the last matches of a player, and the sum of the times of their ends.

    One of them changes with each match that joins or leaves the last ones, in whichever order nodes
    store matches. The sum is None without a match.
    """

    matches: int
    times: Decimal | int | None


class Opponent(NamedTuple):
    """The name of an opponent in the last match, and whether it is a bot or program.

    `player` is the id, or None for a bot of the server and in archives of earlier servers: then
    opponents are distinguished by name.
    """

    name: str
    bot: bool
    player: str | None = None


@dataclass(frozen=True, slots=True)
class MatchSums:
    """The sums of some matches of a player.

    `streak` is the number of wins since the last match that was not won, and `longest` the largest
    number of wins in a row. `last` is the time when the last match ended, in milliseconds since
    1970, and `match` its code. `tries` maps a number of guesses to the number of rounds in which
    the player broke the code with it; 0 stands for codes that were not broken. `measured` is the
    number of matches that measured a bot to their end, with `measured_guesses` guesses. `advised`
    is the number of rounds as codebreaker with advice, which `tries` omits.
    """

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    streak: int = 0
    longest: int = 0
    last: int | None = None
    match: str = ""
    tries: Counter[int] = field(default_factory=Counter)
    measured: int = 0
    measured_guesses: int = 0
    advised: int = 0


@dataclass(frozen=True, slots=True)
class ArchiveSums:
    """The sums of a player's matches: of all, by the name of the rules, and by opponent.

    The rules and opponents with the most matches come first, and among equals the last played.
    `openings` maps the last match against each of `opponents` to the first rows of its log, as
    encoded events.
    """

    total: MatchSums
    rules: Mapping[str, MatchSums]
    opponents: Mapping[Opponent, MatchSums]
    openings: Mapping[str, list[bytes]]


def read_archive_state(session: Session, player: str, matches: int) -> ArchiveState:
    """Return the state of the last `matches` finished matches of the player with this id.

    Reads only an index: less than a millisecond for 10,000 matches.
    """
    values = {"player": player, "limit": matches}
    return ArchiveState._make(session.run(_READ_STATE, values).fetchone())


def sum_archive(
    session: Session, player: str, *, matches: int, rules: int, opponents: int
) -> ArchiveSums:
    """Return the sums of the last `matches` finished matches of the player with this id.

    At most `rules` rules and `opponents` opponents are returned, those with the most matches.
    """
    total: list[Result] = []
    by_rules: defaultdict[str, list[Result]] = defaultdict(list)
    by_opponent: defaultdict[tuple[str, bool], list[Result]] = defaultdict(list)
    opponents_by_key: dict[tuple[str, bool], Opponent] = {}  # with the newest names
    newest = session.run(_READ_MATCHES, {"player": player, "limit": matches})
    for rules_name, name, bot, opponent, *result in newest:
        total.append(result)
        by_rules[rules_name].append(result)
        key = (opponent or name, bot)
        by_opponent[key].append(result)
        if key not in opponents_by_key:
            opponents_by_key[key] = Opponent(name, bool(bot), opponent)
    chosen = _sum_largest(by_opponent, opponents)
    return ArchiveSums(
        sum_results(total),
        _sum_largest(by_rules, rules),
        {opponents_by_key[key]: sums for key, sums in chosen.items()},
        {sums.match: read_opening(session, sums.match) for sums in chosen.values()},
    )


def _sum_largest(groups: Mapping[_Key, Sequence[Result]], number: int) -> dict[_Key, MatchSums]:
    """Return the sums of the `number` groups with the most matches, and of equals the last played.

    The matches of a group are ordered, the newest first.
    """
    ordered = sorted(
        groups.items(), key=lambda group: (len(group[1]), group[1][0][1]), reverse=True
    )
    return {key: sum_results(results) for key, results in ordered[:number]}


def sum_results(newest: Sequence[Result]) -> MatchSums:
    """Return the sums of matches, which are ordered, the newest first."""
    if not newest:
        return MatchSums()
    matches, times, results, tries, measurements, rounds = zip(*newest, strict=True)
    contests = [won for won, guesses in zip(results, measurements, strict=True) if guesses is None]
    runs = [len(list(run)) if won else 0 for won, run in groupby(contests)]
    measured = [guesses for guesses in measurements if guesses not in (None, LEFT)]
    unaided = [_decode_tries(each) for each in tries]
    return MatchSums(
        matches=len(newest),
        wins=contests.count(True),
        draws=contests.count(None),
        losses=contests.count(False),
        streak=runs[0] if runs else 0,
        longest=max(runs, default=0),
        last=times[0],
        match=matches[0],
        tries=Counter(chain.from_iterable(unaided)),
        measured=len(measured),
        measured_guesses=sum(measured),
        advised=sum(
            number - len(own)
            for number, own in zip(rounds, unaided, strict=True)
            if number is not None
        ),
    )


def read_opening(session: Session, match: str) -> list[bytes]:
    """Return the events of the first OPENING_ROWS rows of the log of `match`, encoded."""
    values = {"rows": OPENING_ROWS, "match": match}
    return [events for (events,) in session.run(_READ_OPENING, values)]


_decode_tries = msgspec.json.Decoder(list[int]).decode
_no_offset: sa.ColumnClause[int] = sa.literal_column("0")
_one = sa.literal_column("1", sa.Integer)
_two = sa.literal_column("2", sa.Integer)
_left: sa.ColumnClause[int] = sa.literal_column(str(LEFT))
_maker: sa.ColumnClause[str] = sa.literal_column(f"'{Seat.MAKER}'")
_played: sa.ColumnClause[str] = sa.literal_column(f"'{MatchEnd.PLAYED}'")
_READ_MATCHES = (
    sa.select(
        archive.c.rules,
        archive.c.opponent,
        archive.c.bot,
        archive.c.opponent_id,
        archive.c.match,
        archive.c.at,
        archive.c.won,
        sa.cast(archive.c.tries, sa.Text),  # the drivers would decode it slower, or not
        # As `Match.measures_bot`.
        sa.case(
            ((archive.c.rounds != _one) | ~archive.c.bot | (archive.c.seat != _maker), None),
            (archive.c.how == _played, archive.c.guesses),
            else_=_left,
        ),
        # Of a match that a player left, the rounds are not known.
        sa.case(
            (archive.c.how != _played, None),
            (archive.c.seat == _maker, archive.c.rounds // _two),
            else_=(archive.c.rounds + _one) // _two,
        ),
    )
    .where(archive.c.player == sa.bindparam("player"))
    .order_by(archive.c.at.desc(), archive.c.match.desc())
    .limit(sa.bindparam("limit"))
    .offset(_no_offset)
)
_times = (
    sa.select(archive.c.at)
    .where(archive.c.player == sa.bindparam("player"))
    .order_by(archive.c.at.desc(), archive.c.match.desc())
    .limit(sa.bindparam("limit"))
    .offset(_no_offset)
    .subquery()
)
_READ_STATE = sa.select(sa.func.count(), sa.func.sum(_times.c.at))
_READ_OPENING = (
    sa.select(log.c.events)
    .where(log.c.match == sa.bindparam("match"), log.c.version <= sa.bindparam("rows"))
    .order_by(log.c.version)
)
