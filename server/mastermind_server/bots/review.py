"""The review of a round: how well each guess was chosen, and what luck it had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.messages import Reviewed
from mastermind_server.bots.advice import weigh
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.bots.position import find_pick, find_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules


def review(
    rules: Rules, turns: Sequence[Turn], start: int = 0, end: int | None = None
) -> list[Reviewed]:
    """Return what is to be said of each turn from index `start` to before `end`; it is exact.

    `rules` have at most `bot.LARGEST` codes. Raises ContradictionError.
    """
    made = tuple(turns)
    reviewed = []
    for number, turn in enumerate(made[start:end], start):
        view = BreakerView(rules, made[:number])
        before = find_position(view)
        after = find_position(BreakerView(rules, made[: number + 1]))
        guess = weigh(before, turn.code)
        best = weigh(before, find_pick(OPTIMAL, view))
        reviewed.append(Reviewed(guess, best, len(before.candidates), len(after.candidates)))
    return reviewed
