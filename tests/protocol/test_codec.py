"""Frames: every request and message arrives, and anything else is refused with its reason."""

from __future__ import annotations

from typing import Any, get_args

import msgpack
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kit.strategies import brief, few, fields_of, msgpack_values, thorough, values_of
from mastermind_protocol.codec import (
    decode_events,
    decode_message,
    decode_request,
    encode,
    encode_events,
)
from mastermind_protocol.errors import ErrorCode, MessageError
from mastermind_protocol.events import AnyEvent, Opened
from mastermind_protocol.messages import AnyMessage
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_ID,
    AnyRequest,
    Open,
    Request,
)
from protocol.frames import GUESS, HELLO, OPEN, SAY, pack, refusal

REQUESTS: tuple[type[Request], ...] = get_args(AnyRequest)
FRAME_CODES = {
    ErrorCode.NOT_MSGPACK,
    ErrorCode.FRAME_TOO_LARGE,
    ErrorCode.FRAME_TOO_DEEP,
    ErrorCode.UNKNOWN_MESSAGE,
    ErrorCode.INVALID_MESSAGE,
}


# Bytes that are not one value. More are in docs/protocol/vectors/refused.json.

NO_VALUE = {
    "a reserved byte inside": b"\x91\xc1",
    "a text that is cut off": b"\xa5op",
    "a text longer than the frame": b"\xdb\xff\xff\xff\xff",
    "bytes longer than the frame": b"\xc6\xff\xff\xff\xff",
    "an extension longer than the frame": b"\xc9\xff\xff\xff\xff\x01",
    "two values": pack(GUESS) + pack(GUESS),
    "a key that is not utf-8": b"\x81\xa1\xff\x01",
    "a surrogate": b"\x81\xa2op\xa3\xed\xa0\x80",
    "nil as a key": pack({None: 2}),
    "an array as a key": b"\x81\x91\x01\x02",
    "a damaged time stamp": b"\xc7\x03\xff123",
}


@pytest.mark.parametrize("frame", NO_VALUE.values(), ids=NO_VALUE)
def test_a_frame_that_is_not_one_msgpack_value_is_refused(frame):
    refused = refusal(frame)
    assert (refused.code, refused.field) == (ErrorCode.NOT_MSGPACK, None)
    assert refused.message.startswith("not one msgpack value: ")
    assert len(refused.message) > len("not one msgpack value: ")


@pytest.mark.parametrize("length", range(len(pack(GUESS))))
def test_a_request_that_is_cut_off_anywhere_is_not_msgpack(length):
    assert refusal(pack(GUESS)[:length]).code == ErrorCode.NOT_MSGPACK


# Values that are no request. More of them are in docs/protocol/vectors/refused.json.


@pytest.mark.parametrize(
    "value",
    [None, 5, "guess", msgpack.ExtType(5, b"op"), msgpack.Timestamp(1)],
    ids=["nil", "a number", "a text", "an extension", "a time stamp"],
)
def test_a_value_that_is_no_map_is_refused(value):
    refused = refusal(pack(value))
    assert (refused.code, refused.field) == (ErrorCode.INVALID_MESSAGE, "op")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({}, "`op` is missing"),
        ({b"op": "hello", b"id": 1}, "`op` is missing"),
        *[({**GUESS, "op": op}, "what this client asks") for op in ("GUESS", 5, ["guess"])],
    ],
)
def test_an_op_that_is_missing_or_unknown_is_refused(value, problem):
    refused = refusal(pack(value))
    assert (refused.code, refused.field) == (ErrorCode.UNKNOWN_MESSAGE, "op")
    assert problem in refused.message


INVALID: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    *[
        (GUESS, {"id": value}, "id")
        for value in (True, 0, float(MAX_REQUEST_ID + 1), float("nan"), float("inf"))
    ],
    *[(GUESS, {"v": value}, "v") for value in (False, None, msgpack.Timestamp(3), -1, 2**31)],
    (GUESS, {"match": "ABCDEF\n"}, "match"),
    (GUESS, {"code": "1122"}, "code"),
    (GUESS, {"code": b"\0\0\1\1"}, "code"),
    (GUESS, {"code": {}}, "code"),
    *[(GUESS, {"code": [0, value]}, "code[1]") for value in (1.0, -1, True)],
    (GUESS, {"code": msgpack.ExtType(1, b"\x01")}, "code[1]"),
    *[(OPEN, {"rounds": value}, "rounds") for value in (0, 21)],
    *[(HELLO, {"name": value}, "name") for value in ("", "x" * 25)],
    (HELLO, {"token": "x"}, "token"),
    *[(SAY, {"text": value}, "text") for value in ("", "x" * 121)],
    (SAY, {"phrase": 0}, "phrase"),
    ({"op": "archive", "id": 1}, {"before": "abcdef"}, "before"),
    ({"op": "seek", "id": 1, "rules": "classic"}, {"seat": "host"}, "seat"),
    (HELLO, {"a": 1}, "a"),
]


