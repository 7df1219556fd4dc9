"""A guess's frame read, and its event's frame made: by the codec, or by bare msgpack.

python -m bench.inside.codec [--bare]         # prints microseconds of CPU, as JSON
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import msgpack
import msgspec

from bench.rows.codec import READ, WRITE
from mastermind_protocol.codec import decode_request, encode
from mastermind_protocol.events import Guessed
from mastermind_protocol.messages import Happened

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 20_000
GUESS = {"op": "guess", "id": 1234, "match": "K7M2QP", "v": 17, "code": [0, 0, 1, 1]}
EVENT = Happened(
    id=1234, match="K7M2QP", v=18, events=(Guessed(code=(0, 0, 1, 1), black=1, white=1),)
)


def find_cost(work: Callable[[], object]) -> float:
    """Return the microseconds of CPU that one call takes."""
    for _ in range(TIMES // 10):
        work()
    began = time.process_time()
    for _ in range(TIMES):
        work()
    return (time.process_time() - began) / TIMES * 1e6


def main() -> None:
    """Measure both, one after the other."""
    frame: bytes = msgpack.packb(GUESS)
    bare = msgpack.unpackb(encode(EVENT))
    if sys.argv[1:] == ["--bare"]:
        costs = find_cost(lambda: msgpack.unpackb(frame)), find_cost(lambda: msgpack.packb(bare))
    else:
        costs = find_cost(lambda: decode_request(frame)), find_cost(lambda: encode(EVENT))
    print(msgspec.json.encode(dict(zip((READ, WRITE), costs, strict=True))).decode())


if __name__ == "__main__":
    main()
