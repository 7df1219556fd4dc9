"""What strangers at one address can do to others' moves: honest matches beside each attack.

The server, the honest players and the attacker are processes of their own. For each attack: the
99th percentile of the time in which an honest guess is answered before and during it, their ratio,
the server's CPU time and the memory it has grown by.

    make bench-abuse                  # or: python benchmarks/abuse.py pings fragments
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

from websockets.asyncio.client import ClientConnection, connect
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from bench.processes import DATABASE, SERVER, read_cpu, read_memory, running
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import decode_message, encode, encode_events
from mastermind_protocol.commands import Command, GuessCode, ResignRound, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Joined, Opened, Seat
from mastermind_protocol.events import Player as Seated
from mastermind_protocol.transitions import decide, fold

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from mastermind_protocol.events import AnyEvent

RULES = "9x12/99"  # a code that wrong guesses do not exhaust
SECRET, WRONG = (0,) * 9, (1,) * 9
HONEST = 8  # matches
PAUSE = 0.1  # seconds between a match's guesses
CALM, ATTACKED = 4.0, 8.0  # seconds that are measured
LONG = "ABCDEF"  # a finished match of many guesses
PING, PIECE = b"\x89\x80\0\0\0\0", b"\x00\x80\0\0\0\0"
_CLIENT = ClientProtocol(parse_uri("ws://localhost"), subprotocols=[Subprotocol(wire.SUBPROTOCOL)])
HANDSHAKE = _CLIENT.connect().serialize()
BOMB = b"\xdc\x3a\x00" * 5000  # arrays that say to have 14,848 items each


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


async def meet(address: str, home: int = 1) -> tuple[ClientConnection, Player]:
    """Return a connection from a loopback address that has said hello."""
    websocket = await connect(
        address,
        subprotocols=[Subprotocol(wire.SUBPROTOCOL)],
        compression=None,
        max_queue=None,
        local_addr=(f"127.0.0.{home}", 0),
    )
    player = Player(websocket)
    await player.ask(requests.Hello)
    return websocket, player


class Honest:
    """Those who play on while others attack: how long their guesses took, or take by now."""

    def __init__(self) -> None:
        self._taken: list[float] = []
        self._asked: dict[int, float] = {}
        self.stop = asyncio.Event()

    def begin(self) -> None:
        """Measure from now on."""
        self._taken.clear()

    def find_p99(self) -> float:
        """Return the 99th percentile since the beginning, in milliseconds."""
        now = time.perf_counter()
        return (
            quantiles([*self._taken, *(now - at for at in self._asked.values())], n=100)[-1] * 1e3
        )

    async def play(self, address: str, number: int) -> None:
        """Guess now and then, each match at an address with few others."""
        home = 2 + number // 4
        (_, maker), (_, breaker) = await meet(address, home), await meet(address, home)
        while not self.stop.is_set():
            log = await maker.ask(requests.Open, rules=RULES, maker="me", breaker="open")
            assert isinstance(log, wire.Log), log
            await breaker.ask(requests.Join, match=log.match)
            await maker.ask(requests.Secret, match=log.match, v=2, code=SECRET)
            for version in range(3, 90):
                self._asked[number] = time.perf_counter()
                answer = await breaker.ask(requests.Guess, match=log.match, v=version, code=WRONG)
                assert isinstance(answer, wire.Happened), answer
                self._taken.append(time.perf_counter() - self._asked.pop(number))
                await asyncio.sleep(PAUSE)
                if self.stop.is_set():
                    return


# Attacks: each goes on until it is cancelled.


async def bomb(address: str) -> None:
    """Send frames of nested arrays that say to be long."""
    while True:
        with contextlib.suppress(ConnectionClosed):
            async with connect(address, subprotocols=[Subprotocol(wire.SUBPROTOCOL)]) as websocket:
                while True:
                    await websocket.send(BOMB)
                    await asyncio.sleep(0.02)


def mask(frame: bytes) -> bytes:
    """Return a short message as a client sends it, by a mask that changes nothing."""
    return bytes((0x82, 0x80 | len(frame))) + bytes(4) + frame


async def write_forever(address: str, data: bytes, connections: int) -> None:
    """Write frames by hand, as fast as the socket takes them."""
    host, _, port = address.removeprefix("ws://").rpartition(":")

    async def write() -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(HANDSHAKE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(mask(encode(requests.Hello(id=1))))
        reading = asyncio.create_task(read_all(reader))
        with contextlib.suppress(OSError):
            while True:
                writer.write(data)
                await writer.drain()
        await reading

    async def read_all(reader: asyncio.StreamReader) -> None:
        while await reader.read(1 << 16):
            pass

    await asyncio.gather(*(write() for _ in range(connections)))
    await asyncio.Event().wait()


async def ping(address: str) -> None:
    """Ping from twenty connections."""
    await write_forever(address, PING * 1000, 20)


async def fragment(address: str) -> None:
    """Send one message in pieces without end, from five connections."""
    await write_forever(address, b"\x02\x80\0\0\0\0" + PIECE * 1000, 5)


async def ask_unread(address: str) -> None:
    """Ask for 250 long logs each from 190 connections, and read none."""

    async def ask() -> None:
        websocket, _ = await meet(address)
        websocket.transport.pause_reading()
        for number in range(250):
            await websocket.send(encode(requests.Follow(id=1000 + number, match=LONG)))
        await asyncio.Event().wait()

    await asyncio.gather(*(ask() for _ in range(190)))


async def send_headers(address: str) -> None:
    """Send a megabyte of headers on each of 500 sockets."""
    host, _, port = address.removeprefix("ws://").rpartition(":")

    async def send() -> None:
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(host, int(port))
                writer.write(b"GET / HTTP/1.1\r\n")
                for number in range(127):
                    writer.write(b"X-%d: " % number + b"x" * 8000 + b"\r\n")
                    await writer.drain()
                await asyncio.Event().wait()
            await asyncio.sleep(0.1)

    await asyncio.gather(*(send() for _ in range(500)))


async def probe(address: str) -> None:
    """Name a long match that nobody follows, in requests that are refused."""
    _, player = await meet(address)
    while True:
        await player.ask(requests.Guess, match=LONG, v=1, code=(0,) * 4)


async def review(address: str) -> None:
    """Ask for reviews of a long match, from twenty players."""

    async def ask() -> None:
        _, player = await meet(address)
        for start in itertools.cycle((1, 65, 129, 193)):
            answer = await player.ask(requests.Review, match=LONG, start=start)
            if isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 1)

    await asyncio.gather(*(ask() for _ in range(20)))


async def open_shows(address: str) -> None:
    """Open matches of two bots, 30 each by twenty players who then leave."""
    for _ in range(20):
        websocket, player = await meet(address)
        for _ in range(30):
            await player.ask(requests.Open, rules="knuth", maker="random", breaker="easy")
        await websocket.close()
    await asyncio.Event().wait()


ATTACKS: dict[str, Callable[[str], Awaitable[None]]] = {
    "bombs": bomb,
    "pings": ping,
    "fragments": fragment,
    "unread logs": ask_unread,
    "headers": send_headers,
    "probes": probe,
    "reviews": review,
    "shows": open_shows,
}


def write_long_match() -> Iterator[tuple[int, bytes]]:
    """Yield the rows of a finished match of 300 guesses: version and events."""
    ada, bob = Seated(id="ADA", name="Ada"), Seated(id="BOB", name="Bob")
    first: tuple[AnyEvent, ...] = (
        Opened(rules="knuth", rounds=1),
        Joined(player=ada, seat=Seat.MAKER),
    )
    state = fold(first)
    yield 1, encode_events(first)
    state = fold(joined := (Joined(player=bob, seat=Seat.BREAKER),), state)
    yield 2, encode_events(joined)
    commands: list[Command] = [SetSecret((0, 1, 2, 3), bytes(16))]
    commands += [*[GuessCode((0, 0, 1, 1))] * 300, ResignRound()]
    for version, command in enumerate(commands, start=3):
        decision = decide(state, command, ada.id if version == 3 else bob.id)
        assert not isinstance(decision, Refused), decision
        state = decision.after
        yield version, encode_events(decision.events)


def lay_out(database: Path) -> None:
    """Put the long match into a server's file."""
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.executemany(
            "INSERT INTO log (match, version, at, events) VALUES (?, ?, 0, ?)",
            [(LONG, version, events) for version, events in write_long_match()],
        )


