"""Frames: one msgpack map each, to and from the typed messages.

The package msgpack reads the bytes within bounds, msgspec checks every field: no field is
checked by hand. What is wrong with a frame is said by a FrameError.
"""

from __future__ import annotations

import re
from typing import Any

import msgpack
import msgspec

from mastermind_protocol.errors import ErrorCode, FrameError
from mastermind_protocol.events import AnyEvent
from mastermind_protocol.messages import (
    MAX_REQUEST_BYTES,
    AnyMessage,
    AnyRequest,
    Request,
    ServerMessage,
)

MAX_DEPTH = 8  # the deepest message, a log, has 6
# What msgspec says of a value that does not fit; anchored, for parts of it may be a peer's words.
_PATH = re.compile(r" - at `\$\.?([^`]+)`$")
_FIELD = re.compile(r"^Object (?:missing required|contains unknown) field `([^`]*)`")
_TAG = re.compile(
    r"^(?!Object contains).* - at `\$\.op`$|^Object missing required field `op`$", re.DOTALL
)


def encode(message: Request | ServerMessage) -> bytes:
    """Return the frame of a message."""
    return _pack(message)


def decode_request(frame: bytes) -> AnyRequest:
    """Read a client's frame. Raises FrameError, which names the field that is wrong."""
    if len(frame) > MAX_REQUEST_BYTES:
        raise FrameError(
            ErrorCode.FRAME_TOO_LARGE,
            f"a request of {len(frame)} bytes; at most {MAX_REQUEST_BYTES} are allowed",
            limit=MAX_REQUEST_BYTES,
        )
    request: AnyRequest = _convert(_unpack(frame), AnyRequest)
    return request


def decode_message(frame: bytes) -> AnyMessage:
    """Read a server's frame. Raises FrameError; unknown fields are passed over."""
    message: AnyMessage = _convert(_unpack(frame), AnyMessage)
    return message


def find_request_id(frame: bytes) -> int | None:
    """Return the id in a frame that is no valid request, if it can be made out."""
    try:
        unpacked = _unpack(frame)
    except FrameError:
        return None
    found = unpacked.get("id") if isinstance(unpacked, dict) else None
    return found if type(found) is int else None


def encode_events(events: tuple[AnyEvent, ...]) -> bytes:
    """Return the bytes under which one row's events are stored."""
    return _pack(events)


def decode_events(stored: bytes) -> tuple[AnyEvent, ...]:
    """Read one row's events; raises FrameError if the row is damaged."""
    events: tuple[AnyEvent, ...] = _convert(_unpack(stored), tuple[AnyEvent, ...])
    return events


def _pack(value: Any) -> bytes:
    packed: bytes = msgpack.packb(msgspec.to_builtins(value, builtin_types=(bytes,)))
    return packed


def _unpack(frame: bytes) -> Any:
    try:
        return msgpack.unpackb(frame)
    except msgpack.StackError:
        raise FrameError(
            ErrorCode.FRAME_TOO_DEEP,
            f"the frame nests deeper than {MAX_DEPTH} levels",
            limit=MAX_DEPTH,
        ) from None
    except (ValueError, msgpack.UnpackException) as error:
        reason = str(error) or "a byte that begins nothing"
        raise FrameError(ErrorCode.NOT_MSGPACK, f"not one msgpack value: {reason}") from None


def _convert(unpacked: Any, kind: Any) -> Any:
    try:
        return msgspec.convert(unpacked, kind, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        # Only what does not fit can be too deep: the structs themselves are bounded.
        if _depth(unpacked) > MAX_DEPTH:
            message = f"the frame nests deeper than {MAX_DEPTH} levels"
            raise FrameError(ErrorCode.FRAME_TOO_DEEP, message, limit=MAX_DEPTH) from None
        text = str(error)
        code = ErrorCode.UNKNOWN_MESSAGE if _TAG.search(text) else ErrorCode.INVALID_MESSAGE
        named = _FIELD.search(text) or _PATH.search(text)
        raise FrameError(code, text, field=named[1] if named else None) from None


def _depth(value: Any) -> int:
    """Return how many maps and arrays are around one another, counted no further than needed."""
    level, depth = [value], 0
    while depth <= MAX_DEPTH:
        containers = [item for item in level if isinstance(item, dict | list)]
        if not containers:
            break
        level = [
            inner
            for item in containers
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        depth += 1
    return depth