@pytest.mark.parametrize(("right", "wrong", "field"), INVALID)
def test_a_field_with_a_wrong_value_is_named(right, wrong, field):
    refused = refusal(pack(right | wrong))
    assert (refused.code, refused.field) == (ErrorCode.INVALID_MESSAGE, field)
    assert refused.message


@pytest.mark.parametrize("key", ["missing required field `op`", "`$.op"])
def test_no_name_of_an_extra_field_changes_the_error(key):
    assert refusal(pack({**HELLO, key: 1})).code == ErrorCode.INVALID_MESSAGE


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
@given(st.data())
@few
def test_a_field_that_is_missing_is_named(kind, data):
    fields = msgpack.unpackb(encode(data.draw(values_of(kind))))
    for missing in fields_of(kind, required=True):
        refused = refusal(pack({name: fields[name] for name in fields if name != missing}))
        assert (refused.code, refused.field) == (ErrorCode.INVALID_MESSAGE, missing)


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
@given(st.data())
@few
def test_a_field_of_the_wrong_type_is_named(kind, data):
    fields = msgpack.unpackb(encode(data.draw(values_of(kind))))
    for wrong in fields_of(kind, required=True) + fields_of(kind, required=False):
        refused = refusal(pack(fields | {wrong: {}}))
        assert (refused.code, refused.field) == (ErrorCode.INVALID_MESSAGE, wrong)


# Any bytes, and any values.


@given(st.binary(max_size=MAX_REQUEST_BYTES + 8))
@example(b"\xc1")
@example(b"\xc7\x03\xff123")
@thorough
def test_any_bytes_are_a_request_or_a_frame_error(frame):
    assert outcome(frame)


@given(msgpack_values)
@thorough
def test_any_value_is_a_request_or_a_frame_error(value):
    assert outcome(pack(value))


@given(values_of(AnyRequest), st.data())
@thorough
def test_a_request_with_any_field_changed_is_a_request_or_a_frame_error(request, data):
    fields = msgpack.unpackb(encode(request))
    name = data.draw(st.sampled_from(sorted(fields)) | st.text(max_size=6))
    assert outcome(pack(fields | {name: data.draw(msgpack_values)}))


@given(values_of(AnyRequest), st.integers(0, MAX_REQUEST_BYTES), st.integers(0, 255))
@thorough
def test_a_request_with_any_byte_changed_is_a_request_or_a_frame_error(request, place, byte):
    frame = bytearray(encode(request))
    frame[place % len(frame)] = byte
    assert outcome(bytes(frame))


def outcome(frame: bytes) -> AnyRequest | ErrorCode:
    """Return the request, or the code of the MessageError."""
    try:
        request = decode_request(frame)
    except MessageError as error:
        code = ErrorCode(error.code)
    else:
        assert decode_request(encode(request)) == request
        sent = {name: value for name, value in msgpack.unpackb(frame).items() if value is not None}
        assert sent | msgpack.unpackb(encode(request)) == sent
        assert sent.keys() <= {"op", *request.__struct_fields__}
        return request
    assert code in FRAME_CODES
    return code


# The id of a refused request.


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({**GUESS, "code": "1122"}, 7),
        ({**GUESS, "id": 7.0, "code": "1122"}, 7),
        ({"op": "cheat", "id": 9}, 9),
        *[({"id": number}, MAX_REQUEST_ID) for number in (MAX_REQUEST_ID, float(MAX_REQUEST_ID))],
        ({"id": 7, "x": [[[[[[[[[[]]]]]]]]]]}, 7),
        *[({"id": other}, None) for other in ("7", True, 7.5, 1e300, None)],
        ({"op": "guess"}, None),
        ([7], None),
        (7, None),
        ({**GUESS, "x": bytes(5000)}, None),
    ],
)
def test_a_refusal_has_the_id_of_the_request_if_it_is_valid(value, found):
    assert refusal(pack(value)).request == found


