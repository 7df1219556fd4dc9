from __future__ import annotations

import asyncio
import logging
import socket
import time

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from mastermind_protocol.codec import encode
from mastermind_protocol.messages import SUBPROTOCOL, Done, Follow, Presence, Unfollow
from mastermind_server import gateway
from mastermind_server.app import listen
from mastermind_server.gateway import Gateway
from mastermind_server.house import read_clock
from mastermind_server.identity import Identities
from mastermind_server.limits import (
    MAX_CONNECTIONS,
    MAX_CONNECTIONS_PER_ADDRESS,
    OUTBOX_FRAMES,
    REQUESTS,
)
from mastermind_server.router import Router
from mastermind_server.study import Study
from wire import Hall, Wire, state_of


async def get(hall: Hall, path: str) -> tuple[str, str]:
    """Return status line and body of what plain HTTP gets."""
    port = int(hall.address.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    async with asyncio.timeout(5):
        answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.partition("\r\n\r\n")
    return head.splitlines()[0], body


async def test_the_subprotocol_is_agreed_on(hall: Hall) -> None:
    wire = await hall.connect()
    assert wire.websocket.subprotocol == SUBPROTOCOL


@pytest.mark.parametrize("offered", [None, [Subprotocol("mastermind.v0")]])
async def test_who_speaks_another_protocol_is_refused_in_the_handshake(
    hall: Hall, offered: list[Subprotocol] | None
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        await connect(hall.address, subprotocols=offered, proxy=None)
    assert refused.value.response.status_code == 400


async def test_a_newer_client_may_offer_several_protocols(hall: Hall) -> None:
    offered = [Subprotocol("mastermind.v2"), Subprotocol(SUBPROTOCOL)]
    wire = await hall.connect(subprotocols=offered)
    assert wire.websocket.subprotocol == SUBPROTOCOL


async def test_frames_are_not_compressed(hall: Hall) -> None:
    wire = await hall.connect(compression="deflate")
    assert wire.websocket.protocol.extensions == []


async def test_its_health_can_be_asked_for(hall: Hall) -> None:
    assert await get(hall, "/healthz") == ("HTTP/1.1 200 OK", "ok\n")


async def test_a_browser_is_told_that_this_is_no_page(hall: Hall) -> None:
    status, _ = await get(hall, "/")
    assert status.startswith("HTTP/1.1 426")


async def test_one_address_has_no_more_connections_than_its_share(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "MAX_CONNECTIONS_PER_ADDRESS", 2)
    first, _ = await hall.meet("Ada"), await hall.meet("Bob")
    with pytest.raises(InvalidStatus) as refused:
        await hall.connect()
    assert refused.value.response.status_code == 503
    assert await get(hall, "/healthz") == ("HTTP/1.1 200 OK", "ok\n")

    match = (await first.open()).match
    await first.close()  # a place is free as soon as the server knows
    assert await come_in(hall) != match
    assert MAX_CONNECTIONS_PER_ADDRESS < MAX_CONNECTIONS


async def come_in(hall: Hall) -> str:
    """Connect, as soon as there is room."""
    async with asyncio.timeout(5):
        while True:
            try:
                return (await (await hall.meet()).open()).match
            except InvalidStatus:
                await asyncio.sleep(0)


async def test_there_are_no_more_connections_than_there_is_room_for(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "MAX_CONNECTIONS", 1)
    await hall.connect()
    with pytest.raises(InvalidStatus) as refused:
        await hall.connect()
    assert refused.value.response.status_code == 503


async def test_who_says_no_hello_is_sent_away(idle_hall: Hall) -> None:
    await idle_hall.start(hello_seconds=0.01)
    wire = await idle_hall.connect()
    assert await wire.closed() == (CloseCode.POLICY_VIOLATION, "no hello")


async def test_who_said_hello_may_be_silent(idle_hall: Hall) -> None:
    await idle_hall.start(hello_seconds=0.2)
    ada = await idle_hall.meet("Ada")
    silent = await idle_hall.connect()
    assert await silent.closed() == (CloseCode.POLICY_VIOLATION, "no hello")
    assert (await ada.list("waiting")).matches == ()


async def test_a_stop_tells_everybody_to_come_back(hall: Hall, ada: Wire, bob: Wire) -> None:
    await hall.stop()
    assert await ada.closed() == (CloseCode.SERVICE_RESTART, "restarting")
    assert await bob.closed() == (CloseCode.SERVICE_RESTART, "restarting")
    with pytest.raises(OSError, match="Connect call failed"):
        await hall.connect()


async def test_a_server_that_was_never_started_can_be_stopped(hall: Hall) -> None:
    study = Study(hall.lobby, hall.house.bots)
    router = Router(hall.lobby, study, Identities(hall.store, read_clock), time.monotonic)
    await Gateway(router, time.monotonic).stop()


async def test_who_asks_too_fast_is_read_more_slowly_and_loses_nothing(ada: Wire) -> None:
    before = time.monotonic()
    requests = [ada.new(Unfollow, match="ABCDEF") for _ in range(REQUESTS.burst + 8)]
    for request in requests:
        await ada.send(encode(request))
    assert [await ada.next() for _ in requests] == [Done(id=asked.id) for asked in requests]
    assert time.monotonic() - before >= 8 / REQUESTS.per_second  # a credit was used by hello


async def test_one_who_asks_too_fast_keeps_nobody_else_waiting(ada: Wire, bob: Wire) -> None:
    for _ in range(2 * REQUESTS.burst):
        await ada.send(encode(ada.new(Unfollow, match="ABCDEF")))
    assert (await bob.list("waiting")).matches == ()
    assert (await ada.next()) == Done(id=2)
    assert len(ada.frames) < REQUESTS.burst
    ada.websocket.transport.abort()


async def test_a_connection_that_breaks_is_no_error(
    hall: Hall, ada: Wire, bob: Wire, match: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    await ada.follow(match)
    bob.websocket.transport.abort()
    assert await ada.until(Presence, lambda told: not told.here)
    assert [line for line in caplog.records if line.levelno >= logging.WARNING] == []
    assert any("lost (ConnectionClosedError)" in line.getMessage() for line in caplog.records)
    assert state_of(await (await hall.again(bob)).follow(match)).seat_of(bob.id)


async def test_who_never_reads_is_cut_off_and_can_resume(
    idle_hall: Hall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gateway, "OUTBOX_FRAMES", 4)
    listener = listen("127.0.0.1", 0)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # accepted ones have it too
    await idle_hall.start(listener=listener)
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match = (await ada.open(rules="knuth")).match
    await bob.join(match)
    await ada.set(match, "0123")
    for _ in range(40):
        await bob.guess(match, "0000")

    deaf = socket.create_connection(listener.getsockname(), timeout=5)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    ada.websocket.transport.abort()
    slow = await Wire.connect(idle_hall.address, ada.ids, sock=deaf, max_queue=1)
    await slow.hello(token=ada.token)
    slow.websocket.transport.pause_reading()
    for _ in range(50):
        await slow.send(encode(slow.new(Follow, match=match)))
    presences = [(await bob.until(Presence)).here for _ in range(3)]
    assert presences == [False, True, False]  # she was lost, came again, and was cut off
    assert caplog.text.count("reads too slowly, cut off") == 1
    slow.websocket.transport.abort()

    back = await idle_hall.again(ada)
    rest = await back.follow(match, 40)
    assert [row.v for row in rest.rows] == [41, 42, 43]
    assert (await bob.guess(match, "0123")).v == 44
    assert OUTBOX_FRAMES > 4
