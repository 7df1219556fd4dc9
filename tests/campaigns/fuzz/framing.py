"""WebSocket frames and handshakes, valid and invalid, for hostile clients."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from kit.frames import HANDSHAKE, frame
from kit.matches import SeededRandom
from mastermind_server.limits import DEFAULT_LIMITS

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
MOST_CONTROL = 125  # bytes of a control frame's data


def close(code: int) -> bytes:
    """Return a close frame with `code`."""
    return frame(CLOSE, struct.pack("!H", code))


def send_whole(dice: SeededRandom, message: bytes) -> list[bytes]:
    """Return `message` as one frame, with a random mask or a mask of zeros."""
    return [frame(BINARY, message, mask=dice.randbytes(4) if dice.random() < 0.5 else bytes(4))]


def send_fragments(dice: SeededRandom, message: bytes) -> list[bytes]:
    """Return `message` as several fragments, some empty, with control frames between them."""
    cuts = sorted(dice.randrange(len(message) + 1) for _ in range(dice.randint(1, 6)))
    starts, ends = [0, *cuts], [*cuts, len(message)]
    frames = []
    for number, (start, stop) in enumerate(zip(starts, ends, strict=True)):
        opcode, last = CONTINUATION if number else BINARY, number == len(cuts)
        frames.append(frame(opcode, message[start:stop], fin=last))
        if not last and dice.random() < 0.3:
            frames += send_control(dice)
    return frames


def send_text(dice: SeededRandom, message: bytes) -> list[bytes]:
    """Return `message` as a text frame, mostly with invalid UTF-8."""
    return [frame(TEXT, message, mask=dice.randbytes(4))]


def send_control(dice: SeededRandom) -> list[bytes]:
    """Return a ping or an unsolicited pong."""
    length = dice.choice((0, 1, 4, MOST_CONTROL))
    return [frame(dice.choice((PING, PONG)), dice.randbytes(length))]


def violate(dice: SeededRandom) -> tuple[str, list[bytes]]:
    """Return the kind and bytes of forbidden frames, on which the server must close."""
    kind = dice.choice(list(VIOLATIONS))
    return kind, [dice.choice(VIOLATIONS[kind])]


VIOLATIONS: Mapping[str, Sequence[bytes]] = MappingProxyType(
    {
        "invalid control frames": (
            frame(PING, bytes(MOST_CONTROL + 1)),
            frame(PONG, bytes(2**16)),
            frame(PING, b"x", fin=False),
            frame(CLOSE, b"\x03"),
            frame(CLOSE, b"\x03\xe8\xff\xfe"),
            frame(CLOSE, bytes(2)),
            close(1005),
            close(999),
        ),
        "reserved bits and opcodes": (
            *(frame(BINARY, b"\x80", reserved=bits) for bits in (1, 2, 4, 7)),
            *(frame(opcode, b"\x80") for opcode in (3, 7, 11, 15)),
        ),
        "fragments out of order": (
            frame(CONTINUATION, b"\x80"),
            frame(BINARY, b"\x81", fin=False) + frame(BINARY, b"\x80"),
            frame(TEXT, b"a", fin=False) + frame(TEXT, b"b"),
        ),
        "unmasked frames": (b"\x82\x01\x80", b"\x89\x00"),
        "frames with a huge declared length": (
            struct.pack("!BBQ", 0x82, 0xFF, 2**62) + bytes(8),
            struct.pack("!BBQ", 0x82, 0xFF, 2**63) + bytes(8),
            struct.pack("!BBQ", 0x89, 0xFF, 2**64 - 1) + bytes(8),
        ),
        "frames too large": (
            frame(BINARY, bytes(DEFAULT_LIMITS.frame_bytes + 1)),
            frame(BINARY, bytes(DEFAULT_LIMITS.frame_bytes), fin=False) + frame(CONTINUATION, b"x"),
        ),
    }
)


def _replace(line: bytes, by: bytes) -> bytes:
    assert line in HANDSHAKE
    return HANDSHAKE.replace(line, by)


def _find_line(name: bytes) -> bytes:
    return next(line + b"\r\n" for line in HANDSHAKE.split(b"\r\n") if line.startswith(name))


_KEY, _VERSION = _find_line(b"Sec-WebSocket-Key"), _find_line(b"Sec-WebSocket-Version")
HANDSHAKES: Mapping[str, Sequence[bytes]] = MappingProxyType(
    {
        "half handshakes": (
            b"",
            b"G",
            HANDSHAKE[:-2],
            HANDSHAKE[: len(HANDSHAKE) // 2],
            HANDSHAKE[: len(HANDSHAKE) // 2] + b"\r\n\r\n",
        ),
        "wrong upgrades": (
            _replace(_KEY, b""),
            _replace(_KEY, b"Sec-WebSocket-Key: short\r\n"),
            _replace(_KEY, _KEY * 2),
            _replace(_VERSION, b"Sec-WebSocket-Version: 7\r\n"),
            _replace(_VERSION, b"Sec-WebSocket-Version: \xff\xfe\r\n"),
            _replace(_find_line(b"Upgrade"), b"Upgrade: h2c\r\n"),
            _replace(_find_line(b"Connection"), b"Connection: close\r\n"),
            _replace(b"HTTP/1.1", b"HTTP/1.0"),
            _replace(b"GET /", b"POST /"),
            _replace(b"GET /", b"GET /\xff%00?" + b"x" * 300),
            _replace(_find_line(b"Host"), b""),
            _replace(_KEY, _KEY + b"X-Long: " + b"x" * 9000 + b"\r\n"),
            _replace(_KEY, _KEY + b"X: y\r\n" * 200),
            _replace(_KEY, _KEY + b" folded: yes\r\n"),
            _replace(_KEY, _KEY + b"Content-Length: 5\r\n") + b"hello",
        ),
        "not a handshake": (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
            b"SSH-2.0-OpenSSH_9.6\r\n",
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"\r\n" * 40,
            bytes(range(256)),
            b"GET /healthz HTTP/1.1\r\n\r\n",
            b"HEAD /readyz HTTP/1.1\r\nHost: x\r\n\r\n",
        ),
        "frames with the handshake": (HANDSHAKE + frame(BINARY, b"\x80") * 3,),
    }
)
