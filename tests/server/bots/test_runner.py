from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from random import SystemRandom
from threading import Event

import pytest

import mastermind_server
from kit.client import PATIENCE
from kit.matches import SeededRandom
from mastermind_protocol.breaker import see
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.events import Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.transitions import fold
from mastermind_server.bots import find_bot, worker_functions
from mastermind_server.bots.advice import BestGuesses
from mastermind_server.bots.runner import BotRunner
from mastermind_server.tuning import WORKER_THREADS

ADA = Player(id="ADA", name="Ada")
BOT = Player(id="bot-optimal-breaker", name="optimal", bot="optimal")

SCRIPT = """
import asyncio, logging
from random import Random

from mastermind_protocol.events import Guessed, Joined, Opened, Player, Seat, SecretSet
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


def run_with(tmp_path: Path, tree: bytes | None) -> tuple[str, list[str]]:
    """Open 5x8 with `optimal` in processes; return its guesses and the lines of the log."""
    package = Path(mastermind_server.__file__).parent
    copy = tmp_path / "mastermind_server"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if tree is not None:
        (copy / "bots" / "trees" / "5x8-optimal.tree").write_bytes(tree)
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)  # the copy is found first
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr.splitlines()


def test_a_damaged_tree_is_warned_of_once_for_all_processes_and_bots_play_on(tmp_path):
    guesses, log = run_with(tmp_path, b"mastermind-tree 1\nsha256 0\n")
    (warning,) = log
    assert "5x8-optimal.tree" in warning
    assert "plays by entropy instead" in warning
    assert guesses == "(0, 0, 1, 2, 3)"  # as entropy opens


def test_a_tree_that_is_whole_is_played_by_without_a_word(tmp_path):
    guesses, log = run_with(tmp_path, None)
    assert log == []
    assert guesses == "(0, 0, 1, 1, 2)"


async def test_moves_do_not_wait_for_advice_which_takes_one_worker_at_most(monkeypatch):
    best, may_end = BestGuesses(1, sampled=False, guesses=()), Event()

    def weigh_for_long(*_view):
        assert may_end.wait(PATIENCE)
        return best

    monkeypatch.setattr(worker_functions, "advise", weigh_for_long)
    bots = BotRunner(SystemRandom())
    seats = [Joined(player=ADA, seat=Seat.MAKER), Joined(player=BOT, seat=Seat.BREAKER)]
    opened = Opened(rules="mini", rounds=1)
    match = fold([opened, *seats, SecretSet(by=ADA.id, commitment=bytes(32))])
    advice = [bots.advise(see(match), "bits", 1) for _ in range(WORKER_THREADS)]
    advising = [asyncio.create_task(each) for each in advice]
    await asyncio.sleep(0)  # they run
    async with asyncio.timeout(PATIENCE):
        assert isinstance(await bots.choose_move(match, BOT), GuessCode)
    may_end.set()
    assert await asyncio.gather(*advising) == [best] * WORKER_THREADS
    await bots.stop()


@pytest.mark.parametrize(("before", "elsewhere"), [(3, False), (2000, True)])
async def test_what_a_seed_has_given_in_many_rematches_is_not_drawn_in_the_event_loop(
    before, elsewhere
):
    maker = Player(id="bot-random-maker", name="random", bot="random")
    opened = Opened(rules="mini", rounds=1, seed=7, drawn=before)
    match = fold([opened, Joined(player=maker, seat=Seat.MAKER)])
    bots = BotRunner(SystemRandom())
    try:
        found = await bots.find_fixed(match, maker)
    finally:
        await bots.stop()
    seeded, bot = SeededRandom(7), find_bot("random")
    assert [bot.make(match.rules, seeded) for _ in range(before + 1)][-1] == found
    assert ("draw" in bots.delays) is elsewhere
