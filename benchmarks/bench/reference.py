"""The bare room: what a move costs on websockets' own connections, with nothing around it.

It keeps rooms in memory, scores a guess and sends the event to both seats, in frames of the same
fields and size as the server's; nothing is checked, stored, limited or remembered. It is the
reference of `make bench`, written as a short program on that package would be, and is never made
slower than that.

    python -m bench.reference             # says where it listens
    python -m bench.reference --uvloop    # on that loop instead of asyncio's own
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
    """One match: its seats, its spectators, its secret and its guesses."""

    __slots__ = ("guesses", "seats", "secret", "spectators", "version")

    def __init__(self) -> None:
        self.seats: list[ServerConnection] = []
        self.spectators: set[ServerConnection] = set()
        self.secret: Code = []
        self.guesses: list[tuple[Code, int, int]] = []
        self.version = 3

    def take(self, asked: dict[str, Any]) -> bytes:
        """Keep a guess; return the frame that tells of it."""
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
        """Do what one client asks, until it is gone."""
        followed: dict[str, Room] = {}
        try:
            async for frame in connection:
                await self._do(connection, msgpack.unpackb(frame), followed)
        except ConnectionClosed:
            pass
        finally:
            for room in followed.values():
                room.spectators.discard(connection)
                if connection in room.seats:
                    room.seats.remove(connection)

    async def _do(
        self, connection: ServerConnection, asked: dict[str, Any], followed: dict[str, Room]
    ) -> None:
        if asked["op"] == "guess":
            room = self._rooms[asked["match"]]
            frame = room.take(asked)
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
    """Serve until told to stop."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    async with serve(
        Rooms().serve,
        "127.0.0.1",
        0,
        compression=None,
        subprotocols=None,
        open_timeout=60,
        backlog=4096,
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"listening on ws://127.0.0.1:{port}", flush=True)
        await stop.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["--uvloop"]:
        uvloop.run(main())
    else:
        asyncio.run(main())
