"""Proxies that inject faults: into TCP connections, and between clients and a server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any, Self
from zlib import crc32

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response as HttpResponse
from websockets.typing import Subprotocol

from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.messages import SUBPROTOCOL, Error, Log, ServerMessage, Welcome
from mastermind_protocol.requests import AnyRequest, Hello

Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]
# Iterations of the loop between an accepted socket and the task that serves it: its transport is
# made, which calls its protocol, which starts the task.
_STEPS_OF_ACCEPTING = 4


class Proxy:
    """Forwards connections round robin to those `targets` that accept them.

    A target is a port of this machine or the path of a Unix socket. `delay` are the seconds that
    data take in each direction; a new connection takes both.
    """

    delay = 0.0

    def __init__(self, *targets: int | Path) -> None:
        self.port = 0
        self.accepted = 0  # connections, since the start
        self._targets = list(targets)
        self._lines: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._cut = False
        self._fatal: bytes | None = None
        self._doomed: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()  # of new connections; the earlier ones keep theirs
        self._flowing.set()
        self._swallowed: list[asyncio.Event] = []  # of earlier connections

    @classmethod
    @asynccontextmanager
    async def to(cls, *targets: int | Path) -> AsyncIterator[Self]:
        """Run a proxy within the block."""
        proxy = cls(*targets)
        async with proxy.running():
            yield proxy

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Accept connections within the block."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            try:
                yield
            finally:
                # Clients reconnect at any moment: accept none, and close the accepted ones.
                asyncio.get_running_loop().remove_reader(server.sockets[0])
                for _ in range(_STEPS_OF_ACCEPTING):
                    await asyncio.sleep(0)
                self.cut()
                await asyncio.gather(*self._serving, return_exceptions=True)

    @property
    def address(self) -> str:
        """The URL of a game server at the targets."""
        return f"ws://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Abort all connections and reject new ones until `restore`."""
        self._cut = True
        self._flow()
        for line in self._lines:
            line.transport.abort()

    def freeze(self) -> None:
        """Hold all data until `restore`, like a network that silently loses packets."""
        self._flowing.clear()

    def swallow(self, *targets: int | Path) -> None:
        """Hold all data of the present connections until `restore`, and their ends.

        New connections work. They lead to `targets`, if given.
        """
        self._targets = [*targets] or self._targets
        self._flowing.clear()
        self._swallowed.append(self._flowing)
        self._flowing = asyncio.Event()
        self._flowing.set()

    def cut_after(self, text: bytes) -> None:
        """Abort the next connection on which a client sends `text`, instead of the answer."""
        self._fatal = text

    def restore(self, *targets: int | Path) -> None:
        """Forward data again, starting with the held data. New ones go to `targets`, if given."""
        self._targets = [*targets] or self._targets
        self._cut = False
        self._flow()

    def _flow(self) -> None:
        for flowing in (self._flowing, *self._swallowed):
            flowing.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        flowing = self._flowing
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        with closing(writer), suppress(OSError):
            self._lines.add(writer)
            await flowing.wait()
            await asyncio.sleep(2 * self.delay)
            if self._cut or (target := await self._reach(reader, writer)) is None:
                writer.transport.abort()
                return
            its_reader, its_writer = target
            with closing(its_writer):
                self._lines.add(its_writer)
                up = asyncio.create_task(self._carry(flowing, reader, its_writer, writer))
                down = asyncio.create_task(self._carry(flowing, its_reader, writer))
                await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
                up.cancel()
                down.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
                self._lines.discard(its_writer)
        self._lines.discard(writer)

    async def _reach(self, *_client: Any) -> Line | None:
        """Return a connection to a target for a client's reader and writer, or None."""
        for _ in self._targets:
            target = self._targets.pop(0)
            self._targets.append(target)
            with suppress(OSError):
                if isinstance(target, int):
                    return await asyncio.open_connection("127.0.0.1", target)
                return await asyncio.open_unix_connection(target)
        return None

    async def _carry(
        self,
        flowing: asyncio.Event,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        asker: asyncio.StreamWriter | None = None,
    ) -> None:
        while data := await reader.read(65536):
            await flowing.wait()
            if asker is not None and self._fatal is not None and self._fatal in data:
                self._fatal = None
                self._doomed.add(asker)
            if writer in self._doomed:
                self._doomed.remove(writer)
                writer.transport.abort()
                return
            if self.delay:  # the next data are read meanwhile
                asyncio.get_running_loop().call_later(self.delay, writer.write, data)
            else:
                writer.write(data)
                await writer.drain()
        await flowing.wait()
        await asyncio.sleep(self.delay)


