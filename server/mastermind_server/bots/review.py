"""The review of a round: how well each guess was chosen, and what luck it had."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

from mastermind_protocol.messages import Reviewed
from mastermind_server.bots import solver
from mastermind_server.bots.advice import weigh
from mastermind_server.bots.optimal import OPTIMAL
from mastermind_server.bots.position import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.position import BreakerPosition


def review(
    rules: Rules, turns: Sequence[Turn], start: int = 0, end: int | None = None
) -> list[Reviewed]:
    """Return what is to be said of each turn from index `start` to before `end`; it is exact.

    The time is that of the turns reviewed; those before `start` are gone through, which is little.
    `rules` have at most `bot.LARGEST` codes. Raises ContradictionError.
    """
    made = tuple(turns[:end])
    positions = islice(walk(rules, made), start, None)
    return [
        _review(turn.code, before, after)
        for turn, (before, after) in zip(made[start:], pairwise(positions), strict=True)
    ]


def _review(code: Code, before: BreakerPosition, after: BreakerPosition) -> Reviewed:
    pick = solver.find_code(before.pegs, before.colours, OPTIMAL.pick(before))
    guess = weigh(before, code)
    best = guess if pick == code else weigh(before, pick)
    return Reviewed(guess, best, len(before.candidates), len(after.candidates))
