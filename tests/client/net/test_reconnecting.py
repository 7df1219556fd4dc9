from __future__ import annotations

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
    InvalidStatus,
    InvalidURI,
    NegotiationError,
    WebSocketException,
)
from websockets.frames import Close
from websockets.http11 import Response

from kit.matches import Dice
from mastermind_client.net.failures import Fault, Outage
from mastermind_client.net.reconnecting import (
    DELAYS,
    JITTER,
    MAX_TOLD_SECONDS,
    find_outage,
    find_retry_after,
    is_retryable,
    reconnect_delays,
    spread,
    to_refused,
)
from mastermind_protocol.errors import ErrorCode, Value
from mastermind_protocol.messages import Error


def _closed(code: int, reason: str = "") -> Exception:
    kind = ConnectionClosedOK if code in (1000, 1001) else ConnectionClosedError
    return kind(Close(code, reason), None)


def _status(code: int, retry_after: str | None = None) -> Exception:
    headers = Headers() if retry_after is None else Headers({"Retry-After": retry_after})
    return InvalidStatus(Response(code, "", headers))


def _distrust(code: int, message: str) -> Exception:
    error = ssl.SSLCertVerificationError()
    error.verify_code, error.verify_message = code, message
    return error


BROKEN = ConnectionClosedError(None, None)
CUT_OFF = InvalidMessage("did not receive a valid HTTP response")
CUT_OFF.__cause__ = EOFError()


@pytest.mark.parametrize(
    "error",
    [
        BROKEN,
        CUT_OFF,
        ConnectionRefusedError(),
        ConnectionResetError(),
        TimeoutError(),
        socket.gaierror(-2, "Name or service not known"),
        *(_closed(code) for code in (1000, 1001, 1006, 1011, 1012, 1013, 4000)),
        *(_status(code) for code in (500, 502, 503, 504)),
    ],
    ids=repr,
)
def test_what_may_pass_is_worth_another_try(error):
    assert is_retryable(error)


@pytest.mark.parametrize(
    "error",
    [
        *(_closed(code) for code in (1002, 1003, 1007, 1008, 1009)),
        *(_status(code) for code in (200, 400, 401, 403, 404, 426, 501)),
        InvalidURI("http://x", "scheme isn't ws or wss"),
        InvalidHandshake("what?"),
        InvalidMessage("what?"),
        NegotiationError("no subprotocol"),
        _distrust(10, "certificate has expired"),
    ],
    ids=repr,
)
def test_what_is_wrong_stays_wrong(error):
    assert not is_retryable(error)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InvalidURI("x", "scheme"), Outage(Fault.NO_ADDRESS)),
        (BROKEN, Outage(Fault.BROKEN)),
        (_closed(1012, "restarting"), Outage(Fault.RESTARTING)),
        (_closed(1008, "no hello"), Outage(Fault.CLOSED, "no hello")),
        (_closed(1011), Outage(Fault.CLOSED, "1011")),
        (_status(503), Outage(Fault.FULL)),
        (_status(503, "1"), Outage(Fault.RESTARTING)),
        (_status(404), Outage(Fault.OTHER_PROTOCOL)),
        (NegotiationError(""), Outage(Fault.OTHER_PROTOCOL)),
        (InvalidMessage(""), Outage(Fault.NO_GAME_SERVER)),
        (_distrust(26, "no purpose"), Outage(Fault.BAD_CERTIFICATE, "no purpose")),
        (TimeoutError(), Outage(Fault.NO_ANSWER)),
        (ConnectionRefusedError(111, "Connection refused"), Outage(Fault.NOTHING_LISTENS)),
        (socket.gaierror(-2, "Name unknown"), Outage(Fault.OTHER, "Name unknown")),
        (OSError(), Outage(Fault.OTHER)),
        (WebSocketException("something else"), Outage(Fault.OTHER, "something else")),
    ],
    ids=repr,
)
def test_trouble_is_told_by_a_code_and_what_is_said_of_it(error, reason):
    assert find_outage(error) == reason


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (_closed(1012, "restarting; retry_after=0.250"), 0.25),
        (_closed(1012, "restarting; retry_after=0.000"), 0.0),
        (_closed(1012, "restarting; retry_after=999999"), MAX_TOLD_SECONDS),
        (_closed(1012, "restarting; retry_after=-1"), None),
        (_closed(1012, "restarting"), None),
        (_closed(1013, "too many connections; retry_after=5.000"), 5.0),
        (_status(503, "1"), 1.0),
        (_status(503, "Fri, 31 Dec 1999 23:59:59 GMT"), None),
        (_status(503), None),
        (BROKEN, None),
        (TimeoutError(), None),
    ],
    ids=repr,
)
def test_when_to_come_again_is_what_the_server_says(error, seconds):
    assert find_retry_after(error) == seconds


@given(seed=st.integers())
def test_who_was_told_the_same_does_not_come_as_one_and_never_too_soon(seed):
    random = Dice(seed)
    waits = {spread(1.0, random) for _ in range(1000)}
    assert len(waits) > 900
    assert 1.0 <= min(waits) < max(waits) <= 1 + JITTER


HOSTILE = "\x1b]52;c;QUFB\x07\x1b[2J"


@pytest.mark.parametrize("message", ["", HOSTILE])
def test_a_refusal_moves_no_cursor(message):
    refused = to_refused(Error(id=1, code=HOSTILE, message=message))
    assert refused.code == refused.message == str(refused) == "?]52;c;QUFB??[2J"


@pytest.mark.parametrize("value", [HOSTILE, (HOSTILE,)])
def test_the_values_of_a_refusal_move_no_cursor(value):
    details: dict[str, Value] = {"reason": "unknown_match", "match": value}
    refused = to_refused(Error(code="unknown_match", message="no match", details=details))
    assert refused.write() == "there is no match ?]52;c;QUFB??[2J on this server"


@given(seed=st.integers(), tries=st.integers(1, 60))
def test_the_first_try_is_at_once_and_no_later_one_waits_long(seed, tries):
    first, *later = islice(reconnect_delays(Dice(seed)), tries)
    assert first == 0
    assert all(0 < delay <= max(DELAYS) * (1 + JITTER) for delay in later)


@given(seed=st.integers())
def test_the_longest_wait_goes_on(seed):
    late = list(islice(reconnect_delays(Dice(seed)), len(DELAYS), len(DELAYS) + 20))
    assert all(DELAYS[-1] * (1 - JITTER) <= delay for delay in late)


def test_two_clients_do_not_come_back_as_one():
    one, other = (list(islice(reconnect_delays(Dice(seed)), 8)) for seed in (1, 2))
    assert all(mine != theirs for mine, theirs in zip(one[1:], other[1:], strict=True))


def test_a_refusal_is_handed_on_whole():
    refused = to_refused(
        Error(
            id=1,
            code=ErrorCode.TOO_MANY,
            message="too many",
            field="match",
            limit=64,
            retry_after=2.5,
            details={"reason": "too_many_followed"},
        )
    )
    assert (refused.code, refused.message, str(refused)) == ("too_many", "too many", "too many")
    assert (refused.field, refused.limit, refused.retry_after) == ("match", 64, 2.5)
    assert refused.details == {"reason": "too_many_followed"}
