from __future__ import annotations

import itertools
import logging
from pathlib import Path

import pytest

from kit.codes import answer
from kit.matches import pegs
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import CodeSpace, find_rules
from mastermind_server.bots import tree
from mastermind_server.bots.bot import DeterministicBot
from mastermind_server.bots.greedy import ENTROPY
from mastermind_server.bots.optimal import OPTIMAL, OPTIMAL_5, OptimalBot
from mastermind_server.bots.position import find_position
from mastermind_server.bots.solver import find_code_by_number
from mastermind_server.bots.tree import DecisionTree, Node, TreeDamaged

FIRST, REPLY, SECOND = (1, 2, 2), Feedback(0, 1), (3, 1, 1)
SMALL = DecisionTree(CodeSpace(3, 5), "small", Node(FIRST, {REPLY: Node(SECOND)}))
OTHER = DecisionTree(CodeSpace(3, 5), "other", Node((0, 0, 4)))
NUMBERS = itertools.count()


@pytest.fixture
def make_bot(monkeypatch):
    """Return a function that makes a bot with trees for 3x5, or with errors and gaps for them."""
    there: dict[tuple[CodeSpace, str], DecisionTree | Exception | None] = {}

    def find(space, name):
        found = there.get((space, name))
        if isinstance(found, Exception):
            raise found
        return found

    def make(*trees):
        names = [f"tree {next(NUMBERS)}" for _ in trees]  # new ones, because trees are cached
        there.update({(SMALL.space, name): found for name, found in zip(names, trees, strict=True)})
        return OptimalBot("bot", "Plays by the trees of a test.", *names)

    monkeypatch.setattr(tree, "find_tree", find)
    return make


def pick(bot: DeterministicBot, rules: str, *turns: Turn) -> Code:
    """Return the guess of a bot, computed anew."""
    position = find_position(BreakerView(find_rules(rules), turns))
    return find_code_by_number(position.space, bot.choose_code_number(position))


@pytest.mark.parametrize(
    ("trees", "turns", "guess"),
    [
        ([SMALL], (), FIRST),
        ([SMALL], (Turn(FIRST, REPLY),), SECOND),
        ([OTHER, SMALL], (), OTHER.root.guess),
        ([None, SMALL], (), FIRST),
        ([OTHER, SMALL], (Turn(FIRST, REPLY),), SECOND),
    ],
)
def test_the_first_tree_with_a_guess_chooses_it(make_bot, trees, turns, guess):
    assert pick(make_bot(*trees), "3x5", *turns) == guess


@pytest.mark.parametrize("bot", [OPTIMAL, OPTIMAL_5], ids=["optimal", "optimal-5"])
def test_both_bots_play_by_the_tree_of_optimal_at_5x8(bot):
    assert pick(bot, "5x8") == pegs("11223")  # entropy opens by 11234


@pytest.mark.parametrize(
    ("rules", "turns"),
    [
        ("3x5", (Turn(FIRST, Feedback(1, 0)),)),  # a feedback without a node
        ("3x5", answer(pegs("524"), pegs("123"))),  # another guess than the tree's
        ("3x4", ()),  # no tree
    ],
)
def test_entropy_chooses_the_guess_where_the_tree_has_none(make_bot, rules, turns):
    assert pick(make_bot(SMALL), rules, *turns) == pick(ENTROPY, rules, *turns)


@pytest.mark.parametrize(
    "error",
    [
        TreeDamaged(Path("trees/3x5-optimal.tree"), "its checksum is wrong"),
        PermissionError(13, "Permission denied", "trees/3x5-optimal.tree"),
    ],
)
def test_an_unreadable_tree_is_logged_once_and_entropy_chooses_the_guess(make_bot, caplog, error):
    bot = make_bot(error)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert pick(bot, "3x5") == pick(ENTROPY, "3x5")
    (record,) = caplog.records
    assert "3x5-optimal.tree" in record.getMessage()
    assert record.levelno == logging.WARNING
