"""The commands `ban`, `unban`, `end`, `announce` and `contest`.

These commands write to the database, even while servers use it. Every node reads the changes within
seconds.
"""

from __future__ import annotations

import re
import time
from argparse import ArgumentTypeError
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mastermind_protocol.days import DAY_RULES
from mastermind_protocol.messages import MAX_ANNOUNCEMENT_LENGTH
from mastermind_protocol.text import is_displayable
from mastermind_server.bans import Ban
from mastermind_server.commands.options import (
    add_database_option,
    make_choice_parser,
    require_database,
)
from mastermind_server.commands.player_data import find_player_id
from mastermind_server.matches.contests.withdrawals import (
    find_drawn_days,
    list_drawn_rules,
    withdraw_day,
)
from mastermind_server.monitoring.usage import is_address_hash
from mastermind_server.network.addresses import find_network
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.statements.admin import (
    MAX_BANS,
    add_admin_command,
    add_ban,
    lift_ban,
)
from mastermind_server.storage.statements.matches import is_running
from mastermind_server.storage.store import SessionMode, open_session

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from mastermind_server.storage.engines.database import Session

MAX_BAN_REASON_LENGTH = 100  # characters
MAX_DAY_DIGITS = 6  # as in the names of contests
MAX_BAN_SECONDS = 3650 * 86400.0  # ten years
_DURATION_PATTERN = re.compile(r"([0-9]{1,9})([smhd])")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def add_ban_command(parser: ArgumentParser) -> None:
    """Add the arguments of `ban`."""
    add_database_option(parser)
    parser.add_argument(
        "subject",
        metavar="PLAYER|ADDRESS",
        help="a player's id or name; an address (IPv6: with its /64); or the hash of an address in"
        " a running node's metrics",
    )
    parser.add_argument(
        "--for",
        dest="seconds",
        type=read_duration,
        metavar="DURATION",
        help="duration, such as 30m, 12h or 7d (default: without end)",
    )
    parser.add_argument(
        "--reason", metavar="TEXT", default="misconduct", help="reason shown to the player"
    )
    parser.set_defaults(perform=_ban)


def add_unban_command(parser: ArgumentParser) -> None:
    """Add the arguments of `unban`."""
    add_database_option(parser)
    parser.add_argument("subject", metavar="PLAYER|ADDRESS", help="as for ban")
    parser.set_defaults(perform=_unban)


def add_end_command(parser: ArgumentParser) -> None:
    """Add the arguments of `end`."""
    add_database_option(parser)
    parser.add_argument("match", metavar="MATCH", type=str.upper, help="code of the match")
    parser.add_argument(
        "--reason", metavar="TEXT", default="it has to end", help="reason shown to the players"
    )
    parser.epilog = "The player to move leaves the match, so the opponent wins if there is one."
    parser.set_defaults(perform=_end)


def add_announce_command(parser: ArgumentParser) -> None:
    """Add the arguments of `announce`."""
    add_database_option(parser)
    parser.add_argument("text", metavar="TEXT", help="up to 200 characters")
    parser.set_defaults(perform=_announce)


def add_contest_command(parser: ArgumentParser) -> None:
    """Add the arguments of `contest`."""
    add_database_option(parser)
    parser.add_argument("action", choices=("withdraw",), help="what to do with the codes of a day")
    parser.add_argument(
        "day", type=read_day_number, metavar="DAY", help="number of the day, as players see it"
    )
    parser.add_argument(
        "rules",
        nargs="?",
        type=make_choice_parser(*DAY_RULES),
        metavar="RULES",
        help=f"{', '.join(DAY_RULES)} (default: all)",
    )
    parser.epilog = (
        "A withdrawn day has no places, ends its tries, and neither counts for streaks nor breaks"
        " them. All players can see its code. It cannot be undone."
    )
    parser.set_defaults(perform=_withdraw)


