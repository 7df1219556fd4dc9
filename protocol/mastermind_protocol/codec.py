"""Encoding and decoding of messages. An encoded message is one msgpack map.

msgspec encodes all messages, and decodes most requests directly. All other messages are decoded by
the package msgpack, with limits on their size; then msgspec validates each field. This slower way
accepts the encodings of other libraries, and finds the error code of an invalid message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args

import msgpack
import msgspec

from mastermind_protocol.errors import ErrorCode, MessageError, Reason
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

MAX_DEPTH = 8  # nested maps and arrays; the deepest message, a log, has 6
# These match msgspec's error messages. They are anchored, because a message may quote the peer.
_PATH_PATTERN = re.compile(r" - at `\$\.?([^`]+)`$")
_FIELD_PATTERN = re.compile(r"^Object (?:missing required|contains unknown) field `([^`]*)`")


class _StoredRow(msgspec.Struct, array_like=True):
    """The events of one row. A struct, because msgspec caches type information only for structs."""

    events: tuple[AnyEvent, ...]


def _index_by_tag(union: Any) -> Mapping[str, type[Any]]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union)}


_REQUESTS = _index_by_tag(AnyRequest)
_MESSAGES = _index_by_tag(AnyMessage)
_ENCODER = msgspec.msgpack.Encoder()
# These decoders allocate no memory for an announced length.
_REQUEST_DECODER: msgspec.msgpack.Decoder[AnyRequest] = msgspec.msgpack.Decoder(AnyRequest)
_ROW_DECODER = msgspec.msgpack.Decoder(tuple[AnyEvent, ...])
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def encode(message: Request | ServerMessage | Row) -> bytes:
    """Return the msgpack encoding of a message or of a log row.

    The encoding is deterministic and uses the shortest form of each value.
    """
    return _ENCODER.encode(message)


def decode_request(encoded: bytes) -> AnyRequest:
    """Return the request in a client's message. Raises MessageError with the invalid field."""
    if len(encoded) > MAX_REQUEST_BYTES:
        raise MessageError(Reason.REQUEST_TOO_LARGE, limit=MAX_REQUEST_BYTES, size=len(encoded))
    try:
        return _REQUEST_DECODER.decode(encoded)
    except _DECODE_ERRORS:
        return _decode_request_leniently(encoded)


def _decode_request_leniently(encoded: bytes) -> AnyRequest:
    """Return the request in `encoded`, which may contain None values and integral floats.

    Called for messages that `_REQUEST_DECODER` rejects. Raises MessageError for invalid ones.
    """
    unpacked = _unpack_value(encoded, MAX_REQUEST_ITEMS)
    fields = _normalise_fields(unpacked) if isinstance(unpacked, dict) else unpacked
    try:
        request: AnyRequest = _validate_message(fields, _REQUESTS)
    except MessageError as error:
        found = fields.get("id") if isinstance(fields, dict) else None
        error.request = found if type(found) is int else None
        raise
    return request


def decode_message(encoded: bytes) -> AnyMessage:
    """Return a message of a server. Raises MessageError. Unknown fields are ignored."""
    message: AnyMessage = _validate_message(_unpack_value(encoded, MAX_MESSAGE_ITEMS), _MESSAGES)
    return message


def encode_events(events: tuple[AnyEvent, ...]) -> bytes:
    """Return the msgpack encoding of one row's events, as the log stores it."""
    return _ENCODER.encode(events)


def decode_events(stored: bytes) -> tuple[AnyEvent, ...]:
    """Return the events that `encode_events` encoded. Raises MessageError for damaged bytes."""
    try:
        return _ROW_DECODER.decode(stored)
    except _DECODE_ERRORS:
        return _decode_events_leniently(stored)


def _decode_events_leniently(stored: bytes) -> tuple[AnyEvent, ...]:
    row: _StoredRow = _convert_fields([_unpack_value(stored, MAX_MESSAGE_ITEMS)], _StoredRow)
    return row.events


def _unpack_value(encoded: bytes, items: int) -> Any:
    """Return the only msgpack value in `encoded`. Raises MessageError for any other content.

    Arrays and maps of more than `items` items are rejected before msgpack allocates memory for
    them. msgpack itself limits the depth to 1024 levels.
    """
    try:
        return msgpack.unpackb(encoded, max_array_len=items, max_map_len=items)
    except msgpack.StackError:
        raise MessageError(Reason.TOO_DEEP, limit=MAX_DEPTH) from None
    except (ValueError, msgpack.UnpackException) as error:
        problem = str(error) or "a byte that begins nothing"
        if re.search(r" exceeds max_(array|map)_len\(\d+\)$", problem):
            raise MessageError(Reason.TOO_MANY_ITEMS, limit=items) from None
        raise MessageError(Reason.NOT_MSGPACK, problem=problem) from None


def _normalise_fields(fields: dict[Any, Any]) -> dict[Any, Any]:
    """Return the `fields` of a request without None values, and with integral floats as ints.

    Libraries of languages with one number type send large integers as floats.
    """
    return {
        name: int(value) if type(value) is float and _is_exact_integer(value) else value
        for name, value in fields.items()
        if value is not None
    }


def _is_exact_integer(value: float) -> bool:
    return value.is_integer() and abs(value) <= MAX_REQUEST_ID


def _validate_message(unpacked: Any, kinds: Mapping[str, type[Any]]) -> Any:
    if not isinstance(unpacked, dict):
        raise _choose_error(unpacked, MessageError(Reason.NOT_A_MAP, field="op"))
    tag = unpacked.get("op")
    kind = kinds.get(tag) if isinstance(tag, str) else None
    if kind is None:
        reason = Reason.NO_OP if tag is None else Reason.UNKNOWN_OP
        raise _choose_error(unpacked, MessageError(reason, field="op"))
    return _convert_fields(unpacked, kind)


def _convert_fields(unpacked: Any, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(unpacked, kind, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        text = str(error)
        named = _FIELD_PATTERN.search(text) or _PATH_PATTERN.search(text)
        field = named[1] if named else None
        # No local variable holds the error: its traceback refers to this stack frame, a cycle.
        raise _choose_error(
            unpacked, MessageError.with_message(ErrorCode.INVALID_MESSAGE, text, field=field)
        ) from None


def _choose_error(unpacked: Any, error: MessageError) -> MessageError:
    """Return a TOO_DEEP error if `unpacked` nests deeper than MAX_DEPTH, else `error`."""
    if _find_depth(unpacked) > MAX_DEPTH:
        return MessageError(Reason.TOO_DEEP, limit=MAX_DEPTH)
    return error


def _find_depth(value: Any) -> int:
    """Return the nesting depth of maps and arrays in `value`, at most MAX_DEPTH + 1."""
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
