"""What a codebreaker sees of its round: all that a bot is handed to choose a guess from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mastermind_protocol.match import Turn, current_round
from mastermind_protocol.rules import Rules

if TYPE_CHECKING:
    from mastermind_protocol.match import Match


class BreakerView(msgspec.Struct, frozen=True):
    """All that a codebreaker sees of its round: the rules, and its guesses with their feedback."""

    rules: Rules
    turns: tuple[Turn, ...] = ()


def see(match: Match) -> BreakerView:
    """Return the current round as its codebreaker sees it. Raises ValueError if there is none."""
    return BreakerView(match.rules, current_round(match).turns)
