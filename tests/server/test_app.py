import asyncio
import logging
import socket
import struct

import pytest
from websockets.frames import Opcode

from kit.client import RawClient
from kit.frames import HANDSHAKE, frame
from mastermind_server.app import listen, run_embedded_server, run_server
from mastermind_server.bots import worker_pool
from mastermind_server.commands.options import MAX_DRAIN_SECONDS
from mastermind_server.commands.serve import SECONDS_UNTIL_KILLED
from mastermind_server.monitoring import logs
from mastermind_server.network import gateway
from mastermind_server.network.sockets import scheduler
from mastermind_server.network.sockets.connection import CLOSE_SECONDS
from mastermind_server.storage import threads
from mastermind_server.storage.engines.database import DatabaseLocked
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import Store
from mastermind_server.timekeeping import lease


async def play(address: str) -> str:
    """Play a match against a bot; return its code."""
    wire = await RawClient.connect(address)
    await wire.hello("Ada")
    match = (await wire.open(maker="random", breaker="me", rules="2x2")).match
    await wire.resign(match)
    await wire.close()
    return match


async def test_a_server_closes_its_port_and_database_at_the_end(tmp_path):
    listener = listen("127.0.0.1", 0)
    async with run_server(listener, tmp_path / "game.sqlite3") as server:
        assert server.address == f"ws://127.0.0.1:{listener.getsockname()[1]}"
        match = await play(server.address)
    assert listener.fileno() == -1
    store = await Store.open(tmp_path / "game.sqlite3")
    assert len(await store.read(read_log, match)) == 3
    await store.close()


async def test_an_address_of_ipv6_is_written_in_brackets(tmp_path):
    async with run_server(listen("::1", 0), tmp_path / "game.sqlite3") as server:
        assert server.address.startswith("ws://[::1]:")
        await play(server.address)


@pytest.mark.parametrize(("port", "page"), [(None, None), (0, "/")])
async def test_a_game_on_the_network_has_the_web_page(tmp_path, port, page):
    async with run_embedded_server(tmp_path / "games.db", port) as address:
        wire = await RawClient.connect(address)
        terms = (await wire.hello("Ada")).terms
        assert terms is not None
        assert terms.page == page
        await wire.close()


async def test_an_embedded_game_is_kept_in_its_file(tmp_path):
    database = tmp_path / "new" / "folder" / "games.db"
    async with run_embedded_server(database) as address:
        await play(address)
    assert database.exists()


async def test_a_file_in_use_is_refused_and_the_port_is_closed(tmp_path):
    listener = listen("127.0.0.1", 0)
    async with run_server(listen("127.0.0.1", 0), tmp_path / "game.sqlite3") as server:
        with pytest.raises(DatabaseLocked, match=r"game\.sqlite3 is in use by another"):
            async with run_server(listener, tmp_path / "game.sqlite3"):
                pass
        await play(server.address)  # the first is not harmed
    assert listener.fileno() == -1


async def test_a_connection_reset_during_the_stop_is_no_error(hall, caplog, monkeypatch):
    monkeypatch.setattr(scheduler, "BUDGET_SECONDS", 0.0)  # the second client is read late
    port = int(hall.address.rpartition(":")[2])
    clients = [await asyncio.to_thread(socket.create_connection, ("127.0.0.1", port)) for _ in "12"]
    for client in clients:
        client.sendall(HANDSHAKE)
        assert await asyncio.to_thread(client.recv, 4096)
    stop = asyncio.create_task(hall.stop())
    for client in clients:
        assert await asyncio.to_thread(client.recv, 4096)  # the close
    for client in clients:
        client.sendall(frame(Opcode.CLOSE, b""))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    await stop
    assert [line.getMessage() for line in caplog.records if line.levelno > logging.INFO] == []


def test_frames_are_sent_at_once():
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_timeouts_of_a_stop_are_some_five_seconds_in_all():
    """Docker allows ten. The parts run one after another, each with its own time-out."""
    parts = [gateway, lease, logs, threads, worker_pool]
    assert CLOSE_SECONDS + sum(part.STOP_SECONDS for part in parts) <= 5.5
    assert MAX_DRAIN_SECONDS + 5.5 < SECONDS_UNTIL_KILLED <= 10
