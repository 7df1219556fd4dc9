"""The command of `make compose-test`: both compose files are run, and killed under play.

make compose-test                               by docker compose
make compose-test COMPOSE="podman-compose"      by whatever else understands compose files
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

from compose.trials import try_many_nodes, try_one_node


def main() -> int:
    """Run the trials by the command that is given; the status is 1 if there was a fault."""
    command = sys.argv[1:]
    if not _works(command):
        told = f"make compose-test: `{' '.join(command)}` does not work here: name what does by"
        print(f'{told} COMPOSE="..."', file=sys.stderr)
        return 1
    began = time.monotonic()

    def tell(what: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)

    faults = [
        *asyncio.run(try_many_nodes(command, tell)),
        *asyncio.run(try_one_node(command, tell)),
    ]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def _works(command: list[str]) -> bool:
    """Tell whether there is such a command, and whatever it needs."""
    try:
        subprocess.run([*command, "version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
