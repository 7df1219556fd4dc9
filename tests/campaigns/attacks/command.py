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
from campaigns.attacks.databases import AttackedDatabases
from campaigns.attacks.measurement import measure
from campaigns.report import Report, parse_options


async def main(arguments: list[str]) -> int:
    """Measure the chosen attacks; return 1 if an attack exceeds a limit."""
    options = parse_options("attacks", __doc__, arguments, {}, ATTACKS)
    report = Report(wide="attack")
    with TemporaryDirectory() as place, AttackedDatabases(Path(place)) as databases:
        for name in options.runs:
            found = await measure(name, databases)
            report.add(name, found.list_figures(), found.judge())
    return report.status
