"""Loaded before the tests here: the thread count is set before they import NumPy."""

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
    """Return the number of secrets for each number of guesses, by one tree of all games."""

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
