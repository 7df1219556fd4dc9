"""What goes wrong on the way to a server: what is worth another try, and how to say it."""

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
from websockets.frames import CloseCode

from mastermind_client.language import gettext as _
from mastermind_client.words.sentences import translate
from mastermind_protocol.errors import ErrorCode, Refused
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


_PASSING = {ErrorCode.RATE_LIMITED, ErrorCode.STORAGE_FAILED, ErrorCode.INTERNAL}


def to_refused(error: Error) -> Refused:
    """Return the exception for a server's error message, with its words made harmless."""
    code = sanitise(error.code)
    return Refused(
        code,
        sanitise(error.message) or code,
        field=error.field,
        limit=error.limit,
        retry_after=error.retry_after,
    )


def is_passing(error: Error) -> bool:
    """Tell whether the same request may succeed a moment later."""
    return error.code in _PASSING


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


def explain(error: Exception) -> str:
    """Say in a few words, for a person, why there is no connection."""
    return sanitise(_explain(error))


def _explain(error: Exception) -> str:
    match error:
        case InvalidURI():
            return _("that is no server address: use ws://HOST:PORT or wss://HOST:PORT")
        case ConnectionClosed():
            return _explain_close(error)
        case InvalidStatus() if error.response.status_code == 503:  # of a proxy before it
            return _("the server takes no more connections now: try again later")
        case InvalidStatus() | NegotiationError():
            return _("what answers there does not speak this version of the protocol")
        case InvalidHandshake():
            return _("what answers there is no Mastermind server")
        case TimeoutError():
            return _("no answer in time")
        case ConnectionRefusedError():
            return _("nothing listens there")
        case OSError():
            return error.strerror or str(error) or _("no connection")
        case _:
            return str(error)


def _explain_close(error: ConnectionClosed) -> str:
    if error.rcvd is None:
        return _("the connection broke")
    if error.rcvd.code == CloseCode.SERVICE_RESTART:
        return _("the server is restarting")
    if error.rcvd.code == CloseCode.TRY_AGAIN_LATER:
        return _("the server takes no more connections now: try again later")
    reason = translate(sanitise(error.rcvd.reason)) or error.rcvd.code
    return _("the server closed the connection: {reason}").format(reason=reason)
