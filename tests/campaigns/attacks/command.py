"""What strangers can do to others' moves: honest matches beside one attack after the other.

For each attack: the 99th percentile of the time in which an honest guess is answered before and
during it, and their ratio; that of the CPU time that the server used between question and answer,
for whomever, which tells little of what else the machine has to do; the part of the time in which
the server or the honest players had to wait for a core that others had; the server's CPU, and by
how much its memory, at its peak, and its log have grown; what the attacker has opened and sent;
what met which limit or was refused. What is beyond its bound, or went wrong for somebody honest, is
in bold letters, and the status is 1.
The first row is no attack: a process that is as busy, and leaves the server alone.

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
MOST_TOLD = 3  # limits and reasons of a row


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
    told = [f"`{what}` {times:,}" for what, times in found.refused.most_common(MOST_TOLD)]
    wrong = [f"**{what}**" for what in found.judge()[:MOST_TOLD]]
    return f"| {' | '.join(figures)} | {', '.join(wrong + told) or '-'} |"


async def main(arguments: list[str]) -> int:
    """Measure every attack, or those that are named; return the process's status."""
    parser = make_parser("attacks", __doc__)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"of: {', '.join(ATTACKS)}")
    names = parser.parse_args(arguments).attacks or [*ATTACKS]
    if unknown := sorted(set(names) - set(ATTACKS)):
        parser.error(f"there is no attack {unknown[0]!r}: {', '.join(ATTACKS)}")
    print(f"| {' | '.join(HEADS)} |\n|---|{'---:|' * (len(HEADS) - 2)}---|", flush=True)
    clean = []
    with TemporaryDirectory() as place:
        database = await prepare(Path(place))
        for name in names:
            found = await measure(name, database)
            print(show(found), flush=True)
            clean.append(not found.judge())
    print(f"\n{clean.count(True)} of {len(clean)} are within bounds")
    return 0 if all(clean) else 1
