import socket
import ssl
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.exceptions import (
    ConnectionClosedError,
    ConnectionClosedOK,
    InvalidHandshake,
    InvalidMessage,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
    NegotiationError,
    ProxyError,
    SecurityError,
    WebSocketException,
)
from websockets.frames import Close
from websockets.http11 import Response

from kit.matches import SeededRandom
from mastermind_client.network.connection.reconnecting import (
    JITTER_SHARE,
    MAX_RETRY_AFTER_SECONDS,
    RECONNECT_DELAYS,
    add_jitter,
    find_disconnect_reason,
    find_retry_after,
    is_retryable,
    iterate_reconnect_delays,
    iterate_replacement_seconds,
    to_refused,
)
from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Error


def closed(code: int, reason: str = "") -> Exception:
    kind = ConnectionClosedOK if code in (1000, 1001) else ConnectionClosedError
    return kind(Close(code, reason), None)


def status(code: int, retry_after: str | None = None, body: bytes = b"") -> Exception:
    headers = Headers() if retry_after is None else Headers({"Retry-After": retry_after})
    return InvalidStatus(Response(code, "", headers, body))


def redirect(location: str, kind: type[Exception] | None = None) -> Exception:
    """Return the error for a redirect: that of the answer, or one of `kind` that it caused."""
    answer = InvalidStatus(Response(301, "", Headers({"Location": location})))
    if kind is None:
        return answer
    error = kind(location, "no") if kind is InvalidURI else kind("no")
    error.__context__ = error.__cause__ = answer
    return error


def distrust(code: int, message: str) -> Exception:
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = code, message
    return error


BROKEN = ConnectionClosedError(None, None)
CUT_OFF = InvalidMessage("did not receive a valid HTTP response")
CUT_OFF.__cause__ = EOFError()


@pytest.mark.parametrize(
    ("error", "retryable", "reason"),
    [
        (BROKEN, True, DisconnectReason(Fault.BROKEN)),
        (CUT_OFF, True, None),
        (
            ConnectionRefusedError(111, "Connection refused"),
            True,
            DisconnectReason(Fault.NOTHING_LISTENS),
        ),
        (ConnectionResetError(), True, None),
        (TimeoutError(), True, DisconnectReason(Fault.NO_ANSWER)),
        (socket.gaierror(-2, "Name unknown"), True, DisconnectReason(Fault.OTHER, "Name unknown")),
        (OSError(), True, DisconnectReason(Fault.OTHER)),
        (closed(1011), True, DisconnectReason(Fault.CLOSED, "1011")),
        (closed(1012, "restarting"), True, DisconnectReason(Fault.RESTARTING)),
        *((closed(code), True, None) for code in (1000, 1001, 1006, 1013, 4000)),
        (status(503, "1"), True, DisconnectReason(Fault.RESTARTING)),
        (status(429), True, DisconnectReason(Fault.FULL)),
        (status(500), True, DisconnectReason(Fault.BAD_STATUS, "500")),
        *((status(code), True, DisconnectReason(Fault.AWAY)) for code in (502, 503, 504, 522)),
        (closed(1008, "no hello"), False, DisconnectReason(Fault.CLOSED, "no hello")),
        *((closed(code), False, None) for code in (1002, 1003, 1007, 1009)),
        (status(400, body=b"invalid subprotocol; "), False, DisconnectReason(Fault.OTHER_PROTOCOL)),
        (status(401), False, DisconnectReason(Fault.LOGIN_WANTED)),
        (status(403), False, DisconnectReason(Fault.FORBIDDEN)),
        (status(404), False, DisconnectReason(Fault.NOT_THERE)),
        (status(501), False, DisconnectReason(Fault.BAD_STATUS, "501")),
        *(
            (status(code), False, DisconnectReason(Fault.NO_WEBSOCKET))
            for code in (200, 400, 426, 505)
        ),
        *(
            (redirect(to, kind), False, DisconnectReason(Fault.REDIRECTED, shown))
            for to, kind, shown in (
                ("https://game.test/a?token=b#c", InvalidURI, "wss://game.test/a"),
                ("http://u:p@game.test:80", InvalidURI, "ws://game.test:80"),
                ("ws://game.test/", SecurityError, "ws://game.test/"),
                ("https://game.test/" + 200 * "x", InvalidURI, "wss://game.test/" + 84 * "x"),
                ("https://[::", InvalidURI, ""),
                ("/elsewhere", None, ""),
            )
        ),
        (ProxyError("no way"), False, DisconnectReason(Fault.OWN_PROXY, "no way")),
        *(
            (InvalidProxyStatus(Response(code, "", Headers())), code == 503, None)
            for code in (407, 503)
        ),
        (InvalidURI("x", "scheme"), False, DisconnectReason(Fault.NO_ADDRESS)),
        (InvalidHandshake("what?"), False, None),
        (InvalidMessage("what?"), False, DisconnectReason(Fault.NO_GAME_SERVER)),
        (NegotiationError("no subprotocol"), False, DisconnectReason(Fault.OTHER_PROTOCOL)),
        (distrust(26, "no purpose"), False, DisconnectReason(Fault.BAD_CERTIFICATE, "no purpose")),
        (
            WebSocketException("something else"),
            False,
            DisconnectReason(Fault.OTHER, "something else"),
        ),
    ],
    ids=repr,
)
def test_an_error_is_a_disconnect_reason_and_may_be_worth_another_try(error, retryable, reason):
    assert is_retryable(error) is retryable
    assert reason in (None, find_disconnect_reason(error))


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (closed(1012, "restarting; retry_after=0.250"), 0.25),
        (closed(1012, "restarting; retry_after=0.000"), 0.0),
        (closed(1012, "restarting; retry_after=999999"), MAX_RETRY_AFTER_SECONDS),
        (closed(1012, "restarting; retry_after=-1"), None),
        (closed(1012, "restarting"), None),
        (closed(1013, "too many connections; retry_after=5.000"), 5.0),
        (status(503, "1"), 1.0),
        (status(503, "Fri, 31 Dec 1999 23:59:59 GMT"), None),
        (status(503), None),
        (BROKEN, None),
        (TimeoutError(), None),
    ],
    ids=repr,
)
def test_the_server_sets_the_time_to_wait(error, seconds):
    assert find_retry_after(error) == seconds


