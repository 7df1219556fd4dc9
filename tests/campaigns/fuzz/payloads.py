"""What hostile clients say in a message: noise, bombs, and honest requests changed or said again.

Every one is drawn from dice and from what was said before, so a seed tells nearly the whole of it.
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

KEPT = 256  # requests and codes of each kind: what is drawn is of the last seconds, not of long ago
MUTATIONS = 4  # of one message at most: more leave nothing that a decoder would go into
DEPTH = 1000  # of what is nested: beyond the decoder's 1,024 levels with what is around it
LARGE = 15_000  # bytes: nearly as large as a frame may be
_VECTORS = Path(__file__).parents[3] / "docs/protocol/vectors/requests.json"


class Tape:
    """What honest players have asked, and which matches there are, as anybody may overhear it.

    A request is here only when it was acknowledged: the code of a match that waits for its player
    is known to nobody else.
    """

    def __init__(self) -> None:
        vectors = json.loads(_VECTORS.read_text("utf-8"))
        self.samples = tuple(bytes.fromhex(vector["hex"]) for vector in vectors)
        self.heard: deque[bytes] = deque(maxlen=KEPT)
        self.matches: deque[str] = deque(maxlen=KEPT)

    def draw(self, dice: SeededRandom) -> bytes:
        """Return a request of somebody else, or one of the protocol's examples."""
        return dice.choice(self.heard if self.heard and dice.random() < 0.5 else self.samples)

    def draw_fields(self, dice: SeededRandom) -> dict[str, Any]:
        """Return the fields of a request, about a match that exists where it is about one."""
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


class Speech:
    """One hostile player's part: what it has said itself, beside what it overhears."""

    def __init__(self, dice: SeededRandom, tape: Tape) -> None:
        self.dice, self.tape = dice, tape
        self.said: deque[bytes] = deque(maxlen=KEPT)

    def draw(self, kind: str) -> bytes:
        """Return a message of this kind."""
        return PAYLOADS[kind](self)

    def make_noise(self) -> bytes:
        """Return bytes that mean nothing."""
        return self.dice.randbytes(self.dice.randrange(200))

    def mutate(self) -> bytes:
        """Return a request of which some bytes are turned, gone, doubled or another's."""
        dice, frame = self.dice, bytearray(self.tape.draw(self.dice))
        for _ in range(dice.randint(1, MUTATIONS)):
            start = dice.randrange(len(frame) + 1)
            piece = frame[start : start + dice.randrange(1, 9)]
            match dice.randrange(5):
                case 0 if piece:
                    frame[start] ^= 1 << dice.randrange(8)
                case 1:
                    del frame[start : start + len(piece)]
                case 2:
                    frame[start:start] = piece
                case 3:
                    frame[start:start] = dice.randbytes(dice.randrange(1, 5))
                case _:
                    frame[start:] = self.tape.draw(dice)[start:]
        return bytes(frame)

    def replay(self) -> bytes:
        """Return what another player has sent, byte for byte."""
        return self.tape.draw(self.dice)

    def ask(self) -> bytes:
        """Return a well-formed request, about a match that may be anybody's."""
        frame: bytes = msgpack.packb(self.tape.draw_fields(self.dice))
        self.said.append(frame)
        return frame

    def repeat(self) -> bytes:
        """Return a request of its own once more."""
        return self.dice.choice(self.said) if self.said else self.ask()

    def reuse(self) -> bytes:
        """Return another request under an id of its own that is used up."""
        fields = self.tape.draw_fields(self.dice)
        fields["id"] = msgpack.unpackb(self.repeat())["id"]
        return self._pack(fields)

    def confuse_types(self) -> bytes:
        """Return a request of which a field is of another kind, is missing, or is one too many."""
        dice = self.dice
        fields: dict[Any, Any] = {**self.tape.draw_fields(dice)}
        name = dice.choice([*fields, "", "extra", "op", 7, None])
        if dice.random() < 0.2:
            fields.pop(name, None)
        else:
            fields[name] = dice.choice(_STRANGE)
        return self._pack(fields)

    def break_text(self) -> bytes:
        """Return a request in which a text is no UTF-8."""
        dice, text = self.dice, self.dice.choice(_NO_TEXT)
        marked = dict.fromkeys((dice.choice(["op", "match", "name", "text", "rules"]),), "\x00" * 6)
        frame: bytes = msgpack.packb({**self.tape.draw_fields(dice), **marked})
        return frame.replace(b"\x00" * 6, (text * 6)[:6])

    def make_bomb(self) -> bytes:
        """Return a short message that says to be huge, or is deep."""
        dice, bomb = self.dice, self.dice.choice(_BOMBS)
        times = dice.choice((1, 20, DEPTH, DEPTH, LARGE)) // len(bomb) or 1
        inner = bomb * times
        field: bytes = msgpack.packb(dice.choice(("op", "id", "code", "match")))
        return inner if dice.random() < 0.5 else b"\x81" + field + inner

    def _pack(self, fields: Mapping[Any, Any]) -> bytes:
        packed: bytes = msgpack.packb(fields)
        return packed


_STRANGE: Sequence[Any] = (
    None, True, 0, -1, 2**63, 2**64 - 1, -(2**63), 1.5, float("nan"), float("inf"), "", "me", "\0",
    "\u202e\u200b", "x" * 300, b"", b"\xff" * 9, [], [[]], [0] * 17, {}, {"op": "hello"},
    msgpack.ExtType(5, b"x"), msgpack.Timestamp(2**33, 5),
)  # fmt: skip
_NO_TEXT = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82")
_BOMBS = (
    b"\x91", b"\x81\xa1x", b"\x81\x91", b"\xdc\x3a\x00", b"\xdd\xff\xff\xff\xff", b"\xde\xff\xff",
    b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff",
    b"\xc9\xff\xff\xff\xff\x01", b"\xc1", b"\xd6\xff", b"\xc7\x0c\xff",
)  # fmt: skip

PAYLOADS: Mapping[str, Callable[[Speech], bytes]] = MappingProxyType(
    {
        "random bytes": Speech.make_noise,
        "requests, mutated": Speech.mutate,
        "others' requests, replayed": Speech.replay,
        "requests": Speech.ask,
        "own requests, repeated": Speech.repeat,
        "own ids, for others": Speech.reuse,
        "wrong types and fields": Speech.confuse_types,
        "invalid UTF-8": Speech.break_text,
        "msgpack bombs": Speech.make_bomb,
    }
)
