"""The figures of a player's matches and the people met, from one server or from several."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from mastermind_protocol import messages as wire
    from mastermind_protocol.match import Match


MAX_BARS = 7  # of a chart, which fits next to a board of 24 rows


class Bar(NamedTuple):
    """A bar of a chart: the number of games with `least_guesses` to `most_guesses` guesses.

    If both are 0, the bar counts the games whose code was not broken.
    """

    least_guesses: int
    most_guesses: int
    games: int

    def __contains__(self, guesses: object) -> bool:
        """Return whether the bar counts games of `guesses` guesses, with 0 for unbroken codes."""
        return isinstance(guesses, int) and self.least_guesses <= guesses <= self.most_guesses


@dataclass(frozen=True, slots=True)
class Record:
    """A codebreaker's results. `broken` maps a number of guesses to the number of games.

    Each round as codebreaker is a game. `unbroken` is the number of games whose code was not
    broken.
    """

    broken: Mapping[int, int] = field(default_factory=dict)
    unbroken: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.broken.values()) + self.unbroken

    @property
    def best(self) -> int | None:
        """The smallest number of guesses that broke a code, or None."""
        return min(self.broken, default=None)

    @property
    def average(self) -> float | None:
        """The mean number of guesses over the broken codes, or None."""
        games = sum(self.broken.values())
        return float(Fraction(self._guesses, games)) if games else None

    @property
    def _guesses(self) -> int:
        return sum(guesses * games for guesses, games in self.broken.items())

    def add(self, tries: Iterable[int]) -> Record:
        """Return the record with more games.

        `tries` has the number of guesses of each game, 0 for a code that was not broken.
        """
        counts = Counter(tries)
        return self + Record(counts, counts.pop(0, 0))

    def remove(self, tries: Iterable[int]) -> Record:
        """Return the record without some of its games. `tries` has their numbers of guesses."""
        counts = Counter(tries)
        unbroken = max(0, self.unbroken - counts.pop(0, 0))
        return Record(_sort_counts(Counter(self.broken) - counts), unbroken)

    def __add__(self, other: Record) -> Record:
        """Return the record with the games of another record."""
        broken = Counter(self.broken) + Counter(other.broken)
        return Record(_sort_counts(broken), self.unbroken + other.unbroken)

    def make_bars(self, most: int = MAX_BARS) -> tuple[Bar, ...]:
        """Return at most `most` bars: the fewest guesses first, the unbroken codes last.

        While there are too many bars, the two neighbours with the fewest games are merged. So the
        highest bars are not merged. Raises ValueError if `most` is less than two.
        """
        if most < 2:
            raise ValueError(f"a chart of {most} bars: it needs 2")
        bars: list[Bar] = []
        if self.broken:
            span = range(min(self.broken), max(self.broken) + 1)
            bars = [Bar(guesses, guesses, self.broken.get(guesses, 0)) for guesses in span]
        while len(bars) > most - bool(self.unbroken):
            sums = [one.games + other.games for one, other in itertools.pairwise(bars)]
            at = len(sums) - 1 - sums[::-1].index(min(sums))  # of equal sums the last
            merged = Bar(bars[at].least_guesses, bars[at + 1].most_guesses, sums[at])
            bars[at : at + 2] = [merged]
        if self.unbroken:
            bars.append(Bar(0, 0, self.unbroken))
        return tuple(bars)


def _sort_counts(counts: Counter[int]) -> Mapping[int, int]:
    return MappingProxyType(dict(sorted(counts.items())))


def find_fewest_wrong_pegs(match: Match, player: str | None) -> int | None:
    """Return the number of wrong pegs in the player's best guess, or None without a guess."""
    blacks = [
        turn.feedback.black
        for played in match.played
        if played.breaker == player
        for turn in played.turns
    ]
    return match.rules.pegs - max(blacks) if blacks else None


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of matches, and the `record` of their rounds as codebreaker.

    `streak` is the present number of wins in a row, `longest` the largest. `last` is the time when
    the last match ended, in milliseconds since 1970, or 0. `measured` matches were codes hidden
    from bots, which count neither as won nor as lost; the bots made `measured_guesses` in them.
    `advised` is the number of rounds with advice, which the record does not count.
    """

    games: int = 0
    won: int = 0
    lost: int = 0
    drawn: int = 0
    streak: int = 0
    longest: int = 0
    last: int = 0
    record: Record = field(default_factory=Record)
    measured: int = 0
    measured_guesses: int = 0
    advised: int = 0

    @classmethod
    def of(cls, figures: wire.Figures) -> Figures:
        """Return the figures that a server has sent."""
        return cls(
            games=figures.matches,
            won=figures.wins,
            lost=figures.losses,
            drawn=figures.draws,
            streak=figures.streak,
            longest=figures.longest,
            last=figures.last or 0,
            record=make_record(figures),
            measured=figures.measured,
            measured_guesses=figures.measured_guesses,
            advised=figures.advised,
        )

    def __add__(self, other: Figures) -> Figures:
        """Return the figures of the matches on two servers.

        Streaks do not continue on another server. The present one is that of the last match.
        """
        return Figures(
            games=self.games + other.games,
            won=self.won + other.won,
            lost=self.lost + other.lost,
            drawn=self.drawn + other.drawn,
            streak=max(self, other, key=attrgetter("last")).streak,
            longest=max(self.longest, other.longest),
            last=max(self.last, other.last),
            record=self.record + other.record,
            measured=self.measured + other.measured,
            measured_guesses=self.measured_guesses + other.measured_guesses,
            advised=self.advised + other.advised,
        )


def make_record(figures: wire.Figures) -> Record:
    """Return the record of the figures that a server has sent."""
    broken = {
        guesses: games for guesses, games in enumerate(figures.distribution, start=1) if games
    }
    return Record(MappingProxyType(broken), figures.unbroken)


class Opponent(NamedTuple):
    """The name of an opponent, and whether the opponent is a bot."""

    name: str
    bot: bool


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of all matches together, by rules, and by opponent."""

    total: Figures = field(default_factory=Figures)
    by_rules: Mapping[str, Figures] = field(default_factory=dict)
    by_opponent: Mapping[Opponent, Figures] = field(default_factory=dict)


