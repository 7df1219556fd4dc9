"""CPU time and memory of a hundred full-screen clients in one process, at home and in a match.

PYTHONPATH=tests:benchmarks python benchmarks/clients.py [--clients 100]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from kit.processes import Server, read_memory, serving
from kit.screen.crowd import Client, crowd
from mastermind_client.config.options import PlayOptions
from mastermind_protocol.rules import DEFAULT

FEW = 5  # clients that load modules and fill caches before the measured ones
WAIT_SECONDS = 5.0  # of waiting, once all are there
MATCH, HOME = "Your turn", "F10"


async def measure(number: int, address: str | None) -> tuple[float, float, float]:
    """Return a client's CPU seconds and bytes, and the CPU seconds a second of all, waiting."""
    options = address and PlayOptions(DEFAULT, "random", server=address, seed=7, settled=True)
    wait = partial(Client.until, text=MATCH if address else HOME)
    with tempfile.TemporaryDirectory() as folder:
        async with crowd(Path(folder, "few"), FEW, options or None) as few:
            await asyncio.gather(*map(wait, few))
            gc.collect()
            cpu, memory = time.process_time(), read_memory(os.getpid())
            async with crowd(Path(folder, "many"), number, options or None) as many:
                await asyncio.gather(*map(wait, many))
                spent = time.process_time() - cpu
                gc.collect()
                kept = read_memory(os.getpid()) - memory
                cpu = time.process_time()
                await asyncio.sleep(WAIT_SECONDS)
                waited = time.process_time() - cpu
    return spent / number, kept / number, waited / WAIT_SECONDS


async def main() -> None:
    """Print the table: each state is measured in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--clients", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--measure", nargs="?", const="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(*await measure(options.clients, options.measure or None))
        return
    print(f"{'clients in one process':<24}{'CPU each':>10}{'memory each':>14}{'waiting, all':>15}")
    with tempfile.TemporaryDirectory() as folder:
        database = f"--database={folder}/matches.sqlite3"
        async with serving(Server.on(database, Path(folder, "log"))) as server:
            for state, address in (("at home", ""), ("in a match", server.address)):
                command = [sys.executable, __file__, f"--clients={options.clients}"]
                command += ["--measure", address]
                told = await asyncio.to_thread(subprocess.check_output, command, text=True)
                cpu, memory, waited = map(float, told.split())
                print(f"{state:<24}{cpu * 1e3:>7.3g} ms{memory / 2**20:>10.3g} MiB{waited:>14.1%}")


if __name__ == "__main__":
    asyncio.run(main())
