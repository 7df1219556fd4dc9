"""Loaded before the tests here: so NumPy is told of its one thread before they import it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.bot import Deterministic
from mastermind_server.bots.position import find_position, split


@pytest.fixture
def count_games() -> Callable[[Deterministic, str], Counter[int]]:
    """Play against every secret at once, as one tree: how many need how many guesses."""

    def count(bot: Deterministic, size: str) -> Counter[int]:
        rules = find_rules(size)
        games: Counter[int] = Counter()
        waiting = [find_position(BreakerView(rules))]
        while waiting:
            position = waiting.pop()
            assert len(position.turns) < 12, f"no end to {position.turns}"
            for feedback, left in split(position, bot.pick(position)):
                if feedback.black == rules.pegs:
                    games[len(left.turns)] += len(left.candidates)
                else:
                    waiting.append(left)
        return games

    return count
