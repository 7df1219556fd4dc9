from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from mastermind_protocol.codec import (
    MAX_DEPTH,
    decode_events,
    decode_message,
    decode_request,
)
from mastermind_protocol.errors import ErrorCode, MessageError
from mastermind_protocol.messages import MAX_MESSAGE_ITEMS
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_ITEMS,
)
from protocol.frames import GUESS, nested, pack, refusal


def test_a_request_of_the_largest_size_is_read_and_one_byte_more_is_not():
    largest = pack({**GUESS, "x": b""})
    frame = pack({**GUESS, "x": bytes(MAX_REQUEST_BYTES - len(largest) - 1)})
    assert len(frame) == MAX_REQUEST_BYTES
    assert refusal(frame).field == "x"
    refused = refusal(frame + b"\x00")
    assert (refused.code, refused.limit) == (ErrorCode.FRAME_TOO_LARGE, MAX_REQUEST_BYTES)
    assert str(MAX_REQUEST_BYTES) in refused.message


@pytest.mark.parametrize("levels", [20, 2000, 200_000])
def test_a_message_and_a_stored_row_that_nest_too_deep_are_refused(levels):
    for decode in (decode_message, decode_events):
        with pytest.raises(MessageError) as caught:
            decode(nested(levels))
        assert (caught.value.code, caught.value.limit) == (ErrorCode.FRAME_TOO_DEEP, MAX_DEPTH)


@pytest.mark.parametrize("head", [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdc\0\x21"])
def test_an_array_or_a_map_of_too_many_items_is_refused(head):
    refused = refusal(head)
    assert (refused.code, refused.limit) == (ErrorCode.FRAME_TOO_LARGE, MAX_REQUEST_ITEMS)
    assert refusal(pack([0] * MAX_REQUEST_ITEMS)).code == ErrorCode.INVALID_MESSAGE


@pytest.mark.parametrize("decode", [decode_message, decode_events])
def test_a_message_and_a_stored_row_have_bounds_too(decode):
    with pytest.raises(MessageError) as caught:
        decode(pack([0] * (MAX_MESSAGE_ITEMS + 1)))
    assert (caught.value.code, caught.value.limit) == (ErrorCode.FRAME_TOO_LARGE, MAX_MESSAGE_ITEMS)


@pytest.mark.parametrize("head", [b"\x9f", b"\xdc\0\x10", b"\xdc\x04\0", b"\xde\x04\0"])
def test_heads_without_items_use_little_memory(head):
    bomb = (head * MAX_REQUEST_BYTES)[:MAX_REQUEST_BYTES]
    assert memory_used(lambda: decode_request(bomb)) < 512 * 1024


@pytest.mark.parametrize("head", [b"\x9f", b"\xdc\x01\0", b"\xdc\x3f\xff", b"\xde\x3f\xff"])
def test_messages_of_a_hostile_server_use_little_memory(head):
    bomb = (head * 2**18)[: 2**18]
    assert memory_used(lambda: decode_message(bomb)) < 4 * 2**20


def test_a_frame_that_is_too_large_is_not_parsed():
    bomb = pack([0] * 100_000)
    assert memory_used(lambda: decode_request(bomb)) < 16 * 1024


def memory_used(decode: Callable[[], object]) -> int:
    """Return the bytes of memory that were in use at once while a frame was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(MessageError):
            decode()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


DEEP: Any = 0
for _ in range(20):
    DEEP = {"a": DEEP}
DEPTHS = {
    "as deep as allowed": (nested(MAX_DEPTH), ErrorCode.INVALID_MESSAGE),
    "a level more": (nested(MAX_DEPTH + 1), ErrorCode.FRAME_TOO_DEEP),
    "as deep as a frame is long": (nested(MAX_REQUEST_BYTES), ErrorCode.FRAME_TOO_DEEP),
    "too many bytes too": (nested(MAX_REQUEST_BYTES + 1), ErrorCode.FRAME_TOO_LARGE),
    "maps": (pack(DEEP), ErrorCode.FRAME_TOO_DEEP),
    "in a field": (pack({**GUESS, "code": [[DEEP]]}), ErrorCode.FRAME_TOO_DEEP),
    "a field of another type": (pack({**GUESS, "code": [[0]]}), ErrorCode.INVALID_MESSAGE),
}


@pytest.mark.parametrize(("frame", "code"), DEPTHS.values(), ids=DEPTHS)
def test_a_request_that_nests_too_deep_is_refused(frame, code):
    refused = refusal(frame)
    assert refused.code == code
    assert refused.limit == (MAX_DEPTH if code is ErrorCode.FRAME_TOO_DEEP else refused.limit)
