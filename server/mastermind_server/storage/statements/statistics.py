"""The sums of a player's finished matches.

Reading the rows and adding them here takes a fifth of the time of window functions in SQL, which
would sort all matches for each kind of group.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import sqlalchemy as sa

from mastermind_protocol.events import MatchEnd, Seat
from mastermind_server.storage.schema import archive, log

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_server.storage.database import Session

_Key = TypeVar("_Key")

OPENING_ROWS = 2  # of a log: one opens the match, the next may seat the player who joins


class Opponent(NamedTuple):
    """The name of an opponent, and whether it is a bot or program."""

    name: str
    bot: bool


@dataclass(slots=True)
class MatchSums:
    """The sums of some matches of a player, which `add` counts in the order of their ends.

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

    def add(self, match: str, at: int, *, won: bool | None) -> None:
        """Count a match that ended at `at`. `won` is None for a draw."""
        self._note(match, at)
        if won:
            self.wins += 1
            self.streak += 1
            self.longest = max(self.longest, self.streak)
        else:
            self.losses += won is not None
            self.draws += won is None
            self.streak = 0

    def add_measurement(self, match: str, at: int, guesses: int | None) -> None:
        """Count a match that measured a bot, and ended at `at`. `guesses` None: it was left."""
        self._note(match, at)
        if guesses is not None:
            self.measured += 1
            self.measured_guesses += guesses

    def _note(self, match: str, at: int) -> None:
        self.matches += 1
        self.last, self.match = at, match


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


def sum_archive(
    session: Session, player: str, *, matches: int, rules: int, opponents: int
) -> ArchiveSums:
    """Return the sums of the last `matches` finished matches of the player with this id.

    At most `rules` rules and `opponents` opponents are returned, those with the most matches.
    """
    newest = session.run(_READ_MATCHES, {"player": player, "limit": matches}).fetchall()
    total = MatchSums()
    by_rules: defaultdict[str, MatchSums] = defaultdict(MatchSums)
    by_opponent: defaultdict[Opponent, MatchSums] = defaultdict(MatchSums)
    counts: Counter[tuple[str, str, bool, str, int | None]] = Counter()
    for row in reversed(newest):
        match, at, rules_name, name, bot, won, tries, rounds, seat, how, guesses = row
        played = how == MatchEnd.PLAYED
        for sums in (total, by_rules[rules_name], by_opponent[Opponent(name, bot)]):
            if rounds == 1 and bot and seat == Seat.MAKER:  # as `Match.measures_bot`
                sums.add_measurement(match, at, guesses if played else None)
            else:
                sums.add(match, at, won=won)
        as_breaker = (rounds + (seat == Seat.BREAKER)) // 2 if played else None
        counts[rules_name, name, bot, tries, as_breaker] += 1
    chosen_rules = _choose_largest(by_rules, rules)
    chosen_opponents = _choose_largest(by_opponent, opponents)
    for (rules_name, name, bot, tries, as_breaker), count in counts.items():
        groups = (total, chosen_rules.get(rules_name), chosen_opponents.get(Opponent(name, bot)))
        unaided = json.loads(tries)
        for sums in filter(None, groups):
            for guesses in unaided:
                sums.tries[guesses] += count
            if as_breaker is not None:  # of a match that a player left, the rounds are not known
                sums.advised += count * (as_breaker - len(unaided))
    return ArchiveSums(
        total,
        chosen_rules,
        {Opponent(name, bool(bot)): sums for (name, bot), sums in chosen_opponents.items()},
        _read_openings(session, (sums.match for sums in chosen_opponents.values())),
    )


def _choose_largest(groups: Mapping[_Key, MatchSums], number: int) -> dict[_Key, MatchSums]:
    """Return the `number` groups with the most matches, and among equals the last played."""
    ordered = sorted(
        groups.items(), key=lambda group: (group[1].matches, group[1].last), reverse=True
    )
    return dict(ordered[:number])


def _read_openings(session: Session, match_codes: Iterable[str]) -> dict[str, list[bytes]]:
    """Map match codes to the events of the first OPENING_ROWS rows of their logs."""
    values = {"rows": OPENING_ROWS}
    return {
        match: [events for (events,) in session.run(_READ_OPENING, {**values, "match": match})]
        for match in match_codes
    }


_no_offset: sa.ColumnClause[int] = sa.literal_column("0")
_READ_MATCHES = (
    sa.select(
        archive.c.match,
        archive.c.at,
        archive.c.rules,
        archive.c.opponent,
        archive.c.bot,
        archive.c.won,
        sa.cast(archive.c.tries, sa.Text),  # equal texts are decoded once
        archive.c.rounds,
        archive.c.seat,
        archive.c.how,
        archive.c.guesses,
    )
    .where(archive.c.player == sa.bindparam("player"))
    .order_by(archive.c.at.desc(), archive.c.match.desc())
    .limit(sa.bindparam("limit"))
    .offset(_no_offset)
)
_READ_OPENING = (
    sa.select(log.c.events)
    .where(log.c.match == sa.bindparam("match"), log.c.version <= sa.bindparam("rows"))
    .order_by(log.c.version)
)
