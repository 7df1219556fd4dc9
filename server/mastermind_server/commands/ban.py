"""The command `ban`: it lets a player, or a network, in no more."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from mastermind_server.commands.options import add_place, demand_place

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

SUMMARY = "let a player, or the network of an address, in no more"
MAX_SECONDS = 3650 * 86400.0  # ten years: beyond, it is for ever
_DURATION = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def add_arguments(parser: ArgumentParser) -> None:
    """Add what the command is told."""
    add_place(parser)
    parser.add_argument(
        "subject",
        metavar="PLAYER|ADDRESS",
        help="a player's id or name, or an address, of IPv6 with its /64, or the hash by which a"
        " running node's metrics tell of it",
    )
    parser.add_argument(
        "--for",
        dest="seconds",
        type=read_duration,
        metavar="DURATION",
        help="how long, such as 30m, 12h or 7d; for ever, unless it is given",
    )
    parser.add_argument("--reason", metavar="TEXT", default="misconduct", help="what is told")


def perform(options: Namespace) -> None:
    """Ban them. Raises DatabaseUnusable, or ArgumentTypeError."""
    place = demand_place(options)
    from mastermind_server.health.usage import is_hash
    from mastermind_server.upkeep.orders import ban  # late: SQLAlchemy takes long

    try:
        banned = ban(place, options.subject, options.reason, options.seconds)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    finder = ", if the node that tells of it still runs" if is_hash(banned.subject) else ""
    print(f"{banned.subject} is banned, at every node within seconds{finder}")


def read_duration(text: str) -> float:
    """Return the seconds of a duration; raises ArgumentTypeError."""
    found = _DURATION.fullmatch(text.lower())
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise ArgumentTypeError(
            f"{text!r} is no duration: such as 90s, 30m, 12h or 7d, ten years at most"
        )
    return seconds
