"""Send a million hostile frames to a server with honest matches, and print a table of results.

make fuzz                                     the whole campaign
make fuzz ARGS="--frames 100000 --seed 2"     fewer frames, another random seed
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from campaigns.fuzz.campaign import WIDE, Campaign
from campaigns.report import make_parser, print_report
from kit.processes import SERVER
from mastermind_server.limits import USUAL

FRUGAL = (sys.executable, str(Path(__file__).with_name("frugal_server.py")))
USUAL_SHARE = 0.1  # of all frames; the usual limits reject most of a flood unread


async def main(arguments: list[str]) -> int:
    """Attack a server with wide limits, then one with usual limits. Return 1 on a fault."""
    parser = make_parser("fuzz", __doc__)
    parser.add_argument(
        "--frames", type=int, default=1_000_000, help="hostile frames (%(default)s)"
    )
    parser.add_argument("--strangers", type=int, default=48, help="attackers at once (%(default)s)")
    parser.add_argument("--matches", type=int, default=8, help="honest matches (%(default)s)")
    parser.add_argument("--minutes", type=float, default=30.0, help="time limit (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")
    options = parser.parse_args(arguments)
    faults = 0
    for name, limits, share, program in (
        ("wide limits", WIDE, 1 - USUAL_SHARE, FRUGAL),
        ("usual limits", USUAL, USUAL_SHARE, SERVER),
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
        print_report(name, campaign.list_figures(), campaign.faults)
        faults += len(campaign.faults)
    return 1 if faults else 0
