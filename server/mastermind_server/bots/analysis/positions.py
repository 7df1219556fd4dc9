"""The analysis of a position: its remaining codes, the best next guesses, and wrong feedback.

Up to MAX_LISTED_CODES codes everything is exact, except that of many guesses only a sample is
compared. `position` caches the remaining codes after each turn, so a next turn, another page and an
undone turn cost little. For larger rules, `position` searches for a sample of the remaining codes.
The search may miss a code, so the analysis has no list of codes, no counts and no corrections.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mastermind_protocol.match import BreakerView
from mastermind_protocol.messages import MAX_ANALYSED_CODES, MAX_CORRECTIONS, PositionAnalysis
from mastermind_server.bots import solver
from mastermind_server.bots.analysis.advice import advise
from mastermind_server.bots.analysis.corrections import find_corrections
from mastermind_server.bots.bot import MAX_LISTED_CODES, ContradictionError
from mastermind_server.bots.position import find_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.match import Turn
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.solver import Codes


def analyse(
    rules: Rules, turns: Sequence[Turn], by: Measure, most: int, after: int = 0
) -> PositionAnalysis:
    """Return the analysis of the position after `turns`.

    It has at most `most` guesses, ranked by the measure `by`, and a page of the remaining codes
    after the first `after`. Without a remaining code, it has at most MAX_CORRECTIONS corrections
    instead. Above MAX_LISTED_CODES codes it is estimated, and `left` is 0 if no code was found.
    """
    view = BreakerView(rules, tuple(turns))
    if rules.codes > MAX_LISTED_CODES:
        return _estimate(view, by, most)
    history = _count_after_each_turn(view)
    if history and not history[-1]:
        corrections = find_corrections(rules.space, view.turns)[:MAX_CORRECTIONS]
        return PositionAnalysis(left=0, after=history, corrections=tuple(corrections))
    best = advise(view, by, most)
    codes = solver.find_codes_by_number(rules.space, find_position(view).candidates)
    return PositionAnalysis(
        left=best.left,
        after=history,
        codes=tuple(map(tuple, codes[after : after + MAX_ANALYSED_CODES].tolist())),
        guesses=best.guesses,
        places=_count_colours_on_pegs(codes, rules.colours),
        colours=_count_codes_with_colours(codes, rules.colours),
        sampled=best.sampled,
    )


def _estimate(view: BreakerView, by: Measure, most: int) -> PositionAnalysis:
    try:
        best = advise(view, by, most)
    except ContradictionError:
        return PositionAnalysis(left=0, estimated=True)
    return PositionAnalysis(
        left=best.left, guesses=best.guesses, sampled=best.sampled, estimated=True
    )


def _count_after_each_turn(view: BreakerView) -> tuple[int, ...]:
    counts = []
    for number in range(1, len(view.turns) + 1):
        try:
            counts.append(find_position(BreakerView(view.rules, view.turns[:number])).count)
        except ContradictionError:
            break
    return (*counts, *[0] * (len(view.turns) - len(counts)))


def _count_colours_on_pegs(codes: Codes, colours: int) -> tuple[tuple[int, ...], ...]:
    """Return the number of `codes` with each colour on each peg, shape (pegs, colours)."""
    return tuple(tuple(np.bincount(peg, minlength=colours).tolist()) for peg in codes.T)


def _count_codes_with_colours(codes: Codes, colours: int) -> tuple[int, ...]:
    """Return the number of `codes` with each colour on any peg."""
    pegs = codes.T
    return tuple(int((pegs == colour).any(axis=0).sum()) for colour in range(colours))
