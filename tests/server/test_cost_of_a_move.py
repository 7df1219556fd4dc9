"""The work of a move, in counts that are the same on every machine with one Python.

A later Python needs fewer calls, so the counts are bounds. A change that makes moves dearer on
purpose changes a number here, and its commit gives the reason.
"""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from kit.client import list_frames
from kit.server import GameServer
from mastermind_protocol.codec import encode
from mastermind_protocol.events import Guessed
from mastermind_protocol.messages import Happened
from mastermind_protocol.transitions import decide
from mastermind_server.limits import Limits, Rate
from mastermind_server.matches.tables.row_charges import PREPAID_ROWS
from server.move_counter import WRONG, counting_calls, counting_tasks, guessing

GUESSES = 10
ENCODINGS = 4  # the digest of the request, the row, the answer, and one frame for all others
CALLS = 475  # functions in the event loop's thread, with the driver and asyncio
# With the driver. Python 3.12 counts more allocations for the same work.
ALLOCATIONS = 1510.0 if sys.version_info < (3, 12) else 2290.0
LONG = PREPAID_ROWS + 5  # guesses, beyond what was paid for when the match began
DECIDE = "mastermind_server.matches.tables.table.decide"  # each guess passes through it
COUNTER = Path(__file__).with_name("count_allocations.py")


async def count_encodings(hall: GameServer, spectators: int) -> float:
    """Return the number of encodings for a guess, without the guess itself."""
    async with guessing(hall, spectators) as match:
        with counting_calls() as calls:
            await match.play(GUESSES)
    return calls["Encoder.encode"] / GUESSES - 1


async def count_calls(hall: GameServer, before: int = 0) -> int:
    """Return the number of function calls for a guess, after `before` other guesses.

    The result is the smallest of GUESSES counts: on a busy machine the loop turns more often for
    a message in pieces, which makes no move cheaper.
    """
    async with guessing(hall) as match:
        await match.play(before)
        counts = []
        for _ in range(GUESSES):
            with counting_calls() as calls:
                await match.play(1)
            counts.append(calls.total())
    return min(counts)


async def test_a_guess_is_one_small_frame_to_each_seat(hall):
    async with guessing(hall) as match:
        readers = (match.breaker, *match.others)
        known = [len(reader.received) for reader in readers]
        version = match.version
        await match.play(1)
    told = [list_frames(reader.received[old:]) for reader, old in zip(readers, known, strict=True)]
    events = (Guessed(code=WRONG, black=0, white=0),)
    answer = Happened(match=match.code, v=version + 1, events=events, id=1000 + version)
    news = Happened(match=match.code, v=version + 1, events=events)
    assert told == [[encode(answer)], [encode(news)]]
    assert [len(encode(answer)), len(encode(news))] == [84, 78]


async def test_a_guess_takes_one_task(hall):
    async with guessing(hall) as match:
        with counting_tasks() as tasks:
            await match.play(GUESSES)
    assert len(tasks) == GUESSES, tasks


@pytest.mark.parametrize("spectators", [0, 20])
async def test_a_guess_is_encoded_as_often_for_any_number_of_spectators(hall, spectators):
    assert await count_encodings(hall, spectators) == ENCODINGS


@pytest.mark.parametrize("spectators", [1, 20])
async def test_a_guess_gets_as_many_frame_headers_for_any_number_of_spectators(hall, spectators):
    async with guessing(hall, spectators) as match:
        with counting_calls() as calls:
            await match.play(GUESSES)
    assert calls["encode_frame"] == 3 * GUESSES  # each seat, and all spectators together


async def test_a_guess_takes_as_many_calls_as_it_did(hall):
    assert await count_calls(hall) <= CALLS


async def test_a_guess_takes_no_more_calls_in_a_long_match(idle_hall):
    await idle_hall.start(limits=Limits(frames=Rate(burst=1000, per_second=1000)))
    assert await count_calls(idle_hall, before=LONG) <= CALLS


def test_a_guess_takes_a_fixed_number_of_allocations():
    in_vain = int(ALLOCATIONS / 4)
    counter: list[str | Path] = [sys.executable, COUNTER, "--in-vain", str(in_vain)]
    counted = subprocess.run(counter, check=True, capture_output=True, text=True)
    allocations, with_vain = map(float, counted.stdout.split())
    assert allocations <= ALLOCATIONS * 1.1
    assert with_vain >= allocations + in_vain * 0.9


# A cost that is put back raises each count.


async def test_an_additional_task_is_counted(hall, monkeypatch):
    spare: set[asyncio.Task[None]] = set()

    def decide_later(*arguments):
        spare.add(asyncio.get_running_loop().create_task(asyncio.sleep(0)))
        return decide(*arguments)

    monkeypatch.setattr(DECIDE, decide_later)
    with pytest.raises(AssertionError, match="sleep"):
        await test_a_guess_takes_one_task(hall)
    await asyncio.gather(*spare)


async def test_a_frame_encoded_for_each_spectator_is_counted(hall, monkeypatch):
    def encode_for_each(audience, frame):
        for peer in audience:
            peer.push(encode(Happened(match="", v=1, events=())) and frame)

    monkeypatch.setattr("mastermind_server.broadcast.Audience.broadcast", encode_for_each)
    assert await count_encodings(hall, 20) == ENCODINGS + 20


async def test_a_loop_over_all_earlier_guesses_is_counted(hall, monkeypatch):
    def decide_slowly(match, *arguments):
        for turn in match.current.turns if match.current else ():
            hash(turn.code), hash(turn.feedback)
        return decide(match, *arguments)

    monkeypatch.setattr(DECIDE, decide_slowly)
    assert await count_calls(hall, before=LONG) > CALLS
