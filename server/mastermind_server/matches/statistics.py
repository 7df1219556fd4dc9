"""The statistics of a player, as a message, from the sums of the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.events import Joined
from mastermind_protocol.messages import (
    MAX_DISTRIBUTION,
    MAX_STATISTICS_BYTES,
    MAX_STATISTICS_OPPONENTS,
    MAX_STATISTICS_RULES,
    Figures,
    OpponentFigures,
    RulesFigures,
    Statistics,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_server.storage.statements.statistics import ArchiveSums, MatchSums


def make_statistics(request: int, player: str, sums: ArchiveSums) -> Statistics:
    """Return the answer to `request` of the player with the id `player`.

    The answer omits the rules and opponents that exceed a limit of the message.
    """
    rules = list(sums.rules.items())[:MAX_STATISTICS_RULES]
    opponents = list(sums.opponents.items())[:MAX_STATISTICS_OPPONENTS]
    answer = Statistics(
        id=request,
        total=_make_figures(sums.total),
        by_rules=tuple(
            RulesFigures(rules=name, figures=_make_figures(found)) for name, found in rules
        ),
        by_opponent=tuple(
            OpponentFigures(
                opponent=opponent.name,
                bot=opponent.bot,
                player=_find_other_id(sums.openings[found.match], player),
                figures=_make_figures(found),
            )
            for opponent, found in opponents
        ),
        more=len(sums.rules) > len(rules) or len(sums.opponents) > len(opponents),
    )
    while len(encode(answer)) > MAX_STATISTICS_BYTES:
        answer = replace(answer, by_opponent=answer.by_opponent[:-1], more=True)
    return answer


def _make_figures(sums: MatchSums) -> Figures:
    rounds = [0] * (1 + min(max(sums.tries, default=0), MAX_DISTRIBUTION))
    for guesses, number in sums.tries.items():
        rounds[min(guesses, MAX_DISTRIBUTION)] += number
    return Figures(
        matches=sums.matches,
        wins=sums.wins,
        draws=sums.draws,
        losses=sums.losses,
        streak=sums.streak,
        longest=sums.longest,
        last=sums.last,
        distribution=tuple(rounds[1:]),
        unbroken=rounds[0],
        measured=sums.measured,
        measured_guesses=sums.measured_guesses,
        advised=sums.advised,
    )


def _find_other_id(opening: Iterable[bytes], player: str) -> str | None:
    """Return the id of the player who joined beside the id `player`; None for a server's bot.

    `opening` has the first rows of the log of a match.
    """
    for events in opening:
        for event in decode_events(events):
            if isinstance(event, Joined) and event.player.id != player:
                return None if event.player.bot is not None else event.player.id
    return None