def read_day_number(text: str) -> int:
    """Return the number of a day. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DAY_DIGITS):
        raise ArgumentTypeError(f"{text!r} is no number of a day, such as 147")
    return int(text)


def read_duration(text: str) -> float:
    """Return the seconds of a duration such as ``12h``. Raises ArgumentTypeError."""
    found = _DURATION_PATTERN.fullmatch(text.lower())
    seconds = float(found[1]) * _UNIT_SECONDS[found[2]] if found else 0.0
    if not 0 < seconds <= MAX_BAN_SECONDS:
        raise ArgumentTypeError(
            f"{text!r} is no duration: use 90s, 30m, 12h or 7d, up to ten years"
        )
    return seconds


def _ban(options: Namespace) -> None:
    _check_text(options.reason, MAX_BAN_REASON_LENGTH)
    with _open_session(options) as (session, now):
        until = None if options.seconds is None else now + int(1000 * options.seconds)
        ban = Ban(_find_subject(session, options.subject), until, options.reason)
        if not add_ban(session, ban, now):
            raise DatabaseUnusable(f"there are {MAX_BANS} bans: lift some, or use a firewall")
    condition = (
        ", if the node that shows this hash still runs" if is_address_hash(ban.subject) else ""
    )
    print(f"{ban.subject} is banned, at every node within seconds{condition}")


def _unban(options: Namespace) -> None:
    with _open_session(options) as (session, now):
        subject = _find_subject(session, options.subject)
        if not lift_ban(session, subject, now):
            raise DatabaseUnusable(f"{subject} is not banned")
    print(f"{subject} is no longer banned, at every node within seconds")


def _end(options: Namespace) -> None:
    _check_text(options.reason, MAX_ANNOUNCEMENT_LENGTH)
    with _open_session(options) as (session, now):
        if not is_running(session, options.match):
            raise DatabaseUnusable(f"there is no running match {options.match}")
        add_admin_command(session, options.match, options.reason, now)
    print(f"a running node ends {options.match} within seconds, or the next one that starts")


def _announce(options: Namespace) -> None:
    _check_text(options.text, MAX_ANNOUNCEMENT_LENGTH)
    with _open_session(options) as (session, now):
        add_admin_command(session, None, options.text, now)
    print("every node sends it to its players within seconds")


def _withdraw(options: Namespace) -> None:
    day, rules = options.day, options.rules
    with _open_session(options) as (session, now), session.transaction():
        if not (drawn := list_drawn_rules(session, day)):
            first_and_last = find_drawn_days(session)
            known = "none was drawn" if first_and_last is None else "use {} to {}"
            raise DatabaseUnusable(f"there is no code {day}: {known.format(*first_and_last or ())}")
        if rules is not None and rules not in drawn:
            raise DatabaseUnusable(f"there is no code {day} of {rules}: use {', '.join(drawn)}")
        if not (withdrawn := withdraw_day(session, day, rules, now)):
            raise DatabaseUnusable(
                f"code {day} of {rules or ', '.join(drawn)} was withdrawn before"
            )
    print(f"code {day} of {', '.join(withdrawn)} is withdrawn at every node")


@contextmanager
def _open_session(options: Namespace) -> Iterator[tuple[Session, int]]:
    """Yield a session of the database, and the current time in milliseconds since 1970."""
    with open_session(require_database(options), SessionMode.WRITE) as session:
        yield session, int(time.time() * 1000)


def _find_subject(session: Session, text: str) -> str:
    """Return the subject to ban or unban: a player id, a network, or the hash of a network.

    `text` is such a subject or a player's name. Raises DatabaseUnusable for any other text.
    """
    if is_address_hash(text):  # checked before names, because a name may look like a hash
        return text
    return find_network(text) or find_player_id(session, text)


def _check_text(text: str, limit: int) -> None:
    if not (is_displayable(text) and text.strip() and len(text) <= limit):
        raise ArgumentTypeError(f"a text has 1 to {limit} printable characters, on one line")
