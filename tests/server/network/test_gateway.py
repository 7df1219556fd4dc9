import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.frames import CloseCode, Opcode
from websockets.typing import Subprotocol

from kit.client import PATIENCE, RawClient, list_frames
from kit.clock import is_debt
from kit.frames import HANDSHAKE, PING, frame, request, send_raw
from kit.matches import state_of
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import OLD_SUBPROTOCOLS, SUBPROTOCOL, Presence, Said
from mastermind_protocol.requests import (
    Challenge,
    EnterDay,
    Hello,
    Join,
    ListBots,
    ListMatches,
    Open,
    Rematch,
    Request,
    Say,
    Seek,
    Unfollow,
)
from mastermind_server.app import listen
from mastermind_server.bans import Ban
from mastermind_server.limits import DEFAULT_LIMITS, Limits, Rate
from mastermind_server.monitoring.overload import RESTART_RETRY_SECONDS
from mastermind_server.network.routes import LIST_COST, LOG_COST, ROUTES
from mastermind_server.network.sessions import BANNED_CLOSE_REASON
from mastermind_server.network.sockets import scheduler
from mastermind_server.network.sockets.connection import CLOSE_SECONDS
from mastermind_server.network.sockets.connection_limits import REFUSED_AT_ONCE

PONG = b"\x8a\x80\0\0\0\0"
EMPTY_START, EMPTY_PIECE = b"\x02\x80\0\0\0\0", b"\x00\x80\0\0\0\0"
OPENINGS: list[tuple[type[Request], Callable[[str], dict[str, Any]]]] = [
    (Open, lambda _: {"rules": "classic", "maker": "me", "breaker": "open"}),
    (Seek, lambda _: {"rules": "classic"}),
    (Rematch, lambda match: {"match": match}),
    (Join, lambda match: {"match": match}),
    (Challenge, lambda _: {"player": "BOB", "rules": "classic"}),
    (EnterDay, lambda _: {"rules": "classic", "day": 0}),
]


@pytest.fixture
async def timed_hall(idle_hall, clock):
    """A running server with a manual clock."""
    await idle_hall.start(connection_clock=clock)
    yield idle_hall
    clock.run_all_timers()


@pytest.mark.parametrize(
    ("offered", "selected"),
    [
        ([SUBPROTOCOL], SUBPROTOCOL),
        ([SUBPROTOCOL, *OLD_SUBPROTOCOLS], SUBPROTOCOL),
        (OLD_SUBPROTOCOLS, OLD_SUBPROTOCOLS[0]),
        (["mastermind.v4", OLD_SUBPROTOCOLS[1]], OLD_SUBPROTOCOLS[1]),
    ],
)
async def test_a_handshake_agrees_on_the_subprotocol_and_no_compression(hall, offered, selected):
    offer = [Subprotocol(each) for each in offered]
    wire = await hall.connect(subprotocols=offer, compression="deflate")
    assert wire.websocket.subprotocol == selected
    assert wire.websocket.protocol.extensions == []


@pytest.mark.parametrize("offered", [None, [Subprotocol("mastermind.v0")]])
async def test_a_client_of_another_protocol_is_refused_in_the_handshake(hall, offered):
    with pytest.raises(InvalidStatus) as refused:
        await connect(hall.address, subprotocols=offered, proxy=None)
    assert refused.value.response.status_code == 400


@pytest.mark.parametrize(
    ("sent", "status", "body"),
    [
        ("GET /healthz HTTP/1.1", 200, "ok\n"),
        ("HEAD /healthz HTTP/1.1", 200, ""),
        ("GET /healthz?x=1 HTTP/1.1", 200, "ok\n"),
        ("GET / HTTP/1.1", 426, None),
        ("POST / HTTP/1.1", 405, None),
        ("POST /healthz HTTP/1.1", 405, None),
        ("guess 1122", 400, None),
        (f"GET /{'a' * 9000} HTTP/1.1", 414, None),
        ("OPTIONS /healthz HTTP/1.0", 200, "ok\n"),
        ("GET / HTTP/1.0", 200, "ok\n"),
        ("GET /x HTTP/1.0", 505, None),
    ],
)
async def test_a_plain_http_request_gets_an_answer(hall, sent, status, body):
    answer = await send_raw(hall, f"{sent}\r\nHost: localhost\r\n\r\n".encode())
    head, _, found = answer.partition("\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ")
    assert body is None or found == body


