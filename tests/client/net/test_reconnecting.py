from __future__ import annotations

import socket
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

from mastermind_client.net.failures import Fault, Reason
from mastermind_client.net.reconnecting import (
    DELAYS,
    JITTER,
    find_reason,
    is_retryable,
    reconnect_delays,
    to_refused,
)
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Error
from wire import Dice


def _closed(code: int, reason: str = "") -> Exception:
    kind = ConnectionClosedOK if code in (1000, 1001) else ConnectionClosedError
    return kind(Close(code, reason), None)


def _status(code: int) -> Exception:
    return InvalidStatus(Response(code, "", Headers()))


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
def test_what_may_pass_is_worth_another_try(error: Exception) -> None:
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
    ],
    ids=repr,
)
def test_what_is_wrong_stays_wrong(error: Exception) -> None:
    assert not is_retryable(error)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InvalidURI("x", "scheme"), Reason(Fault.NO_ADDRESS)),
        (BROKEN, Reason(Fault.BROKEN)),
        (_closed(1012, "restarting"), Reason(Fault.RESTARTING)),
        (_closed(1008, "no hello"), Reason(Fault.CLOSED, "no hello")),
        (_closed(1011), Reason(Fault.CLOSED, "1011")),
        (_status(503), Reason(Fault.FULL)),
        (_status(404), Reason(Fault.OTHER_PROTOCOL)),
        (NegotiationError(""), Reason(Fault.OTHER_PROTOCOL)),
        (InvalidMessage(""), Reason(Fault.NO_GAME_SERVER)),
        (TimeoutError(), Reason(Fault.NO_ANSWER)),
        (ConnectionRefusedError(111, "Connection refused"), Reason(Fault.NOTHING_LISTENS)),
        (socket.gaierror(-2, "Name unknown"), Reason(Fault.OTHER, "Name unknown")),
        (OSError(), Reason(Fault.OTHER)),
        (WebSocketException("something else"), Reason(Fault.OTHER, "something else")),
    ],
    ids=repr,
)
def test_trouble_is_told_by_a_code_and_what_is_said_of_it(error: Exception, reason: Reason) -> None:
    assert find_reason(error) == reason


HOSTILE = "\x1b]52;c;QUFB\x07\x1b[2J"


@pytest.mark.parametrize("message", ["", HOSTILE])
def test_a_refusal_moves_no_cursor(message: str) -> None:
    refused = to_refused(Error(id=1, code=HOSTILE, message=message))
    assert refused.code == refused.message == str(refused) == "?]52;c;QUFB??[2J"


@given(seed=st.integers(), tries=st.integers(1, 60))
def test_the_first_try_is_at_once_and_no_later_one_waits_long(seed: int, tries: int) -> None:
    first, *later = islice(reconnect_delays(Dice(seed)), tries)
    assert first == 0
    assert all(0 < delay <= max(DELAYS) * (1 + JITTER) for delay in later)


@given(seed=st.integers())
def test_the_longest_wait_goes_on(seed: int) -> None:
    late = list(islice(reconnect_delays(Dice(seed)), len(DELAYS), len(DELAYS) + 20))
    assert all(DELAYS[-1] * (1 - JITTER) <= delay for delay in late)


def test_two_clients_do_not_come_back_as_one() -> None:
    one, other = (list(islice(reconnect_delays(Dice(seed)), 8)) for seed in (1, 2))
    assert all(mine != theirs for mine, theirs in zip(one[1:], other[1:], strict=True))


def test_a_refusal_is_handed_on_whole() -> None:
    refused = to_refused(
        Error(
            id=1,
            code=ErrorCode.TOO_MANY,
            message="too many",
            field="match",
            limit=64,
            retry_after=2.5,
        )
    )
    assert (refused.code, refused.message, str(refused)) == ("too_many", "too many", "too many")
    assert (refused.field, refused.limit, refused.retry_after) == ("match", 64, 2.5)
