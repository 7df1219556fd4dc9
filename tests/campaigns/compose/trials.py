"""Kill and restart the services of each compose file during matches, and check the log.

Players connect to the published address with the client's sessions. At the end, the answers they
received must agree with the log in the database.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TypeAlias

from websockets.exceptions import InvalidHandshake

from campaigns.compose.recipes import follow_recipes, follow_single_recipes
from campaigns.compose.stack import CommandFailed, Stack, wait_for
from campaigns.ledger import Fault, Ledger, find_faults
from campaigns.traffic import QUIET_SECONDS, THINKING_SECONDS, Traffic, Witness, playing
from kit.client import RawClient
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import PRESETS
from mastermind_server.storage.rows import LogRow

PAIRS = 4  # of players, which play one match after another
MESSAGES = 400  # sent and received between two kills or restarts: some seconds of play
READY = (
    "python",
    "-c",
    "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8766/readyz', timeout=2)",
)
_METRICS = (
    "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8766/metrics').read().decode())"
)
_READ_CLUSTER = """
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8008/cluster", timeout=5).read().decode())
"""
DATABASE_READY = ("pg_isready", "--host=127.0.0.1", "--username=mastermind")
CLASSIC = PRESETS["classic"]
# Both databases print one row per line, with BLOBs in hexadecimal and NULL as an empty field.
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
# Prints programs and privileges that would help an attacker in the container: none are expected.
_CONFINEMENT_PROBE = """
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
        print("a writable folder:", folder)
