from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable

import pytest
from websockets.asyncio.client import connect
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import CloseCode
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from kit.client import PATIENCE, Wire
from kit.clock import ManualClock, ManualTimer
from kit.matches import state_of
from kit.server import Hall
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_ROWS, SUBPROTOCOL, Done, Error, Presence, Said
from mastermind_protocol.requests import (
    Follow,
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
from mastermind_server.limits import USUAL, Limits, Rate
from mastermind_server.network.refusals import BANNED
from mastermind_server.network.sockets import turns
from mastermind_server.tuning import (
    CLOSE_SECONDS,
    LIST_COST,
    LOG_COST,
    REFUSED_AT_ONCE,
    RETURN_SECONDS,
)

PING = b"\x89\x80\0\0\0\0"  # frames as a client masks them, by a mask that changes nothing
PONG = b"\x8a\x80\0\0\0\0"
EMPTY_PIECE = b"\x00\x80\0\0\0\0"
_CLIENT = ClientProtocol(parse_uri("ws://localhost"), subprotocols=[Subprotocol(SUBPROTOCOL)])
HANDSHAKE = _CLIENT.connect().serialize()


OPENINGS: list[tuple[type[Request], Callable[[str], dict[str, str]]]] = [
    (Open, lambda _: {"rules": "classic", "maker": "me", "breaker": "open"}),
    (Seek, lambda _: {"rules": "classic"}),
    (Rematch, lambda match: {"match": match}),
]


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
async def timed_hall(idle_hall, clock):
    """A running server whose time passes when the test says so."""
    await idle_hall.start(line_clock=clock)
    yield idle_hall
    clock.let_go()


def is_debt(timer: ManualTimer) -> bool:
    """Tell whether it is for a client that asked too fast."""
    return timer.seconds not in (
        USUAL.handshake_seconds,
        USUAL.hello_seconds,
        USUAL.ping_seconds,
        CLOSE_SECONDS,
    )


async def send_raw(hall: Hall, data: bytes) -> str:
    """Return all that a socket is answered which sends this and no more."""
    port = int(hall.address.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    async with asyncio.timeout(PATIENCE):
        try:
            answer = await reader.read()
        except ConnectionResetError:
            answer = b""
    writer.close()
    return answer.decode()


async def get(hall: Hall, path: str, method: str = "GET") -> tuple[str, str]:
    """Return status line and body of what plain HTTP gets."""
    answer = await send_raw(hall, f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head, _, body = answer.partition("\r\n\r\n")
    return head.splitlines()[0], body


async def test_the_subprotocol_is_agreed_on(hall):
    wire = await hall.connect()
    assert wire.websocket.subprotocol == SUBPROTOCOL


@pytest.mark.parametrize("offered", [None, [Subprotocol("mastermind.v0")]])
async def test_who_speaks_another_protocol_is_refused_in_the_handshake(hall, offered):
    with pytest.raises(InvalidStatus) as refused:
        await connect(hall.address, subprotocols=offered, proxy=None)
    assert refused.value.response.status_code == 400


async def test_a_newer_client_may_offer_several_protocols(hall):
    offered = [Subprotocol("mastermind.v2"), Subprotocol(SUBPROTOCOL)]
    wire = await hall.connect(subprotocols=offered)
    assert wire.websocket.subprotocol == SUBPROTOCOL


async def test_frames_are_not_compressed(hall):
    wire = await hall.connect(compression="deflate")
    assert wire.websocket.protocol.extensions == []


async def test_its_health_can_be_asked_for(hall):
    assert await get(hall, "/healthz") == ("HTTP/1.1 200 OK", "ok\n")
    assert await get(hall, "/healthz", "HEAD") == ("HTTP/1.1 200 OK", "")


async def test_a_browser_is_told_that_this_is_no_page(hall):
    status, _ = await get(hall, "/")
    assert status.startswith("HTTP/1.1 426")


@pytest.mark.parametrize("path", ["/", "/healthz"])
async def test_other_methods_are_not_allowed(hall, path):
    status, _ = await get(hall, path, "POST")
    assert status.startswith("HTTP/1.1 405")


async def test_what_is_no_http_is_told_so(hall):
    assert (await send_raw(hall, b"guess 1122\r\n\r\n")).startswith("HTTP/1.1 400")


@pytest.mark.parametrize("line", [64, USUAL.handshake_bytes + 1])
async def test_a_handshake_has_a_small_bound_however_its_lines_are_cut(hall, line):
    cookie = b"Cookie: " + b"x" * line + b"\r\n"
    lines = USUAL.handshake_bytes // len(cookie) + 1
    answer = await send_raw(hall, HANDSHAKE[:-2] + cookie * lines)
    assert answer.startswith("HTTP/1.1 431")


async def test_a_socket_that_does_not_shake_hands_is_cut(timed_hall, clock):
    silent = asyncio.create_task(send_raw(timed_hall, HANDSHAKE[:20]))
    await clock.until(lambda timer: timer.seconds == USUAL.handshake_seconds)
    clock.skip(USUAL.handshake_seconds)
    assert await silent == ""


async def test_who_does_not_wait_for_the_handshake_is_cut(hall):
    assert await send_raw(hall, HANDSHAKE + PING) == ""


async def test_one_address_has_no_more_connections_than_its_share(hall):
    hall.limit(connections_per_address=2)
    first, _ = await hall.meet("Ada"), await hall.meet("Bob")
    refused = await hall.connect()
    assert await refused.closed() == (
        CloseCode.TRY_AGAIN_LATER,
        "too many connections; retry_after=5.000",
    )
    (told,) = refused.unread()
    assert isinstance(told, Error)
    assert (told.code, told.id, told.limit, told.retry_after) == (ErrorCode.TOO_MANY, None, 2, 5.0)
    assert await get(hall, "/healthz") == ("HTTP/1.1 200 OK", "ok\n")

    await first.close()  # a place is free as soon as the server knows
    await come_in(hall)
    assert USUAL.connections_per_address < USUAL.connections


async def come_in(hall: Hall) -> None:
    """Connect, as soon as there is room."""
    async with asyncio.timeout(PATIENCE):
        while True:
            wire = await hall.connect()
            with contextlib.suppress(ConnectionClosed):
                await wire.send(encode(wire.new(Unfollow, match="ABCDEF")))
                answer = await wire.next()
                assert isinstance(answer, Error)
                if answer.code != ErrorCode.TOO_MANY:
                    return


async def test_there_are_no_more_connections_than_there_is_room_for(idle_hall):
    await idle_hall.start(limits=Limits(connections=1))
    await idle_hall.connect()
    assert (await (await idle_hall.connect()).closed())[0] == CloseCode.TRY_AGAIN_LATER


async def test_sockets_count_from_the_moment_they_are_accepted(hall):
    hall.limit(connections_per_address=0)
    port = int(hall.address.rpartition(":")[2])
    silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(REFUSED_AT_ONCE)]
    assert await send_raw(hall, b"") == ""  # one more is cut before it has said anything
    for _, writer in silent:
        writer.close()


@pytest.mark.parametrize("spent", ["TURN_SECONDS", "NEWCOMERS_SECONDS"])
async def test_a_crowd_that_leaves_as_one_is_let_go_in_turns(hall, match, spent, monkeypatch):
    crowd = [await hall.meet(f"Eve{number}") for number in range(8)]
    for one in crowd:
        await one.follow(match)
    monkeypatch.setattr(turns, spent, 0.0)
    monkeypatch.setattr(turns, "RELEASED_PER_TURN", 1)
    count, gone = hall.server.gateway.count_connections, list[int]()
    here = count()
    for one in crowd:
        one.websocket.transport.abort()
    async with asyncio.timeout(PATIENCE):
        while count() > here - len(crowd):
            before = count()
            await asyncio.sleep(0)
            gone.append(before - count())
    assert max(gone) <= 2  # the first of a turn, and one that has waited


async def test_who_says_no_hello_is_sent_away(timed_hall, clock):
    ada = await timed_hall.meet("Ada")
    silent = await timed_hall.connect()
    await silent.send(b"")  # what is wrong is no hello
    assert isinstance(await silent.next(), Error)
    clock.skip(USUAL.hello_seconds)
    assert await silent.closed() == (CloseCode.POLICY_VIOLATION, "no hello")
    assert (await ada.list("waiting")).matches == ()


async def test_a_line_without_a_sign_of_life_is_given_up(timed_hall, clock):
    ada, bob = await timed_hall.meet("Ada"), await timed_hall.meet("Bob")
    ada.websocket.transport.pause_reading()  # so that no pong goes back
    clock.skip(USUAL.hello_seconds)
    await bob.list("waiting")  # his pong has gone back before that
    clock.skip(USUAL.ping_seconds)
    ada.websocket.transport.resume_reading()
    assert await ada.closed() == (CloseCode.INTERNAL_ERROR, "no pong in time")
    assert (await bob.list("waiting")).matches == ()


async def test_a_stop_tells_everybody_to_come_back(hall, ada, bob):
    await hall.stop()
    told = {await ada.closed(), await bob.closed()}
    assert told == {
        (CloseCode.SERVICE_RESTART, "restarting; retry_after=0.000"),
        (CloseCode.SERVICE_RESTART, "restarting; retry_after=0.005"),
    }
    with pytest.raises(OSError, match=r"Connect call failed|Connection refused"):
        await hall.connect()


async def test_while_a_node_drains_matches_go_on_and_none_begins(hall, ada, bob, match):
    hall.server.services.readiness.drain()
    for kind, fields in OPENINGS:
        refused = await ada.refused(kind, **fields(match))
        assert (refused.code, refused.retry_after) == (ErrorCode.RESTARTING, RETURN_SECONDS)
        assert refused.details == {"reason": "restarting"}
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
    assert bob.matches[match].phase is Phase.FINISHED


async def test_who_comes_while_a_node_drains_is_told_to_come_again(hall):
    hall.server.services.readiness.drain()
    with pytest.raises(InvalidStatus) as refused:
        await connect(hall.address, subprotocols=[Subprotocol(SUBPROTOCOL)], proxy=None)
    response = refused.value.response
    assert (response.status_code, response.headers["Retry-After"]) == (503, "1")
    assert await get(hall, "/healthz") == ("HTTP/1.1 200 OK", "ok\n")


async def test_a_drain_lasts_until_nobody_is_here(hall, ada):
    drain = asyncio.create_task(hall.server.gateway.drain(PATIENCE, asyncio.Event()))
    await ada.list("running")
    assert not drain.done()
    await ada.close()
    async with asyncio.timeout(PATIENCE / 2):
        await drain


@pytest.mark.parametrize(("seconds", "hurried"), [(0, False), (PATIENCE, True)])
async def test_a_drain_has_an_end_though_somebody_is_here(hall, ada, *, seconds, hurried):
    hurry = asyncio.Event()
    if hurried:
        hurry.set()
    async with asyncio.timeout(PATIENCE / 2):
        await hall.server.gateway.drain(seconds, hurry)
    assert (await ada.list("running")).matches == ()


async def test_a_stop_does_not_wait_for_who_is_silent(timed_hall, clock):
    port = int(timed_hall.address.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HANDSHAKE)
    await reader.readuntil(b"\r\n\r\n")
    stop = asyncio.create_task(timed_hall.stop())
    await clock.until(lambda timer: timer.seconds == CLOSE_SECONDS)
    clock.skip(CLOSE_SECONDS)
    await stop
    writer.close()


async def test_who_is_half_gone_and_reads_nothing_is_cut_off(idle_hall, clock):
    listener = listen("127.0.0.1", 0)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # accepted ones have it too
    await idle_hall.start(listener=listener, line_clock=clock)
    ada = await idle_hall.meet("Ada")
    match = (await ada.open()).match
    deaf = socket.create_connection(listener.getsockname(), timeout=5)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    bob = await Wire.connect(idle_hall.address, sock=deaf, max_queue=1)
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
    clock.let_go()


@pytest.mark.parametrize("accepted", [True, False])
async def test_nobody_is_let_in_once_a_stop_has_begun(hall, *, accepted):
    gateway = hall.server.gateway
    just_before = gateway.connect()  # of a socket that is accepted, and has no transport yet
    await hall.stop()
    ours, theirs = socket.socketpair()
    with theirs:
        await asyncio.get_running_loop().connect_accepted_socket(
            (lambda: just_before) if accepted else gateway.connect, ours
        )
        assert await asyncio.to_thread(theirs.recv, 1) == b""


async def test_sockets_of_one_address_come_no_faster_than_a_crowd_would(idle_hall, clock):
    slow = Limits(arrivals=Rate(burst=2, per_second=1))
    await idle_hall.start(line_clock=clock, limits=slow)
    assert (await get(idle_hall, "/"))[0].startswith("HTTP/1.1 426")
    assert (await get(idle_hall, "/"))[0].startswith("HTTP/1.1 426")
    assert await send_raw(idle_hall, HANDSHAKE) == ""
    clock.skip(1)
    assert (await get(idle_hall, "/"))[0].startswith("HTTP/1.1 426")


async def test_a_lost_connection_counts_as_long_as_the_server_works_for_it(timed_hall, clock):
    ada = await timed_hall.meet("Ada")
    timed_hall.limit(connections_per_address=1)
    for _ in range(USUAL.work.burst // LIST_COST + 1):
        await ada.send(encode(ada.new(ListMatches, what="waiting")))
    debt = await clock.until(is_debt)  # of the player, for the last of them
    await ada.close()
    refused = await timed_hall.connect()
    assert (await refused.closed())[0] == CloseCode.TRY_AGAIN_LATER
    clock.skip(debt.seconds)
    await come_in(timed_hall)


async def test_what_waits_for_its_pace_is_not_done_for_who_is_sent_away_meanwhile(idle_hall, clock):
    await idle_hall.start(
        line_clock=clock, limits=Limits(work=Rate(burst=LOG_COST, per_second=0.125))
    )
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match = (await ada.open()).match
    await bob.join(match)
    await ada.send(encode(ada.new(Say, match=match, text="too late")))
    debt = await clock.until(is_debt)
    idle_hall.services.bans.replace([Ban(ada.id, None, "enough")])
    idle_hall.server.gateway.send_away({ada.id})
    assert await ada.closed() == (CloseCode.POLICY_VIOLATION, BANNED)
    clock.skip(debt.seconds)
    while not isinstance(told := await bob.next(), Presence) or told.here:
        assert not isinstance(told, Said)
    clock.let_go()


async def test_silence_does_not_count_while_the_server_itself_does_not_read(idle_hall, clock):
    slow = Limits(frames=Rate(burst=5, per_second=0.01))
    await idle_hall.start(line_clock=clock, limits=slow)
    ada = await idle_hall.meet("Ada")
    ada.websocket.transport.write(PING * 10)
    debt = await clock.until(is_debt)
    clock.skip(debt.due - clock.seconds)  # the pongs are there, and could not be seen
    assert debt.seconds > USUAL.hello_seconds + 2 * USUAL.ping_seconds
    assert (await ada.list("waiting")).matches == ()
    ada.websocket.transport.abort()
    clock.let_go()


async def test_who_asks_too_fast_is_read_more_slowly_and_loses_nothing(timed_hall, clock):
    ada = await timed_hall.meet("Ada")
    requests = [ada.new(Unfollow, match="ABCDEF") for _ in range(2 * USUAL.frames.burst)]
    for request in requests:
        await ada.send(encode(request))
    waited = 0.0
    while len(ada.frames) <= len(requests):
        debt = asyncio.create_task(clock.until(is_debt))
        answer = asyncio.create_task(ada.next())
        await asyncio.wait({debt, answer}, return_when=asyncio.FIRST_COMPLETED)
        if debt.done():
            waited += debt.result().seconds
            clock.skip(debt.result().seconds)
        debt.cancel()
        assert await answer == Done(id=requests[len(ada.frames) - 2].id)
    assert waited >= (USUAL.frames.burst - 1) / USUAL.frames.per_second  # hello has used one credit


@pytest.mark.parametrize("frame", [PING, PONG, b"\x02\x80\0\0\0\0" + EMPTY_PIECE])
async def test_control_frames_and_pieces_of_frames_count_as_requests_do(timed_hall, clock, frame):
    ada, bob = await timed_hall.meet("Ada"), await timed_hall.meet("Bob")
    pieces = frame + frame[-len(EMPTY_PIECE) :] * 5 * USUAL.frames.burst
    ada.websocket.transport.write(pieces)
    debt = await clock.until(is_debt)
    assert debt.seconds > 1 / USUAL.frames.per_second
    assert (await bob.list("waiting")).matches == ()
    ada.websocket.transport.abort()


async def test_one_who_asks_too_fast_keeps_nobody_else_waiting(timed_hall, clock):
    ada, bob = await timed_hall.meet("Ada"), await timed_hall.meet("Bob")
    for _ in range(3 * USUAL.frames.burst):
        await ada.send(encode(ada.new(Unfollow, match="ABCDEF")))
    await clock.until(is_debt)
    assert (await bob.list("waiting")).matches == ()
    assert (await ada.next()) == Done(id=2)
    ada.websocket.transport.abort()


async def test_a_request_just_before_the_closing_is_done(ada, bob, match):
    await ada.send(encode(ada.new(Unfollow, match=match)))
    await ada.close()
    assert await bob.until(Presence, lambda told: told.player == ada.id and not told.here)


async def test_a_connection_that_breaks_is_no_error(hall, ada, bob, match, caplog):
    caplog.set_level(logging.INFO)
    await ada.follow(match)
    bob.websocket.transport.abort()
    assert await ada.until(Presence, lambda told: not told.here)
    assert [line for line in caplog.records if line.levelno >= logging.WARNING] == []
    assert any("lost, 0 frames refused" in line.getMessage() for line in caplog.records)
    assert state_of(await (await hall.again(bob)).follow(match)).seat_of(bob.id)


async def test_who_never_reads_is_served_nothing_further_and_then_cut_off(idle_hall, clock):
    small = Limits(unread_bytes=8192, outbox_bytes=16384)
    listener = listen("127.0.0.1", 0)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)  # accepted ones have it too
    await idle_hall.start(listener=listener, line_clock=clock, limits=small)
    ada, bob = await idle_hall.meet("Ada"), await idle_hall.meet("Bob")
    match = (await ada.open(rules="knuth")).match
    await bob.join(match)
    await ada.set(match, "1234")
    for _ in range(40):
        await bob.guess(match, "1111")
    clock.skip(1)

    deaf = socket.create_connection(listener.getsockname(), timeout=5)
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    ada.websocket.transport.abort()
    slow = await Wire.connect(idle_hall.address, ada.ids, sock=deaf, max_queue=1)
    await slow.hello(token=ada.token)
    slow.websocket.transport.pause_reading()
    for _ in range(50):
        await slow.send(encode(slow.new(Follow, match=match)))
    assert [(await bob.until(Presence)).here for _ in range(2)] == [False, True]
    met = idle_hall.services.limiter.met
    assert met["outbox_bytes"] == 0  # fifty logs have far more than 16 KiB
    while met["outbox_bytes"] == 0:  # but what happens is not held back for anybody
        await bob.guess(match, "1111")
        clock.skip(1 / USUAL.frames.per_second)
    assert not (await bob.until(Presence)).here
    slow.websocket.transport.abort()

    back = await idle_hall.again(ada)
    rest = await back.follow(match, 40)
    assert [row.v for row in rest.rows] == list(range(41, 41 + MAX_ROWS))
    clock.let_go()
