"""Encodes WebSocket frames of a server (RFC 6455, section 5.2)."""

from __future__ import annotations

import struct

BINARY_FRAME = 0x82  # first byte of a binary message in one frame
SHORT_LENGTH = 125  # maximum length that the second byte can hold
MEDIUM_LENGTH = 2**16 - 1  # maximum length that two more bytes can hold

_SHORT_HEADERS = tuple(bytes((BINARY_FRAME, length)) for length in range(SHORT_LENGTH + 1))
_MEDIUM_HEADER, _LONG_HEADER = struct.Struct("!BBH"), struct.Struct("!BBQ")


def encode_frame(message: bytes) -> bytes:
    """Return `message` as one unmasked binary frame."""
    length = len(message)
    if length <= SHORT_LENGTH:
        return _SHORT_HEADERS[length] + message
    if length <= MEDIUM_LENGTH:
        return _MEDIUM_HEADER.pack(BINARY_FRAME, SHORT_LENGTH + 1, length) + message
    return _LONG_HEADER.pack(BINARY_FRAME, SHORT_LENGTH + 2, length) + message
