"""What the services of each compose file must stand: that they are killed while matches are played.

Everybody plays through the address that is published, with sessions as the client has them, and
what they were told is held against the log that is left in the database.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from websockets.exceptions import InvalidHandshake

from campaigns.compose.stack import Stack, wait_for
from campaigns.ledger import Fault, Ledger, find_faults
from campaigns.traffic import THINKING_SECONDS, Traffic, Witness, play
from kit.client import RawClient
from mastermind_client.net.mirror import Mirror
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import PRESETS
from mastermind_server.storage.rows import LogRow

PAIRS = 4  # of players who play match after match, half of them watched
MESSAGES = 400  # sent and received between two blows: some seconds of play
QUIET_SECONDS = 60.0  # without so many messages, after which nothing goes on any more
SETTLE_SECONDS = 120.0  # for all matches to be finished when nothing is killed any more
READY = (
    "python",
    "-c",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8766/readyz', timeout=2)",
)
DATABASE_READY = ("pg_isready", "--host=127.0.0.1", "--username=mastermind")
CLASSIC = PRESETS["classic"]
# A row a line, for both databases: in hexadecimal what is no text, and nothing for what is null.
_POSTGRES_ROWS = (
    "SELECT match, version, at, encode(events, 'hex'), player, request, encode(digest, 'hex')"
    " FROM log ORDER BY match, version"
)
_SQLITE_ROWS = """
import sqlite3
for row in sqlite3.connect("/data/mastermind.sqlite3").execute(
    "SELECT match, version, at, hex(events), player, request, hex(digest)"
    " FROM log ORDER BY match, version"
):
    print(*("" if value is None else value for value in row), sep="|")
"""
# What a stranger would find who has a server run what he likes: nothing, and nothing is printed.
_OPENINGS = """
import os, sys
python = os.path.realpath(sys.executable)
for folder in ("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"):
    for entry in os.scandir(folder):
        if os.path.realpath(entry) != python:
            print("a program:", entry.path)
if os.getuid() != 10001:
    print("a user:", os.getuid())
for line in open("/proc/self/status"):
    name, _, value = line.partition(":")
    if name.startswith("Cap") and int(value, 16) or name == "NoNewPrivs" and int(value) != 1:
        print("a privilege:", line.strip())
for folder in ("/", "/etc", "/opt/mastermind"):
    if os.access(folder, os.W_OK):
        print("a place to write to:", folder)
