"""What strangers can do to others' moves: honest matches beside one attack after the other.

The server, the honest players and the attacker are processes of their own. For each attack: the
99th percentile of the time in which an honest guess is answered before and during it, their ratio;
the server's CPU, and by how much its memory and its log have grown; what met which limit or was
refused, and what went wrong. The status is 1 if something is beyond its bound, or went wrong for
somebody honest.

    make attacks                       # or: make attacks ARGS="bombs pings-of-twenty"
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import sys
import tempfile
from pathlib import Path

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from attacks.attack import ATTACKS
from attacks.history import lay_out
from attacks.honest import MATCHES, Honest, find_p99
from attacks.server import serving
from bench.processes import DATABASE, TREE, read_cpu

SETTLING, CALM, ATTACKED = 2.0, 4.0, 8.0  # seconds, of which the first are not measured
MOST_SLOWED = 3.0  # times the 99th percentile before the attack
MOST_GROWN = 128.0  # MiB: 5,000 connections are 80, and what waits for some of them
MOST_LOGGED = 1024.0  # KiB


async def measure(name: str) -> bool:
    """Print what an attack does to a server of its own; tell whether that is within bounds."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        async with serving(folder):
            pass
        lay_out(folder / DATABASE)
        async with serving(folder) as server, asyncio.TaskGroup() as group:
            honest = Honest(server.address)
            await honest.enter()
            playing = [group.create_task(honest.play(number)) for number in range(MATCHES)]
            await asyncio.sleep(SETTLING)
            honest.begin()
            await asyncio.sleep(CALM)
            calm, memory, cpu = find_p99(honest.times), server.memory, read_cpu(server.pid)
            logged, before = server.log.stat().st_size, await server.count_refusals()
            honest.begin()
            attacker = await asyncio.create_subprocess_exec(
                *("nice", sys.executable, "-m", "attacks", "--attack", name, server.address),
                env={**os.environ, "PYTHONPATH": str(TREE / "benchmarks")},
            )
            await asyncio.sleep(ATTACKED)
            attacked, grown = find_p99(honest.times), server.memory - memory
            busy = 100 * (read_cpu(server.pid) - cpu) / ATTACKED
            if attacker.returncode is not None:
                honest.faults.append("the attacker has ended")
            if (possible := ATTACKS[name].possible) and not await possible(honest):
                honest.faults.append(f"impossible meanwhile: {possible.__name__}")
            with contextlib.suppress(ProcessLookupError):
                attacker.terminate()
            await attacker.wait()
            after = await server.count_refusals()
            written = (server.log.stat().st_size - logged) / 1024
            for task in playing:
                task.cancel()
    refused = {what: after[what] - before.get(what, 0) for what in after}
    told = [f"{what} {count:.0f}" for what, count in sorted(refused.items()) if count]
    ratio = attacked / calm
    bad = ratio > MOST_SLOWED or grown > MOST_GROWN or written > MOST_LOGGED or honest.faults
    print(
        f"{name:<22}{calm:9.1f}{attacked:10.1f}{ratio:7.1f}{busy:7.0f}{grown:6.0f}{written:7.0f}"
        f"  {'BAD ' if bad else ''}{'; '.join([*honest.faults[:2], ', '.join(told) or '-'])}",
        flush=True,
    )
    return not bad


async def attack_until_terminated(name: str, address: str) -> None:
    """Be the attacker."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
        await ATTACKS[name].perform(address)
    await asyncio.Event().wait()


async def main() -> int:
    """Measure every attack, or those that are named; return the process's status."""
    parser = argparse.ArgumentParser(
        prog="make attacks", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"of: {', '.join(ATTACKS)}")
    parser.add_argument("--attack", nargs=2, metavar=("ATTACK", "ADDRESS"), help="be an attacker")
    options = parser.parse_args()
    if options.attack:
        await attack_until_terminated(*options.attack)
        return 0
    if unknown := sorted(set(options.attacks) - set(ATTACKS)):
        parser.error(f"there is no attack {unknown[0]!r}: {', '.join(ATTACKS)}")
    heads = ("p99 ms", 9), ("attacked", 10), ("ratio", 7), ("CPU %", 7), ("MiB", 6), ("log K", 7)
    print(f"{'attack':<22}" + "".join(f"{head:>{width}}" for head, width in heads), " refused")
    clean = [await measure(name) for name in options.attacks or ATTACKS]
    print(f"{clean.count(True)} of {len(clean)} attacks are within bounds")
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
