"""The command of `make chaos`: long storms, and a table of what came of them.

make chaos                              all storms
make chaos ARGS="sqlite --kills 50"     one, a shorter one
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from chaos.storms import STORMS, Storm


def main() -> int:
    """Run the storms that are named; the status is 1 if there was a fault."""
    parser = argparse.ArgumentParser(
        prog="make chaos", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("storms", nargs="*", help=f"of: {', '.join(STORMS)}")
    parser.add_argument("--kills", type=int, help="of nodes (default: each storm's own)")
    parser.add_argument("--matches", type=int, default=50, help="at once (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (%(default)s)")
    options = parser.parse_args()
    if unknown := set(options.storms) - set(STORMS):
        parser.error(f"there is no storm {', '.join(sorted(unknown))}: {', '.join(STORMS)}")
    given = {name: getattr(options, name) for name in ("matches", "seed")}
    given |= {} if options.kills is None else {"kills": options.kills}
    faults = 0
    for name in options.storms or STORMS:
        run = STORMS[name]
        with tempfile.TemporaryDirectory() as folder:
            storm = asyncio.run(run(Path(folder), **given))
        faults += len(storm.faults)
        report(name, storm)
    return 1 if faults else 0


def report(name: str, storm: Storm) -> None:
    """Print a table of what a storm has done, and every fault."""
    print(f"\n| {name} | |\n|---|---:|")
    for figure, value in storm.list_figures().items():
        print(f"| {figure} | {value} |")
    for fault in storm.faults:
        print(fault, file=sys.stderr)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
