from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import threading
from multiprocessing import active_children
from pathlib import Path

import pytest

import mastermind_server
from kit.client import PATIENCE
from kit.matches import ADA, SeededRandom
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.events import Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import BreakerView, Match, Turn
from mastermind_protocol.rules import find_rules
from mastermind_protocol.transitions import fold
from mastermind_server.bots import find_bot, worker_functions
from mastermind_server.bots.analysis.advice import BestGuesses
from mastermind_server.bots.runner import BotRunner
from mastermind_server.bots.worker_pool import WORKER_THREADS

BREAKER = Player(id="bot-entropy-breaker", name="entropy", bot="entropy")

SCRIPT = """
import asyncio, logging
from random import Random

from mastermind_protocol.events import Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.transitions import fold
from mastermind_server.bots.runner import BotRunner

BOT = Player(id="bot-optimal-breaker", name="optimal", bot="optimal")

async def main():
    logging.basicConfig(format="%(message)s")
    bots = BotRunner(Random(1))
    opened = Opened(rules="5x8", rounds=1)
    seats = [
        Joined(player=Player(id="ADA", name="Ada"), seat=Seat.MAKER),
        Joined(player=BOT, seat=Seat.BREAKER),
    ]
    match = fold([opened, *seats, SecretSet(by="ADA", commitment=bytes(32))])
    moves = await asyncio.gather(*(bots.choose_move(match, BOT) for _ in range(8)))
    print(*{move.code for move in moves})
    await bots.stop()

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.fixture
async def bots():
    bots = BotRunner(SeededRandom(1))
    yield bots
    await bots.stop()


def new_match(rules: str) -> Match:
    """Return a match before the first guess of its bot."""
    opened = Opened(rules=rules, rounds=1)
    seats = [Joined(player=ADA, seat=Seat.MAKER), Joined(player=BREAKER, seat=Seat.BREAKER)]
    return fold([opened, *seats, SecretSet(by=ADA.id, commitment=bytes(32))])


@pytest.mark.parametrize(
    ("tree", "warnings", "opening"),
    [
        (None, [], "(0, 0, 1, 1, 2)"),
        (b"mastermind-tree 1\nsha256 0\n", ["5x8-optimal.tree"], "(0, 0, 1, 2, 3)"),
    ],
    ids=["whole", "damaged"],
)
def test_a_damaged_tree_is_logged_once_for_all_processes(tmp_path, tree, warnings, opening):
    """With it `optimal` opens 5x8 as `entropy` does."""
    package = Path(mastermind_server.__file__).parent
    copy = tmp_path / "mastermind_server"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if tree is not None:
        (copy / "bots" / "trees" / "5x8-optimal.tree").write_bytes(tree)
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)  # the copy is found first
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == opening
    log = done.stderr.splitlines()
    assert len(log) == len(warnings)
    for line, file in zip(log, warnings, strict=True):
        assert file in line
        assert "plays by entropy instead" in line


async def test_a_guess_among_many_codes_is_chosen_in_a_process(bots):
    before = set(active_children())
    assert isinstance(await bots.choose_move(new_match("mini"), BREAKER), GuessCode)
    assert set(active_children()) <= before
    assert isinstance(await bots.choose_move(new_match("6x9"), BREAKER), GuessCode)
    assert not set(active_children()) <= before


async def test_moves_do_not_wait_for_advice(bots, monkeypatch):
    best, may_end = BestGuesses(1, sampled=False, estimated=False, guesses=()), threading.Event()

    def weigh_for_long(*_view):
        assert may_end.wait(PATIENCE)
        return best

    monkeypatch.setattr(worker_functions, "advise", weigh_for_long)
    view = BreakerView.of(new_match("mini"))
    asked = [asyncio.create_task(bots.advise(view, "bits", 1)) for _ in range(2 * WORKER_THREADS)]
    await asyncio.sleep(0)  # they run
    async with asyncio.timeout(PATIENCE):
        assert isinstance(await bots.choose_move(new_match("mini"), BREAKER), GuessCode)
    assert not any(advice.done() for advice in asked)
    may_end.set()
    assert await asyncio.gather(*asked) == [best] * 2 * WORKER_THREADS


@pytest.mark.promise("seed-rematches")
@pytest.mark.parametrize(("before", "in_process"), [(3, False), (2000, True)])
async def test_many_earlier_secrets_of_a_seed_are_drawn_in_a_process(bots, before, in_process):
    maker = Player(id="bot-random-maker", name="random", bot="random")
    opened = Opened(rules="mini", rounds=1, seed=7, drawn=before)
    match = fold([opened, Joined(player=maker, seat=Seat.MAKER)])
    found = await bots.find_fixed_secret(match, maker)
    seeded, bot = SeededRandom(7), find_bot("random")
    assert [bot.make_secret(match.rules, seeded) for _ in range(before + 1)][-1] == found
    assert ("draw" in bots.delays) is in_process


async def test_luck_is_measured_in_a_thread_for_each_round(bots):
    rules = find_rules("classic")
    rounds = [(Turn((0, 0, 1, 1), Feedback(4, 0)),), (Turn((0, 0, 1, 1), Feedback(0, 0)),), ()]

    others = active_children()  # of earlier tests, which may still be ending
    good, bad, none = await bots.measure_luck(rules, rounds)

    assert good < none == 0 < bad
    assert set(active_children()) <= set(others)


async def test_luck_is_not_measured_for_rules_with_too_many_codes(bots):
    assert await bots.measure_luck(find_rules("5x8"), [()]) is None
