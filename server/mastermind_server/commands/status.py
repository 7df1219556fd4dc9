"""The command `status`: it prints what an operator asks first."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_place, demand_place

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from mastermind_server.bans import Ban
    from mastermind_server.upkeep.status import Contents, NodeStatus, Status

SUMMARY = "print who serves a database and what is in it, also while servers have it"
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command is told."""
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object; times are in ms")
    parser.add_argument("--bans", action="store_true", help="each ban there is too, as JSON has it")


def perform(options: argparse.Namespace) -> None:
    """Print it. Raises DatabaseUnusable, or ArgumentTypeError."""
    place = demand_place(options)
    from mastermind_server.upkeep.status import read_status  # late: SQLAlchemy takes long

    status = read_status(place)
    if options.json:
        found = asdict(status)
        if status.contents is not None:
            for name in ("nodes", "bans"):
                rows = getattr(status.contents, name)
                found["contents"][name] = [row._asdict() for row in rows]
        print(json.dumps(found))
    else:
        print("\n".join(describe(status, bans=options.bans)))


def describe(status: Status, *, bans: bool = False) -> Iterator[str]:
    """Yield the lines that tell it to people, and each of the bans only if it is asked for."""
    from mastermind_server.storage.schema import REVISION  # late, as above

    yield f"store     {status.store}, {_write_size(status.size)}"
    fits = "as" if status.revision == REVISION else "and"
    needed = "" if status.revision == REVISION else f" {REVISION}"
    yield f"tables    revision {status.revision}, {fits} this program needs{needed}"
    if status.contents is not None:
        yield from _describe_contents(status.contents, status.at)
        yield f"bans      {len(status.contents.bans)}"
        if bans:
            yield from map(_describe_ban, status.contents.bans)


def _describe_contents(found: Contents, now: int) -> Iterator[str]:
    yield f"players   {found.players}"
    yield f"matches   {', '.join(f'{phase} {count}' for phase, count in found.matches.items())}"
    minute, hour = found.moves_last_minute, found.moves_last_hour
    yield f"moves     {minute} in the last minute, {hour} in the last hour"
    first = "none" if found.due is None else f"the first {_write_time(found.due)}"
    yield f"due       {first}; {found.overdue} overdue"
    yield f"nodes     {len(found.nodes) or 'none (who serves a SQLite file is in no list)'}"
    for node in found.nodes:
        yield f"  {_describe_node(node, now)}"


def _describe_node(node: NodeStatus, now: int) -> str:
    left = (node.until - now) / 1000
    lease = f"lease for {left:.0f} s" if left > 0 else f"gone, its lease over for {-left:.0f} s"
    told = [
        f"{node.node} at {node.address}",
        f"version {node.version}",
        f"since {_write_time(node.started)}",
        f"{node.connections} connections",
        lease,
    ]
    return ", ".join([*told, "draining"] if node.draining else told)


def _describe_ban(ban: Ban) -> str:
    end = "for ever" if ban.until is None else f"until {_write_time(ban.until)}"
    return f"  {ban.subject} {end}: {ban.why}"


def _write_time(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _write_size(size: float) -> str:
    for unit in UNITS[:-1]:
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == UNITS[0] else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {UNITS[-1]}"
