"""Run the services of each compose file, and kill and restart them during matches.

make compose-test                               with docker compose
make compose-test COMPOSE="podman-compose"      with another compose command
"""

from __future__ import annotations

import subprocess
import sys
import time

from campaigns.compose.stack import ROOT
from campaigns.compose.trials import try_a_standby, try_many_nodes, try_one_node
from campaigns.report import Report

TRIALS = {
    "two nodes on PostgreSQL": try_many_nodes,
    "two nodes on PostgreSQL with a standby": try_a_standby,
    "one node on SQLite": try_one_node,
}


async def main(arguments: list[str]) -> int:
    """Run the trials with the compose command in `arguments`. Return 1 on a fault."""
    command = arguments
    if (reason := _find_obstacle(command)) is not None:
        problem = f"make compose-test: `{' '.join(command)}` does not work here: {reason}"
        print(f'{problem}\nSet COMPOSE="..." to a command that works.', file=sys.stderr)
        return 1
    began = time.monotonic()

    def note(text: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {text}", flush=True)

    report = Report()
    for name, run in TRIALS.items():
        report.add(name, *await run(command, note))
    return report.status


def _find_obstacle(command: list[str]) -> str | None:
    """Return why the compose command cannot run, or None."""
    try:
        finished = subprocess.run(
            [*command, "ps"], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError as error:
        return error.strerror
    if finished.returncode == 0:
        return None
    return finished.stderr.strip() or f"its exit status is {finished.returncode}"
