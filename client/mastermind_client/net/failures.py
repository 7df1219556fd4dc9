"""Why there is no connection, or no session: codes and values, of which others make words.

It is cheap to load, for whoever only wants to know what may be raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mastermind_protocol.errors import MastermindError


class Fault(StrEnum):
    """What is wrong with a connection."""

    NO_ADDRESS = "no_address"
    NOTHING_LISTENS = "nothing_listens"
    NO_ANSWER = "no_answer"
    NO_GAME_SERVER = "no_game_server"
    OTHER_PROTOCOL = "other_protocol"
    FULL = "full"
    RESTARTING = "restarting"
    CLOSED = "closed"
    BROKEN = "broken"
    OTHER = "other"  # what the system says, or nothing


@dataclass(frozen=True, slots=True)
class Outage:
    """Why there is no connection, and what the server or the system says of it, as it says it."""

    fault: Fault
    quote: str = ""


class Cause(StrEnum):
    """Why there is no session, each with the names of the values that tell more."""

    NEVER_REACHED = "never_reached"  # server, reason
    CANNOT_REACH = "cannot_reach"  # server, reason
    LOST = "lost"  # server, reason, seconds of trying
    NO_GREETING = "no_greeting"  # server
    IDENTITY_NOT_KEPT = "identity_not_kept"  # reason
    TEXT = "text"
    OTHER_PROTOCOL = "other_protocol"
    UNKNOWN_RULES = "unknown_rules"  # server, error
    WRONG_VERSION = "wrong_version"  # server, match, version
    WRONG_CHAT = "wrong_chat"  # server
    WRONG_CODE = "wrong_code"  # server, reason
    WRONG_ANSWER = "wrong_answer"  # kind
    SWAPPED_SECRET = "swapped_secret"  # noqa: S105 - server; the name of a failure
    CRASHED = "crashed"  # server, error


Value: TypeAlias = str | int | Outage | MastermindError | OSError


class ServerUnreachable(Exception):
    """There is no session with the server."""

    def __init__(self, cause: Cause, **values: Value) -> None:
        super().__init__(cause, values)
        self.cause, self.values = cause, values


class SeatOpenElsewhere(Exception):
    """Our seat in a match is held by another client of this user that is running."""

    def __init__(self, match: str) -> None:
        super().__init__(match)
        self.match = match


class NothingToContinue(Exception):
    """There is no match of this user's that is not over, and that no other client plays.

    `elsewhere` tells whether there are such matches, but clients that have them open.
    """

    def __init__(self, *, elsewhere: bool = False) -> None:
        super().__init__()
        self.elsewhere = elsewhere


class TooManyClients(OSError):
    """As many clients of this user as there may be have an identity on the server already."""

    def __init__(self, number: int, server: str) -> None:
        super().__init__(server)
        self.number, self.server = number, server
