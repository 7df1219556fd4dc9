"""The results of tries at the code of a day, and the refusal of tries that are too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.days import find_contest_day
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Finished, Guessed, Left
from mastermind_server.storage.day_rows import TryEnd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Match
    from mastermind_protocol.transitions import Decision
    from mastermind_server.services import Services
    from mastermind_server.storage.rows import LogRow


async def find_try_end(
    services: Services, earlier: Sequence[LogRow], decision: Decision, now: int
) -> TryEnd | None:
    """Return the result of the try that `decision` ends at `now`, in milliseconds since 1970.

    `earlier` are the rows of its match: after the first one, each is a guess. Return None if the
    server ends the try, because its player did not in time, and if the try had ended before.
    Raises NoWorker.
    """
    match, first = decision.after, decision.events[0]
    if not isinstance(decision.events[-1], Finished) or (isinstance(first, Left) and first.absent):
        return None
    (played,) = match.played
    guessed_at = [row.at for row in earlier[1:]]
    if isinstance(first, Guessed):
        guessed_at.append(now)
    luck = await services.bots.measure_luck(match.rules, [played.turns])
    return TryEnd(
        day=find_match_day(match),
        rules=match.rules.name,
        player=played.breaker,
        ended=now,
        how=str(played.how),
        guesses=played.points,
        milliseconds=max(0, guessed_at[-1] - guessed_at[0]) if guessed_at else 0,
        luck=None if luck is None else luck[0],
    )


def find_match_day(match: Match) -> int:
    """Return the number of the day of `match`, which is a try."""
    day = find_contest_day(match.opened.contest)
    if day is None:
        raise ValueError(f"the contest {match.opened.contest} is no day")
    return day


def refuse_closed_day(day: int, rules: str, *, withdrawn: bool, field: str = "day") -> Refused:
    """Return the refusal of a try at the code of a day that was revealed, or `withdrawn`."""
    if withdrawn:
        return Refused(Reason.DAY_WITHDRAWN, field=field, day=day, rules=rules)
    return Refused(Reason.TRIES_OVER, field=field, day=day)
