"""WebSocket frames: the frame of a message, and the messages in received frames.

`unpack_messages` reads short binary messages, which are most frames. The library websockets parses
all other frames.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from websockets.frames import Opcode

try:
    from websockets.speedups import apply_mask
except ImportError:  # websockets was not compiled for this machine
    from websockets.utils import apply_mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from websockets.frames import Frame

BINARY_FRAME_BYTE = 0x82  # first byte of a binary message in one frame
MAX_SHORT_LENGTH = 125  # the longest payload whose length fits into the second byte
MAX_MEDIUM_LENGTH = 2**16 - 1  # the longest payload whose length fits into two more bytes
MASK_BIT = 0x80
SHORT_HEADER_BYTES = 6  # before the payload in a client's short frame; the last four are the mask

_SHORT_HEADERS = tuple(bytes((BINARY_FRAME_BYTE, length)) for length in range(MAX_SHORT_LENGTH + 1))
_MEDIUM_HEADER, _LONG_HEADER = struct.Struct("!BBH"), struct.Struct("!BBQ")
_DATA_OPCODES = {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}


def encode_frame(message: bytes) -> bytes:
    """Return the WebSocket frame of the binary message `message`, without a mask."""
    length = len(message)
    if length <= MAX_SHORT_LENGTH:
        return _SHORT_HEADERS[length] + message
    if length <= MAX_MEDIUM_LENGTH:
        return _MEDIUM_HEADER.pack(BINARY_FRAME_BYTE, MAX_SHORT_LENGTH + 1, length) + message
    return _LONG_HEADER.pack(BINARY_FRAME_BYTE, MAX_SHORT_LENGTH + 2, length) + message


def unpack_messages(data: bytes) -> tuple[list[bytes | None], bytes]:
    """Return the short, unfragmented binary messages at the start of `data`, and the other data."""
    messages, begin, size = list[bytes | None](), 0, len(data)
    while size - begin >= SHORT_HEADER_BYTES and data[begin] == BINARY_FRAME_BYTE:
        payload, length = begin + SHORT_HEADER_BYTES, data[begin + 1] - MASK_BIT
        if not 0 <= length <= MAX_SHORT_LENGTH or (end := payload + length) > size:
            break
        messages.append(apply_mask(data[payload:end], data[payload - 4 : payload]))
        begin = end
    return messages, data[begin:]


def measure_frame(frame: Frame) -> int:
    """Return the size in bytes of a client's frame in its shortest encoding."""
    length = len(frame.data)
    return (
        SHORT_HEADER_BYTES
        + (0 if length <= MAX_SHORT_LENGTH else 2 if length <= MAX_MEDIUM_LENGTH else 8)
        + length
    )


class MessageAssembler:
    """Joins the frames of fragmented messages.

    `unfinished` is the number of bytes that were received of an incomplete frame.
    """

    __slots__ = ("_message", "unfinished")

    def __init__(self) -> None:
        self.unfinished = 0
        self._message: bytearray | None = None

    def add(self, frames: Sequence[Frame], size: int) -> list[bytes | None]:
        """Add received frames, and return the messages that they complete, in order.

        A text message is returned as None. Control frames belong to no message. `size` is the
        number of bytes received since the last call, including bytes of an incomplete frame.
        """
        messages = list[bytes | None]()
        self.unfinished += size
        for frame in frames:
            self.unfinished -= measure_frame(frame)
            if frame.opcode not in _DATA_OPCODES:
                continue
            if frame.opcode is Opcode.BINARY:
                self._message = bytearray()
            if self._message is not None:
                self._message += frame.data
            if frame.fin:
                messages.append(None if self._message is None else bytes(self._message))
                self._message = None
        return messages
