"""What bad input gets: a typed error with the field that is wrong, and nothing else happens."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import CloseCode

from kit.matches import pegs
from kit.server import Hall
from kit.strategies import brief, msgpack_values
from mastermind_protocol.codec import MAX_DEPTH
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import MAX_REQUEST_BYTES, Guess
from mastermind_server.limits import USUAL

GUESS: dict[str, Any] = {"op": "guess", "id": 7, "match": "ABCDEF", "v": 3, "code": [0, 0, 1, 1]}


def pack(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def without(request: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != field}


NESTED: Any = 0
for _ in range(MAX_DEPTH + 1):
    NESTED = [NESTED]

# One of each kind: what else is none is shown where frames are read, in test_codec.
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
async def test_a_bad_frame_gets_its_error_and_one_line_in_the_log(
    ada, caplog, frame, code, field, request_id
):
    caplog.set_level(logging.INFO)
    await ada.send(frame)
    error = await ada.next()
    assert isinstance(error, Error)
    assert (error.code, error.field, error.id) == (code, field, request_id)
    assert error.message
    (line,) = caplog.records
    assert line.getMessage().endswith(f"refused a frame: {code}")
    assert (await ada.list("waiting")).matches == ()  # the connection is kept


@pytest.mark.parametrize(("frame", "code", "field", "request_id"), BAD.values(), ids=BAD)
async def test_a_bad_frame_gets_the_same_from_who_has_not_said_hello(
    hall, frame, code, field, request_id
):
    wire = await hall.connect()
    await wire.send(frame)
    error = await wire.next()
    assert isinstance(error, Error)
    assert (error.code, error.field, error.id) == (code, field, request_id)
    await wire.hello("Ada")


async def test_a_frame_gets_a_typed_error_up_to_a_limit_and_is_cut_off_beyond_it(hall, ada):
    await ada.send(bytes(USUAL.frame_bytes))
    error = await ada.next()
    assert isinstance(error, Error)
    assert (error.code, error.limit) == (ErrorCode.FRAME_TOO_LARGE, MAX_REQUEST_BYTES)

    await ada.send(bytes(USUAL.frame_bytes + 1))
    code, _ = await ada.closed()
    assert code == CloseCode.MESSAGE_TOO_BIG
    assert (await (await hall.again(ada)).list("waiting")).matches == ()


async def test_who_goes_on_sending_bad_frames_is_sent_away(hall, ada, caplog):
    caplog.set_level(logging.INFO)
    for _ in range(
        2 * USUAL.bad_frames.burst
    ):  # those after the last that is allowed are not looked at
        await ada.send(b"\xc1")
    assert await ada.closed() == (CloseCode.POLICY_VIOLATION, "too many bad frames")
    assert [getattr(error, "code", None) for error in ada.unread()] == (
        [ErrorCode.NOT_MSGPACK] * (USUAL.bad_frames.burst + 1)
    )
    assert (await (await hall.again(ada)).list("waiting")).matches == ()
    number, _, _ = caplog.records[0].getMessage().partition(": ")
    told = [record.getMessage().partition(": ") for record in caplog.records]
    assert [what for who, _, what in told if who == number] == [
        "refused a frame: not_msgpack",  # the first of them
        "abuses the protocol, closed",
        f"closed with 1008, {USUAL.bad_frames.burst + 1} frames refused",
    ]
    assert {record.levelname for record in caplog.records} == {"INFO"}  # what strangers can cause


async def test_refused_moves_do_not_count_as_bad_frames(ada, bob, match):
    for _ in range(USUAL.bad_frames.burst + 5):
        await bob.refused(Guess, match=match, code=pegs("1234"))
    await ada.set(match, "1234")
    assert (await bob.guess(match, "1234")).v == 4


async def test_neither_secrets_nor_tokens_are_ever_logged(hall, ada, bob, match, caplog):
    caplog.set_level(logging.DEBUG, "mastermind_server")
    assert ada.token is not None
    secret = {"op": "secret", "match": match, "v": 2, "code": [4, 0, 5, 1]}
    for request in (
        {**secret, "id": 900, "code": [4, 0, 5, 1, 99]},
        {**secret, "id": 901, "v": 1},
        {**secret, "id": 902, "more": ada.token},
        {"op": "hello", "id": 903, "token": ada.token},
        {"op": "hello", "id": 904, "token": ada.token + "x"},
    ):
        await ada.send(pack(request))
        assert isinstance(await ada.until(Error), Error)
    await ada.set(match, "5162")
    await bob.guess(match, "1111")
    await (await hall.again(ada)).follow(match)
    await hall.restart()
    assert caplog.records
    for told in (ada.token, str(bob.token), "4, 0, 5, 1", "4051", "\\x04\\x00\\x05\\x01"):
        assert told not in caplog.text


@given(st.lists(st.binary(max_size=60) | msgpack_values.map(pack), min_size=1, max_size=12))
@brief
async def test_no_bytes_bring_a_connection_down(tmp_path_factory, frames):
    async with AsyncExitStack() as stack:
        hall = Hall(tmp_path_factory.mktemp("abuse"))
        stack.push_async_callback(hall.close)
        await hall.start()
        wire = await hall.connect()
        for frame in frames:
            await wire.send(frame)
            assert isinstance(await wire.next(), Error)
        await wire.hello("Ada")
