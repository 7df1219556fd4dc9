"""Connection errors by kind, and the delays before reconnecting or repeating a request."""

from __future__ import annotations

import re
import ssl
from itertools import chain, repeat
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from websockets.client import process_exception
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
    NegotiationError,
    ProxyError,
    SecurityError,
)
from websockets.frames import Close, CloseCode

from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_protocol.errors import ErrorCode, Refused, Value
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

    from websockets.http11 import Response

    from mastermind_protocol.messages import Error

# Seconds before each attempt; the last one repeats.
RECONNECT_DELAYS = (0.0, 0.2, 0.5, 1.0, 2.0, 4.0)
# Seconds for an attempt while the old connection is only silent. A server that stalls for 10 s gets
# one further connection from each client. A longer one would repeat its first packet too seldom.
REPLACEMENT_SECONDS = (10.0, 20.0)  # before jitter; the last one repeats
JITTER_SHARE = 0.5  # of a delay: clients do not reconnect all at once
MAX_RETRY_AFTER_SECONDS = 30.0  # enough for a server to spread 15,000 clients
# Seconds of repeating a request: a server's store may be away for 30 s.
RETRY_PERIODS: Mapping[str, float] = MappingProxyType(
    {ErrorCode.STORAGE_FAILED: 45.0, ErrorCode.RESTARTING: 45.0}
)
MIN_RETRY_SECONDS = 0.05  # before a request is repeated
_RETRY_AFTER = re.compile(r"retry_after=(\d{1,6}(?:\.\d{1,6})?)")
_RETRY_AFTER_HEADER = re.compile(r"(\d{1,6})")
# OpenSSL's verify codes.
_CERTIFICATE_FAULTS: Mapping[int, Fault] = MappingProxyType(
    {
        9: Fault.NOT_YET_VALID,
        10: Fault.EXPIRED,
        18: Fault.SELF_SIGNED,
        19: Fault.UNKNOWN_AUTHORITY,  # sent by the server
        20: Fault.UNKNOWN_AUTHORITY,
        21: Fault.UNKNOWN_AUTHORITY,
        62: Fault.OTHER_HOST,  # a name
        64: Fault.OTHER_HOST,  # an address
    }
)
# OpenSSL's reasons for an answer that is not TLS.
_NOT_TLS_REASONS = {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG"}
MAX_REDIRECT_LENGTH = 100  # characters of an address in a sentence; a login's can have 2,000
_WEBSOCKET_SCHEMES = {"http": "ws", "https": "wss"}
# HTTP statuses of proxies while the server restarts or is busy. Cloudflare sends those above 511.
_AWAY_STATUSES = {502, 503, 504, 520, 521, 522, 523, 524}
_RETRYABLE_STATUSES = _AWAY_STATUSES | {408, 429, 500}
_STATUS_FAULTS: Mapping[int, Fault] = MappingProxyType(
    {
        # A request without the header Upgrade gets a page or one of these errors.
        200: Fault.NO_WEBSOCKET,
        400: Fault.NO_WEBSOCKET,
        426: Fault.NO_WEBSOCKET,
        505: Fault.NO_WEBSOCKET,  # the proxy uses HTTP 1.0
        **dict.fromkeys((300, 301, 302, 303, 307, 308), Fault.REDIRECTED),
        401: Fault.LOGIN_WANTED,
        403: Fault.FORBIDDEN,
        404: Fault.NOT_THERE,
        408: Fault.NO_ANSWER,
        410: Fault.NOT_THERE,
        429: Fault.FULL,
        **dict.fromkeys(_AWAY_STATUSES, Fault.AWAY),
    }
)
_FATAL_CLOSE_CODES = {
    CloseCode.PROTOCOL_ERROR,
    CloseCode.UNSUPPORTED_DATA,
    CloseCode.INVALID_DATA,
    CloseCode.POLICY_VIOLATION,
    CloseCode.MESSAGE_TOO_BIG,
}


def to_refused(error: Error) -> Refused:
    """Return a server's error message as an exception, with sanitised texts."""
    code = sanitise(error.code)
    return Refused.with_message(
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
    """Return whether another attempt to connect can succeed after this error."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return False
    if isinstance(error, ConnectionClosed):
        return error.rcvd is None or error.rcvd.code not in _FATAL_CLOSE_CODES
    if isinstance(error, (InvalidStatus, InvalidProxyStatus)):
        return error.response.status_code in _RETRYABLE_STATUSES
    return process_exception(error) is None


def iterate_reconnect_delays(random: Random) -> Iterator[float]:
    """Yield the seconds to wait before each attempt. The iterator never ends."""
    for delay in chain(RECONNECT_DELAYS, repeat(RECONNECT_DELAYS[-1])):
        yield delay * random.uniform(1 - JITTER_SHARE, 1 + JITTER_SHARE)


def iterate_replacement_seconds(random: Random) -> Iterator[float]:
    """Yield the seconds for each attempt to replace a silent connection, without an end."""
    for seconds in chain(REPLACEMENT_SECONDS, repeat(REPLACEMENT_SECONDS[-1])):
        yield add_jitter(seconds, random)


def find_retry_after(error: Exception) -> float | None:
    """Return the seconds that the server or a proxy asked the client to wait, or None."""
    match error:
        case ConnectionClosed(rcvd=Close(reason=reason)):
            found = _RETRY_AFTER.search(reason)
        case InvalidStatus():
            found = _RETRY_AFTER_HEADER.fullmatch(error.response.headers.get("Retry-After", ""))
        case _:
            return None
    return min(float(found[1]), MAX_RETRY_AFTER_SECONDS) if found else None


def add_jitter(seconds: float, random: Random) -> float:
    """Return the seconds plus a random delay, so that many clients do not reconnect at once."""
    return seconds * random.uniform(1, 1 + JITTER_SHARE)


def find_disconnect_reason(error: Exception) -> DisconnectReason:
    """Return why a connection failed that raised `error`, with the text of the error."""
    match error:
        case ssl.SSLCertVerificationError():
            fault = _CERTIFICATE_FAULTS.get(error.verify_code, Fault.BAD_CERTIFICATE)
            return DisconnectReason(fault, error.verify_message)
        case ssl.SSLError(reason=reason) if reason in _NOT_TLS_REASONS:
            return DisconnectReason(Fault.NO_TLS)
        case ssl.SSLError():
            return DisconnectReason(
                Fault.TLS_FAILED, (error.reason or str(error)).replace("_", " ").lower()
            )
        case InvalidHandshake() if _speaks_only_tls(error):
            return DisconnectReason(Fault.ONLY_TLS)
        case InvalidURI(__context__=InvalidStatus()):
            return DisconnectReason(Fault.REDIRECTED, _shorten_address(error.uri))
        case InvalidURI():
            return DisconnectReason(Fault.NO_ADDRESS)
        case ConnectionClosed(rcvd=None):
            return DisconnectReason(Fault.BROKEN)
        case ConnectionClosed(rcvd=Close(code=CloseCode.SERVICE_RESTART)):
            return DisconnectReason(Fault.RESTARTING)
        case ConnectionClosed(rcvd=Close(code=CloseCode.TRY_AGAIN_LATER)):
            return DisconnectReason(Fault.FULL)
        case ConnectionClosed(rcvd=Close(code, reason)):
            return DisconnectReason(Fault.CLOSED, reason or str(int(code)))
        case InvalidStatus():
            return _find_reason_of_status(error.response)
        case NegotiationError():
            return DisconnectReason(Fault.OTHER_PROTOCOL)
        case SecurityError(__cause__=InvalidStatus(response=response)):
            return _find_reason_of_status(response)
        case ProxyError():
            return DisconnectReason(Fault.OWN_PROXY, str(error))
        case InvalidHandshake():
            return DisconnectReason(Fault.NO_GAME_SERVER)
        case TimeoutError():
            return DisconnectReason(Fault.NO_ANSWER)
        case ConnectionRefusedError():
            return DisconnectReason(Fault.NOTHING_LISTENS)
        case OSError():
            return DisconnectReason(Fault.OTHER, error.strerror or str(error))
        case _:
            return DisconnectReason(Fault.OTHER, str(error))


def _find_reason_of_status(response: Response) -> DisconnectReason:
    """Return why a handshake failed, from the HTTP answer of a server or of a proxy."""
    status, headers = response.status_code, response.headers
    if status == 503 and "Retry-After" in headers:  # only a draining server sends it
        return DisconnectReason(Fault.RESTARTING)
    if status == 400 and b"invalid subprotocol" in (response.body or b""):
        return DisconnectReason(Fault.OTHER_PROTOCOL)
    fault = _STATUS_FAULTS.get(status)
    if fault is Fault.REDIRECTED:
        return DisconnectReason(fault, _shorten_address(headers.get("location", "")))
    if fault is None:
        return DisconnectReason(Fault.BAD_STATUS, str(status))
    return DisconnectReason(fault)


def _shorten_address(url: str) -> str:
    """Return the WebSocket address of a redirect without user, query and fragment, bounded.

    Returns "" if `url` names no host.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    scheme = _WEBSOCKET_SCHEMES.get(parts.scheme, parts.scheme)
    return f"{scheme}://{host}{parts.path}"[:MAX_REDIRECT_LENGTH] if scheme and host else ""


def _speaks_only_tls(error: InvalidHandshake) -> bool:
    """Return whether a server has answered plain HTTP with a request for TLS.

    Servers answer plain HTTP on a TLS port with status 400 and different texts. A game server has
    no other reason for status 400.
    """
    if isinstance(error, InvalidStatus):
        found = error.response.body or b""
        return error.response.status_code == 400 and re.search(b"TLS|SSL|HTTPS", found) is not None
    return isinstance(error, InvalidMessage) and "HTTP/1.0 400" in str(error.__cause__)
