"""Run one campaign: `python -m campaigns NAME [OPTIONS]`; `make NAME` does the same."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from importlib import import_module

CAMPAIGNS = ("attacks", "chaos", "compose", "fuzz", "leaks")


async def main() -> int:
    """Run the named campaign; return 1 if it has found a fault.

    SIGTERM cancels it, so that no server outlives it.
    """
    parser = argparse.ArgumentParser(prog="python -m campaigns", description=__doc__)
    parser.add_argument("name", choices=CAMPAIGNS)
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, help="options of the campaign: see NAME --help"
    )
    given = parser.parse_args()
    command = import_module(f"campaigns.{given.name}.command")
    campaign = asyncio.ensure_future(command.main(given.options))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, campaign.cancel)
    status: int = await campaign
    return status


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
