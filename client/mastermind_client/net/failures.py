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
    NO_TLS = "no_tls"
    ONLY_TLS = "only_tls"
    SELF_SIGNED = "self_signed"
    UNKNOWN_AUTHORITY = "unknown_authority"
    OTHER_HOST = "other_host"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"
    BAD_CERTIFICATE = "bad_certificate"  # in another way, which is quoted
    TLS_FAILED = "tls_failed"  # quoted, too
    OTHER = "other"  # what the system says, or nothing


@dataclass(frozen=True, slots=True)
class Outage:
    """Why there is no connection, and what the server or the system says of it, as it says it."""

    fault: Fault
    quote: str = ""


# With these, the address is right, and a server runs there.
OF_TLS = frozenset(
    {
        Fault.NO_TLS,
        Fault.ONLY_TLS,
        Fault.SELF_SIGNED,
        Fault.UNKNOWN_AUTHORITY,
        Fault.OTHER_HOST,
        Fault.EXPIRED,
        Fault.NOT_YET_VALID,
        Fault.BAD_CERTIFICATE,
        Fault.TLS_FAILED,
    }
)


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


class CertificatesUnreadable(Exception):
    """There are no certificates in a file, in PEM, or the system says why it cannot be read."""

    def __init__(self, file: str, reason: str | None = None) -> None:
        super().__init__(file, reason)
        self.file, self.reason = file, reason


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


class UnknownHere(Exception):
    """This computer is nobody on a server."""

    def __init__(self, server: str) -> None:
        super().__init__(server)
        self.server = server


class TooManyClients(OSError):
    """As many clients of this user as there may be have an identity on the server already."""

    def __init__(self, number: int, server: str) -> None:
        super().__init__(server)
        self.number, self.server = number, server
