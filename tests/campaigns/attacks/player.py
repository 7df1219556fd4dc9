"""A client of attackers and honest players, from any loopback address."""

from __future__ import annotations

import itertools
import secrets
from collections import deque
from typing import TYPE_CHECKING

from campaigns.attacks.attackers import DONE
from kit.client import RawClient
from mastermind_protocol import messages as wire
from mastermind_protocol.codec import decode_message
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import RoundEnded

if TYPE_CHECKING:
    from typing import Any, Self

    from mastermind_protocol import requests


class Player(RawClient):
    """A client that counts what it sends, and keeps nothing: an attack receives too much.

    Its methods raise ConnectionRefusedError, on which an attacker connects again, if the server
    refuses.
    """

    @classmethod
    async def meet(cls, address: str, source: str = "127.0.9.1", token: str | None = None) -> Self:
        """Connect from a loopback address and send hello."""
        ids = itertools.count(secrets.randbits(40))  # unique among the player's connections
        player = await cls.connect(address, ids, local_addr=(source, 0))
        player._unread = deque(maxlen=0)
        DONE["sockets"] += 1
        try:
            await player.hello(token=token)
        except ConnectionRefusedError:
            player.websocket.transport.abort()
            raise
        return player

    async def request(self, kind: type[requests.Request], **fields: Any) -> wire.AnyMessage:
        """Send a request and return its answer, which must not report a fault of the server."""
        answer = await self.ask(self.new(kind, **fields))
        assert not isinstance(answer, wire.Error) or answer.code != ErrorCode.INTERNAL, answer
        return answer

    async def send(self, frame: bytes | str) -> None:
        DONE["sent"] += 1
        await super().send(frame)

    async def see_round_end(self, match: str) -> None:
        """Read until a round of a match has ended."""
        await self.until(
            wire.Happened,
            lambda happened: (
                happened.match == match and any(isinstance(e, RoundEnded) for e in happened.events)
            ),
        )

    async def _get(self, kind: type[Any], request: requests.Request) -> Any:
        if not isinstance(answer := await self.ask(request), kind):
            raise ConnectionRefusedError(f"{request} was answered with {answer}")
        return answer

    async def _receive(self) -> wire.AnyMessage:
        return decode_message(bytes(await self.websocket.recv(decode=False)))


def find_version(answer: wire.AnyMessage, before: int) -> int:
    """Return the version for the next request: a bot may have moved."""
    if isinstance(answer, wire.Happened):
        return answer.v
    if isinstance(answer, wire.Error) and answer.code == ErrorCode.STALE_VERSION:
        return answer.limit or before
    return before
