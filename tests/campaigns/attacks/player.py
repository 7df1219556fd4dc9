"""A minimal client, from any loopback address."""

from __future__ import annotations

import itertools
import secrets
from typing import TYPE_CHECKING

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from campaigns.attacks.attackers import DONE
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import RoundEnded

if TYPE_CHECKING:
    from typing import Self

    from websockets.asyncio.client import ClientConnection


class Player:
    """One connection, after hello."""

    def __init__(self, websocket: ClientConnection) -> None:
        self.websocket, self.token = websocket, ""
        self._ids = itertools.count(secrets.randbits(40))  # unique among the player's connections

    @classmethod
    async def meet(cls, address: str, source: str = "127.0.9.1", token: str | None = None) -> Self:
        """Connect from a loopback address and send hello."""
        player = cls(
            await connect(
                address,
                subprotocols=[Subprotocol(wire.SUBPROTOCOL)],
                compression=None,
                max_queue=None,
                open_timeout=60,
                proxy=None,
                local_addr=(source, 0),
            )
        )
        DONE["sockets"] += 1
        welcome = await player.ask(requests.Hello, token=token)
        if not isinstance(welcome, wire.Welcome):
            player.websocket.transport.abort()
            raise ConnectionRefusedError(f"hello was answered with {welcome}")
        player.token = welcome.token or token or ""
        return player

    async def ask(self, kind: type[requests.Request], **fields: object) -> wire.AnyMessage:
        """Send a request and return its answer; ignore other messages."""
        request = await self.send(kind, **fields)
        while True:
            answer = await self._receive()
            if getattr(answer, "id", None) == request.id:
                return answer

    async def send(self, kind: type[requests.Request], **fields: object) -> requests.Request:
        """Send a request."""
        request = kind(id=next(self._ids), **fields)
        await self.websocket.send(encode(request))
        DONE["sent"] += 1
        return request

    async def open(self, **fields: object) -> wire.Log:
        """Open a match; raises ConnectionRefusedError if the server refuses."""
        answer = await self.ask(requests.Open, **fields)
        if not isinstance(answer, wire.Log):
            raise ConnectionRefusedError(f"open was answered with {answer}")
        return answer

    async def see_round_end(self, match: str) -> None:
        """Read until a round of a match has ended."""
        while True:
            read = await self._receive()
            events = read.events if isinstance(read, wire.Happened) and read.match == match else ()
            if any(isinstance(event, RoundEnded) for event in events):
                return

    async def _receive(self) -> wire.AnyMessage:
        return decode_message(bytes(await self.websocket.recv(decode=False)))


def find_version(answer: wire.AnyMessage, before: int) -> int:
    """Return the version for the next request: a bot may have moved."""
    if isinstance(answer, wire.Happened):
        return answer.v
    if isinstance(answer, wire.Error) and answer.code == ErrorCode.STALE_VERSION:
        return answer.limit or before
    return before
