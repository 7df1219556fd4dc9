"""Closed connections and matches leave no cycles, so that the garbage collector runs rarely."""

import asyncio
import gc
import itertools
import logging
import shutil
import ssl
import weakref
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest
from msgpack import packb as encode
from websockets.server import ServerProtocol

from kit.certificates import Authority
from kit.client import PATIENCE
from kit.frames import HANDSHAKE
from kit.server import GameServer
from mastermind_protocol.errors import MessageError
from mastermind_protocol.messages import SUBPROTOCOL
from mastermind_server.bots.worker_pool import WorkerPool
from mastermind_server.network.sockets.access import DEFAULT_ACCESS, Access
from mastermind_server.network.sockets.certificates import Certificate
from mastermind_server.network.sockets.connection import Connection
from mastermind_server.network.sockets.tls import SecureTransport
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import read_log

HALF = b"\x82\xfe\x3e\x80" + b"x" * 500  # of a frame of 16,000 bytes
UNKNOWN = encode({"op": "guess", "id": "none"})
HANDSHAKES = {
    "nothing": b"",
    "a half": b"GET / HT",
    "no HTTP": b"no HTTP\r\n\r\n",
    "no upgrade": b"GET / HTTP/1.1\r\n\r\n",
    "a wrong key": HANDSHAKE.replace(b"Sec-WebSocket-Key: ", b"Sec-WebSocket-Key: \xff"),
    "no subprotocol": HANDSHAKE.replace(SUBPROTOCOL.encode(), b"chess"),
    "too long a header": b"GET / HTTP/1.1\r\nCookie: " + b"x" * 9000,
    "too many headers": b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200,
    "a frame with it": HANDSHAKE + b"\x82\x80\0\0\0\0",
    "a broken frame with it": HANDSHAKE + b"\xff\x80\0\0\0\0",
    "half a frame with it": HANDSHAKE + HALF,
}
FRAMES = {
    "none": b"",
    "half a head": b"\x82",
    "a half": HALF,
    "reserved bits": b"\xff\x80\0\0\0\0",
    "not masked": b"\x82\0",
    "too big": b"\x82\xff" + b"\xff" * 8,
    "a piece": b"\x02\x80\0\0\0\0",
    "a text": b"\x81\x80\0\0\0\0",
    "a wrong request": b"\x82%c\0\0\0\0" % (0x80 | len(UNKNOWN)) + UNKNOWN,
    "a closing": b"\x88\x80\0\0\0\0",
}


@contextmanager
def collected() -> Iterator[list[object]]:
    """Collect the server's objects that the block leaves in cycles."""
    found: list[object] = []
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        server = ("mastermind_server", "websockets.server")
        found += [each for each in gc.garbage if type(each).__module__.startswith(server)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


async def play(hall: GameServer, *, abrupt: bool) -> None:
    ada, bob, match = await hall.begin_match()
    eve = await hall.meet("Eve")
    await eve.follow(match)
    await ada.set(match, "1123")
    await bob.guess(match, "1122")
    await bob.guess(match, "1123")
    for wire in (ada, bob, eve):
        if abrupt:
            wire.websocket.transport.abort()
        await wire.close()
    await until_all_are_gone(hall)


async def until_all_are_gone(hall: GameServer) -> None:
    await hall.server.gateway.drain(PATIENCE, asyncio.Event())
    await hall.until_connections(0)


@pytest.mark.parametrize("abrupt", [False, True])
async def test_a_match_and_its_connections_leave_no_cycles(hall, monkeypatch, *, abrupt):
    monkeypatch.setattr("mastermind_server.matches.tables.tables.TABLES_KEPT", 0)
    await play(hall, abrupt=abrupt)
    with collected() as found:
        await play(hall, abrupt=abrupt)
    assert found == []


class Held:
    """An object that a waiting task holds."""


async def ask(work: Callable[[], Awaitable[object]]) -> weakref.ref[Held]:
    held = Held()
    with suppress(Exception):
        await work()
        pytest.fail("it did not fail")
    return weakref.ref(held)


async def test_a_failed_job_keeps_no_reference_to_its_waiter(store, monkeypatch):
    def do(fails):
        if fails:
            raise LookupError

    def ask_disk(_):
        raise OSError

    pool = WorkerPool()
    monkeypatch.setattr(shutil, "disk_usage", ask_disk)
    await store.append(LogRow("TAKEN2", 1, 0, b"\x90", "A", None, None))
    waits: tuple[Callable[[bool], Awaitable[object]], ...] = (
        lambda fails: store.append(
            LogRow("TAKEN2" if fails else "FREE22", 1, 0, b"\x90", "A", None, None)
        ),
        lambda fails: store.check_health() if fails else store.look_up(read_log, "TAKEN2"),
        lambda fails: pool.run(False, do, fails),
    )
    gc.disable()
    try:
        held = [await ask(partial(wait, True)) for wait in waits]
        for wait in waits:  # a thread knows its last job
            await wait(False)
        assert [ref() for ref in held] == [None] * 3
    finally:
        gc.enable()
        await pool.stop()


@contextmanager
def counted() -> Iterator[None]:
    """Assert that the block leaves no object of a connection.

    This also finds cycles through a suspended generator, which the collector does not list.
    """
    made_of = (Connection, SecureTransport, ServerProtocol, MessageError)
    gc.collect()
    before = {id(each) for each in gc.get_objects() if isinstance(each, made_of)}
    gc.disable()
    try:
        yield
        left = [each for each in gc.get_objects() if isinstance(each, made_of)]
        assert [type(each) for each in left if id(each) not in before] == []
    finally:
        gc.enable()


async def end_in_every_way(hall: GameServer, trust: ssl.SSLContext | None) -> None:
    tls = {"ssl": trust, "server_hostname": "localhost"} if trust else {}
    ways = [(said, b"") for said in HANDSHAKES.values()]
    ways += [(HANDSHAKE, said) for said in FRAMES.values()]
    for (handshake, frames), waits in itertools.product(ways, (True, False)):
        reader, writer = await hall.open_socket(handshake, **tls)
        async with asyncio.timeout(PATIENCE):
            if handshake == HANDSHAKE:
                await reader.readuntil(b"\r\n\r\n")
            writer.write(frames)
            if waits and writer.can_write_eof():
                with suppress(OSError):  # it is closed already
                    writer.write_eof()
                    await reader.read()
        writer.transport.abort()
    await until_all_are_gone(hall)


@pytest.mark.promise("memory")
@pytest.mark.parametrize("by", ["TCP", "TLS"])
async def test_a_closed_connection_leaves_no_objects_however_it_ends(
    idle_hall, tmp_path, caplog, by
):
    authority = Authority(tmp_path) if by == "TLS" else None
    access = Access(Certificate(*authority.issue())) if authority else DEFAULT_ACCESS
    await idle_hall.start(access=access)
    trust = authority.trust() if authority else None
    with counted():
        await end_in_every_way(idle_hall, trust)
    assert [line.getMessage() for line in caplog.records if line.levelno > logging.INFO] == []