async def measure(attack: str) -> None:
    """Print what an attack does to a server of its own."""
    with tempfile.TemporaryDirectory() as folder:
        async with running(SERVER, Path(folder)):
            pass
        lay_out(Path(folder) / DATABASE)
        async with running(SERVER, Path(folder)) as server, asyncio.TaskGroup() as group:
            address, pid = server.address, server.pid
            honest = Honest()
            for number in range(HONEST):
                group.create_task(honest.play(address, number))
            await asyncio.sleep(CALM / 2)
            honest.begin()
            await asyncio.sleep(CALM)
            calm, cpu, memory = honest.find_p99(), read_cpu(pid), read_memory(pid) / 2**20
            honest.begin()
            attacker = await asyncio.create_subprocess_exec(
                "nice", sys.executable, __file__, "--attack", attack, address
            )
            await asyncio.sleep(ATTACKED)
            attacked, cpu, memory = (
                honest.find_p99(),
                read_cpu(pid) - cpu,
                read_memory(pid) / 2**20 - memory,
            )
            honest.stop.set()
            attacker.terminate()
            await attacker.wait()
    print(
        f"{attack:<14}{calm:10.1f}{attacked:10.1f}{attacked / calm:8.1f}"
        f"{100 * cpu / ATTACKED:8.0f}{memory:10.0f}",
        flush=True,
    )


async def attack_until_terminated(attack: str, address: str) -> None:
    """Be the attacker."""
    with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
        await ATTACKS[attack](address)
    await asyncio.Event().wait()


async def main() -> None:
    """Measure every attack, or those that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("attacks", nargs="*", help=f"of: {', '.join(ATTACKS)}")
    parser.add_argument("--attack", nargs=2, metavar=("ATTACK", "ADDRESS"), help="be an attacker")
    options = parser.parse_args()
    if options.attack:
        await attack_until_terminated(*options.attack)
        return
    print(f"{'attack':<14}{'p99 ms':>10}{'attacked':>10}{'ratio':>8}{'CPU %':>8}{'MiB more':>10}")
    for attack in options.attacks or ATTACKS:
        await measure(attack)


if __name__ == "__main__":
    asyncio.run(main())
