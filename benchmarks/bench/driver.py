"""The load driver: clients of a server or of the bare room, in a process of their own.

python -m bench.driver NAME ADDRESS PID       # and commands, as lines on standard input
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import importlib.util
import sys
import time
from typing import assert_never

import msgspec

from bench.commands import AnyCommand, Opened, OpenMatches, Play, Saturate
from bench.load import Load
from bench.matches import BareHouse, Crowd, ServerHouse
from bench.processes import ROOM, read_cpu
from bench.schedule import Schedule

UVLOOP = importlib.util.find_spec("uvloop") is not None  # it makes the driver's own part cheaper


class Driver:
    """Does what it is told, one command after another."""

    def __init__(self, crowd: Crowd, pid: int) -> None:
        self._crowd, self._pid = crowd, pid

    async def do(self, command: AnyCommand) -> msgspec.Struct:
        """Do one command, and tell what came of it."""
        match command:
            case OpenMatches():
                return await self._open(command)
            case Play():
                with Load(self._crowd.matches, self._pid) as load:
                    await load.play(Schedule(command.rate, command.seconds))
                    return load.report()
            case Saturate():
                with Load(self._crowd.matches, self._pid) as load:
                    await load.saturate(command.seconds)
                    return load.report()
            case _:
                assert_never(command)

    async def _open(self, command: OpenMatches) -> Opened:
        cpu, began = read_cpu(self._pid), time.perf_counter()
        await self._crowd.open(command.matches, command.each)
        gc.freeze()
        return Opened(read_cpu(self._pid) - cpu, time.perf_counter() - began)


async def main() -> None:
    """Do commands until there are no more."""
    name, address, pid = sys.argv[1:]
    house = BareHouse() if name == ROOM.name else ServerHouse()
    driver = Driver(Crowd(address, house), int(pid))
    lines = asyncio.StreamReader()
    reading = asyncio.StreamReaderProtocol(lines)
    await asyncio.get_running_loop().connect_read_pipe(lambda: reading, sys.stdin)
    decoder = msgspec.json.Decoder(AnyCommand)
    while line := await lines.readline():
        report = await driver.do(decoder.decode(line))
        print(msgspec.json.encode(report).decode(), flush=True)


if __name__ == "__main__":
    gc.disable()
    if UVLOOP:
        asyncio.set_event_loop_policy(importlib.import_module("uvloop").EventLoopPolicy())
    asyncio.run(main())
