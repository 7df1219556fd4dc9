"""What a move costs the server, beside a bare echo over the same library in the same run.

Both servers are processes of their own; the figure is their CPU time (user and system, read from
/proc), in microseconds a move: wall-clock says little on a shared machine. A move is one guess
in, stored with a sync to disk, and one frame out to each of two players.

    make bench                    # or: python benchmarks/moves.py --matches 50 --moves 40
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import decode_message, encode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ECHO = """
import asyncio
from websockets.asyncio.server import serve

async def echo(websocket):
    async for frame in websocket:
        await websocket.send(frame)

async def main():
    async with serve(echo, "127.0.0.1", 0, compression=None) as server:
        print("listening on ws://127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

asyncio.run(main())
"""
RULES = "9x12/99"  # a code that wrong guesses do not exhaust
SECRET, WRONG = (0,) * 9, (1,) * 9
MATCHES_AT_HOME = 8
SERVER = Path(sys.executable).with_name("mastermind-server")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def serving(*command: str | Path) -> AsyncIterator[tuple[str, int]]:
    """Run a server that says where it listens; yields its address and process id."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        yield line.split()[-1], process.pid
    finally:
        process.terminate()
        await process.wait()


def read_cpu(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / CLOCK_TICKS


class Player:
    """A client that does no more than it must."""

    def __init__(self, websocket: ClientConnection) -> None:
        self._websocket, self._ids = websocket, itertools.count(1)

    async def ask(self, kind: type[requests.Request], **fields: object) -> wire.AnyMessage:
        """Send a request and return its answer, passing over everything else."""
        request = kind(id=next(self._ids), **fields)
        await self._websocket.send(encode(request))
        while True:
            answer = decode_message(bytes(await self._websocket.recv(decode=False)))
            if getattr(answer, "id", None) == request.id:
                return answer


async def play_match(address: str, number: int, moves: int, ready: asyncio.Barrier) -> None:
    """Play wrong guesses, all matches beginning together once they are set up.

    A few matches share an address, as at home: what one address may ask for is limited.
    """
    home = IPv4Address("127.0.0.1") + number // MATCHES_AT_HOME
    options: dict[str, Any] = {
        "subprotocols": [Subprotocol(wire.SUBPROTOCOL)],
        "compression": None,
        "local_addr": (str(home), 0),
    }
    async with connect(address, **options) as first, connect(address, **options) as second:
        maker, breaker = Player(first), Player(second)
        await maker.ask(requests.Hello)
        await breaker.ask(requests.Hello)
        log = await maker.ask(requests.Open, rules=RULES, maker="me", breaker="open")
        assert isinstance(log, wire.Log)
        await breaker.ask(requests.Join, match=log.match)
        await maker.ask(requests.Secret, match=log.match, v=2, code=SECRET)
        await ready.wait()
        for version in range(3, 3 + moves):
            answer = await breaker.ask(requests.Guess, match=log.match, v=version, code=WRONG)
            assert isinstance(answer, wire.Happened), answer
        await ready.wait()


async def echo_match(address: str, _: int, moves: int, ready: asyncio.Barrier) -> None:
    """Send as many frames of a guess's size, one after another."""
    frame = encode(requests.Guess(id=requests.MAX_REQUEST_ID, match="K7M2QP", v=3, code=WRONG))
    async with connect(address, compression=None) as websocket:
        await ready.wait()
        for _ in range(moves):
            await websocket.send(frame)
            await websocket.recv()
        await ready.wait()


async def measure(name: str, command: list[str | Path], matches: int, moves: int) -> float:
    """Return the microseconds of CPU a move, and print them."""
    run = echo_match if name == "echo" else play_match
    async with serving(*command) as (address, pid):
        ready = asyncio.Barrier(matches + 1)
        async with asyncio.TaskGroup() as group:
            for number in range(matches):
                group.create_task(run(address, number, moves, ready))
            await ready.wait()
            cpu, began = read_cpu(pid), time.perf_counter()
            await ready.wait()
            cpu, took = read_cpu(pid) - cpu, time.perf_counter() - began
    cost = cpu / (matches * moves) * 1e6
    print(f"{name:<12}{cost:8.0f} us of CPU a move {matches * moves / took:8.0f} moves/s")
    return cost


async def main() -> None:
    """Measure both and print the ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--moves", type=int, default=55, help="at most the burst of the rate limit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "bench.sqlite3"
        server: list[str | Path] = [SERVER, "--port", "0", "--database", database]
        server += ["--log-level", "ERROR"]
        echo: list[str | Path] = [sys.executable, "-c", ECHO]
        bare = await measure("echo", echo, options.matches, options.moves * 10)
        ours = await measure("mastermind", server, options.matches, options.moves)
    print(f"{'ratio':<12}{ours / bare:8.1f}")


if __name__ == "__main__":
    asyncio.run(main())
