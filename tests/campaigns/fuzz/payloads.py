"""Messages of hostile clients: noise, bombs, and honest requests mutated or replayed.

Each message depends on a random seed and on earlier messages, so a seed nearly reproduces a run.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgpack

from kit.matches import SeededRandom
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH
from mastermind_protocol.requests import MAX_REQUEST_ID

KEPT = 256  # recent requests and match codes to draw from
MUTATIONS = 4  # per message at most: the decoder rejects more heavily mutated ones at once
DEPTH = 1000  # of nested values: with the levels around them more than the decoder's 1,024
LARGE = 15_000  # bytes: just below the maximum size of a frame
_VECTORS = Path(__file__).parents[3] / "docs/protocol/vectors/requests.json"


class Tape:
    """Recent requests of honest players and recent match codes, for attackers to use.

    It has acknowledged requests only, because the codes of waiting matches are secret.
    """

    def __init__(self) -> None:
        vectors = json.loads(_VECTORS.read_text("utf-8"))
        self.samples = tuple(bytes.fromhex(vector["hex"]) for vector in vectors)
        self.requests: deque[bytes] = deque(maxlen=KEPT)
        self.matches: deque[str] = deque(maxlen=KEPT)

    def draw(self, dice: SeededRandom) -> bytes:
        """Return a recorded request, or one of the protocol's examples."""
        return dice.choice(self.requests if self.requests and dice.random() < 0.5 else self.samples)

    def draw_fields(self, dice: SeededRandom) -> dict[str, Any]:
        """Return a request's fields with a new id and, mostly, the code of an existing match."""
        fields: dict[str, Any] = msgpack.unpackb(self.draw(dice))
        if "match" in fields and dice.random() < 0.9:
            fields["match"] = self._draw_match(dice)
        if "v" in fields:
            fields["v"] = max(0, fields["v"] + dice.choice((-1, 0, 0, 1)))
        fields["id"] = dice.randint(1, MAX_REQUEST_ID)
        return fields

    def _draw_match(self, dice: SeededRandom) -> str:
        if self.matches and dice.random() < 0.9:
            return dice.choice(self.matches)
        return "".join(dice.choices(MATCH_CODE_ALPHABET, k=MATCH_CODE_LENGTH))


class MessageSource:
    """Draws the messages of one hostile player from its own requests and from a tape."""

    def __init__(self, dice: SeededRandom, tape: Tape) -> None:
        self.dice, self.tape = dice, tape
        self.sent: deque[bytes] = deque(maxlen=KEPT)

    def draw(self, kind: str) -> bytes:
        """Return a message of `kind`."""
        return PAYLOADS[kind](self)

    def make_noise(self) -> bytes:
        """Return random bytes."""
        return self.dice.randbytes(self.dice.randrange(200))

    def mutate(self) -> bytes:
        """Return a request with bits flipped, and bytes deleted, repeated, inserted or replaced."""
        dice, frame = self.dice, bytearray(self.tape.draw(self.dice))
        for _ in range(dice.randint(1, MUTATIONS)):
            start = dice.randrange(len(frame) + 1)
            chunk = frame[start : start + dice.randrange(1, 9)]
            match dice.randrange(5):
                case 0 if chunk:
                    frame[start] ^= 1 << dice.randrange(8)
                case 1:
                    del frame[start : start + len(chunk)]
                case 2:
                    frame[start:start] = chunk
                case 3:
                    frame[start:start] = dice.randbytes(dice.randrange(1, 5))
                case _:
                    frame[start:] = self.tape.draw(dice)[start:]
        return bytes(frame)

    def replay(self) -> bytes:
        """Return an unchanged request of another player."""
        return self.tape.draw(self.dice)

    def ask(self) -> bytes:
        """Return a well-formed request for a match of any player."""
        frame: bytes = msgpack.packb(self.tape.draw_fields(self.dice))
        self.sent.append(frame)
        return frame

    def repeat(self) -> bytes:
        """Return an earlier request of this player again."""
        return self.dice.choice(self.sent) if self.sent else self.ask()

    def reuse(self) -> bytes:
        """Return another request with an id that this player has already used."""
        fields = self.tape.draw_fields(self.dice)
        fields["id"] = msgpack.unpackb(self.repeat())["id"]
        return self._pack(fields)

    def confuse_types(self) -> bytes:
        """Return a request with a field that has a wrong type, is missing or is unknown."""
        dice = self.dice
        fields: dict[Any, Any] = {**self.tape.draw_fields(dice)}
        name = dice.choice([*fields, "", "extra", "op", 7, None])
        if dice.random() < 0.2:
            fields.pop(name, None)
        else:
            fields[name] = dice.choice(_ODD_VALUES)
        return self._pack(fields)

    def break_text(self) -> bytes:
        """Return a request with invalid UTF-8 in a string."""
        dice, text = self.dice, self.dice.choice(_INVALID_UTF8)
        marked = dict.fromkeys((dice.choice(["op", "match", "name", "text", "rules"]),), "\x00" * 6)
        frame: bytes = msgpack.packb({**self.tape.draw_fields(dice), **marked})
        return frame.replace(b"\x00" * 6, (text * 6)[:6])

    def make_bomb(self) -> bytes:
        """Return a short message that declares a huge size or is deeply nested."""
        dice, bomb = self.dice, self.dice.choice(_BOMBS)
        times = dice.choice((1, 20, DEPTH, DEPTH, LARGE)) // len(bomb) or 1
        inner = bomb * times
        field: bytes = msgpack.packb(dice.choice(("op", "id", "code", "match")))
        return inner if dice.random() < 0.5 else b"\x81" + field + inner

    def _pack(self, fields: Mapping[Any, Any]) -> bytes:
        packed: bytes = msgpack.packb(fields)
        return packed


_ODD_VALUES: Sequence[Any] = (
    None, True, 0, -1, 2**63, 2**64 - 1, -(2**63), 1.5, float("nan"), float("inf"), "", "me", "\0",
    "\u202e\u200b", "x" * 300, b"", b"\xff" * 9, [], [[]], [0] * 17, {}, {"op": "hello"},
    msgpack.ExtType(5, b"x"), msgpack.Timestamp(2**33, 5),
)  # fmt: skip
_INVALID_UTF8 = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82")
_BOMBS = (
    b"\x91", b"\x81\xa1x", b"\x81\x91", b"\xdc\x3a\x00", b"\xdd\xff\xff\xff\xff", b"\xde\xff\xff",
    b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff",
    b"\xc9\xff\xff\xff\xff\x01", b"\xc1", b"\xd6\xff", b"\xc7\x0c\xff",
)  # fmt: skip

PAYLOADS: Mapping[str, Callable[[MessageSource], bytes]] = MappingProxyType(
    {
        "random bytes": MessageSource.make_noise,
        "requests, mutated": MessageSource.mutate,
        "others' requests, replayed": MessageSource.replay,
        "requests": MessageSource.ask,
        "own requests, repeated": MessageSource.repeat,
        "own ids, for others": MessageSource.reuse,
        "wrong types and fields": MessageSource.confuse_types,
        "invalid UTF-8": MessageSource.break_text,
        "msgpack bombs": MessageSource.make_bomb,
    }
)