@pytest.mark.parametrize("hosts", [0, 2])
async def test_a_handshake_with_other_than_one_host_is_refused(hall, hosts):
    lines = HANDSHAKE.split(b"\r\n")
    (host,) = [line for line in lines if line.startswith(b"Host:")]
    sent = b"\r\n".join([lines[0], *[host] * hosts, *(line for line in lines[1:] if line != host)])
    assert (await send_raw(hall, sent)).startswith("HTTP/1.1 400 ")


async def test_a_refused_websocket_version_gets_the_supported_one(hall):
    answer = await send_raw(hall, HANDSHAKE.replace(b"Version: 13", b"Version: 12"))
    assert answer.startswith("HTTP/1.1 400 ")
    assert "\r\nSec-WebSocket-Version: 13\r\n" in answer


@pytest.mark.parametrize(
    "frame", [PING, b"\xff\x80\0\0\0\0", b"\x82\0"], ids=["whole", "broken", "not masked"]
)
async def test_a_client_that_sends_a_frame_with_its_handshake_is_cut_off(hall, frame):
    assert await send_raw(hall, HANDSHAKE + frame) == ""


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /" + b"x" * 9000, 414),
        (b"GET / HTTP/1.1\r\nCookie: " + b"x" * 9000, 431),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200, 431),
    ],
    ids=["request line", "header line", "number of headers"],
)
async def test_a_handshake_that_websockets_rejects_for_its_length_is_counted(hall, sent, status):
    reader, writer = await hall.open_socket(sent)
    async with asyncio.timeout(PATIENCE):
        assert (await reader.readline()).startswith(b"HTTP/1.1 %d " % status)
    assert hall.services.limiter.exceeded["handshake_bytes"] == 1
    writer.close()


async def test_a_tls_client_on_the_plain_port_is_answered_at_once(timed_hall):
    client_hello = bytes.fromhex("16030102000100")
    answer = await send_raw(timed_hall, client_hello)  # before any timeout: the clock stands
    assert answer.startswith("HTTP/1.1 400 ")
    assert answer.endswith("no TLS on this port\n")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(Opcode.BINARY, b"1", reserved=7), CloseCode.PROTOCOL_ERROR),
        (frame(Opcode.CLOSE, b"\x03\xe8\xff"), CloseCode.INVALID_DATA),  # not UTF-8
        (frame(Opcode.BINARY, bytes(DEFAULT_LIMITS.frame_bytes + 1)), CloseCode.MESSAGE_TOO_BIG),
    ],
    ids=["reserved bits", "not UTF-8", "too big"],
)
async def test_a_violation_of_the_protocol_is_logged_and_counted(hall, caplog, sent, code):
    caplog.set_level(logging.INFO)
    ada = await hall.meet("Ada")
    ada.websocket.transport.write(sent)
    assert (await ada.closed())[0] == code
    await hall.until_connections(0)
    told = [line.getMessage().partition(": ")[2] for line in caplog.records]
    assert told == [f"closed by the server with {code}, 0 messages refused"]
    assert hall.server.gateway.measure_traffic().violations == {code: 1}


async def test_requests_before_a_tcp_half_close_are_answered(hall):
    reader, writer = await hall.open_socket(HANDSHAKE)
    async with asyncio.timeout(PATIENCE):
        await reader.readuntil(b"\r\n\r\n")
        hello = frame(Opcode.BINARY, encode(Hello(id=1, name="Ada")))
        writer.write(hello + request(2) + request(3))
        writer.write_eof()
        received = await reader.read()
    messages = [decode_message(message) for message in list_frames(received)]
    assert [getattr(message, "id", None) for message in messages] == [1, 2, 3]
    writer.close()


async def test_a_socket_counts_before_it_has_sent_anything(hall):
    hall.limit(connections_per_address=0)
    silent = [await hall.open_socket() for _ in range(REFUSED_AT_ONCE)]
    assert await send_raw(hall, b"") == ""  # the next one is cut at once
    for _, writer in silent:
        writer.close()


