"""Frames of the kind that most are: binary, whole and short (RFC 6455, section 5.2).

Of all others websockets makes sense, and of which may come when; here their messages are put
together.
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

WHOLE_BINARY = 0x82
MASKED = 0x80
CLIENT_HEAD = 6  # bytes: two, and a mask
SHORT = 125  # bytes of a message whose length fits into the second byte
MEDIUM = 2**16 - 1

_DATA = {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}
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


def unpack(data: bytes) -> tuple[list[bytes], bytes]:
    """Return the short messages, each in one frame, that a client has sent first, and the rest."""
    messages, begin, size = list[bytes](), 0, len(data)
    while size - begin >= CLIENT_HEAD and data[begin] == WHOLE_BINARY:
        head, length = begin + CLIENT_HEAD, data[begin + 1] - MASKED
        if not 0 <= length <= SHORT or (end := head + length) > size:
            break
        messages.append(apply_mask(data[head:end], data[head - 4 : head]))
        begin = end
    return messages, data[begin:]


def measure(frame: Frame) -> int:
    """Return how many bytes a client's frame took at least."""
    length = len(frame.data)
    return CLIENT_HEAD + (0 if length <= SHORT else 2 if length <= MEDIUM else 8) + length


class Pieces:
    """What has come of messages that are not in one short frame each.

    `unfinished` is how many bytes there are of a frame that has not come whole.
    """

    __slots__ = ("_message", "unfinished")

    def __init__(self) -> None:
        self.unfinished = 0
        self._message: bytearray | None = None

    def join(self, frames: Sequence[Frame], size: int) -> list[bytes | None]:
        """Return the messages that end in these frames, of which the last bytes came just now.

        None stands for one of text, whose words do not matter.
        """
        messages = list[bytes | None]()
        self.unfinished += size
        for frame in frames:
            self.unfinished -= measure(frame)
            if frame.opcode not in _DATA:
                continue
            if frame.opcode is Opcode.BINARY:
                self._message = bytearray()
            if self._message is not None:
                self._message += frame.data
            if frame.fin:
                messages.append(None if self._message is None else bytes(self._message))
                self._message = None
        return messages
