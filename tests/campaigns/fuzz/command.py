"""Send a million hostile frames to a server with honest matches, and print a table of results.

make fuzz                                     the whole campaign
make fuzz ARGS="--frames 100000 --seed 2"     fewer frames, another random seed
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from campaigns.fuzz.campaign import WIDE, Campaign
from campaigns.report import Report, parse_options
from kit.processes import SERVER
from mastermind_server.limits import DEFAULT_LIMITS

FRUGAL = (sys.executable, str(Path(__file__).with_name("frugal_server.py")))
USUAL_SHARE = 0.1  # of all frames; the usual limits reject most of a flood unread


OPTIONS = {
    "frames": (1_000_000, "hostile frames"),
    "strangers": (48, "attackers at once"),
    "matches": (8, "honest matches"),
    "minutes": (30.0, "time limit"),
    "seed": (1, "random seed"),
}


async def main(arguments: list[str]) -> int:
    """Attack a server with wide limits, then one with usual limits. Return 1 on a fault."""
    options = parse_options("fuzz", __doc__, arguments, OPTIONS)
    report = Report()
    for name, limits, share, program in (
        ("wide limits", WIDE, 1 - USUAL_SHARE, FRUGAL),
        ("usual limits", DEFAULT_LIMITS, USUAL_SHARE, SERVER),
    ):
        campaign = Campaign(
            frames=round(share * options.frames),
            strangers=options.strangers,
            matches=options.matches,
            seed=options.seed,
            minutes=share * options.minutes,
        )
        with tempfile.TemporaryDirectory() as folder:
            await campaign.run(Path(folder), limits, program=program)
        report.add(name, campaign.list_figures(), campaign.faults)
    return report.status
