from __future__ import annotations

from typing import Any, get_args

import msgpack
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mastermind_protocol.codec import (
    decode_events,
    decode_message,
    decode_request,
    encode,
    encode_events,
)
from mastermind_protocol.errors import ErrorCode, FrameError
from mastermind_protocol.events import AnyEvent, Guessed, Opened
from mastermind_protocol.messages import AnyMessage, Done, Happened, Listing
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_ID,
    AnyRequest,
    Guess,
    Hello,
    Open,
    Request,
)
from protocol.frames import GUESS, OPEN, pack, refusal
from strategies import brief, few, fields_of, msgpack_values, thorough, values_of

REQUESTS: tuple[type[Request], ...] = get_args(AnyRequest)
FRAME_CODES = {
    ErrorCode.NOT_MSGPACK,
    ErrorCode.FRAME_TOO_LARGE,
    ErrorCode.FRAME_TOO_DEEP,
    ErrorCode.UNKNOWN_MESSAGE,
    ErrorCode.INVALID_MESSAGE,
}


# Bytes that are no value.

NO_VALUE = {
    "empty": b"",
    "a reserved byte": b"\xc1",
    "a reserved byte inside": b"\x91\xc1",
    "a map that is cut off": b"\x81",
    "a text that is cut off": b"\xa5op",
    "a text longer than the frame": b"\xdb\xff\xff\xff\xff",
    "bytes longer than the frame": b"\xc6\xff\xff\xff\xff",
    "an extension longer than the frame": b"\xc9\xff\xff\xff\xff\x01",
    "two values": pack(GUESS) + pack(GUESS),
    "one byte too many": pack(GUESS) + b"\x00",
    "text that is not utf-8": b"\x81\xa2op\xa1\xff",
    "a key that is not utf-8": b"\x81\xa1\xff\x01",
    "a surrogate": b"\x81\xa2op\xa3\xed\xa0\x80",
    "a number as a key": pack({1: 2}),
    "nothing as a key": pack({None: 2}),
    "an array as a key": b"\x81\x91\x01\x02",
    "a damaged time stamp": b"\xc7\x03\xff123",
    "json": b'{"op": "hello", "id": 1}',
}


@pytest.mark.parametrize("frame", NO_VALUE.values(), ids=NO_VALUE.keys())
def test_what_is_not_one_msgpack_value_is_told_so(frame):
    refused = refusal(frame)

    assert (refused.code, refused.field) == (ErrorCode.NOT_MSGPACK, None)
    assert refused.message.startswith("not one msgpack value: ")
    assert len(refused.message) > len("not one msgpack value: ")


@pytest.mark.parametrize("length", range(len(pack(GUESS))))
def test_a_request_that_is_cut_off_anywhere_is_not_msgpack(length):
    assert refusal(pack(GUESS)[:length]).code == ErrorCode.NOT_MSGPACK


# Values that are no request.

