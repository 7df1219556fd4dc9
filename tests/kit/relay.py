"""A relay between clients and a real server: it reads along, holds, and drops the line."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response as HttpResponse
from websockets.typing import Subprotocol

from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.messages import SUBPROTOCOL, Error, ServerMessage
from mastermind_protocol.requests import AnyRequest, Hello

SPOKEN = [Subprotocol(SUBPROTOCOL)]


class RelayProxy:
    """Carries whole frames both ways between a client and the server at `target`.

    `sent` is every request that came from a client, over all its connections; `closes` gets the
    close code that each client ended its connection with, None where the line just broke.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.address = ""
        self.sent: list[AnyRequest] = []
        self.closes: asyncio.Queue[int | None] = asyncio.Queue()
        self._clients: set[ServerConnection] = set()
        self._answers: dict[type[AnyRequest], Callable[[AnyRequest], ServerMessage | None]] = {}
        self._doomed: type[AnyRequest] | None = None
        self._doomed_id: int | None = None
        self._status: int | None = None
        self._more = asyncio.Event()  # was sent
        self._open = asyncio.Event()
        self._open.set()

    @classmethod
    @asynccontextmanager
    async def to(cls, target: str) -> AsyncIterator[RelayProxy]:
        """Run a relay to a server while the block lasts."""
        relay = cls(target)
        async with serve(
            relay._serve,
            "127.0.0.1",
            0,
            subprotocols=SPOKEN,
            process_request=relay._admit,
            compression=None,
            close_timeout=1,
        ) as server:
            relay.address = "ws://{}:{}".format(*server.sockets[0].getsockname())
            yield relay
            relay.release()

    @property
    def asked(self) -> list[AnyRequest]:
        """The requests that came, without the greetings."""
        return [request for request in self.sent if not isinstance(request, Hello)]

    async def hear(self, kind: type[AnyRequest]) -> None:
        """Wait until a client has sent a request of this kind."""
        while not any(isinstance(request, kind) for request in self.sent):
            self._more.clear()
            await self._more.wait()

    def cut(self) -> None:
        """Drop every line, without a word to either side."""
        for client in self._clients:
            client.transport.abort()

    def hold(self) -> None:
        """Let nobody in any more, until `release`."""
        self._open.clear()

    def release(self) -> None:
        """Let in whoever waits."""
        self._open.set()

    def turn_away(self, status: int | None) -> None:
        """Answer whoever comes with an HTTP status; None lets them in again."""
        self._status = status

    def cut_before_answer(self, kind: type[AnyRequest]) -> None:
        """Pass the next request of this kind on, and drop the line when its answer comes."""
        self._doomed = kind

    def answer(
        self, kind: type[AnyRequest], answer: Callable[[AnyRequest], ServerMessage | None]
    ) -> None:
        """Answer the next request of this kind in the server's place, or by None never."""
        self._answers[kind] = answer

    def refuse(
        self,
        kind: type[AnyRequest],
        code: str,
        message: str = "not now",
        *,
        retry_after: float | None = None,
        limit: int | None = None,
    ) -> None:
        """Refuse the next request of this kind in the server's place."""

        def refuse(request: AnyRequest) -> Error:
            return Error(
                id=request.id, code=code, message=message, retry_after=retry_after, limit=limit
            )

        self.answer(kind, refuse)

    async def say(self, message: ServerMessage | str | bytes) -> None:
        """Tell the clients something that the server has not said."""
        frame = message if isinstance(message, str | bytes) else encode(message)
        for client in self._clients:
            await client.send(frame)

    async def close(self, code: int, reason: str) -> None:
        """Close every connection as a server would."""
        for client in list(self._clients):
            await client.close(code, reason)

    async def _admit(self, client: ServerConnection, _: HttpRequest) -> HttpResponse | None:
        await self._open.wait()
        if self._status is not None:
            return client.respond(HTTPStatus(self._status), "")
        return None

    async def _serve(self, client: ServerConnection) -> None:
        try:
            async with connect(
                self.target, subprotocols=SPOKEN, compression=None, proxy=None, close_timeout=1
            ) as server:
                self._clients.add(client)
                await self._carry(client, server)
        except OSError:  # no server is there
            client.transport.abort()
        finally:
            self._clients.discard(client)
        self.closes.put_nowait(client.close_code)

    async def _carry(self, client: ServerConnection, server: ClientConnection) -> None:
        up = asyncio.create_task(self._carry_up(client, server))
        down = asyncio.create_task(self._carry_down(client, server))
        await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        if down.done() and server.close_code is not None and not up.done():
            with contextlib.suppress(ConnectionClosed):
                await client.close(server.close_code, server.close_reason or "")
        for task in (up, down):
            task.cancel()
        await asyncio.gather(up, down, return_exceptions=True)

    async def _carry_up(self, client: ServerConnection, server: ClientConnection) -> None:
        async for frame in client:
            assert isinstance(frame, bytes)
            request = decode_request(frame)
            self.sent.append(request)
            self._more.set()
            if answer := self._answers.pop(type(request), None):
                if (message := answer(request)) is not None:
                    await client.send(encode(message))
                continue
            if self._doomed is not None and isinstance(request, self._doomed):
                self._doomed, self._doomed_id = None, request.id
            await server.send(frame)

    async def _carry_down(self, client: ServerConnection, server: ClientConnection) -> None:
        async for frame in server:
            assert isinstance(frame, bytes)
            answered = getattr(decode_message(frame), "id", None)
            if answered is not None and answered == self._doomed_id:
                self._doomed_id = None
                client.transport.abort()
                return
            await client.send(frame)
