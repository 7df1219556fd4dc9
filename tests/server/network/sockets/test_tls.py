import asyncio
import logging
import socket
import ssl
from contextlib import suppress
from functools import partial

import pytest
from websockets.frames import Frame, Opcode

from kit.certificates import Authority
from kit.client import PATIENCE, RawClient
from kit.clock import ManualClock
from kit.frames import HANDSHAKE, frame, open_client, read_ids, request
from kit.server import GameServer
from mastermind_protocol.codec import encode
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Presence
from mastermind_protocol.requests import Follow, Hello
from mastermind_server.app import listen
from mastermind_server.limits import DEFAULT_LIMITS, Limits, Rate
from mastermind_server.network.sockets import scheduler
from mastermind_server.network.sockets.access import Access
from mastermind_server.network.sockets.certificates import Certificate
from mastermind_server.network.sockets.connection import Stage
from mastermind_server.network.sockets.scheduler import PENDING_BUDGET_SECONDS, LoopScheduler
from mastermind_server.network.sockets.tls import SecureTransport

LAST = 9


@pytest.fixture
def access(authority):
    return Access(Certificate(*authority.issue()))


@pytest.fixture
async def hall(idle_hall, access):
    """A running server, by TLS only."""
    await idle_hall.start(access=access)
    return idle_hall


@pytest.fixture
async def timed_hall(idle_hall, access, clock):
    """A running server with a manual clock."""
    await idle_hall.start(access=access, connection_clock=clock)
    yield idle_hall
    clock.run_all_timers()


@pytest.fixture
async def line(authority):
    """A client that trusts the server's certificate and has no connection yet."""
    line = Line(authority.trust())
    yield line
    line.writer.transport.abort()


class Line:
    """A client with TLS; the test splits the encrypted bytes into pieces."""

    def __init__(self, trust: ssl.SSLContext) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = trust.wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")
        self._reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def connect(self, hall: GameServer) -> None:
        """Open the socket, with small buffers."""
        port = int(hall.address.rpartition(":")[2])
        end = socket.create_connection(("127.0.0.1", port))
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._reader, self.writer = await asyncio.open_connection(sock=end, limit=1024)

    def begin(self) -> bytes:
        """Return the first bytes of a handshake."""
        with pytest.raises(ssl.SSLWantReadError):
            self._tls.do_handshake()
        return self._outgoing.read()

    async def secure(self, size: int = 4096) -> None:
        """Do the handshake, in pieces of `size` bytes."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self.send_raw(self._outgoing.read(), size)
                self._incoming.write(await self.read_raw())
            else:
                return await self.send_raw(self._outgoing.read(), size)

    async def send(self, data: bytes, size: int = 4096) -> None:
        self._tls.write(data)
        await self.send_raw(self._outgoing.read(), size)

    async def end(self) -> None:
        """Send the alert that ends the client's stream."""
        with pytest.raises(ssl.SSLWantReadError):
            self._tls.unwrap()
        await self.send_raw(self._outgoing.read(), 4096)

    async def send_raw(self, data: bytes, size: int = 4096) -> None:
        for begin in range(0, len(data), size):
            self.writer.write(data[begin : begin + size])
            await asyncio.sleep(0)  # the loop sends it

    async def read(self) -> bytes:
        """Return the next bytes, empty at the end."""
        while True:
            try:
                return self._tls.read()
            except ssl.SSLWantReadError:
                self._incoming.write(await self.read_raw())

    async def read_raw(self) -> bytes:
        async with asyncio.timeout(PATIENCE):
            return await self._reader.read(4096)


async def meet(hall: GameServer, authority: Authority, name: str) -> RawClient:
    wire = await hall.connect(ssl=authority.trust())
    await wire.hello(name)
    return wire


async def test_a_match_is_played_over_tls_and_connections_close_with_their_codes(hall, authority):
    assert hall.address.startswith("wss://127.0.0.1:")
    ada, bob = [await meet(hall, authority, name) for name in ("Ada", "Bob")]
    match = (await ada.open(maker="me", breaker="open")).match
    await bob.join(match)
    await ada.set(match, "1122")
    await bob.guess(match, "1122")
    assert bob.matches[match].phase is Phase.FINISHED
    eve = await meet(hall, authority, "Eve")
    await eve.close()
    assert eve.websocket.close_code == 1000
    stop = asyncio.create_task(hall.stop())
    assert [(await wire.closed())[0] for wire in (ada, bob)] == [1012, 1012]
    await stop


