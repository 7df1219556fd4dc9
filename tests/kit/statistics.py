"""Statistics as a server sends them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import ArchivedMatch, Statistics
from mastermind_server.matches.statistics import make_statistics
from mastermind_server.storage.statements.statistics import ArchiveSums, MatchSums, Opponent


def sum_matches(matches: Iterable[ArchivedMatch], request: int = 1) -> Statistics:
    """Return the answer to `request` of a player with these matches, the oldest first."""
    total = MatchSums()
    rules: defaultdict[str, MatchSums] = defaultdict(MatchSums)
    opponents: defaultdict[Opponent, MatchSums] = defaultdict(MatchSums)
    for match in matches:
        opponent = Opponent(match.opponent or "", match.bot)
        for sums in (total, rules[match.rules], opponents[opponent]):
            if match.measured_bot:
                played = match.how is MatchEnd.PLAYED
                sums.add_measurement(match.match, match.at, match.guesses if played else None)
            else:
                sums.add(match.match, match.at, won=match.won)
            sums.tries.update(match.tries)
            if match.how is MatchEnd.PLAYED:
                as_breaker = (match.rounds + (match.seat is Seat.BREAKER)) // 2
                sums.advised += as_breaker - len(match.tries)
    return make_statistics(request, "ADA", ArchiveSums(total, rules, opponents, defaultdict(list)))