def combine_statistics(answers: Iterable[wire.Statistics]) -> Statistics:
    """Return the statistics of several servers together.

    The rules and opponents with the most matches come first.
    """
    total = Figures()
    by_rules: defaultdict[str, Figures] = defaultdict(Figures)
    by_opponent: defaultdict[Opponent, Figures] = defaultdict(Figures)
    for answer in answers:
        total += Figures.of(answer.total)
        for each in answer.by_rules:
            by_rules[each.rules] += Figures.of(each.figures)
        for met in answer.by_opponent:
            by_opponent[Opponent(met.opponent, met.bot)] += Figures.of(met.figures)
    return Statistics(
        total,
        dict(sorted(by_rules.items(), key=lambda item: (-item[1].games, item[0]))),
        dict(sorted(by_opponent.items(), key=lambda item: (-item[1].games, item[0]))),
    )


class MetPerson(NamedTuple):
    """A person whom the reader has played on the server with this address.

    `hosts` is whether the matches were on a server in the person's own program.
    """

    server: str
    person: wire.Person
    hosts: bool = False


def combine_people(
    answers: Mapping[str, wire.People], here: str, hosts: Collection[str]
) -> list[MetPerson]:
    """Return the people of several servers by address: online first, then the last played.

    Matches on the server `here` were at home. `hosts` are the names of players who host matches.
    If a player is in several answers, the last one counts: copies of matches keep the ids of
    opponents, and the server that has the matches also knows whether they are online.
    """
    people = {
        person.player: MetPerson(server, person, server == here and person.name in hosts)
        for server, answer in answers.items()
        for person in answer.people
    }
    return sorted(people.values(), key=lambda met: (not met.person.online, -met.person.last))