@pytest.mark.promise("crowd-leaves")
@pytest.mark.parametrize("spent", ["BUDGET_SECONDS", "PENDING_BUDGET_SECONDS"])
async def test_a_crowd_that_disconnects_together_is_dropped_over_several_iterations(
    hall, match, spent, monkeypatch
):
    crowd = [await hall.meet(f"Eve{number}") for number in range(8)]
    for one in crowd:
        await one.follow(match)
    monkeypatch.setattr(scheduler, spent, 0.0)
    monkeypatch.setattr(scheduler, "STARTS_PER_ITERATION", 1)
    count, gone = hall.server.gateway.count_connections, list[int]()
    here = count()
    for one in crowd:
        one.websocket.transport.abort()
    async with asyncio.timeout(PATIENCE):
        while count() > here - len(crowd):
            before = count()
            await asyncio.sleep(0)
            gone.append(before - count())
    assert max(gone) <= 2  # the first of an iteration, and a waiting one


async def test_a_stop_closes_all_connections_with_times_to_return(hall, ada, bob):
    await hall.stop()
    told = {await ada.closed(), await bob.closed()}
    assert told == {
        (CloseCode.SERVICE_RESTART, "restarting; retry_after=0.000"),
        (CloseCode.SERVICE_RESTART, "restarting; retry_after=0.005"),
    }
    with pytest.raises(OSError, match=r"Connect call failed|Connection refused"):
        await hall.connect()


async def test_a_draining_node_continues_matches_and_begins_none(hall, ada, bob, match):
    assert {kind for kind, _ in OPENINGS} == {
        kind for kind, route in ROUTES.items() if route.begins_match
    }
    lobby = (await bob.open()).match
    again = await hall.connect_again(bob)
    hall.server.services.readiness.draining = True
    for kind, fields in OPENINGS:
        refused = await ada.refused(kind, **fields(lobby if kind is Join else match))
        assert (refused.code, refused.retry_after) == (ErrorCode.RESTARTING, RESTART_RETRY_SECONDS)
        assert refused.details == {"reason": "restarting"}
    for own in (lobby, match):
        assert (await again.join(own)).match == own
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
    assert bob.matches[match].phase is Phase.FINISHED


async def test_a_draining_node_answers_a_handshake_with_503(hall):
    hall.server.services.readiness.draining = True
    with pytest.raises(InvalidStatus) as refused:
        await connect(hall.address, subprotocols=[Subprotocol(SUBPROTOCOL)], proxy=None)
    response = refused.value.response
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")


async def test_a_drain_ends_when_the_last_connection_is_closed(hall, ada):
    drain = asyncio.create_task(hall.server.gateway.drain(PATIENCE, asyncio.Event()))
    await ada.list("running")
    assert not drain.done()
    await ada.close()
    async with asyncio.timeout(PATIENCE / 2):
        await drain


@pytest.mark.parametrize(("seconds", "hurried"), [(0, False), (PATIENCE, True)])
async def test_a_drain_ends_after_its_time_or_a_second_signal(hall, ada, *, seconds, hurried):
    hurry = asyncio.Event()
    if hurried:
        hurry.set()
    async with asyncio.timeout(PATIENCE / 2):
        await hall.server.gateway.drain(seconds, hurry)
    assert (await ada.list("running")).matches == ()


async def test_a_stop_cuts_off_a_client_that_does_not_close(timed_hall, clock):
    reader, writer = await timed_hall.open_socket(HANDSHAKE)
    await reader.readuntil(b"\r\n\r\n")
    stop = asyncio.create_task(timed_hall.stop())
    await clock.until(lambda timer: timer.seconds == CLOSE_SECONDS)
    clock.skip(CLOSE_SECONDS)
    await stop
    writer.close()


async def test_a_half_closed_client_that_does_not_read_is_cut_off(idle_hall, clock):
    listener = listen("127.0.0.1", 0)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # accepted ones have it too
    await idle_hall.start(listener=listener, connection_clock=clock)
    ada = await idle_hall.meet("Ada")
    match = (await ada.open()).match
    deaf = socket.create_connection(listener.getsockname(), timeout=5)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    bob = await RawClient.connect(idle_hall.address, sock=deaf, max_queue=1)
    await bob.hello("Bob")
    await bob.join(match)
    bob.websocket.transport.pause_reading()
    for _ in range(40):
        await bob.send(encode(bob.new(ListBots)))
    await bob.send(encode(bob.new(Say, match=match, text="all is asked")))
    await ada.until(Said)
    bob.websocket.transport.write_eof()
    await clock.until(lambda timer: timer.seconds == CLOSE_SECONDS)
    clock.skip(CLOSE_SECONDS)
    assert not (
        await ada.until(Presence, lambda told: told.player == bob.id and not told.here)
    ).here
    bob.websocket.transport.abort()
    clock.run_all_timers()


