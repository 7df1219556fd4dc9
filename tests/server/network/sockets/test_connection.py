import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from websockets.frames import CloseCode, Opcode

from kit.clock import ManualClock
from kit.frames import HANDSHAKE, feed, frame, open_client, request
from mastermind_protocol.codec import encode
from mastermind_protocol.events import Player
from mastermind_protocol.requests import Ping
from mastermind_server.bans import Bans
from mastermind_server.limits import DEFAULT_LIMITS, Limiter, Limits
from mastermind_server.monitoring.overload import Readiness
from mastermind_server.network.rate_limits import ReceiveRates
from mastermind_server.network.sockets.access import DEFAULT_ACCESS
from mastermind_server.network.sockets.connection import Connection
from mastermind_server.network.sockets.connection_limits import ConnectionLimits
from mastermind_server.network.sockets.connection_services import ConnectionServices
from mastermind_server.network.sockets.scheduler import LoopScheduler, PageQueue
from mastermind_server.network.sockets.send_buffers import SendBuffers
from mastermind_server.network.sockets.unlisted_proxies import UnlistedProxies
from mastermind_server.network.web.pages import Preview


async def on_end(_: Connection) -> None:
    """Do nothing: no connections are listed here."""


async def no_preview(_match_code: str, _address: str) -> Preview:
    raise AssertionError("there are no pages here")


@asynccontextmanager
async def connected(
    clock: ManualClock,
    receive: Callable[[Connection, bytes | None, float], Awaitable[None] | None] = lambda *_: None,
    limiter: Limiter | None = None,
) -> AsyncIterator[tuple[Connection, socket.socket]]:
    """Yield a connection after its handshake and the client's socket. Closes both at the end."""
    limiter = limiter or Limiter()
    ours, theirs = socket.socketpair()
    limits = ConnectionLimits(limiter, clock, Readiness(), Bans())
    scheduler = LoopScheduler(clock)
    connection = Connection(
        ConnectionServices(
            clock=clock,
            scheduler=scheduler,
            connection_limits=limits,
            send_buffers=SendBuffers(limiter),
            rates=ReceiveRates(limiter, clock.now),
            limiter=limiter,
            access=DEFAULT_ACCESS,
            unlisted_proxies=UnlistedProxies(()),
            page_queue=PageQueue(limiter, scheduler, clock),
            describe=no_preview,
            on_message=receive,
            on_end=on_end,
        )
    )
    await asyncio.get_running_loop().create_connection(lambda: connection, sock=ours)
    feed(connection, HANDSHAKE)
    with theirs:
        yield connection, theirs
    await limits.all_closed.wait()


async def test_data_on_a_connection_that_failed_is_ignored():
    clock, received = ManualClock(), list[bytes | None]()
    async with connected(clock, lambda _, message, _at: received.append(message)) as (
        connection,
        _theirs,
    ):
        connection.player = Player(id="p_1", name="Ada")
        feed(connection, request(1))
        clock.skip(DEFAULT_LIMITS.hello_seconds)
        clock.skip(DEFAULT_LIMITS.ping_seconds)
        assert not connection.open
        feed(connection, request(2))
        assert connection.worker is not None
        await connection.worker
        assert received == [encode(Ping(id=1))]


async def test_a_late_hello_keeps_the_connection_open():
    clock = ManualClock()
    async with connected(clock) as (connection, _theirs):
        clock.skip(DEFAULT_LIMITS.hello_seconds)  # the loop was too busy to notice
        connection.player = Player(id="p_1", name="Ada")
        feed(connection, request(1))
        await asyncio.sleep(0)
        was_open = connection.open
        for _ in range(2):
            clock.skip(DEFAULT_LIMITS.ping_seconds)
        assert (was_open, connection.open) == (True, False)


async def test_a_pong_that_was_read_before_the_ping_took_no_time():
    clock = ManualClock()
    async with connected(clock) as (connection, _theirs):
        connection.player = Player(id="p_1", name="Ada")
        feed(connection, request(1))
        clock.skip(1)  # this iteration of the loop has no time left
        feed(connection, frame(Opcode.PONG, b""))
        clock.skip(1)
        connection.measure_round_trip()
        for _ in range(3):
            await asyncio.sleep(0)
        assert connection.round_trip == 0


async def test_data_that_was_read_but_not_parsed_yet_waits():
    clock = ManualClock()
    async with connected(clock) as (connection, _theirs):
        connection.player = Player(id="p_1", name="Ada")
        feed(connection, request(1))
        for _ in range(3):
            await asyncio.sleep(0)
        waits = connection.list_unhandled()
        feed(connection, frame(Opcode.PONG, b""))
        clock.skip(1)  # this iteration of the loop has no time left
        feed(connection, request(2))
        clock.skip(2)
        waits += connection.list_unhandled()
        for _ in range(3):
            await asyncio.sleep(0)
        assert waits == [(None, 2)]
        assert connection.list_unhandled() == []


async def test_a_request_of_a_client_that_reads_no_answers_does_not_wait():
    clock, limiter = ManualClock(), Limiter(Limits(unread_bytes=1024, send_buffer_bytes=2**24))
    async with connected(clock, limiter=limiter) as (connection, _theirs):
        connection.player = Player(id="p_1", name="Ada")
        for _ in range(64):
            connection.push(bytes(2**16))
        feed(connection, request(1))
        clock.skip(2)
        assert connection.list_unhandled() == []


async def test_an_internal_error_closes_the_connection_and_is_logged(caplog):
    received = list[bytes | None]()

    def fail(_, message, _at):
        received.append(message)
        raise ZeroDivisionError

    async with connected(ManualClock(), fail) as (connection, theirs):
        feed(connection, request(1) + request(2))
        worker = connection.worker
        assert worker is not None
        await worker
        assert received == [encode(Ping(id=1))]
        assert connection.worker is None
        client = open_client()
        client.receive_data(theirs.recv(4096).partition(b"\r\n\r\n")[2])
        assert client.close_rcvd is not None
        assert client.close_rcvd.code == CloseCode.INTERNAL_ERROR
    (told,) = [record for record in caplog.records if record.exc_info]
    assert told.levelname == "ERROR"
