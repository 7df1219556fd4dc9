"""What goes wrong on the way to a server: what it is, and what is worth another try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websockets.client import process_exception
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidStatus,
    InvalidURI,
    NegotiationError,
)
from websockets.frames import Close, CloseCode

from mastermind_client.net.failures import Fault, Outage
from mastermind_protocol.errors import Refused, Value
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from mastermind_protocol.messages import Error

DELAYS = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0)  # seconds before each try; the last goes on
JITTER = 0.25  # of a delay, either way, so that a server's clients do not come back as one
_FATAL_CLOSES = {
    CloseCode.PROTOCOL_ERROR,
    CloseCode.UNSUPPORTED_DATA,
    CloseCode.INVALID_DATA,
    CloseCode.POLICY_VIOLATION,
    CloseCode.MESSAGE_TOO_BIG,
}


def to_refused(error: Error) -> Refused:
    """Return the exception for a server's error message, with its words made harmless."""
    code = sanitise(error.code)
    return Refused.told(
        code,
        sanitise(error.message) or code,
        details={place: _sanitise_value(value) for place, value in (error.details or {}).items()},
        field=error.field,
        limit=error.limit,
        retry_after=error.retry_after,
    )


def _sanitise_value(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(sanitise(text) for text in value)
    return sanitise(value) if isinstance(value, str) else value


def is_retryable(error: Exception) -> bool:
    """Tell whether the same connection may succeed later."""
    if isinstance(error, ConnectionClosed):
        return error.rcvd is None or error.rcvd.code not in _FATAL_CLOSES
    return process_exception(error) is None


def reconnect_delays(random: Random) -> Iterator[float]:
    """Yield the seconds to wait before each try, without end."""
    for delay in DELAYS:
        yield delay * random.uniform(1 - JITTER, 1 + JITTER)
    while True:
        yield DELAYS[-1] * random.uniform(1 - JITTER, 1 + JITTER)


def find_outage(error: Exception) -> Outage:
    """Return why there is no connection."""
    match error:
        case InvalidURI():
            return Outage(Fault.NO_ADDRESS)
        case ConnectionClosed(rcvd=None):
            return Outage(Fault.BROKEN)
        case ConnectionClosed(rcvd=Close(code=CloseCode.SERVICE_RESTART)):
            return Outage(Fault.RESTARTING)
        case ConnectionClosed(rcvd=Close(code=CloseCode.TRY_AGAIN_LATER)):
            return Outage(Fault.FULL)
        case ConnectionClosed(rcvd=Close(code, reason)):
            return Outage(Fault.CLOSED, reason or str(int(code)))
        case InvalidStatus() if error.response.status_code == 503:  # of a proxy before it
            return Outage(Fault.FULL)
        case InvalidStatus() | NegotiationError():
            return Outage(Fault.OTHER_PROTOCOL)
        case InvalidHandshake():
            return Outage(Fault.NO_GAME_SERVER)
        case TimeoutError():
            return Outage(Fault.NO_ANSWER)
        case ConnectionRefusedError():
            return Outage(Fault.NOTHING_LISTENS)
        case OSError():
            return Outage(Fault.OTHER, error.strerror or str(error))
        case _:
            return Outage(Fault.OTHER, str(error))