@pytest.mark.parametrize("accepted", [True, False])
async def test_a_socket_that_arrives_during_a_stop_is_closed(hall, *, accepted):
    gateway = hall.server.gateway
    just_before = gateway.make_connection()  # of an accepted socket, without a transport yet
    await hall.stop()
    ours, theirs = socket.socketpair()
    with theirs:
        await asyncio.get_running_loop().connect_accepted_socket(
            (lambda: just_before) if accepted else gateway.make_connection, ours
        )
        assert await asyncio.to_thread(theirs.recv, 1) == b""


async def test_a_lost_connection_counts_until_its_requests_are_done(timed_hall, clock):
    ada = await timed_hall.meet("Ada")
    timed_hall.limit(connections_per_address=1)
    for _ in range(DEFAULT_LIMITS.request_cost.burst // LIST_COST + 1):
        await ada.send(encode(ada.new(ListMatches, what="waiting")))
    debt = await clock.until(is_debt)  # the player's, for the last request
    await ada.close()
    refused = await timed_hall.connect()
    assert (await refused.closed())[0] == CloseCode.TRY_AGAIN_LATER
    clock.skip(debt.seconds)
    await timed_hall.until_connections(0)
    await timed_hall.meet("Bob")


@pytest.mark.promise("banned-player")
async def test_a_delayed_request_is_dropped_when_its_player_is_banned(idle_hall, clock):
    await idle_hall.start(
        connection_clock=clock, limits=Limits(request_cost=Rate(burst=LOG_COST, per_second=0.125))
    )
    ada, bob, match = await idle_hall.begin_match()
    await ada.send(encode(ada.new(Say, match=match, text="too late")))
    debt = await clock.until(is_debt)
    idle_hall.services.bans.replace([Ban(ada.id, None, "enough")])
    idle_hall.server.gateway.disconnect_banned({ada.id})
    assert await ada.closed() == (CloseCode.POLICY_VIOLATION, BANNED_CLOSE_REASON)
    clock.skip(debt.seconds)
    while not isinstance(told := await bob.next(), Presence) or told.here:
        assert not isinstance(told, Said)
    clock.run_all_timers()


async def test_a_client_is_not_cut_off_while_the_server_does_not_read_its_pongs(idle_hall, clock):
    slow = Limits(frames=Rate(burst=5, per_second=0.01))
    await idle_hall.start(connection_clock=clock, limits=slow)
    ada = await idle_hall.meet("Ada")
    ada.websocket.transport.write(PING * 10)
    debt = await clock.until(is_debt)
    clock.skip(debt.due - clock.seconds)  # the pongs are there, and could not be seen
    assert debt.seconds > DEFAULT_LIMITS.hello_seconds + 2 * DEFAULT_LIMITS.ping_seconds
    assert (await ada.list("waiting")).matches == ()
    ada.websocket.transport.abort()
    clock.run_all_timers()


@pytest.mark.parametrize("frame", [PING, PONG, EMPTY_START + EMPTY_PIECE])
async def test_control_frames_and_fragments_count_as_frames(timed_hall, clock, frame):
    ada, bob = await timed_hall.meet("Ada"), await timed_hall.meet("Bob")
    pieces = frame + frame[-len(EMPTY_PIECE) :] * 5 * DEFAULT_LIMITS.frames.burst
    ada.websocket.transport.write(pieces)
    debt = await clock.until(is_debt)
    assert debt.seconds > 1 / DEFAULT_LIMITS.frames.per_second
    assert (await bob.list("waiting")).matches == ()
    ada.websocket.transport.abort()


async def test_a_request_just_before_the_close_frame_is_done(ada, bob, match):
    await ada.send(encode(ada.new(Unfollow, match=match)))
    await ada.close()
    assert await bob.until(Presence, lambda told: told.player == ada.id and not told.here)


async def test_a_broken_connection_is_logged_as_lost(hall, ada, bob, match, caplog):
    caplog.set_level(logging.INFO)
    await ada.follow(match)
    bob.websocket.transport.abort()
    assert await ada.until(Presence, lambda told: not told.here)
    assert [line for line in caplog.records if line.levelno >= logging.WARNING] == []
    assert any("lost, 0 messages refused" in line.getMessage() for line in caplog.records)
    assert state_of(await (await hall.connect_again(bob)).follow(match)).seat_of(bob.id)
