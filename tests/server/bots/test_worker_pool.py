from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import active_children
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

import pytest

import thoughts
from mastermind_protocol.commands import Guess
from mastermind_protocol.events import Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.match import Match, fold
from mastermind_server.bots.runner import BotRunner
from mastermind_server.bots.worker_pool import ATTEMPTS, THREADS, CannotThink, ThinkerDied, Thinking
from wire import no_descriptors_left

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BOUND = 2
PATIENCE = 10.0  # seconds for a process to end


@pytest.fixture
async def thinking() -> AsyncIterator[Thinking]:
    thinking = Thinking(BOUND)
    yield thinking
    await thinking.stop()


async def test_a_light_thought_is_a_threads_and_starts_no_process(thinking: Thinking) -> None:
    assert await thinking.run(False, thoughts.name_process) == os.getpid()
    assert await thinking.run(False, threading.get_ident) != threading.get_ident()
    assert not thinking.started


async def test_a_heavy_thought_is_another_processs(thinking: Thinking) -> None:
    assert await thinking.run(True, thoughts.name_process) != os.getpid()
    assert thinking.started


async def test_as_many_light_thoughts_are_thought_at_a_time_as_there_may_be_threads(
    thinking: Thinking,
) -> None:
    together = threading.Barrier(THREADS)
    for _ in range(2):  # with new threads, and with those that are there
        await asyncio.gather(
            *(thinking.run(False, together.wait, PATIENCE) for _ in range(THREADS))
        )


async def test_there_are_no_more_processes_than_allowed(thinking: Thinking) -> None:
    asked = (thinking.run(True, thoughts.name_process) for _ in range(40))
    assert 1 <= len(set(await asyncio.gather(*asked))) <= BOUND


@pytest.mark.parametrize("heavy", [False, True], ids=["light", "heavy"])
async def test_what_a_thought_raises_is_raised(thinking: Thinking, heavy: bool) -> None:
    with pytest.raises(LookupError, match="nowhere"):
        await thinking.run(heavy, thoughts.fail, "nowhere")
    assert await thinking.run(heavy, thoughts.name_process)


async def test_a_killed_process_is_replaced_and_its_thought_alone_begun_again(
    thinking: Thinking, tmp_path: Path
) -> None:
    first = await thinking.run(True, thoughts.name_process)
    dying = thinking.run(True, thoughts.die_until, tmp_path / "deaths", 1)
    others = [thinking.run(True, thoughts.name_process) for _ in range(6)]
    survivor, *rest = await asyncio.gather(dying, *others)
    assert survivor != first
    assert os.getpid() not in {survivor, *rest}


