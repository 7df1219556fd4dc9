"""The analysis of a position: its remaining codes, the best next guesses, and wrong feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mastermind_protocol.match import BreakerView
from mastermind_protocol.messages import (
    MAX_ANALYSED_CODES,
    MAX_CORRECTIONS,
    Correction,
    PositionAnalysis,
)
from mastermind_server.bots import solver
from mastermind_server.bots.analysis.advice import advise
from mastermind_server.bots.bot import MAX_LISTED_CODES, ContradictionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Turn
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules


def analyse(
    rules: Rules, turns: Sequence[Turn], by: Measure, most: int, after: int = 0
) -> PositionAnalysis:
    """Return the analysis of the position after `turns`.

    It has at most `most` guesses, ranked by the measure `by`, and a page of the remaining codes
    after the first `after`. Without a remaining code, it has corrections instead. Above
    MAX_LISTED_CODES codes, it is estimated.
    """
    space = rules.space
    if space.codes > MAX_LISTED_CODES:
        try:
            best = advise(BreakerView(rules, tuple(turns)), by, most)
        except ContradictionError:
            return PositionAnalysis(left=0, estimated=True)
        return PositionAnalysis(
            left=best.left, guesses=best.guesses, sampled=True, estimated=best.estimated
        )
    codes = solver.list_codes(space)
    scores = [solver.score_one(turn.code, codes) for turn in turns]
    given = [solver.encode_feedback(turn.feedback, space.pegs) for turn in turns]
    wrong = np.zeros(len(codes), dtype=np.uint8)  # the number of turns that exclude each code
    counts = []
    for found, expected in zip(scores, given, strict=True):
        wrong += found != expected
        counts.append(int(np.count_nonzero(wrong == 0)))
    numbers = np.flatnonzero(wrong == 0)
    if not len(numbers):
        found_corrections = []
        single = wrong == 1
        for number, (found, expected) in enumerate(zip(scores, given, strict=True), start=1):
            cells = np.bincount(found[single & (found != expected)])
            for cell in np.flatnonzero(cells).tolist():
                black, white = solver.decode_feedback(cell, space.pegs)
                found_corrections.append(Correction(number, black, white, int(cells[cell])))

        def distance(correction: Correction) -> tuple[int, int, int]:
            black, white = turns[correction.turn - 1].feedback
            change = abs(correction.black - black) + abs(correction.white - white)
            return change, -correction.left, correction.turn

        found_corrections.sort(key=distance)
        return PositionAnalysis(
            left=0, after=tuple(counts), corrections=tuple(found_corrections[:MAX_CORRECTIONS])
        )
    rows = codes[numbers]
    colour = np.arange(space.colours)
    has = rows[:, :, np.newaxis] == colour
    best = advise(BreakerView(rules, tuple(turns)), by, most)
    return PositionAnalysis(
        left=len(numbers),
        after=tuple(counts),
        codes=tuple(map(tuple, rows[after : after + MAX_ANALYSED_CODES].tolist())),
        guesses=best.guesses,
        places=tuple(map(tuple, has.sum(axis=0).tolist())),
        colours=tuple(has.any(axis=1).sum(axis=0).tolist()),
        sampled=best.sampled,
    )
