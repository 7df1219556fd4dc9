"""What a codebreaker sees of its round, all that a bot is handed, and what that rules out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mastermind_protocol.feedback import score
from mastermind_protocol.match import Turn, current_round
from mastermind_protocol.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match


class BreakerView(msgspec.Struct, frozen=True):
    """All that a codebreaker sees of its round: the rules, and its guesses with their feedback."""

    rules: Rules
    turns: tuple[Turn, ...] = ()


def see(match: Match) -> BreakerView:
    """Return the current round as its codebreaker sees it. Raises ValueError if there is none."""
    return BreakerView(match.rules, current_round(match).turns)


def excluded_by(code: Code, turns: Sequence[Turn]) -> int | None:
    """Return the number, from 1, of the first guess whose feedback this code does not fit.

    None if it fits them all, so that it may be the secret.
    """
    for number, turn in enumerate(turns, start=1):
        if score(code, turn.code) != turn.feedback:
            return number
    return None