async def test_nobody_waits_for_a_thought_after_a_stop(
    thinking: Thinking,
) -> None:
    asked, may = threading.Event(), threading.Event()

    def think() -> None:
        asked.set()
        may.wait(PATIENCE)

    callers = [asyncio.ensure_future(thinking.run(False, think)) for _ in range(9)]
    heavy = [asyncio.ensure_future(thinking.run(True, thoughts.wait_for_ever)) for _ in range(9)]
    await asyncio.to_thread(asked.wait, PATIENCE)
    await thinking.stop()
    async with asyncio.timeout(PATIENCE):
        outcomes = await asyncio.gather(*callers, *heavy, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {CannotThink}
    may.set()
    with pytest.raises(CannotThink, match="being stopped"):
        await thinking.run(False, thoughts.name_process)


async def test_a_caller_that_is_cancelled_is_cancelled(thinking: Thinking) -> None:
    caller = asyncio.ensure_future(thinking.run(True, thoughts.wait_for_ever))
    await asyncio.sleep(0)  # it waits
    caller.cancel()
    await thinking.stop()
    await asyncio.wait([caller])
    assert caller.cancelled()


async def test_no_process_is_left_after_a_stop(thinking: Thinking) -> None:
    process = await thinking.run(True, thoughts.name_process)
    thought = asyncio.ensure_future(thinking.run(True, thoughts.wait_for_ever))
    await asyncio.sleep(0)  # it is under way
    await thinking.stop()
    await asyncio.wait([thought])
    assert isinstance(thought.exception(), CannotThink)
    await asyncio.to_thread(wait_for_the_end, process)


async def test_a_process_that_cannot_be_started_is_a_passing_failure(thinking: Thinking) -> None:
    with no_descriptors_left(), pytest.raises(CannotThink) as failed:
        await thinking.run(True, thoughts.name_process)
    assert (failed.value.code, failed.value.retry_after) == ("rate_limited", 1.0)
    assert await thinking.run(True, thoughts.name_process) != os.getpid()


async def test_a_thought_that_kills_every_process_is_given_up(
    thinking: Thinking, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    marker = tmp_path / "deaths"
    with pytest.raises(ThinkerDied, match=f"died {ATTEMPTS} times"):
        await thinking.run(True, thoughts.die_until, marker, 99)
    assert len(marker.read_text()) == ATTEMPTS
    assert f"try {ATTEMPTS} of {ATTEMPTS}" in caplog.text
    assert await thinking.run(True, thoughts.name_process) != os.getpid()


async def test_a_process_multiplies_matrices_in_one_thread(thinking: Thinking) -> None:
    alone = await thinking.run(True, thoughts.count_threads)
    assert alone <= 3  # its own, the one that minds the parent, and the queue's


KEEPER = """
import asyncio, sys
sys.path[:0] = {path!r}
import thoughts
from mastermind_server.bots.worker_pool import Thinking

async def main():
    thinking = Thinking(1)
    print(await thinking.run(True, thoughts.name_process), flush=True)
    await asyncio.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_a_process_ends_with_the_server_it_thinks_for(tmp_path: Path) -> None:
    script = tmp_path / "keeper.py"
    script.write_text(KEEPER.format(path=[str(Path(thoughts.__file__).parent)]))
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdout is not None
        thinker = int(keeper.stdout.readline())
        assert is_running(thinker)
        keeper.kill()
    wait_for_the_end(thinker)


def wait_for_the_end(process: int) -> None:
    """Return when a process has ended: it may have been told to, and not have got round to it."""
    deadline = time.monotonic() + PATIENCE
    while is_running(process):
        assert time.monotonic() < deadline, f"process {process} does not end"
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """Tell whether a process is there and has not ended: nobody may have taken its status."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


# A bot thinks about 6 pegs and 9 colours, and the server goes on.

BREAKER = Player(id="bot-entropy-breaker", name="entropy", bot="entropy")


def new_match(rules: str) -> Match:
    """Return a match as its bot sees it before the first guess."""
    opened = Opened(rules=rules, rounds=1)
    maker = Joined(player=Player(id="p-ann", name="Ann"), seat=Seat.MAKER)
    breaker = Joined(player=BREAKER, seat=Seat.BREAKER)
    return fold([opened, maker, breaker, SecretSet(by="p-ann", commitment=bytes(32))])


async def test_heavy_thoughts_keep_no_light_one_waiting() -> None:
    thinking = Thinking(1)
    thinker = await thinking.run(True, thoughts.name_process)
    os.kill(thinker, signal.SIGSTOP)
    try:
        heavy = [asyncio.create_task(thinking.run(True, thoughts.name_process)) for _ in range(10)]
        assert await thinking.run(False, thoughts.name_process) == os.getpid()
        assert not any(thought.done() for thought in heavy)
    finally:
        os.kill(thinker, signal.SIGCONT)
    assert await asyncio.gather(*heavy) == [thinker] * 10
    await thinking.stop()


async def test_half_a_million_codes_are_thought_about_in_a_process_and_few_are_not() -> None:
    bots = BotRunner(SystemRandom())
    before = set(active_children())
    assert isinstance(await bots.choose_move(new_match("mini"), BREAKER), Guess)
    assert set(active_children()) <= before
    assert isinstance(await bots.choose_move(new_match("6x9"), BREAKER), Guess)
    assert not set(active_children()) <= before
    await bots.stop()
