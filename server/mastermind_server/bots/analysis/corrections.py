"""Corrections of a position with a contradiction: answers that were probably misread.

If no code agrees with all feedback, some feedback is wrong. A code that disagrees with exactly one
turn shows a correction of this turn: the feedback that the code gives to its guess. The code then
agrees with all turns, so the number of such codes is the number that remains after the correction.
If every code disagrees with two turns or more, no change of one feedback is enough.

The search drops each code at the second turn that it disagrees with, so most codes cost a few
comparisons, however many turns there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mastermind_protocol.messages import Correction
from mastermind_server.bots import solver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import CodeSpace
    from mastermind_server.bots.solver import Sizes

CODES_PER_BLOCK = 1 << 15  # codes that are searched at once: their arrays fit into a cache


def find_corrections(space: CodeSpace, turns: Sequence[Turn]) -> list[Correction]:
    """Return each change of one feedback of `turns` after which a code remains.

    Smaller changes are first. A change is the difference of the blacks plus that of the whites. Of
    equal changes, the one that leaves the most codes is first, then that of the earlier turn, then
    that to fewer blacks. `space` must have at most `bot.MAX_LISTED_CODES` codes.
    """
    found = []
    for index, sizes in enumerate(_count_near_codes(space, turns)):
        for cell in np.flatnonzero(sizes).tolist():
            black, white = solver.decode_feedback(cell, space.pegs)
            found.append(Correction(index + 1, black, white, int(sizes[cell])))

    def rank(correction: Correction) -> tuple[int, ...]:
        black, white = turns[correction.turn - 1].feedback
        change = abs(correction.black - black) + abs(correction.white - white)
        return change, -correction.left, correction.turn, correction.black, correction.white

    return sorted(found, key=rank)


def _count_near_codes(space: CodeSpace, turns: Sequence[Turn]) -> Sizes:
    """Return the number of codes that disagree with one turn only, shape (turns, cells).

    The row is the turn, and the column is the score that the codes give to its guess. `space` must
    have at most `bot.MAX_LISTED_CODES` codes.
    """
    codes, cells = solver.list_codes(space), (space.pegs + 1) ** 2
    counts = np.zeros((len(turns) + 1) * cells, dtype=np.intp)
    for start in range(0, len(codes), CODES_PER_BLOCK):
        rows = codes[start : start + CODES_PER_BLOCK]
        # The number of the turn that a code disagrees with times `cells`, plus its score there.
        # It is 0 while the code disagrees with no turn.
        keys = np.zeros(len(rows), dtype=np.intp)
        for number, turn in enumerate(turns, start=1):
            scores = solver.score_one(turn.code, rows)
            wrong = scores != solver.encode_feedback(turn.feedback, space.pegs)
            near = ~wrong | (keys == 0)
            keys[wrong] = number * cells
            keys[wrong] += scores[wrong]
            rows, keys = rows.T.compress(near, axis=1).T, keys.compress(near)
        counts += np.bincount(keys, minlength=len(counts))
    return counts.reshape(-1, cells)[1:]
