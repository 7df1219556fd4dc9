"""Honest matches during one attack after another; the status is 1 if an attack exceeds a limit.

Columns: the 99th percentile of an honest guess's latency before and during the attack, and their
ratio; the CPU time that the server used during that latency ("work"), which hardly depends on other
programs; the share of time that the server and the honest players waited for a core; the server's
CPU; the growth of its peak memory and of its log; the sockets and messages of the attacker; the
limits and refusals met most. Exceeded limits and failures of honest players are bold.
The first row is a control: a process that is as busy and does not connect to the server.

    make attacks                       # or: make attacks ARGS="bombs pings-of-twenty"
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from campaigns.attacks.attack import ATTACKS
from campaigns.attacks.measurement import Measurement, find_p99, measure, prepare
from campaigns.report import make_parser

HEADS = (
    *("attack", "before, ms", "during, ms", "ratio", "work, ms", "waited, %", "CPU, %"),
    *("memory, MiB", "log, KiB", "done", "refused most"),
)
MOST_SHOWN = 3  # limits and reasons in a row


def show(found: Measurement) -> str:
    """Return a row of the table."""
    calm, attacked = found.calm, found.attacked
    figures = (
        f"`{found.name}`".ljust(22),
        *(f"{find_p99(wait.seconds for wait in waits):.1f}" for waits in (calm, attacked)),
        f"{found.ratio:.1f}",
        " to ".join(f"{find_p99(wait.work for wait in waits):.1f}" for waits in (calm, attacked)),
        *(f"{100 * found.waited / found.seconds:.0f}", f"{100 * found.busy / found.seconds:.0f}"),
        *(f"{found.grown:.0f}", f"{found.logged:.0f}", f"{found.done:,}"),
    )
    refused = [f"`{what}` {times:,}" for what, times in found.refused.most_common(MOST_SHOWN)]
    wrong = [f"**{what}**" for what in found.judge()[:MOST_SHOWN]]
    return f"| {' | '.join(figures)} | {', '.join(wrong + refused) or '-'} |"


async def main(arguments: list[str]) -> int:
    """Measure the named attacks, or all; return 1 if an attack exceeds a limit."""
    parser = make_parser("attacks", __doc__)
    parser.add_argument(
        "attacks", nargs="*", metavar="ATTACK", help=f"any of: {', '.join(ATTACKS)}"
    )
    names = parser.parse_args(arguments).attacks or [*ATTACKS]
    if unknown := sorted(set(names) - set(ATTACKS)):
        parser.error(f"unknown attack {unknown[0]!r}: choose from {', '.join(ATTACKS)}")
    print(f"| {' | '.join(HEADS)} |\n|---|{'---:|' * (len(HEADS) - 2)}---|", flush=True)
    clean = []
    with TemporaryDirectory() as place:
        database = await prepare(Path(place))
        for name in names:
            found = await measure(name, database)
            print(show(found), flush=True)
            clean.append(not found.judge())
    print(f"\n{clean.count(True)} of {len(clean)} are within their limits")
    return 0 if all(clean) else 1
