"""One's own games in figures: pure functions from what an archive keeps to statistics."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import ArchivedMatch

MOST_BARS = 7  # that a chart has at most, so that it fits beside a board of 24 rows


class Bar(NamedTuple):
    """One bar of a chart: how many `games` took from `first` to `last` guesses.

    Where both are 0 it is the bar of the games whose code stood.
    """

    first: int
    last: int
    games: int

    def __contains__(self, guesses: object) -> bool:
        """Tell whether a game of so many guesses counts here; 0 if its code stood."""
        return isinstance(guesses, int) and self.first <= guesses <= self.last


@dataclass(frozen=True, slots=True)
class Record:
    """How somebody breaks codes: `broken` tells how many games took so many guesses.

    In matches of several rounds each round in which they broke the code is a game. `stood` are
    the games whose code they did not find.
    """

    broken: Mapping[int, int] = field(default_factory=dict)
    stood: int = 0

    @property
    def games(self) -> int:
        """How many codes they tried to break."""
        return sum(self.broken.values()) + self.stood

    @property
    def best(self) -> int | None:
        """The fewest guesses that a code took; None before the first."""
        return min(self.broken, default=None)

    @property
    def average(self) -> float | None:
        """The mean number of guesses of the codes that were broken; None before the first."""
        games = sum(self.broken.values())
        return float(Fraction(self._guesses, games)) if games else None

    @property
    def _guesses(self) -> int:
        return sum(guesses * games for guesses, games in self.broken.items())

    def add(self, tries: Iterable[int]) -> Record:
        """Return the record with more games: the guesses of each, 0 where the code stood."""
        counts = Counter(tries)
        stood = counts.pop(0, 0)
        broken = Counter(self.broken) + counts
        return Record(MappingProxyType(dict(sorted(broken.items()))), self.stood + stood)

    def chart(self, most: int = MOST_BARS) -> tuple[Bar, ...]:
        """Return the bars of a chart: the fewest guesses first, the codes that stood last.

        Two neighbours with the fewest games together are made one until no more than `most` are
        left, so those that say most stay as they are. Raises ValueError for less than two bars.
        """
        if most < 2:
            raise ValueError(f"a chart of {most} bars: it needs 2")
        bars: list[Bar] = []
        if self.broken:
            span = range(min(self.broken), max(self.broken) + 1)
            bars = [Bar(guesses, guesses, self.broken.get(guesses, 0)) for guesses in span]
        while len(bars) > most - bool(self.stood):
            sums = [one.games + other.games for one, other in itertools.pairwise(bars)]
            at = len(sums) - 1 - sums[::-1].index(min(sums))  # of equal ones the longest games
            merged = Bar(bars[at].first, bars[at + 1].last, sums[at])
            bars[at : at + 2] = [merged]
        if self.stood:
            bars.append(Bar(0, 0, self.stood))
        return tuple(bars)


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of some matches; `streak` are the last ones if won, `longest` the most in a row."""

    games: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    streak: int = 0
    longest: int = 0
    record: Record = field(default_factory=Record)

    def add(self, match: ArchivedMatch) -> Figures:
        """Return the figures with one more match, which is the last."""
        streak = self.streak + 1 if match.won else 0
        return replace(
            self,
            games=self.games + 1,
            won=self.won + (match.won is True),
            lost=self.lost + (match.won is False),
            drawn=self.drawn + (match.won is None),
            streak=streak,
            longest=max(self.longest, streak),
            record=self.record.add(match.tries),
        )


class Opponent(NamedTuple):
    """Whom one has played against, None if nobody is known, and whether that is a bot."""

    name: str | None
    bot: bool


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of all matches, of those by the same rules, and of those with an opponent."""

    total: Figures = field(default_factory=Figures)
    by_rules: Mapping[str, Figures] = field(default_factory=dict)
    by_opponent: Mapping[Opponent, Figures] = field(default_factory=dict)

    def record(self, rules: str) -> Record:
        """Return the record by the rules of this name."""
        return self.by_rules.get(rules, Figures()).record


def gather(matches: Iterable[ArchivedMatch]) -> Statistics:
    """Return the statistics of matches in any order; groups with the most games come first."""
    total = Figures()
    by_rules: dict[str, Figures] = {}
    by_opponent: dict[Opponent, Figures] = {}
    for match in sorted(matches, key=attrgetter("at", "match")):
        opponent = Opponent(match.opponent, match.bot)
        total = total.add(match)
        by_rules[match.rules] = by_rules.get(match.rules, Figures()).add(match)
        by_opponent[opponent] = by_opponent.get(opponent, Figures()).add(match)
    return Statistics(
        total,
        dict(sorted(by_rules.items(), key=lambda item: (-item[1].games, item[0]))),
        dict(
            sorted(
                by_opponent.items(),
                key=lambda item: (-item[1].games, item[0].name or "", item[0].bot),
            )
        ),
    )


def scale(part: int, greatest: int, columns: int) -> int:
    """Return the length of a bar: all columns for the greatest, and one at least if not 0."""
    return max(1, round(columns * part / greatest)) if part else 0


def find_closest(match: Match, player: str | None) -> int | None:
    """Return how few pegs a player id was ever away from a code; None if it has not guessed."""
    blacks = [
        turn.feedback.black
        for played in match.played
        if played.breaker == player
        for turn in played.turns
    ]
    return match.rules.pegs - max(blacks) if blacks else None
