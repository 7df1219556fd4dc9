"""Codes, and what a codebreaker knows of them, by the protocol's score alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import CodeSpace, Rules, find_rules

if TYPE_CHECKING:
    from mastermind_server.bots.tree import DecisionTree


@cache
def list_codes(space: CodeSpace) -> list[Code]:
    """Return all codes in ascending order. Do not change the list."""
    return list(space.iterate_codes())


def answer(secret: Code, *guesses: Code) -> tuple[Turn, ...]:
    """Return the turns of these guesses."""
    return tuple(Turn(guess, score(secret, guess)) for guess in guesses)


def see(rules: Rules | str, secret: Code, *guesses: Code) -> BreakerView:
    """Return the codebreaker's view after these guesses."""
    rules = find_rules(rules) if isinstance(rules, str) else rules
    return BreakerView(rules, answer(secret, *guesses))


def list_left(view: BreakerView) -> list[Code]:
    """Return the codes that agree with all feedback, in ascending order."""
    codes = list_codes(view.rules.space)
    return [code for code in codes if all(score(code, t.code) == t.feedback for t in view.turns)]


def divide(codes: Iterable[Code], guess: Code) -> dict[Feedback, list[Code]]:
    """Return the codes for each feedback to a guess."""
    parts: dict[Feedback, list[Code]] = defaultdict(list)
    for secret in codes:
        parts[score(secret, guess)].append(secret)
    return parts


def count_guesses(tree: DecisionTree) -> Counter[int]:
    """Return the number of secrets for each number of guesses of a tree.

    Without a guess of the tree at most two codes are left, and the lower one is guessed.
    """
    games: Counter[int] = Counter()
    cells: list[tuple[tuple[Turn, ...], list[Code]]] = [((), list_codes(tree.space))]
    while cells:
        turns, cell = cells.pop()
        guess = tree.find_guess(turns)
        if guess is None:
            assert len(cell) <= 2, f"no guess for {len(cell)} codes after {turns}"
            guess = cell[0]
        parts = divide(cell, guess)
        games[len(turns) + 1] += len(parts.pop(Feedback(tree.space.pegs, 0), ()))
        cells.extend(((*turns, Turn(guess, reply)), part) for reply, part in parts.items())
    return +games