"""
# The proxy sees connections from this machine with the gateway's address, which is one of these.
_PROXIES = "10.0.0.0/8 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16"
_STRANGER, _NEIGHBOUR = "203.0.113.7", "203.0.113.8"
# The values in server.env, next to this file.
_LIMITS = ("tokens = 15  # environment", "chat = { burst = 4, per_second = 0.5 }  # environment")


Outcome: TypeAlias = "tuple[dict[str, str], list[Fault]]"
"""The figures and the faults of a trial."""


class NotConfined(Exception):
    """A server has privileges, programs or writable folders that it does not need."""


class SettingIgnored(Exception):
    """A setting of the operator has no effect."""


async def try_many_nodes(command: list[str], note: Callable[[str], None]) -> Outcome:
    """Kill each node and the database in turn, restart all nodes, and follow the recipes."""
    ledger, nodes = Ledger(), ("server-1", "server-2")
    stack = Stack(command, "docker-compose.yml", "MASTERMIND_HTTP", MASTERMIND_PROXIES=_PROXIES)
    met: list[str] = []  # matches that are not played
    async with stack.running():
        note("two nodes on PostgreSQL are up")
        await _check_confinement(stack, nodes[0])
        await _check_ban(stack, nodes[0])
        met += await _check_meetings(stack, *nodes)
        await stack.run("kill", nodes[0])
        met += await _check_meetings(stack, *nodes[1:])
        await stack.run("start", nodes[0])
        await stack.wait_until_ready(nodes[0], *READY)
        met += await _check_meetings(stack, *nodes)
        note("players of a match meet at one node")
        async with playing(ledger, stack.address, 0, PAIRS, BOTS) as traffic:
            for node in nodes:
                await _play_on(traffic)
                await stack.run("kill", node)
                note(f"{node} is killed")
                await _play_on(traffic)
                await stack.run("start", node)
                await stack.wait_until_ready(node, *READY)
            await _play_on(traffic)
            await stack.run("kill", "postgres")
            note("postgres is killed")
            await stack.run("start", "postgres")
            await stack.wait_until_ready("postgres", *DATABASE_READY)
            for node in nodes:
                await _play_on(traffic)
                await stack.run("restart", node)
                note(f"{node} is restarted")
                await stack.wait_until_ready(node, *READY)
        printed = await stack.execute(
            "postgres", "psql", "--username=mastermind", "-At", "-c", _POSTGRES_ROWS
        )
        await follow_recipes(stack, note)
    return _judge(ledger, printed, met)


async def try_a_standby(command: list[str], note: Callable[[str], None]) -> Outcome:
    """Kill the primary twice. Each time the standby is promoted, and play goes on."""
    ledger = Ledger()
    stack = Stack(command, "docker-compose.ha.yml", "MASTERMIND_HTTP", MASTERMIND_PROXIES=_PROXIES)
    async with stack.running():
        note("two nodes on a PostgreSQL with a standby are up")
        async with playing(ledger, stack.address, 0, PAIRS, BOTS) as traffic:
            for _ in range(2):
                await _play_on(traffic)
                primary = await _find_redundant_primary(stack)
                await stack.run("kill", primary)
                note(f"{primary} is killed")
                await _play_on(traffic)
                await stack.run("start", primary)
            await _play_on(traffic)
        primary = await _find_redundant_primary(stack)
        status = await stack.execute("server-1", "mastermind-server", "status")
        if "1 connected, 1 synchronous" not in status:
            raise SettingIgnored(status)
        psql = ("psql", "--host=/tmp", "--username=mastermind", "-At", "-c", _POSTGRES_ROWS)
        printed = await stack.execute(primary, *psql)
    return _judge(ledger, printed)


async def _find_redundant_primary(stack: Stack) -> str:
    """Wait until there is a standby to promote, and return the service of the primary."""
    roles: dict[str, str] = {}

    async def is_redundant() -> bool:
        with suppress(CommandFailed):
            printed = await stack.execute("postgres-1", "/usr/bin/python3", "-c", _READ_CLUSTER)
            members = json.loads(printed)["members"]
            roles.update({member["role"]: member["name"] for member in members})
            return {member["role"] for member in members} == {"leader", "sync_standby"}
        return False

    await wait_for(is_redundant)
    return roles["leader"]


async def try_one_node(command: list[str], note: Callable[[str], None]) -> Outcome:
    """Kill the only node, restart it, and follow the recipes."""
    ledger = Ledger()
    settings = str(Path(__file__).with_name("server.env"))
    stack = Stack(
        command, "compose.single.yml", "MASTERMIND_LISTEN", MASTERMIND_SERVER_ENV=settings
    )
    async with stack.running():
        note("one node on SQLite is up")
        await _check_confinement(stack, "server")
        await _check_limits(stack, "server")
        async with playing(ledger, stack.address, 0, PAIRS, BOTS) as traffic:
            await _play_on(traffic)
            await stack.run("kill", "server")
            note("the node is killed")
            await stack.run("start", "server")
            await _play_on(traffic)
            await stack.run("restart", "server")
            note("the node is restarted")
            await _play_on(traffic)
        printed = await stack.execute("server", "python", "-c", _SQLITE_ROWS)
        await follow_single_recipes(stack, note)
    return _judge(ledger, printed)


async def _check_confinement(stack: Stack, service: str) -> None:
    if found := await stack.execute(service, "python", "-c", _CONFINEMENT_PROBE):
        raise NotConfined(f"{service} has\n{found}")


async def _check_limits(stack: Stack, service: str) -> None:
    printed = await stack.execute(service, "mastermind-server", "limits")
    if missing := [line for line in _LIMITS if line not in printed.splitlines()]:
        raise SettingIgnored(f"{service} lacks the limits {missing}")


async def _check_ban(stack: Stack, service: str) -> None:
    """Ban one of two client addresses, given in `X-Forwarded-For`, and check both."""

    async def is_banned() -> bool:
        return not await _is_accepted(stack, _STRANGER)

    if await is_banned():
        raise SettingIgnored("a client was rejected before its ban")
    await stack.execute(service, "mastermind-server", "ban", _STRANGER)
    await wait_for(is_banned)
    if not await _is_accepted(stack, _NEIGHBOUR):
        raise SettingIgnored("a client that is not banned was rejected")


async def _check_meetings(stack: Stack, *nodes: str) -> list[str]:
    """Check that the players of each of some matches are at one node. Return the matches."""
    matches = []
    for _ in range(PAIRS):
        await stack.wait_until_served()
        async with AsyncExitStack() as players:
            connections = [Session.connect(stack.address, Identity()) for _ in range(2)]
            ada, bob = [await players.enter_async_context(each) for each in connections]
            mirror = await ada.open(CLASSIC.name, maker="me", breaker="open")
            await bob.join(mirror.code)
            matches.append(mirror.code)

            async def have_met() -> bool:
                counts = [await _count_connections(stack, node) for node in nodes]
                return sorted(counts) == [0] * (len(nodes) - 1) + [2]

            await wait_for(have_met)
    return matches


async def _count_connections(stack: Stack, node: str) -> int:
    metrics = await stack.execute(node, "python", "-c", _METRICS)
    return round(
        sum(map(float, re.findall(r"^mastermind_connections\{.*\} (.*)$", metrics, re.MULTILINE)))
    )


async def _is_accepted(stack: Stack, address: str) -> bool:
    try:
        wire = await RawClient.connect(
            stack.address, additional_headers={"X-Forwarded-For": address}
        )
    except (OSError, InvalidHandshake):
        return False
    await wire.close()
    return True


async def _play_bots(traffic: Traffic, address: str) -> None:
    """Play against a bot, one match after another, until traffic is settling."""
    async with Witness.of(traffic, address) as maker:
        while not traffic.settling:
            mirror = await maker.open(CLASSIC.name, maker="me", breaker="medium")
            await maker.set_secret(mirror, tuple(range(CLASSIC.pegs)))
            await _finish_match(maker, mirror)


async def _watch_bots(traffic: Traffic, address: str) -> None:
    """Watch bots play each other, one match after another, until traffic is settling."""
    async with Witness.of(traffic, address) as spectator:
        while not traffic.settling:
            mirror = await spectator.open(CLASSIC.name, maker="random", breaker="hard")
            await _finish_match(spectator, mirror)


async def _finish_match(witness: Witness, mirror: Mirror) -> None:
    await witness.until(mirror, lambda match: match.phase is Phase.FINISHED)
    await witness.unfollow(mirror)
    if not witness.traffic.settling:
        await asyncio.sleep(THINKING_SECONDS)  # bots play without pauses


BOTS = (_play_bots, _watch_bots)


async def _play_on(traffic: Traffic) -> None:
    """Wait until `MESSAGES` more messages are exchanged. Raises TimeoutError."""
    async with asyncio.timeout(QUIET_SECONDS):
        await traffic.after(MESSAGES)


def _judge(ledger: Ledger, printed: str, others: Sequence[str] = ()) -> Outcome:
    """Return the figures, and the faults of all matches but `others`."""
    log = [row for line in printed.splitlines() if (row := _read_row(line)).match not in others]
    matches = len({row.match for row in log})
    return {"matches": f"{matches}", **ledger.list_figures()}, find_faults(ledger, log)


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
