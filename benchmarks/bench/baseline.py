"""The baseline: the same match on websockets' own connections, without checks or storage.

It keeps rooms in memory, scores a guess and sends the event to both seats, in frames with the
server's fields. It is written as a short program on that package would be, and is never made
slower than that.

    python -m bench.baseline             # on asyncio's own loop
    python -m bench.baseline --uvloop
"""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Any

import msgpack
import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

Code = list[int]


def score(secret: Code, guess: Code) -> tuple[int, int]:
    """Return the black and the white pegs."""
    black = sum(a == b for a, b in zip(secret, guess, strict=True))
    both = sum(min(secret.count(colour), guess.count(colour)) for colour in set(guess))
    return black, both - black


class Room:
    """One match: its seats, spectators, secret and guesses."""

    __slots__ = ("guesses", "seats", "secret", "spectators", "version")

    def __init__(self) -> None:
        self.seats: list[ServerConnection] = []
        self.spectators: set[ServerConnection] = set()
        self.secret: Code = []
        self.guesses: list[tuple[Code, int, int]] = []
        self.version = 3

    def add(self, asked: dict[str, Any]) -> bytes:
        """Add a guess; return the frame of its event."""
        guess = asked["code"]
        black, white = score(self.secret, guess)
        self.guesses.append((guess, black, white))
        self.version += 1
        event = {"event": "guessed", "code": guess, "black": black, "white": white}
        frame: bytes = msgpack.packb(
            {
                "op": "event",
                "match": asked["match"],
                "v": self.version,
                "events": [event],
                "id": asked["id"],
            }
        )
        return frame


class Rooms:
    """All rooms, by their codes."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}

    async def serve(self, connection: ServerConnection) -> None:
        """Handle the requests of one client until it disconnects."""
        followed: dict[str, Room] = {}
        try:
            async for frame in connection:
                await self._handle(connection, msgpack.unpackb(frame), followed)
        except ConnectionClosed:
            pass
        finally:
            for room in followed.values():
                room.spectators.discard(connection)
                if connection in room.seats:
                    room.seats.remove(connection)

    async def _handle(
        self, connection: ServerConnection, asked: dict[str, Any], followed: dict[str, Room]
    ) -> None:
        if asked["op"] == "guess":
            room = self._rooms[asked["match"]]
            frame = room.add(asked)
            for seat in room.seats:
                await seat.send(frame)
            if room.spectators:
                broadcast(room.spectators, frame)
            return
        if asked["op"] == "leave":
            self._rooms.pop(asked["match"], None)
            followed.pop(asked["match"], None)
        else:
            room = self._rooms.setdefault(asked["match"], Room())
            followed[asked["match"]] = room
            if asked["op"] == "follow":
                room.spectators.add(connection)
            else:
                room.seats.append(connection)
                room.secret = asked["code"]
        await connection.send(msgpack.packb({"op": "done", "id": asked["id"]}))


async def main() -> None:
    """Serve until SIGTERM."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    options: dict[str, Any] = {"compression": None, "open_timeout": 60, "backlog": 4096}
    async with serve(Rooms().serve, "127.0.0.1", 0, **options) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"listening on ws://127.0.0.1:{port}", flush=True)
        await stop.wait()


if __name__ == "__main__":
    (uvloop.run if sys.argv[1:] == ["--uvloop"] else asyncio.run)(main())