NO_REQUEST: dict[str, tuple[Any, ErrorCode, str | None]] = {
    "nothing": (None, ErrorCode.INVALID_MESSAGE, "op"),
    "a number": (5, ErrorCode.INVALID_MESSAGE, "op"),
    "a text": ("guess", ErrorCode.INVALID_MESSAGE, "op"),
    "an array": ([GUESS], ErrorCode.INVALID_MESSAGE, "op"),
    "an extension": (msgpack.ExtType(5, b"op"), ErrorCode.INVALID_MESSAGE, "op"),
    "a time stamp": (msgpack.Timestamp(1), ErrorCode.INVALID_MESSAGE, "op"),
    "an empty map": ({}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "no op": ({"id": 1}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "an unknown op": ({**GUESS, "op": "cheat"}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "a server's op": ({"op": "done", "id": 1}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "an op in capitals": ({**GUESS, "op": "GUESS"}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "a number as op": ({**GUESS, "op": 5}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "an array as op": ({**GUESS, "op": ["guess"]}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "bytes as keys": ({b"op": "hello", b"id": 1}, ErrorCode.UNKNOWN_MESSAGE, "op"),
    "an extra field": ({**GUESS, "colour": 1}, ErrorCode.INVALID_MESSAGE, "colour"),
    "a truth for an id": ({**GUESS, "id": True}, ErrorCode.INVALID_MESSAGE, "id"),
    "a truth for a version": ({**GUESS, "v": False}, ErrorCode.INVALID_MESSAGE, "v"),
    "a fraction for a number": ({**GUESS, "v": 3.5}, ErrorCode.INVALID_MESSAGE, "v"),
    "a whole fraction for a colour": (
        {**GUESS, "code": [0, 1.0]},
        ErrorCode.INVALID_MESSAGE,
        "code[1]",
    ),
    "a whole fraction that is not exact": (
        {**GUESS, "id": float(MAX_REQUEST_ID + 1)},
        ErrorCode.INVALID_MESSAGE,
        "id",
    ),
    "what is no number": ({**GUESS, "id": float("nan")}, ErrorCode.INVALID_MESSAGE, "id"),
    "an endless number": ({**GUESS, "id": float("inf")}, ErrorCode.INVALID_MESSAGE, "id"),
    "digits for a number": ({**GUESS, "v": "3"}, ErrorCode.INVALID_MESSAGE, "v"),
    "nothing for a number": ({**GUESS, "v": None}, ErrorCode.INVALID_MESSAGE, "v"),
    "a time stamp for a number": (
        {**GUESS, "v": msgpack.Timestamp(3)},
        ErrorCode.INVALID_MESSAGE,
        "v",
    ),
    "id 0": ({**GUESS, "id": 0}, ErrorCode.INVALID_MESSAGE, "id"),
    "an id too large": ({**GUESS, "id": MAX_REQUEST_ID + 1}, ErrorCode.INVALID_MESSAGE, "id"),
    "a version below 0": ({**GUESS, "v": -1}, ErrorCode.INVALID_MESSAGE, "v"),
    "a version too large": ({**GUESS, "v": 2**31}, ErrorCode.INVALID_MESSAGE, "v"),
    "bytes for text": ({**GUESS, "match": b"ABCDEF"}, ErrorCode.INVALID_MESSAGE, "match"),
    "no match code": ({**GUESS, "match": "abcdef"}, ErrorCode.INVALID_MESSAGE, "match"),
    "text for a code": ({**GUESS, "code": "1122"}, ErrorCode.INVALID_MESSAGE, "code"),
    "bytes for a code": ({**GUESS, "code": b"\0\0\1\1"}, ErrorCode.INVALID_MESSAGE, "code"),
    "a map for a code": ({**GUESS, "code": {}}, ErrorCode.INVALID_MESSAGE, "code"),
    "an empty code": ({**GUESS, "code": []}, ErrorCode.INVALID_MESSAGE, "code"),
    "a code too long": ({**GUESS, "code": [0] * 10}, ErrorCode.INVALID_MESSAGE, "code"),
    "a colour too large": ({**GUESS, "code": [0, 0, 12, 0]}, ErrorCode.INVALID_MESSAGE, "code[2]"),
    "a colour below 0": ({**GUESS, "code": [-1, 0, 0, 0]}, ErrorCode.INVALID_MESSAGE, "code[0]"),
    "a truth for a colour": ({**GUESS, "code": [0, True]}, ErrorCode.INVALID_MESSAGE, "code[1]"),
    "an extension for a code": (
        {**GUESS, "code": msgpack.ExtType(1, b"\x01")},
        ErrorCode.INVALID_MESSAGE,
        "code[1]",
    ),
    "text for an id": ({**GUESS, "id": "7"}, ErrorCode.INVALID_MESSAGE, "id"),
    "no rounds": ({**OPEN, "rounds": 0}, ErrorCode.INVALID_MESSAGE, "rounds"),
    "too many rounds": ({**OPEN, "rounds": 21}, ErrorCode.INVALID_MESSAGE, "rounds"),
    "a token too short": (
        {"op": "hello", "id": 1, "token": "x"},
        ErrorCode.INVALID_MESSAGE,
        "token",
    ),
    "a name too long": (
        {"op": "hello", "id": 1, "name": "x" * 25},
        ErrorCode.INVALID_MESSAGE,
        "name",
    ),
    "an empty name": ({"op": "hello", "id": 1, "name": ""}, ErrorCode.INVALID_MESSAGE, "name"),
    "no such list": (
        {"op": "list", "id": 1, "what": "secrets"},
        ErrorCode.INVALID_MESSAGE,
        "what",
    ),
    "an empty text": (
        {"op": "say", "id": 1, "match": "ABCDEF", "text": ""},
        ErrorCode.INVALID_MESSAGE,
        "text",
    ),
    "a text too long": (
        {"op": "say", "id": 1, "match": "ABCDEF", "text": "x" * 121},
        ErrorCode.INVALID_MESSAGE,
        "text",
    ),
    "no such phrase": (
        {"op": "say", "id": 1, "match": "ABCDEF", "phrase": 0},
        ErrorCode.INVALID_MESSAGE,
        "phrase",
    ),
    "no match to come before": (
        {"op": "archive", "id": 1, "before": "abcdef"},
        ErrorCode.INVALID_MESSAGE,
        "before",
    ),
    "no such seat": (
        {"op": "seek", "id": 1, "rules": "classic", "seat": "host"},
        ErrorCode.INVALID_MESSAGE,
        "seat",
    ),
}


@pytest.mark.parametrize(("value", "code", "field"), NO_REQUEST.values(), ids=NO_REQUEST.keys())
def test_what_is_no_request_is_told_what_is_wrong(value, code, field):
    refused = refusal(pack(value))

    assert (refused.code, refused.field) == (code, field)
    assert refused.message


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


# Whatever comes.


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
    """Return what a frame is read as; raises whatever is no FrameError."""
    try:
        request = decode_request(frame)
    except FrameError as error:
        code = ErrorCode(error.code)
    else:
        assert decode_request(encode(request)) == request
        sent = {name: value for name, value in msgpack.unpackb(frame).items() if value is not None}
        assert sent | msgpack.unpackb(encode(request)) == sent
        assert sent.keys() <= {"op", *request.__struct_fields__}
        return request
    assert code in FRAME_CODES
    return code


# The id of a request that could not be read.


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (pack({**GUESS, "code": "1122"}), 7),
        (pack({**GUESS, "id": 7.0, "code": "1122"}), 7),
        (pack({"op": "cheat", "id": 9}), 9),
        (pack({"id": MAX_REQUEST_ID}), MAX_REQUEST_ID),
        (pack({"id": float(MAX_REQUEST_ID)}), MAX_REQUEST_ID),
        (pack({"id": 7, "x": [[[[[[[[[[]]]]]]]]]]}), 7),
        (pack({"op": "guess"}), None),
        (pack({"id": "7"}), None),
        (pack({"id": True}), None),
        (pack({"id": 7.5}), None),
        (pack({"id": 1e300}), None),
        (pack({"id": None}), None),
        (pack([7]), None),
        (pack(7), None),
        (b"", None),
        (b"\xc1", None),
        (pack(GUESS)[:-1], None),
        (pack({**GUESS, "x": bytes(5000)}), None),
    ],
)
def test_the_id_is_made_out_where_it_can_be(frame, found):
    assert refusal(frame).request == found


# What may be said otherwise.


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
@given(st.data())
@few
def test_nil_is_as_good_as_absent(kind, data):
    request = data.draw(values_of(kind))
    absent = msgpack.unpackb(encode(request))
    nils = {name: None for name in fields_of(kind, required=False) if name not in absent}

    assert decode_request(pack(absent | nils)) == request


@pytest.mark.parametrize("whole", [7, 2**32 + 1, MAX_REQUEST_ID])
def test_a_whole_number_may_come_as_a_float(whole):
    assert decode_request(pack({**GUESS, "id": float(whole)})).id == whole
    seeded = {"op": "open", "id": 1, "rules": "4x6", "maker": "knuth", "breaker": "me"}
    opened = decode_request(pack({**seeded, "seed": float(-whole)}))
    assert isinstance(opened, Open)
    assert opened.seed == -whole


# What a newer server may send, and what is stored.


@given(values_of(AnyMessage), st.text(min_size=1, max_size=8), msgpack_values)
@brief
def test_a_field_that_a_newer_server_adds_is_passed_over(message, name, value):
    fields = msgpack.unpackb(encode(message))

    assert decode_message(pack({f"new_{name}": value} | fields)) == message


def test_a_field_that_a_newer_server_adds_inside_is_passed_over():
    event = {"event": "guessed", "code": [0], "black": 1, "white": 0, "at": 12}
    listed = {"match": "ABCDEF", "rules": "1x2", "rounds": 1, "phase": "setting", "watched": 2}

    happened = decode_message(pack({"op": "event", "match": "ABCDEF", "v": 2, "events": [event]}))
    listing = decode_message(pack({"op": "listing", "id": 1, "matches": [listed]}))

    guessed = Guessed(code=(0,), black=1, white=0)
    assert happened == Happened(match="ABCDEF", v=2, events=(guessed,))
    assert isinstance(listing, Listing)
    assert listing.matches[0].rules == "1x2"


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
def test_a_client_is_told_what_is_wrong_with_a_message(value, code, field):
    with pytest.raises(FrameError) as caught:
        decode_message(pack(value))

    assert (caught.value.code, caught.value.field) == (code, field)


def test_a_message_to_a_client_may_be_larger_than_a_request():
    opened = Opened(rules="classic", rounds=1)
    frame = encode(Happened(match="ABCDEF", v=1, events=(opened,) * 100))

    assert len(frame) > MAX_REQUEST_BYTES
    assert isinstance(decode_message(frame), Happened)


@given(st.lists(values_of(AnyEvent), max_size=4).map(tuple))
@thorough
def test_events_are_read_as_they_were_stored(events):
    assert decode_events(encode_events(events)) == events


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
    with pytest.raises(FrameError) as caught:
        decode_events(stored)

    assert caught.value.code == code


@given(values_of(AnyRequest) | values_of(AnyMessage))
@thorough
def test_a_frame_is_what_the_package_msgpack_makes_of_it(message):
    assert encode(message) == pack(msgspec.to_builtins(message, builtin_types=(bytes,)))


@given(st.lists(values_of(AnyEvent), max_size=4).map(tuple))
@thorough
def test_a_row_is_what_the_package_msgpack_makes_of_it(events):
    assert encode_events(events) == pack(msgspec.to_builtins(events, builtin_types=(bytes,)))


@pytest.mark.parametrize("again", [{"v": 4}, {"v": "3"}, {"op": "resign"}, {"why": None}])
def test_of_a_field_that_comes_twice_the_last_counts(again):
    once = pack({"op": "guess", "id": 7, "match": "ABCDEF", "code": [0], "v": 3, "why": None})
    twice = b"\x87" + once[1:] + pack(again)[1:]
    assert outcome(twice) == outcome(pack(msgpack.unpackb(twice)))


def test_encoding_is_the_same_each_time():
    request = Guess(id=1, match="ABCDEF", v=1, code=(0, 1, 2, 3))

    assert encode(request) == encode(msgspec.structs.replace(request))
    assert encode(Hello(id=1)) != encode(Done(id=1))


def test_bytes_are_not_taken_from_base_64_text():
    stored = pack([{"event": "secret", "by": "p", "commitment": "A" * 43 + "="}])

    with pytest.raises(FrameError):
        decode_events(stored)


@pytest.mark.parametrize("key", ["missing required field `op`", "`$.op"])
def test_the_name_of_an_extra_field_cannot_pass_for_another_error(key):
    with pytest.raises(FrameError) as raised:
        decode_request(pack({"op": "hello", "id": 1, key: 1}))

    assert raised.value.code == ErrorCode.INVALID_MESSAGE


def test_a_match_code_has_nothing_after_its_last_character():
    with pytest.raises(FrameError) as raised:
        decode_request(pack({"op": "follow", "id": 1, "match": "ABCDEF\n"}))

    assert raised.value.field == "match"


@pytest.mark.parametrize(
    ("fields", "told"),
    [({"id": 1}, "`op` is missing"), ({"id": 1, "op": "x"}, "`op` names nothing")],
)
def test_a_missing_op_is_told_from_one_that_is_not_known(fields, told):
    with pytest.raises(FrameError, match=told):
        decode_request(msgpack.packb(fields))