"""
# The proxy finds all that this machine sends at an address of one of these, the gateway's.
_PROXIES = "10.0.0.0/8 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16"
_STRANGER, _NEIGHBOUR = "203.0.113.7", "203.0.113.8"
# As server.env, beside this file, has them.
_LIMITS = ("tokens = 15  # environment", "chat = { burst = 4, per_second = 0.5 }  # environment")


class NotConfined(Exception):
    """A server may do, or find, more in its container than it needs."""


class NotHeeded(Exception):
    """What the operator has set does not hold."""


async def try_many_nodes(command: list[str], tell: Callable[[str], None]) -> list[Fault]:
    """Kill each node and the database in turn, then restart all nodes one after another."""
    ledger, nodes = Ledger(), ("server-1", "server-2")
    stack = Stack(command, "docker-compose.yml", "MASTERMIND_HTTP", MASTERMIND_PROXIES=_PROXIES)
    async with stack.running():
        tell("two nodes on PostgreSQL are up")
        await _check_confinement(stack, nodes[0])
        await _check_addresses(stack, nodes[0])
        async with _playing(stack, ledger) as traffic:
            for node in nodes:
                await _go_on(traffic)
                await stack.run("kill", node)
                tell(f"{node} is killed")
                await _go_on(traffic)
                await stack.run("start", node)
                await stack.become_ready(node, *READY)
            await _go_on(traffic)
            await stack.run("kill", "postgres")
            tell("postgres is killed")
            await stack.run("start", "postgres")
            await stack.become_ready("postgres", *DATABASE_READY)
            for node in nodes:
                await _go_on(traffic)
                await stack.run("restart", node)
                tell(f"{node} is restarted")
                await stack.become_ready(node, *READY)
        printed = await stack.execute(
            "postgres", "psql", "--username=mastermind", "-At", "-c", _POSTGRES_ROWS
        )
    return _check(ledger, printed, tell)


async def try_one_node(command: list[str], tell: Callable[[str], None]) -> list[Fault]:
    """Kill the only node, and restart it."""
    ledger = Ledger()
    settings = str(Path(__file__).with_name("server.env"))
    stack = Stack(
        command, "compose.single.yml", "MASTERMIND_LISTEN", MASTERMIND_SERVER_ENV=settings
    )
    async with stack.running():
        tell("one node on SQLite is up")
        await _check_confinement(stack, "server")
        await _check_limits(stack, "server")
        async with _playing(stack, ledger) as traffic:
            await _go_on(traffic)
            await stack.run("kill", "server")
            tell("it is killed")
            await stack.run("start", "server")
            await _go_on(traffic)
            await stack.run("restart", "server")
            tell("it is restarted")
            await _go_on(traffic)
        printed = await stack.execute("server", "python", "-c", _SQLITE_ROWS)
    return _check(ledger, printed, tell)


async def _check_confinement(stack: Stack, service: str) -> None:
    if found := await stack.execute(service, "python", "-c", _OPENINGS):
        raise NotConfined(f"{service} has\n{found}")


async def _check_limits(stack: Stack, service: str) -> None:
    printed = await stack.execute(service, "mastermind-server", "limits")
    if missing := [line for line in _LIMITS if line not in printed.splitlines()]:
        raise NotHeeded(f"{service} has not {missing}")


async def _check_addresses(stack: Stack, service: str) -> None:
    """Ban one of two clients of a proxy in front, as which we come."""

    async def is_banned() -> bool:
        return not await _is_let_in(stack, _STRANGER)

    if await is_banned():
        raise NotHeeded("who comes first is not let in")
    await stack.execute(service, "mastermind-server", "ban", _STRANGER)
    await wait_for(is_banned)
    if not await _is_let_in(stack, _NEIGHBOUR):
        raise NotHeeded("who is not banned is not let in either")


async def _is_let_in(stack: Stack, address: str) -> bool:
    try:
        wire = await RawClient.connect(
            stack.address, additional_headers={"X-Forwarded-For": address}
        )
    except (OSError, InvalidHandshake):
        return False
    await wire.close()
    return True


@asynccontextmanager
async def _playing(stack: Stack, ledger: Ledger) -> AsyncIterator[Traffic]:
    """Let people, and bots, play while the block lasts; then let all matches be finished."""
    traffic = Traffic(ledger)
    async with asyncio.TaskGroup() as group:
        plays = [
            *(
                play(traffic, stack.address, number, watched=number % 2 == 0)
                for number in range(PAIRS)
            ),
            _play_bots(traffic, stack.address),
            _show_bots(traffic, stack.address),
        ]
        tasks = [group.create_task(each) for each in plays]
        yield traffic
        traffic.settling = True
        async with asyncio.timeout(SETTLE_SECONDS):
            await asyncio.gather(*tasks)


async def _play_bots(traffic: Traffic, address: str) -> None:
    """Set a bot one secret after another, until it is settling."""
    async with Witness.of(traffic, address) as maker:
        while not traffic.settling:
            mirror = await maker.open(CLASSIC.name, maker="me", breaker="medium")
            await maker.set_secret(mirror, tuple(range(CLASSIC.pegs)))
            await _see_the_end(maker, mirror)


async def _show_bots(traffic: Traffic, address: str) -> None:
    """Look on at bots that play each other, one match after another, until it is settling."""
    async with Witness.of(traffic, address) as spectator:
        while not traffic.settling:
            mirror = await spectator.open(CLASSIC.name, maker="random", breaker="hard")
            await _see_the_end(spectator, mirror)


async def _see_the_end(witness: Witness, mirror: Mirror) -> None:
    await witness.until(mirror, lambda match: match.phase is Phase.FINISHED)
    await witness.unfollow(mirror)
    if not witness.traffic.settling:
        await asyncio.sleep(THINKING_SECONDS)  # a bot needs none


async def _go_on(traffic: Traffic) -> None:
    """Return when play has gone on for a while."""
    async with asyncio.timeout(QUIET_SECONDS):
        await traffic.after(MESSAGES)


def _check(ledger: Ledger, printed: str, tell: Callable[[str], None]) -> list[Fault]:
    log = [_read_row(line) for line in printed.splitlines()]
    matches = len({row.match for row in log})
    tell(f"{matches} matches are finished; {len(ledger.acknowledged)} requests were acknowledged")
    resumed = sorted(ledger.resumed) or [0.0]
    median, worst = statistics.median(resumed), resumed[-1]
    tell(f"{len(resumed)} connections came back, after {median:.1f} s, at worst {worst:.1f} s")
    return find_faults(ledger, log)


def _read_row(line: str) -> LogRow:
    match, version, at, events, player, request, digest = line.split("|")
    return LogRow(
        match,
        int(version),
        int(at),
        bytes.fromhex(events),
        player or None,
        int(request) if request else None,
        bytes.fromhex(digest) if digest else None,
    )
