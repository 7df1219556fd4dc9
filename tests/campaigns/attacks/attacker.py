"""The attacker's process: it attacks from the first line on standard input until the second.

It runs on one core, at idle priority, so that it takes no CPU time from the server.
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
from campaigns.attacks.attackers import DONE
from campaigns.attacks.idle_group import idling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TESTS = str(Path(__file__).parents[2])


class Attacker:
    """An attacker that has started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def begin(self) -> None:
        """Start the attack."""
        await self._signal()

    async def end(self) -> int | None:
        """Return the number of sockets and messages, or None if the attacker has failed."""
        await self._signal()
        assert self._process.stdout is not None
        done = await self._process.stdout.readline()
        return int(done) if done else None

    async def _signal(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")


@asynccontextmanager
async def attacking(name: str, address: str) -> AsyncIterator[Attacker]:
    """Run an attacker's process; kill it at the end, with all its connections."""
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
            assert line, "the attacker does not start: see its output above"
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
    begin = asyncio.Event()
    loop = asyncio.get_running_loop()
    threading.Thread(target=_listen, args=(loop, begin), daemon=True).start()
    await begin.wait()
    await ATTACKS[name].perform(address)
    raise SystemExit(f"{name} ended by itself")


def _listen(loop: asyncio.AbstractEventLoop, begin: asyncio.Event) -> None:
    """Handle the two lines in a thread: the attack may block the event loop."""
    print("ready", flush=True)
    sys.stdin.readline()
    loop.call_soon_threadsafe(begin.set)
    sys.stdin.readline()
    print(DONE.total(), flush=True)


if __name__ == "__main__":
    asyncio.run(_attack(*sys.argv[1:]))
