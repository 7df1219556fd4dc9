from __future__ import annotations

import logging
from pathlib import Path

import pytest

from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import find_rules
from mastermind_server.bots import optimal, tree
from mastermind_server.bots.bot import Deterministic
from mastermind_server.bots.greedy import ENTROPY
from mastermind_server.bots.optimal import OPTIMAL, OPTIMAL_5
from mastermind_server.bots.position import BreakerPosition, find_position
from mastermind_server.bots.solver import find_code
from mastermind_server.bots.tree import DecisionTree, Node, TreeDamaged

Trees = dict[tuple[int, int, str], DecisionTree | Exception]

FIRST, REPLY, SECOND = (1, 2, 2), Feedback(0, 1), (3, 1, 1)
SMALL = DecisionTree(3, 5, "optimal", Node(FIRST, {REPLY: Node(SECOND)}))


@pytest.fixture
def trees(monkeypatch):
    """The trees of a test, instead of the files."""
    there: Trees = {}

    def find(pegs, colours, name):
        found = there.get((pegs, colours, name))
        if isinstance(found, Exception):
            raise found
        return found

    optimal._read_tree.cache_clear()
    monkeypatch.setattr(tree, "find_tree", find)
    yield there
    optimal._read_tree.cache_clear()


def locate(name: str, *turns: Turn) -> BreakerPosition:
    return find_position(BreakerView(find_rules(name), turns))


def pick(bot: Deterministic, position: BreakerPosition) -> Code:
    return find_code(position.pegs, position.colours, bot.pick(position))


@pytest.mark.parametrize(("bot", "total", "worst"), [(OPTIMAL, 5625, 6), (OPTIMAL_5, 5626, 5)])
def test_all_1296_secrets_take_what_koyama_and_lai_proved_to_be_the_fewest(
    count_games, bot, total, worst
):
    games = count_games(bot, "4x6")
    assert sum(guesses * number for guesses, number in games.items()) == total
    assert max(games) == worst


def test_where_the_tree_has_a_guess_it_is_played(trees):
    trees[3, 5, "optimal"] = SMALL
    assert pick(OPTIMAL, locate("3x5")) == FIRST
    assert pick(OPTIMAL, locate("3x5", Turn(FIRST, REPLY))) == SECOND


def test_optimal_5_plays_by_the_tree_of_optimal_where_it_has_none(trees):
    trees[3, 5, "optimal"] = SMALL
    assert pick(OPTIMAL_5, locate("3x5")) == FIRST
    trees[3, 5, "optimal-5"] = DecisionTree(3, 5, "optimal-5", Node((0, 0, 4)))
    optimal._read_tree.cache_clear()
    assert pick(OPTIMAL_5, locate("3x5")) == (0, 0, 4)
    assert pick(OPTIMAL, locate("3x5")) == FIRST


@pytest.mark.parametrize("bot", [OPTIMAL, OPTIMAL_5], ids=["optimal", "optimal-5"])
def test_off_the_tree_entropy_says_what_to_play(trees, bot):
    trees[3, 5, "optimal"] = SMALL
    for position in (
        locate("3x5", Turn(FIRST, Feedback(1, 0))),
        locate("3x5", Turn((0, 1, 2), score((4, 1, 3), (0, 1, 2)))),
        locate("3x4"),
    ):
        assert len(position.candidates) > 2
        assert bot.pick(position) == ENTROPY.pick(position)


def test_of_the_last_codes_the_lowest_is_played_at_once(trees):
    trees[1, 4, "optimal"] = DecisionTree(1, 4, "optimal", Node((1,)))
    turns = [Turn((1,), Feedback(0, 0)), Turn((2,), Feedback(0, 0))]
    assert pick(OPTIMAL, locate("1x4", *turns)) == (0,)


@pytest.mark.parametrize(
    "error",
    [
        TreeDamaged(Path("trees/3x5-optimal.tree"), "its checksum is wrong"),
        PermissionError(13, "Permission denied", "trees/3x5-optimal.tree"),
    ],
)
def test_a_tree_that_cannot_be_read_is_reported_once_and_played_without(trees, caplog, error):
    trees[3, 5, "optimal"] = error
    position = locate("3x5")
    with caplog.at_level(logging.WARNING):
        for bot in (OPTIMAL, OPTIMAL_5, OPTIMAL):
            assert bot.pick(position) == ENTROPY.pick(position)
    (record,) = caplog.records
    assert "3x5-optimal.tree" in record.getMessage()
    assert record.levelno == logging.WARNING


def test_only_games_with_a_table_of_scores_are_light():
    assert find_rules("4x8").codes <= OPTIMAL.light
    assert find_rules("4x9").codes > OPTIMAL.light
