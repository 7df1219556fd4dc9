"""Bad input gets a typed error with the wrong field, and changes nothing."""

import logging
from contextlib import AsyncExitStack
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import pegs
from kit.server import GameServer
from kit.strategies import brief, msgpack_values
from mastermind_protocol.codec import MAX_DEPTH
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import MAX_REQUEST_BYTES, Guess, Hello
from mastermind_server.limits import DEFAULT_LIMITS
from mastermind_server.monitoring.logs import quiet_libraries

GUESS: dict[str, Any] = {"op": "guess", "id": 7, "match": "ABCDEF", "v": 3, "code": [0, 0, 1, 1]}


def pack(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def without(request: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != field}


NESTED: Any = 0
for _ in range(MAX_DEPTH + 1):
    NESTED = [NESTED]

# One of each kind; test_codec has the others.
BAD = {
    "no msgpack": (b"guess 1122", ErrorCode.NOT_MSGPACK, None, None),
    "a text frame": ("hello", ErrorCode.NOT_MSGPACK, None, None),
    "too many bytes": (
        pack({**GUESS, "x": "y" * MAX_REQUEST_BYTES}),
        ErrorCode.FRAME_TOO_LARGE,
        None,
        None,
    ),
    "too deep": (pack({**GUESS, "code": NESTED}), ErrorCode.FRAME_TOO_DEEP, None, 7),
    "no map": (pack([1, 2]), ErrorCode.INVALID_MESSAGE, "op", None),
    "an unknown op": (pack({**GUESS, "op": "cheat"}), ErrorCode.UNKNOWN_MESSAGE, "op", 7),
    "no id": (pack(without(GUESS, "id")), ErrorCode.INVALID_MESSAGE, "id", None),
    "id 0": (pack({**GUESS, "id": 0}), ErrorCode.INVALID_MESSAGE, "id", 0),
    "a high colour": (pack({**GUESS, "code": [12]}), ErrorCode.INVALID_MESSAGE, "code[0]", 7),
}


@pytest.mark.parametrize(("frame", "code", "field", "request_id"), BAD.values(), ids=BAD)
async def test_a_bad_frame_gets_an_error_and_only_the_first_is_logged(
    hall, caplog, frame, code, field, request_id
):
    caplog.set_level(logging.INFO)
    ada = await hall.connect()
    for hello in (False, True):  # before a hello it gets the same
        if hello:
            await ada.hello("Ada")
        await ada.send(frame)
        error = await ada.next()
        assert isinstance(error, Error)
        assert (error.code, error.field, error.id) == (code, field, request_id)
        assert error.message
    (line,) = caplog.records
    assert line.getMessage().endswith(f"refused a message: {code}")
    assert (await ada.list("waiting")).matches == ()  # the connection is kept


@pytest.mark.promise("log-warnings")
async def test_a_client_closed_for_bad_frames_is_logged_in_three_lines(hall, ada, caplog):
    caplog.set_level(logging.INFO)
    for _ in range(2 * DEFAULT_LIMITS.bad_frames.burst):  # the server ignores the rest
        await ada.send(b"\xc1")
    await ada.closed()
    assert (await (await hall.connect_again(ada)).list("waiting")).matches == ()
    number, _, _ = caplog.records[0].getMessage().partition(": ")
    lines = [record.getMessage().partition(": ") for record in caplog.records]
    assert [text for who, _, text in lines if who == number] == [
        "refused a message: not_msgpack",  # the first
        "too many invalid messages, closed",
        f"closed with 1008, {DEFAULT_LIMITS.bad_frames.burst + 1} messages refused",
    ]
    assert {record.levelname for record in caplog.records} == {"INFO"}  # strangers can cause it


async def test_refused_moves_do_not_count_as_bad_frames(ada, bob, match):
    for _ in range(DEFAULT_LIMITS.bad_frames.burst + 5):
        await bob.refused(Guess, match=match, code=pegs("1234"))
    await ada.set(match, "1234")
    assert (await bob.guess(match, "1234")).v == 4


@pytest.mark.promise("token-in-errors", "log-secrets")
async def test_no_secret_token_or_code_is_logged(hall, ada, bob, match, caplog):
    quiet_libraries()
    caplog.set_level(logging.DEBUG)
    assert ada.token is not None
    secret = {"op": "secret", "match": match, "v": 2, "code": [4, 0, 5, 1]}
    used = (await ada.transfer()).code
    other = await hall.connect(ada.ids)
    await other.hello(transfer=used)
    code = (await ada.transfer()).code
    for request in (
        {**secret, "id": 900, "code": [4, 0, 5, 1, 99]},
        {**secret, "id": 901, "v": 1},
        {**secret, "id": 902, "more": ada.token},
        {"op": "hello", "id": 903, "token": ada.token},
        {"op": "hello", "id": 904, "token": ada.token + "x"},
    ):
        await ada.send(pack(request))
        assert isinstance(await ada.until(Error), Error)
    for fields in (
        {"token": "x" * 43},
        {"transfer": "2" * 8},
        {"transfer": code, "token": "x" * 43},
    ):
        await (await hall.connect()).refused(Hello, **fields)
    await ada.set(match, "5162")
    await bob.guess(match, "1111")
    await (await hall.connect_again(ada)).follow(match)
    await other.log_out()
    await hall.restart()
    # filelock logs addresses in memory, which may contain any digits.
    records = [record for record in caplog.records if record.name != "filelock"]
    lines = "\n".join(map(logging.Formatter().format, records))
    assert "connection" in lines
    tokens = (ada.token, str(bob.token), str(other.token), used, code, "x" * 43, "2" * 8)
    for private in (*tokens, "4, 0, 5, 1", "4051", "\\x04\\x00\\x05\\x01"):
        assert private not in lines
        assert private.encode().hex() not in lines.replace(" ", "")


@pytest.mark.promise("bad-bytes")
@given(st.lists(st.binary(max_size=60) | msgpack_values.map(pack), min_size=1, max_size=12))
@brief
async def test_a_hello_succeeds_after_any_bytes(tmp_path_factory, frames):
    async with AsyncExitStack() as stack:
        hall = GameServer(tmp_path_factory.mktemp("abuse"))
        stack.push_async_callback(hall.close)
        await hall.start()
        wire = await hall.connect()
        for frame in frames:
            await wire.send(frame)
            assert isinstance(await wire.next(), Error)
        await wire.hello("Ada")
