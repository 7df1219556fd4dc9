"""Prints the number of memory allocations of one guess, by server and driver together.

    python tests/server/count_allocations.py [--in-vain OBJECTS]

It is a separate process, because the tests would be counted too.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

import memray
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest has it

from kit.server import GameServer
from mastermind_protocol.transitions import decide
from server.move_counter import MatchOfGuesses, guessing

GUESSES = 10


async def main(in_vain: int) -> None:
    """Print the mean count of a guess, then of one that makes `in_vain` objects more."""
    with tempfile.TemporaryDirectory() as folder:
        hall = GameServer(Path(folder))
        await hall.start()
        async with guessing(hall) as match:
            print(await count(match, Path(folder) / "usual"))
            waste(in_vain)
            print(await count(match, Path(folder) / "wasteful"))
        await hall.close()


async def count(match: MatchOfGuesses, written: Path) -> float:
    """Return the allocations of a guess."""
    gc.disable()
    with memray.Tracker(written, trace_python_allocators=True):
        await match.play(GUESSES)
    gc.enable()
    return memray.FileReader(written).metadata.total_allocations / GUESSES


def waste(objects: int) -> None:
    """Make each guess allocate `objects` more, to check that they are counted."""

    def decide_wastefully(*asked: Any) -> Any:
        made = [object() for _ in range(objects)]
        del made
        return decide(*asked)

    pytest.MonkeyPatch().setattr("mastermind_server.matches.tables.table.decide", decide_wastefully)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--in-vain", type=int, default=0, metavar="OBJECTS")
    logging.disable()
    asyncio.run(main(parser.parse_args().in_vain))
