"""Frames of the kind that most are: binary, whole and short (RFC 6455, section 5.2).

Only the bytes of one: which frames may come and go when is websockets' business, and so is what
comes in pieces.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

try:
    from websockets.speedups import apply_mask
except ImportError:  # websockets was not compiled for this machine
    from websockets.utils import apply_mask

if TYPE_CHECKING:
    from websockets.frames import Frame
    from websockets.protocol import Protocol

WHOLE_BINARY = 0x82
MASKED = 0x80
CLIENT_HEAD = 6  # bytes: two, and a mask
SHORT = 125  # bytes of a message whose length fits into the second byte
MEDIUM = 2**16 - 1

_SHORT_HEADS = tuple(bytes((WHOLE_BINARY, length)) for length in range(SHORT + 1))
_MEDIUM_HEAD, _LONG_HEAD = struct.Struct("!BBH"), struct.Struct("!BBQ")


def pack(message: bytes) -> bytes:
    """Return a binary message as a server sends it: in one frame, without a mask."""
    length = len(message)
    if length <= SHORT:
        return _SHORT_HEADS[length] + message
    if length <= MEDIUM:
        return _MEDIUM_HEAD.pack(WHOLE_BINARY, SHORT + 1, length) + message
    return _LONG_HEAD.pack(WHOLE_BINARY, SHORT + 2, length) + message


def unpack(data: bytes) -> bytes | None:
    """Return the message if a client has sent one that is short, in one frame and no more."""
    length = len(data) - CLIENT_HEAD
    if 0 <= length <= SHORT and data[0] == WHOLE_BINARY and data[1] == MASKED | length:
        return apply_mask(data[CLIENT_HEAD:], data[CLIENT_HEAD - 4 : CLIENT_HEAD])
    return None


def measure(frame: Frame) -> int:
    """Return how many bytes a client's frame took at least."""
    length = len(frame.data)
    return CLIENT_HEAD + (0 if length <= SHORT else 2 if length <= MEDIUM else 8) + length


def let_go(protocol: Protocol) -> None:
    """Free a protocol that gets nothing more at once: the garbage collector comes rarely.

    Its parser knows it, and so does, by its traceback, what it has found wrong: some 22 KB.
    """
    protocol.parser.close()
    faults: tuple[BaseException | None, ...] = (protocol.parser_exc, protocol.handshake_exc)
    for fault in faults:
        while fault is not None:
            fault.__traceback__ = None
            fault = fault.__cause__ or fault.__context__
