"""The figures of a player's matches, as servers send them, and their sums over several servers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.messages.statistics import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol import messages as wire


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
