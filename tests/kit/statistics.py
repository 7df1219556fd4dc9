"""Statistics as a server sends them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable

from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import ArchivedMatch, Statistics
from mastermind_server.matches.statistics import make_statistics
from mastermind_server.storage.statements.statistics import (
    LEFT,
    ArchiveSums,
    Opponent,
    Result,
    sum_results,
)


def sum_matches(matches: Iterable[ArchivedMatch], request: int = 1) -> Statistics:
    """Return the answer to `request` of a player with these matches, the oldest first."""
    total: list[Result] = []
    rules: defaultdict[str, list[Result]] = defaultdict(list)
    opponents: defaultdict[Opponent, list[Result]] = defaultdict(list)
    for match in matches:
        played = match.how is MatchEnd.PLAYED
        result = (
            match.match, match.at, match.won, json.dumps(match.tries),
            (match.guesses if played else LEFT) if match.measured_bot else None,
            (match.rounds + (match.seat is Seat.BREAKER)) // 2 if played else None,
        )  # fmt: skip
        opponent = Opponent(match.opponent or "", match.bot)
        for results in (total, rules[match.rules], opponents[opponent]):
            results.insert(0, result)
    sums = ArchiveSums(
        sum_results(total),
        {name: sum_results(results) for name, results in rules.items()},
        {opponent: sum_results(results) for opponent, results in opponents.items()},
        defaultdict(list),
    )
    return make_statistics(request, "ADA", sums)