@given(seed=st.integers())
def test_a_time_to_wait_is_spread_and_never_shortened(seed):
    random = SeededRandom(seed)
    waits = {add_jitter(1.0, random) for _ in range(1000)}
    assert len(waits) > 900
    assert 1.0 <= min(waits) < max(waits) <= 1 + JITTER_SHARE


@given(seed=st.integers())
def test_delays_begin_at_once_and_then_grow_to_the_longest(seed):
    first, *later = islice(iterate_reconnect_delays(SeededRandom(seed)), len(RECONNECT_DELAYS) + 20)
    assert first == 0
    assert all(0 < delay <= max(RECONNECT_DELAYS) * (1 + JITTER_SHARE) for delay in later)
    assert all(
        RECONNECT_DELAYS[-1] * (1 - JITTER_SHARE) <= delay
        for delay in later[len(RECONNECT_DELAYS) - 1 :]
    )


def test_two_clients_have_different_delays():
    one, other = (list(islice(iterate_reconnect_delays(SeededRandom(seed)), 8)) for seed in (1, 2))
    assert all(mine != theirs for mine, theirs in zip(one[1:], other[1:], strict=True))


@given(seed=st.integers())
def test_a_second_attempt_to_replace_a_silent_connection_waits_twice_as_long(seed):
    first, *later = islice(iterate_replacement_seconds(SeededRandom(seed)), 5)
    assert 10 <= first <= 15
    assert all(20 <= seconds <= 30 for seconds in later)


def test_a_refusal_keeps_every_field():
    error = Error(
        id=1, code=ErrorCode.TOO_MANY, message="too many", field="match", limit=64,
        retry_after=2.5, details={"reason": "too_many_followed"},
    )  # fmt: skip
    refused = to_refused(error)
    assert (refused.code, refused.message, str(refused)) == ("too_many", "too many", "too many")
    assert (refused.field, refused.limit, refused.retry_after) == ("match", 64, 2.5)
    assert refused.details == {"reason": "too_many_followed"}
    assert to_refused(Error(id=1, code="internal", message="")).message == "internal"
