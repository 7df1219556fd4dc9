"""Puzzles: guesses with feedback that leave exactly one code."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from mastermind_protocol.match import Turn
from mastermind_server.bots import solver

if TYPE_CHECKING:
    from mastermind_protocol.rules import Rules

MAX_PUZZLE_CODES = 5040  # codes: those of `bulls`; a puzzle takes milliseconds


def make_puzzle(rules: Rules, level: int, seed: int) -> tuple[Turn, ...]:
    """Return the turns of puzzle number `seed` of a `level`, from 1 to 3.

    Equal arguments give equal turns on every machine. Each turn is needed: without it, more than
    one code fits.
    """
    codes = solver.list_codes(rules.space)

    def draw(number: int) -> int:
        text = f"{rules.space} {level} {seed} {number}"
        return int.from_bytes(sha256(text.encode()).digest()[:8]) % len(codes)

    secret = tuple(codes[draw(0)].tolist())
    turns: list[Turn] = []
    left = np.ones(len(codes), dtype=np.bool_)
    number = 0
    while np.count_nonzero(left) > 1:
        number += 1
        guess = tuple(codes[draw(number)].tolist())
        cell = int(solver.score_one(guess, np.array([secret], dtype=np.uint8))[0])
        agreeing = solver.score_one(guess, codes) == cell
        if guess != secret and (left & ~agreeing).any():
            left &= agreeing
            turns.append(Turn(guess, solver.decode_feedback(cell, rules.pegs)))
    for turn in list(turns):
        others = [other for other in turns if other is not turn]
        fits = np.ones(len(codes), dtype=np.bool_)
        for other in others:
            fits &= solver.score_one(other.code, codes) == solver.encode_feedback(
                other.feedback, rules.pegs
            )
        if np.count_nonzero(fits) == 1:
            turns = others
    return tuple(turns)
