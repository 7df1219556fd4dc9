"""The command of `make compose-test`: both compose files are run, and killed under play.

make compose-test                               by docker compose
make compose-test COMPOSE="podman-compose"      by whatever else understands compose files
"""

from __future__ import annotations

import subprocess
import sys
import time

from campaigns.compose.stack import ROOT
from campaigns.compose.trials import try_many_nodes, try_one_node


async def main(arguments: list[str]) -> int:
    """Run the trials by the command that is given; the status is 1 if there was a fault."""
    command = arguments
    if (reason := _find_obstacle(command)) is not None:
        told = f"make compose-test: `{' '.join(command)}` does not work here: {reason}"
        print(f'{told}\nName what does by COMPOSE="...".', file=sys.stderr)
        return 1
    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)

    faults = [
        *await try_many_nodes(command, tell),
        *await try_one_node(command, tell),
    ]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _find_obstacle(command: list[str]) -> str | None:
    """Return why nothing can be run by the command, if so."""
    try:
        asked = subprocess.run(
            [*command, "ps"], cwd=ROOT, capture_output=True, text=True, check=False
        )
    except OSError as error:
        return error.strerror
    if asked.returncode == 0:
        return None
    return asked.stderr.strip() or f"it ends with {asked.returncode}"