async def test_requests_before_the_end_of_the_clients_stream_are_answered(idle_hall, access, line):
    await idle_hall.start(access=access)
    await line.connect(idle_hall)
    await line.secure()
    await line.send(HANDSHAKE)
    data = b""
    while b"\r\n\r\n" not in data:
        data += await line.read()
    await line.send(request(1) + request(LAST))
    await line.end()
    client = open_client()
    answers = list[int | None]()
    while LAST not in answers:
        answers += read_ids(client, await line.read())
    assert answers == [1, LAST]


@pytest.mark.parametrize("size", [1, 7, 1024, 1_000_000])
async def test_requests_may_arrive_in_pieces_of_any_size(idle_hall, access, line, size):
    many = Rate(burst=100_000, per_second=100_000)  # each read is one
    await idle_hall.start(access=access, limits=Limits(frames=many))
    await line.connect(idle_hall)
    await line.secure(size)
    await line.send(HANDSHAKE, size)
    data = b""
    while b"\r\n\r\n" not in data:
        data += await line.read()
    # Many in one record, one of several records, and one alone.
    long = Frame(Opcode.BINARY, bytes(DEFAULT_LIMITS.frame_bytes)).serialize(mask=True)
    await line.send(b"".join(map(request, range(1, LAST))) + long + request(LAST), size)
    client = open_client()
    answers = read_ids(client, data.partition(b"\r\n\r\n")[2])
    while LAST not in answers:
        answers += read_ids(client, await line.read())
    assert answers == [*range(1, LAST), None, LAST]


async def test_the_handshakes_of_a_crowd_take_several_iterations(hall, authority, monkeypatch):
    monkeypatch.setattr(scheduler, "BUDGET_SECONDS", 0.0)
    people = await asyncio.gather(*(meet(hall, authority, f"P{number}") for number in range(8)))
    assert len({wire.id for wire in people}) == 8


@pytest.mark.parametrize("half", [False, True], ids=["silent", "half a handshake"])
async def test_a_connection_is_counted_and_timed_out_during_its_tls_handshake(
    timed_hall, line, clock, *, half
):
    await line.connect(timed_hall)
    if half:
        await line.send_raw(line.begin())
        assert await line.read_raw()
    await clock.until(lambda timer: timer.seconds == DEFAULT_LIMITS.handshake_seconds)
    assert timed_hall.server.gateway.measure_traffic().connections == {Stage.HANDSHAKE: 1}
    clock.skip(DEFAULT_LIMITS.handshake_seconds)
    assert await line.read_raw() == b""
    assert timed_hall.services.limiter.exceeded["handshake_seconds"] == 1


async def test_reading_is_paused_while_a_handshake_step_is_queued(hall, access, authority):
    clock = ManualClock()
    iterations = LoopScheduler(clock)
    step = partial(clock.skip, 2 * PENDING_BUDGET_SECONDS)  # as long as an iteration may take
    while not iterations.postpone_pending(step):
        step()
    for _ in range(50):
        iterations.postpone_pending(step)
    connection, limiter = hall.server.gateway.make_connection(), hall.services.limiter
    secure = SecureTransport(connection, access.certificate.context, iterations, limiter)
    ours, theirs = socket.socketpair()
    transport, _ = await asyncio.get_running_loop().create_connection(lambda: secure, sock=ours)
    with theirs:
        theirs.send(Line(authority.trust()).begin())
        async with asyncio.timeout(PATIENCE):
            while transport.is_reading():  # noqa: ASYNC110 - no event exists
                await asyncio.sleep(0)
        theirs.setblocking(False)
        async with asyncio.timeout(PATIENCE):  # it resumes in a later iteration
            assert await asyncio.get_running_loop().sock_recv(theirs, 1)
        assert transport.is_reading()


@pytest.mark.promise("handshake")
async def test_a_tls_handshake_with_too_many_bytes_is_cut_off(hall, line):
    await line.connect(hall)
    endless = b"\x16\x03\x01\x40\0\x01\x01\0\0\x03\x03"  # a hello of 64 KiB in its first record
    with suppress(ConnectionResetError):
        await line.send_raw(endless + bytes(DEFAULT_LIMITS.handshake_bytes), 1024)
        assert await line.read_raw() == b""
    assert hall.services.limiter.exceeded["handshake_bytes"] == 1


