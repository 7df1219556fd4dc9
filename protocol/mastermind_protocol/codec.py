"""Frames: one msgpack map each, to and from the typed messages.

msgspec writes them, and reads at once what is as it should be. Whatever else comes the package
msgpack reads within bounds, and msgspec checks every field: no field is checked by hand. What is
wrong with a frame is said by a FrameError.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import msgpack
import msgspec

from mastermind_protocol.errors import ErrorCode, FrameError, Reason
from mastermind_protocol.events import AnyEvent
from mastermind_protocol.messages import MAX_MESSAGE_ITEMS, AnyMessage, Row, ServerMessage
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_ID,
    MAX_REQUEST_ITEMS,
    AnyRequest,
    Request,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 8  # the deepest message, a log, has 6
# What msgspec says of a value that does not fit; anchored, for parts of it may be a peer's words.
_PATH = re.compile(r" - at `\$\.?([^`]+)`$")
_FIELD = re.compile(r"^Object (?:missing required|contains unknown) field `([^`]*)`")


class _StoredRow(msgspec.Struct, array_like=True):
    """One row's events. Of a struct, not of a union, msgspec keeps how it is to be checked."""

    events: tuple[AnyEvent, ...]


def _by_tag(union: Any) -> Mapping[str, type[Any]]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union)}


_REQUESTS = _by_tag(AnyRequest)
_MESSAGES = _by_tag(AnyMessage)
_ENCODER = msgspec.msgpack.Encoder()
# These take no room for what is announced and does not come.
_REQUEST_DECODER: msgspec.msgpack.Decoder[AnyRequest] = msgspec.msgpack.Decoder(AnyRequest)
_ROW_DECODER = msgspec.msgpack.Decoder(tuple[AnyEvent, ...])
_OTHERWISE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def encode(message: Request | ServerMessage | Row) -> bytes:
    """Return the frame of a message: the same each time, as short as msgpack has it.

    Or a row as it is in one.
    """
    return _ENCODER.encode(message)


def decode_request(frame: bytes) -> AnyRequest:
    """Read a client's frame. Raises FrameError, which names the field that is wrong."""
    if len(frame) > MAX_REQUEST_BYTES:
        raise FrameError(Reason.REQUEST_TOO_LARGE, limit=MAX_REQUEST_BYTES, size=len(frame))
    try:
        return _REQUEST_DECODER.decode(frame)
    except _OTHERWISE:
        return _read_request(frame)


def _read_request(frame: bytes) -> AnyRequest:
    """Read a request that is said otherwise than we would, or find what is wrong with it."""
    unpacked = _unpack(frame, MAX_REQUEST_ITEMS)
    fields = _simplify(unpacked) if isinstance(unpacked, dict) else unpacked
    try:
        request: AnyRequest = _read(fields, _REQUESTS)
    except FrameError as error:
        found = fields.get("id") if isinstance(fields, dict) else None
        error.request = found if type(found) is int else None
        raise
    return request


def decode_message(frame: bytes) -> AnyMessage:
    """Read a server's frame. Raises FrameError; unknown fields are passed over."""
    message: AnyMessage = _read(_unpack(frame, MAX_MESSAGE_ITEMS), _MESSAGES)
    return message


def encode_events(events: tuple[AnyEvent, ...]) -> bytes:
    """Return the bytes under which one row's events are stored."""
    return _ENCODER.encode(events)


def decode_events(stored: bytes) -> tuple[AnyEvent, ...]:
    """Read one row's events; raises FrameError if the row is damaged."""
    try:
        return _ROW_DECODER.decode(stored)
    except _OTHERWISE:
        return _read_events(stored)


def _read_events(stored: bytes) -> tuple[AnyEvent, ...]:
    row: _StoredRow = _convert([_unpack(stored, MAX_MESSAGE_ITEMS)], _StoredRow)
    return row.events


def _unpack(frame: bytes, items: int) -> Any:
    """Read one value. The room for an array is taken when its length is read, so that is bounded.

    By it so is the memory that a frame can take: the package goes no deeper than 1024 levels.
    """
    try:
        return msgpack.unpackb(frame, max_array_len=items, max_map_len=items)
    except msgpack.StackError:
        raise FrameError(Reason.TOO_DEEP, limit=MAX_DEPTH) from None
    except (ValueError, msgpack.UnpackException) as error:
        problem = str(error) or "a byte that begins nothing"
        if re.search(r" exceeds max_(array|map)_len\(\d+\)$", problem):
            raise FrameError(Reason.TOO_MANY_ITEMS, limit=items) from None
        raise FrameError(Reason.NOT_MSGPACK, problem=problem) from None


def _simplify(fields: dict[Any, Any]) -> dict[Any, Any]:
    """Return a request's fields without nil, which is as good as absent, and whole numbers as int.

    Where a language has one kind of number, some libraries send larger whole ones as float.
    """
    return {
        name: int(value) if type(value) is float and _is_exact(value) else value
        for name, value in fields.items()
        if value is not None
    }


def _is_exact(value: float) -> bool:
    return value.is_integer() and abs(value) <= MAX_REQUEST_ID


def _read(unpacked: Any, kinds: Mapping[str, type[Any]]) -> Any:
    if not isinstance(unpacked, dict):
        raise _judge(unpacked, FrameError(Reason.NOT_A_MAP, field="op"))
    tag = unpacked.get("op")
    kind = kinds.get(tag) if isinstance(tag, str) else None
    if kind is None:
        reason = Reason.NO_OP if tag is None else Reason.UNKNOWN_OP
        raise _judge(unpacked, FrameError(reason, field="op"))
    return _convert(unpacked, kind)


def _convert(unpacked: Any, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(unpacked, kind, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        text = str(error)
        named = _FIELD.search(text) or _PATH.search(text)
        field = named[1] if named else None
        # Without a name of its own here: its traceback leads to this frame.
        raise _judge(
            unpacked, FrameError.told(ErrorCode.INVALID_MESSAGE, text, field=field)
        ) from None


def _judge(unpacked: Any, misfit: FrameError) -> FrameError:
    """Return what is wrong with a value that does not fit: only such a one can be too deep."""
    return FrameError(Reason.TOO_DEEP, limit=MAX_DEPTH) if _depth(unpacked) > MAX_DEPTH else misfit


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
