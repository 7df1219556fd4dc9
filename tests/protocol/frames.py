"""Frames for the tests of the codec: values packed, and how a request is refused."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest

from mastermind_protocol.codec import decode_request
from mastermind_protocol.errors import FrameError

GUESS: dict[str, Any] = {
    "op": "guess",
    "id": 7,
    "match": "ABCDEF",
    "v": 3,
    "code": [0, 0, 1, 1],
}
OPEN: dict[str, Any] = {"op": "open", "id": 7, "rules": "mini", "maker": "me", "breaker": "open"}


def pack(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def nested(levels: int) -> bytes:
    """Return that many arrays, each in the one before."""
    return b"\x91" * (levels - 1) + b"\x90"


def refusal(frame: bytes) -> FrameError:
    with pytest.raises(FrameError) as caught:
        decode_request(frame)
    return caught.value
