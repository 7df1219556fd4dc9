"""The attacker: a process that attacks when it is told to, and tells in the end what it has done.

It has one core, and only as long as others want nothing of it, as if it were elsewhere.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from campaigns.attacks.attack import ATTACKS
from campaigns.attacks.attackers import DEEDS
from campaigns.attacks.idle_group import idling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TESTS = str(Path(__file__).parents[2])


class Attacker:
    """One that is ready."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def begin(self) -> None:
        """Let it attack."""
        await self._tell()

    async def end(self) -> int | None:
        """Return how much it has opened and sent, or None if it has failed meanwhile."""
        await self._tell()
        assert self._process.stdout is not None
        done = await self._process.stdout.readline()
        return int(done) if done else None

    async def _tell(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")


@asynccontextmanager
async def attacking(name: str, address: str) -> AsyncIterator[Attacker]:
    """Have an attacker at hand; in the end it is gone, with all that it holds open."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "campaigns.attacks.attacker", name, address),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": TESTS},
    )
    with idling(process.pid):
        try:
            assert process.stdout is not None
            line = await process.stdout.readline()
            assert line, "the attacker does not start: what it said is above"
            yield Attacker(process)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def _attack(name: str, address: str) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_listen, args=(loop, begun), daemon=True).start()
    await begun.wait()
    await ATTACKS[name].perform(address)
    raise SystemExit(f"{name} has come to an end by itself")


def _listen(loop: asyncio.AbstractEventLoop, begun: asyncio.Event) -> None:
    """Begin, and tell what was done, when a line comes for each: a thread has the time for it."""
    print("ready", flush=True)
    sys.stdin.readline()
    loop.call_soon_threadsafe(begun.set)
    sys.stdin.readline()
    print(DEEDS.total(), flush=True)


if __name__ == "__main__":
    asyncio.run(_attack(*sys.argv[1:]))