async def test_pieces_of_a_record_count_as_frames(timed_hall, line):
    await line.connect(timed_hall)
    await line.secure()
    met = timed_hall.services.limiter.exceeded
    async with asyncio.timeout(PATIENCE):
        await line.send(HANDSHAKE * 2, 1)
        while not met["frames"]:  # noqa: ASYNC110 - no event exists
            await asyncio.sleep(0)


async def test_a_refused_socket_gets_no_tls_handshake(idle_hall, access, line, monkeypatch):
    monkeypatch.setattr("mastermind_server.network.sockets.connection_limits.REFUSED_AT_ONCE", 0)
    await idle_hall.start(access=access, limits=Limits(connections_per_address=0))
    await line.connect(idle_hall)
    with suppress(ConnectionResetError):  # it may be cut before it can send
        await line.send_raw(line.begin())
        assert await line.read_raw() == b""


@pytest.mark.parametrize("request_line", [b"GET /healthz", b"CONNECT x:1"])
async def test_plain_http_on_a_tls_port_is_answered_with_an_explanation(hall, line, request_line):
    await line.connect(hall)
    await line.send_raw(request_line + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = await line.read_raw()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b"\r\n\r\nthis port speaks TLS: use wss:// or https://\n")
    assert await line.read_raw() == b""


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1")  # under test
async def test_tls_1_1_is_refused(hall, authority):
    trust = authority.trust()
    trust.set_ciphers("ALL:@SECLEVEL=0")
    trust.minimum_version = trust.maximum_version = ssl.TLSVersion.TLSv1_1
    line = Line(trust)
    await line.connect(hall)
    with pytest.raises(ssl.SSLError, match=r"(?i)alert protocol version"):
        await line.secure()
    line.writer.close()


@pytest.mark.promise("tls")
async def test_a_forged_record_ends_only_its_own_connection(hall, authority, line, caplog):
    ada = await meet(hall, authority, "Ada")
    await line.connect(hall)
    await line.secure()
    await line.send_raw(b"\x17\x03\x03\x00\x20" + bytes(32))
    with pytest.raises(ssl.SSLError, match=r"(?i)bad record mac"):
        await line.read()
    await ada.list_own()
    assert [line.getMessage() for line in caplog.records if line.levelno > logging.INFO] == []


async def test_a_half_closed_connection_is_closed(hall, line):
    await line.connect(hall)
    await line.secure()
    line.writer.write_eof()  # without a word of TLS
    while await line.read_raw():
        pass
    await hall.server.gateway.drain(PATIENCE, asyncio.Event())


async def test_a_client_that_never_reads_is_first_not_served_and_then_cut_off(
    idle_hall, access, clock, authority, line
):
    small = Limits(unread_bytes=8192, send_buffer_bytes=16384)
    listener = listen("127.0.0.1", 0)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # accepted ones have it too
    await idle_hall.start(access=access, listener=listener, connection_clock=clock, limits=small)
    ada, bob = [await meet(idle_hall, authority, name) for name in ("Ada", "Bob")]
    match = (await ada.open(rules="knuth")).match
    await bob.join(match)
    await ada.set(match, "1234")
    for _ in range(40):
        await bob.guess(match, "1111")
    clock.skip(1)

    ada.websocket.transport.abort()
    await line.connect(idle_hall)
    await line.secure()
    await line.send(HANDSHAKE)
    requests = [ada.new(Hello, token=ada.token), *[ada.new(Follow, match=match)] * 50]
    for each in requests:
        await line.send(frame(Opcode.BINARY, encode(each)))
    assert [(await bob.until(Presence)).here for _ in range(2)] == [False, True]
    met = idle_hall.services.limiter.exceeded
    assert met["send_buffer_bytes"] == 0  # fifty logs have far more than 16 KiB
    while met["send_buffer_bytes"] == 0:  # other players do not wait for it
        await bob.guess(match, "1111")
        clock.skip(1 / DEFAULT_LIMITS.frames.per_second)
    assert not (await bob.until(Presence)).here
    clock.run_all_timers()
