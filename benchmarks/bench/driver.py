"""The load driver's process.

python -m bench.driver DIALECT ADDRESS,PID ...   # commands are lines of JSON on standard input
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from typing import TYPE_CHECKING, Any

import msgspec
import uvloop

from bench import dialects
from bench.clients import Clients
from bench.load import Load, Pings, Schedule
from bench.processes import Cost
from kit.processes import read_cpu

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence


class Commands:
    """The commands; each returns its cost."""

    def __init__(self, clients: Clients, pids: Sequence[int]) -> None:
        self._clients, self._pids = clients, pids

    async def connect(self, connections: int, load: float = 0.0) -> Cost:
        """Bring the number of idle connections up to `connections`, as browsers if `load` is 1."""
        return await self._time(self._clients.connect(connections, load=bool(load)))

    async def open_matches(
        self, matches: int, each: int = 1, clock: float = 0.0, met: float = 0.0
    ) -> Cost:
        """Bring the number of matches up to `matches`; two connections share `each` matches.

        The new matches have a clock if `clock` is 1. Their players are at one node if `met` is 1.
        """
        opening = self._clients.open_matches(matches, each, clock=bool(clock), met=bool(met))
        return await self._time(opening)

    async def wait(self, seconds: float) -> Cost:
        """Send nothing."""
        return await self._time(asyncio.sleep(seconds))

    async def spectate(self) -> Cost:
        """Make all idle connections follow the first match."""
        return await self._time(self._clients.spectate())

    async def reconnect(self) -> Cost:
        """Cut all players' connections, then reconnect all players at once."""
        await self._clients.cut()
        return await self._time(self._clients.reconnect())

    async def end_matches(self) -> Cost:
        """End all matches."""
        return await self._time(self._clients.end_matches())

    async def play(self, rate: float, seconds: float) -> Cost:
        """Guess in an open loop, in all matches in turn, `rate` guesses per second in total."""
        with self._load() as load:
            await load.play(Schedule(rate, seconds))
            return load.cost()

    async def play_one_at_a_time(self, moves: int) -> Cost:
        """Guess in all matches in turn, each time after the last answer."""
        with self._load() as load:
            await load.play_one_at_a_time(moves)
            return load.cost()

    async def saturate(self, seconds: float) -> Cost:
        """Keep one guess pending in each match."""
        with self._load() as load:
            await load.saturate(seconds)
            return load.cost()

    async def show(self, rate: float, seconds: float) -> Cost:
        """Guess in the first match; its spectators read the events afterwards."""
        audience = self._clients.audience
        audience.pause()
        with Load(self._clients.matches[:1], self._pids) as load:
            await load.play(Schedule(rate, seconds))
            cost = load.cost()
        await audience.expect(cost.moves)
        return cost

    async def probe(self, rate: float, pings: float, seconds: float) -> Cost:
        """Guess as in `play`, and send `pings` pings per second on the idle connections."""
        probe = Pings(self._clients.idle)
        with self._load() as load:
            async with asyncio.TaskGroup() as group:
                group.create_task(probe.send(Schedule(pings, seconds)))
                await load.play(Schedule(rate, seconds))
            cost = load.cost()
        return msgspec.structs.replace(cost, longest_ping=max(probe.took))

    def _load(self) -> Load:
        return Load(self._clients.matches, self._pids)

    async def _time(self, work: Awaitable[None]) -> Cost:
        cpu, began = read_cpu(*self._pids), time.perf_counter()
        await work
        cost = Cost(read_cpu(*self._pids) - cpu, time.perf_counter() - began)
        gc.freeze()
        return cost


async def main() -> None:
    """Run commands until standard input ends."""
    _, dialect, *targets = sys.argv
    addresses, pids = zip(*(target.split(",") for target in targets), strict=True)
    clients = Clients(addresses, getattr(dialects, dialect)())
    commands = Commands(clients, [int(pid) for pid in pids])
    loop, own = asyncio.get_running_loop(), asyncio.current_task()

    def fail(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        assert own is not None
        own.cancel()

    loop.set_exception_handler(fail)  # without it an unexpected frame would end in a timeout
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        command, options = msgspec.json.decode(line)
        cost = await getattr(commands, command)(**options)
        print(msgspec.json.encode(cost).decode(), flush=True)


if __name__ == "__main__":
    gc.disable()
    uvloop.run(main())
