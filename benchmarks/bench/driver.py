"""The load driver: clients of what is measured, in a process of their own.

python -m bench.driver MODULE:HOUSE ADDRESS,PID ...   # and commands, as lines on standard input
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, assert_never

import msgspec
import uvloop

from bench.commands import (
    Advance,
    AnyCommand,
    Come,
    Done,
    End,
    LookOn,
    OpenMatches,
    Play,
    Played,
    Probe,
    Rally,
    Return,
    Saturate,
    Show,
)
from bench.crowd import Crowd
from bench.load import Load
from bench.pings import Pings
from bench.processes import read_cpu
from bench.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence


class Driver:
    """Does what it is told, one command after another."""

    def __init__(self, crowd: Crowd, pids: Sequence[int]) -> None:
        self._crowd, self._pids = crowd, pids

    async def do(self, command: AnyCommand) -> Done | Played:
        """Do one command, and tell what came of it."""
        crowd = self._crowd
        match command:
            case OpenMatches():
                return await self._arrange(crowd.open(command.matches, command.each))
            case Come():
                return await self._arrange(crowd.come(command.connections))
            case LookOn():
                return await self._arrange(crowd.look_on())
            case Return():
                await crowd.drop()
                return await self._arrange(crowd.come_back())
            case End():
                return await self._arrange(crowd.end())
            case Play():
                with self._load() as load:
                    await load.play(Schedule(command.rate, command.seconds))
                    return load.report()
            case Saturate():
                with self._load() as load:
                    await load.saturate(command.seconds)
                    return load.report()
            case Advance():
                with self._load() as load:
                    return await self._arrange(load.advance(command.guesses))
            case Rally():
                with self._load() as load:
                    await load.rally(command.moves, command.at_once)
                    return load.report()
            case Show():
                crowd.audience.pause()
                with Load(crowd.matches[:1], self._pids) as load:
                    await load.play(Schedule(command.rate, command.seconds))
                    played = load.report()
                await crowd.audience.check(played.moves)
                return played
            case Probe():
                pings = Pings(crowd.idle)
                with self._load() as load:
                    async with asyncio.TaskGroup() as group:
                        group.create_task(pings.send(Schedule(command.pings, command.seconds)))
                        await load.play(Schedule(command.rate, command.seconds))
                    played = load.report()
                return msgspec.structs.replace(played, longest_ping=max(pings.took))
            case _:
                assert_never(command)

    def _load(self) -> Load:
        return Load(self._crowd.matches, self._pids)

    async def _arrange(self, arranging: Awaitable[None]) -> Done:
        cpu, began = read_cpu(*self._pids), time.perf_counter()
        await arranging
        done = Done(read_cpu(*self._pids) - cpu, time.perf_counter() - began)
        gc.freeze()
        return done


async def main() -> None:
    """Do commands until there are no more."""
    _, house, *places = sys.argv
    addresses, pids = zip(*(place.split(",") for place in places), strict=True)
    driver = Driver(Crowd(addresses, resolve_name(house)()), [int(pid) for pid in pids])
    loop, own = asyncio.get_running_loop(), asyncio.current_task()

    def fail(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        assert own is not None
        own.cancel()

    loop.set_exception_handler(fail)  # else an unexpected frame is waited for as if it came late
    lines = asyncio.StreamReader()
    reading = asyncio.StreamReaderProtocol(lines)
    await loop.connect_read_pipe(lambda: reading, sys.stdin)
    decoder = msgspec.json.Decoder(AnyCommand)
    while line := await lines.readline():
        report = await driver.do(decoder.decode(line))
        print(msgspec.json.encode(report).decode(), flush=True)


if __name__ == "__main__":
    gc.disable()
    uvloop.run(main())
