"""Frames for the tests of the codec."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mastermind_protocol.codec import decode_request
from mastermind_protocol.errors import MessageError

GUESS: dict[str, Any] = {
    "op": "guess",
    "id": 7,
    "match": "ABCDEF",
    "v": 3,
    "code": [0, 0, 1, 1],
}
OPEN: dict[str, Any] = {"op": "open", "id": 7, "rules": "mini", "maker": "me", "breaker": "open"}
HELLO: dict[str, Any] = {"op": "hello", "id": 1}
SAY: dict[str, Any] = {"op": "say", "id": 1, "match": "ABCDEF"}


def pack(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def nested(levels: int) -> bytes:
    """Return arrays nested to this depth."""
    return b"\x91" * (levels - 1) + b"\x90"


def refusal(frame: bytes) -> MessageError:
    """Return the error of a frame, which must be refused."""
    with pytest.raises(MessageError) as caught:
        decode_request(frame)
    return caught.value