class MatchProxy(Proxy):
    """Forwards connections with the address of a match to one target for each match.

    Like a proxy that hashes addresses, it sends them to another target if that one is away. It
    refuses them unless it `knows_matches`. After `hold_matches` it holds them until `restore`; the
    first one sets `held`. `reached` has the ports of targets by those of clients.
    """

    knows_matches = True

    def __init__(self, *targets: int | Path) -> None:
        super().__init__(*targets)
        self._hashed = list(targets)
        self.paths: list[str] = []  # of all connections
        self.reached: dict[int, int] = {}
        self.held, self._admitting = asyncio.Event(), asyncio.Event()
        self._admitting.set()

    def hold_matches(self) -> None:
        """Hold new connections with the address of a match until `restore`."""
        self._admitting.clear()

    def find_target(self, path: str) -> int:
        """Return the index of the target of an address of a match."""
        return crc32(path.encode()) % len(self._hashed)

    def _flow(self) -> None:
        super()._flow()
        self._admitting.set()

    async def _reach(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Line | None:
        first = await reader.readuntil(b"\r\n")
        path = first.split()[1].decode()
        self.paths.append(path)
        if path.startswith("/m/"):
            if not self.knows_matches:
                return None
            if not self._admitting.is_set():
                self.held.set()
                await self._admitting.wait()
            start = self.find_target(path)
            self._targets = self._hashed[start:] + self._hashed[:start]
        line = await super()._reach()
        if line is not None:
            line[1].write(first)
            ports = [each.get_extra_info("peername")[1] for each in (writer, line[1])]
            self.reached[ports[0]] = ports[1]
        return line


@contextmanager
def proxy_in_thread(proxy: Proxy) -> Iterator[ThreadedProxy]:
    """Run a proxy on the event loop of another thread, for tests that block."""
    started: Future[ThreadedProxy] = Future()

    async def run() -> None:
        async with proxy.running():
            stopped = asyncio.Event()
            started.set_result(ThreadedProxy(proxy, stopped))
            await stopped.wait()

    thread = Thread(target=lambda: asyncio.run(run()))
    thread.start()
    threaded = started.result(timeout=10)
    try:
        yield threaded
    finally:
        threaded.stop()
        thread.join()


class ThreadedProxy:
    """Controls a `Proxy` that runs on the event loop of another thread."""

    def __init__(self, proxy: Proxy, stopped: asyncio.Event) -> None:
        self.port = proxy.port
        self._proxy, self._stopped = proxy, stopped
        self._loop = asyncio.get_running_loop()

    def cut(self) -> None:
        """Abort all connections and reject new ones until `restore`."""
        self._loop.call_soon_threadsafe(self._proxy.cut)

    def freeze(self) -> None:
        """Hold all data until `restore`."""
        self._loop.call_soon_threadsafe(self._proxy.freeze)

    def swallow(self) -> None:
        """Discard all data of the present connections, without closing them."""
        self._loop.call_soon_threadsafe(self._proxy.swallow)

    def restore(self) -> None:
        """Forward data again, starting with the held data."""
        self._loop.call_soon_threadsafe(self._proxy.restore)

    def delay(self, seconds: float) -> None:
        """Delay all data by `seconds` in each direction."""
        self._proxy.delay = seconds

    def stop(self) -> None:
        """Close the proxy."""
        self._loop.call_soon_threadsafe(self._stopped.set)


SPOKEN = [Subprotocol(SUBPROTOCOL)]


class RelayProxy:
    """Forwards frames in both directions between clients and the server at `target`.

    `sent` holds the requests of all connections. `closes` receives the close code of each client
    connection, None if it ended without a close frame. `epoch` replaces that of the server's store
    in each message, unless it is None.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.address = ""
        self.epoch: str | None = None
        self.sent: list[AnyRequest] = []
        self.closes: asyncio.Queue[int | None] = asyncio.Queue()
        self._clients: set[ServerConnection] = set()
        self._answers: dict[type[AnyRequest], Callable[[AnyRequest], ServerMessage | None]] = {}
        self._doomed: type[AnyRequest] | None = None
        self._doomed_id: int | None = None
        self._status: int | None = None
        self._more = asyncio.Event()  # set at each request
        self._open = asyncio.Event()
        self._open.set()

    @classmethod
    @asynccontextmanager
    async def to(cls, target: str) -> AsyncIterator[RelayProxy]:
        """Run a relay to a server within the block."""
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
        """The requests of all connections except `hello`."""
        return [request for request in self.sent if not isinstance(request, Hello)]

    async def wait_for_request(self, kind: type[AnyRequest]) -> None:
        """Wait until a client has sent a request of type `kind`."""
        while not any(isinstance(request, kind) for request in self.sent):
            self._more.clear()
            await self._more.wait()

    def cut(self) -> None:
        """Abort all connections without a close frame."""
        for client in self._clients:
            client.transport.abort()

    def hold(self) -> None:
        """Delay new connections until `release`."""
        self._open.clear()

    def release(self) -> None:
        """Accept the delayed and all new connections."""
        self._open.set()

    def reject_connections(self, status: int | None) -> None:
        """Reject new connections with an HTTP status; None accepts them again."""
        self._status = status

    def cut_before_answer(self, kind: type[AnyRequest]) -> None:
        """Forward the next request of type `kind`, and abort its connection before the answer."""
        self._doomed = kind

    def answer(
        self, kind: type[AnyRequest], answer: Callable[[AnyRequest], ServerMessage | None]
    ) -> None:
        """Answer the next request of type `kind` instead of the server; None sends no answer."""
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
        """Refuse the next request of type `kind` instead of the server."""

        def refuse(request: AnyRequest) -> Error:
            return Error(
                id=request.id, code=code, message=message, retry_after=retry_after, limit=limit
            )

        self.answer(kind, refuse)

    async def say(self, message: ServerMessage | str | bytes) -> None:
        """Send all clients a message that the server has not sent."""
        frame = message if isinstance(message, str | bytes) else encode(message)
        for client in self._clients:
            await client.send(frame)

    async def close(self, code: int, reason: str) -> None:
        """Close all connections with a close code and a reason, as a server does."""
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
        except OSError:  # the server does not accept connections
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
            message = decode_message(frame)
            if self.epoch is not None and isinstance(message, Welcome | Log):
                frame = encode(msgspec.structs.replace(message, epoch=self.epoch))
            answered = getattr(message, "id", None)
            if answered is not None and answered == self._doomed_id:
                self._doomed_id = None
                client.transport.abort()
                return
            await client.send(frame)
