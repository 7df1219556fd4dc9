"""Codes, and what a codebreaker knows of them, by the protocol's score alone."""

from __future__ import annotations

import itertools
from functools import cache

from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import Rules, find_rules


@cache
def list_codes(pegs: int, colours: int) -> list[Code]:
    """Return all codes in ascending order. Do not change the list."""
    return list(itertools.product(range(colours), repeat=pegs))


def answer(secret: Code, *guesses: Code) -> tuple[Turn, ...]:
    """Return the turns of these guesses."""
    return tuple(Turn(guess, score(secret, guess)) for guess in guesses)


def see(rules: Rules | str, secret: Code, *guesses: Code) -> BreakerView:
    """Return the codebreaker's view after these guesses."""
    rules = find_rules(rules) if isinstance(rules, str) else rules
    return BreakerView(rules, answer(secret, *guesses))


def list_left(view: BreakerView) -> list[Code]:
    """Return the codes that agree with all feedback, in ascending order."""
    codes = list_codes(view.rules.pegs, view.rules.colours)
    return [code for code in codes if all(score(code, t.code) == t.feedback for t in view.turns)]


CONTRADICTION = (Turn((0, 0, 1, 1), Feedback(3, 1)),)
"""Turns by rules with four pegs that no code explains."""