# Other ways to write a request.


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
@given(st.data())
@few
def test_nil_counts_as_absent(kind, data):
    request = data.draw(values_of(kind))
    absent = msgpack.unpackb(encode(request))
    nils = {name: None for name in fields_of(kind, required=False) if name not in absent}
    assert decode_request(pack(absent | nils)) == request


@pytest.mark.parametrize("number", [7, 7.0], ids=["msgspec reads", "msgpack reads"])
@pytest.mark.parametrize("repeated", [{"v": 4}, {"op": "bots"}], ids=["a field", "the op"])
def test_the_last_of_duplicate_keys_counts(number, repeated):
    items = [*repeated.items(), *{**GUESS, "id": number}.items()]
    frame = bytes([0x80 | len(items)]) + b"".join(pack(key) + pack(value) for key, value in items)
    assert decode_request(frame) == decode_request(pack({**GUESS, "id": 7}))


@pytest.mark.parametrize("whole", [7, 2**32 + 1, MAX_REQUEST_ID])
def test_a_whole_number_may_come_as_a_float(whole):
    assert decode_request(pack({**GUESS, "id": float(whole)})).id == whole
    seeded = {"op": "open", "id": 1, "rules": "4x6", "maker": "knuth", "breaker": "me"}
    opened = decode_request(pack({**seeded, "seed": float(-whole)}))
    assert isinstance(opened, Open)
    assert opened.seed == -whole


# Messages of a newer server, and stored rows.


@given(values_of(AnyMessage), st.text(min_size=1, max_size=8), msgpack_values)
@brief
def test_a_field_that_a_newer_server_adds_is_ignored(message, name, value):
    fields = msgpack.unpackb(encode(message))
    assert decode_message(pack({f"new_{name}": value} | fields)) == message


@pytest.mark.parametrize(
    ("value", "code", "field"),
    [
        ({"op": "guess", "id": 1}, ErrorCode.UNKNOWN_MESSAGE, "op"),
        ({"op": "done"}, ErrorCode.INVALID_MESSAGE, "id"),
        (
            {"op": "event", "match": "ABCDEF", "v": 1, "events": [{"event": "cheated"}]},
            ErrorCode.INVALID_MESSAGE,
            "events[0].event",
        ),
        (
            {"op": "log", "id": 1, "match": "ABCDEF", "rows": [[1]]},
            ErrorCode.INVALID_MESSAGE,
            "rows[0]",
        ),
    ],
)
def test_a_refused_message_names_its_field(value, code, field):
    with pytest.raises(MessageError) as caught:
        decode_message(pack(value))
    assert (caught.value.code, caught.value.field) == (code, field)


@pytest.mark.parametrize(
    ("stored", "code"),
    [
        (b"", ErrorCode.NOT_MSGPACK),
        (encode_events((Opened(rules="classic", rounds=1),))[:-1], ErrorCode.NOT_MSGPACK),
        (pack({"event": "left"}), ErrorCode.INVALID_MESSAGE),
        (pack([{"event": "left"}]), ErrorCode.INVALID_MESSAGE),
        (pack([{"event": "cheated"}]), ErrorCode.INVALID_MESSAGE),
    ],
)
def test_a_damaged_row_is_found(stored, code):
    with pytest.raises(MessageError) as caught:
        decode_events(stored)
    assert caught.value.code == code


@given(st.lists(values_of(AnyEvent), max_size=4).map(tuple))
@thorough
def test_stored_events_are_read_and_equal_the_output_of_the_package_msgpack(events):
    assert decode_events(encode_events(events)) == events
    assert encode_events(events) == pack(msgspec.to_builtins(events, builtin_types=(bytes,)))


@pytest.mark.parametrize("again", [{"v": 4}, {"v": "3"}, {"op": "resign"}, {"why": None}])
def test_the_last_of_two_equal_keys_counts(again):
    once = pack({"op": "guess", "id": 7, "match": "ABCDEF", "code": [0], "v": 3, "why": None})
    twice = b"\x87" + once[1:] + pack(again)[1:]
    assert outcome(twice) == outcome(pack(msgpack.unpackb(twice)))


def test_bytes_are_not_taken_from_base_64_text():
    stored = pack([{"event": "secret", "by": "p", "commitment": "A" * 43 + "="}])
    with pytest.raises(MessageError):
        decode_events(stored)
