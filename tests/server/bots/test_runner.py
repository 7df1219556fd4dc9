from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import mastermind_server

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
    """Let `optimal` open at 5x8 in processes; return its guesses and the lines of the log."""
    package = Path(mastermind_server.__file__).parent
    copy = tmp_path / "mastermind_server"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    if tree is not None:
        (copy / "bots" / "trees" / "5x8-optimal.tree").write_bytes(tree)
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)  # beside the copy, which is found first
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    return done.stdout.strip(), done.stderr.splitlines()


def test_a_damaged_tree_is_warned_of_once_for_all_processes_and_bots_play_on(
    tmp_path: Path,
) -> None:
    guesses, log = run_with(tmp_path, b"mastermind-tree 1\nsha256 0\n")
    (warning,) = log
    assert "5x8-optimal.tree" in warning
    assert "plays by entropy instead" in warning
    assert guesses == "(0, 0, 1, 2, 3)"  # as entropy opens


def test_a_tree_that_is_whole_is_played_by_without_a_word(tmp_path: Path) -> None:
    guesses, log = run_with(tmp_path, None)
    assert log == []
    assert guesses == "(0, 0, 1, 1, 2)"
