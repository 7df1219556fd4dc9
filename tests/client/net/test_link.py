from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable

import msgpack
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from kit.matches import pegs
from kit.people import PATIENCE, sit_down, unreachable
from kit.relay import SPOKEN
from mastermind_client.net import link as links
from mastermind_client.net.failures import Fault, Outage, ServerUnreachable
from mastermind_client.net.identity import Identity
from mastermind_client.net.session import Session
from mastermind_client.net.updates import ConnectionLost, Moved, Reconnected, Reconnecting
from mastermind_client.words.failures import explain_failure
from mastermind_protocol.codec import decode_request, encode
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Guessed, Player
from mastermind_protocol.messages import Done, Error, Happened, Welcome
from mastermind_protocol.requests import Hello
from mastermind_server.app import listen
from mastermind_server.limits import Limits

BOB = Player(id="B0B", name="Bob")


async def test_tries_are_counted_from_one_until_the_server_is_back(server, people):
    ada = await people.meet("Ada")
    await server.stop()
    await ada.hear(Reconnecting, lambda update: update.attempt == 3)
    await server.start()
    await ada.hear(Reconnected)
    attempts = [update.attempt for update in ada.updates if isinstance(update, Reconnecting)]
    assert attempts[:3] == [1, 2, 3]
    assert [type(update) for update in ada.updates].count(ConnectionLost) == 1


@pytest.mark.parametrize(("stable", "attempts"), [(0.0, [1, 1]), (60.0, [1, 2])])
async def test_only_a_connection_that_lasts_makes_the_tries_quick_again(
    bob, relay, monkeypatch, stable, attempts
):
    monkeypatch.setattr(links, "STABLE_SECONDS", stable)
    for _ in attempts:
        relay.cut()
        await bob.hear(Reconnected)
    assert [u.attempt for u in bob.updates if isinstance(u, Reconnecting)] == attempts


async def test_a_server_that_restarts_says_when_to_come_back(bob, relay):
    for _ in range(2):
        began = time.monotonic()
        await relay.close(1012, "restarting; retry_after=0.1")
        await bob.hear(Reconnected)
        assert time.monotonic() - began >= 0.1
    assert [u.attempt for u in bob.updates if isinstance(u, Reconnecting)] == [1, 1]


async def test_whoever_goes_while_the_line_is_down_need_not_wait(relay, caplog, monkeypatch):
    monkeypatch.setattr(links, "OPEN_SECONDS", 1000.0)  # for which it would wait
    async with asyncio.timeout(PATIENCE):
        async with Session.connect(relay.address, Identity()) as session:
            relay.hold()
            relay.cut()
            async for update in session.updates():
                if isinstance(update, Reconnecting):
                    break
    assert [type(request) for request in relay.sent] == [Hello]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_session_gives_up_when_the_server_stays_away(server, people, monkeypatch):
    monkeypatch.setattr(links, "GIVE_UP_SECONDS", 0.1)
    ada = await people.meet("Ada")
    await server.stop()
    with unreachable(r"lost ws://.*: nothing listens there; gave up"):
        await ada.hear(Moved)


async def test_a_server_that_has_forgotten_us_ends_the_session(server, people):
    ada = await people.meet("Ada")
    await server.stop()
    server.database = server.database.with_name("other.sqlite3")
    await server.start()
    with pytest.raises(Refused) as refused:
        await ada.hear(Moved)
    assert refused.value.code == ErrorCode.UNKNOWN_TOKEN


async def test_whoever_waits_for_an_answer_learns_that_there_will_be_none(
    server, people, monkeypatch
):
    monkeypatch.setattr(links, "GIVE_UP_SECONDS", 0.1)
    ada = await people.meet("Ada")
    await server.stop()
    with unreachable("gave up"):
        await asyncio.wait_for(ada.session.list_matches("waiting"), PATIENCE)


async def test_a_server_that_takes_no_more_connections_is_worth_more_tries_once_known(
    people, relay
):
    bob = await people.meet("Bob", relay.address)
    relay.turn_away(503)
    relay.cut()
    await bob.hear(Reconnecting, lambda update: update.attempt == 3)
    relay.turn_away(None)
    await bob.hear(Reconnected)


@pytest.mark.parametrize("code", [1002, 1003, 1007, 1008, 1009])
async def test_a_close_that_means_our_fault_is_the_end(bob, relay, code):
    await relay.close(code, "too many bad frames")
    with unreachable("closed the connection: too many bad frames"):
        await bob.hear(Moved)
    assert bob.updates == []
    assert [type(request) for request in relay.sent] == [Hello]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (1000, Outage(Fault.CLOSED)),
        (1001, Outage(Fault.CLOSED)),
        (1011, Outage(Fault.CLOSED, "1011")),
        (1012, Outage(Fault.RESTARTING)),
    ],
)
async def test_any_other_close_is_worth_another_try(bob, relay, code, reason):
    await relay.close(code, "")
    assert (await bob.hear(ConnectionLost)).reason == reason
    await bob.hear(Reconnected)


async def test_text_is_no_message_of_ours(bob, relay):
    await relay.say("hello")
    with unreachable("it is no Mastermind server"):
        await bob.hear(Moved)


async def test_a_broken_message_ends_the_session_and_an_unknown_kind_does_not(bob, relay):
    await relay.say(b"\x81\xa2op\xa5clock")
    assert await bob.session.list_matches("waiting") == ()
    await relay.say(b"\xc1")
    with unreachable(r"the server speaks another version of the protocol$"):
        await bob.hear(Moved)


async def test_events_that_cannot_be_end_the_session(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.turn(theirs)
    impossible = Guessed(code=pegs("1234"), black=4, white=4)
    await relay.say(Happened(match=theirs.code, v=4, events=(impossible,)))
    told = f"contradicts itself: match {theirs.code} cannot go on with its version 4$"
    with unreachable(told):
        await bob.hear(Moved)
    assert theirs.version == 3


async def test_an_error_that_answers_no_request_ends_the_session(bob, relay):
    await relay.say(Error(id=None, code=ErrorCode.INTERNAL, message="the server failed"))
    with pytest.raises(Refused, match="the server failed"):
        await bob.hear(Moved)


async def test_nothing_that_listens_is_said_so_at_once():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    words = rf"cannot reach ws://127.0.0.1:{port}: nothing listens there\. Is the address right"
    await _fails(f"ws://127.0.0.1:{port}", words)


@pytest.mark.parametrize("address", ["http://localhost:1", "localhost:1", "ws://", "ws:///path"])
async def test_what_is_no_address_is_said_with_what_one_looks_like(address):
    await _fails(address, r"that is no server address: use ws://HOST:PORT or wss://HOST:PORT")


async def test_a_proxy_that_cannot_be_used_is_no_crash(monkeypatch):
    monkeypatch.setenv("socks_proxy", "socks5h://127.0.0.1:1")
    await _fails("ws://games.example:1", "cannot reach ws://games.example:1: ")


async def test_an_identity_that_cannot_be_kept_is_said_so(server, tmp_path):
    identity = Identity(tmp_path / "missing" / "one.token")
    with unreachable(r"cannot keep who we are: .*No such file"):
        async with Session.connect(server.address, identity):
            pass


async def test_what_nobody_thought_of_is_logged_and_ends_the_session(caplog):
    await _fails("ws://localhost:99999", r"the session with ws://localhost:99999 failed: Value")
    assert [record.message for record in caplog.records] == ["the session failed"]
    caplog.clear()


async def test_an_answer_in_plain_http_is_no_server_of_ours(server):
    await _fails(f"{server.address}/healthz", "does not speak this version of the protocol")


async def test_a_server_that_is_full_says_so(server, relay):
    await server.stop()
    await server.start(limits=Limits(connections_per_address=0))
    await _fails(server.address, "the server takes no more connections now: try again later")
    relay.turn_away(503)  # as a proxy before a server does
    await _fails(relay.address, "the server takes no more connections now: try again later")


async def test_a_server_that_speaks_no_version_of_ours_is_said_so():
    async def serve_nobody(_):
        raise AssertionError("nobody gets in")

    other = [Subprotocol("mastermind.v9")]
    async with serve(serve_nobody, "127.0.0.1", 0, subprotocols=other) as server:
        await _fails(_address(server.sockets[0]), "does not speak this version of the protocol")


async def test_a_server_that_insists_on_another_version_is_said_so():
    async def wait(client):
        await client.wait_closed()

    async with serve(
        wait, "127.0.0.1", 0, select_subprotocol=lambda _, __: Subprotocol("mastermind.v9")
    ) as server:
        await _fails(_address(server.sockets[0]), "does not speak this version of the protocol")


async def test_what_speaks_no_http_is_no_server_of_ours():
    async def chat(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"220 mail.example ESMTP\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(chat, "127.0.0.1", 0) as server:
        await _fails(_address(server.sockets[0]), "what answers there is no Mastermind server")


async def test_a_handshake_that_is_not_answered_is_not_waited_for_long(monkeypatch):
    monkeypatch.setattr(links, "OPEN_SECONDS", 0.1)
    with listen("127.0.0.1", 0) as silent:
        await _fails(_address(silent), "no answer in time")


async def test_a_greeting_that_is_not_answered_is_not_waited_for_long(monkeypatch):
    monkeypatch.setattr(links, "OPEN_SECONDS", 0.1)
    await _fails_with(lambda client: client.wait_closed(), "no answer in time")


async def test_a_greeting_that_is_answered_with_something_else_is_no_greeting():
    async def misunderstand(client):
        await client.recv()
        await client.send(encode(Done(id=1)))
        await client.wait_closed()

    await _fails_with(misunderstand, "did not answer our greeting")


async def test_a_server_that_hangs_up_on_the_greeting_is_unreachable():
    async def hang_up(client):
        await client.recv()
        await client.close(1008, "no strangers")

    await _fails_with(hang_up, "the server closed the connection: no strangers")


HOSTILE = "\x1b]52;c;QUFB\x07\x1b[2J"


async def _hang_up(client: ServerConnection) -> None:
    await client.recv()
    await client.close(1008, HOSTILE)


async def _refuse(client: ServerConnection) -> None:
    hello = decode_request(await client.recv(decode=False))
    await client.send(encode(Error(id=hello.id, code=HOSTILE, message="")))
    await client.wait_closed()


async def _babble(client: ServerConnection) -> None:
    await client.recv()
    listed = {"match": "ABCDEF", "rules": "mini", "rounds": 1, "phase": HOSTILE}
    await client.send(msgpack.packb({"op": "listing", "id": 1, "matches": [listed]}))
    await client.wait_closed()


@pytest.mark.parametrize(
    ("serving", "kind"),
    [(_hang_up, ServerUnreachable), (_refuse, Refused), (_babble, ServerUnreachable)],
)
async def test_nothing_that_a_server_says_moves_the_cursor(serving, kind):
    async with serve(serving, "127.0.0.1", 0, subprotocols=SPOKEN) as server:
        connecting = Session.connect(_address(server.sockets[0]), Identity())
        with pytest.raises(kind) as raised:
            await asyncio.wait_for(connecting.__aenter__(), PATIENCE)
    assert explain_failure(raised.value).isprintable()


async def test_why_a_server_keeps_us_waiting_moves_no_cursor_either(bob, relay, monkeypatch):
    monkeypatch.setattr(links, "GIVE_UP_SECONDS", 0)
    relay.answer(Hello, lambda hello: Error(id=hello.id, code=ErrorCode.INTERNAL, message=HOSTILE))
    relay.cut()
    with unreachable(r"lost ws://.*: \?\]52;c;QUFB\?\?\[2J; gave up"):
        await bob.hear(Moved)


async def test_a_message_too_large_to_be_ours_is_not_taken_in():
    async def flood(client):
        await client.recv()
        await client.send(encode(Welcome(id=1, player=BOB)))
        await client.send(bytes(links.MAX_MESSAGE_BYTES + 1))
        await client.wait_closed()

    async with (
        serve(flood, "127.0.0.1", 0, subprotocols=SPOKEN) as server,
        Session.connect(_address(server.sockets[0]), Identity()) as session,
    ):
        assert session.player == BOB
        async with asyncio.timeout(PATIENCE):
            assert await anext(session.updates()) == ConnectionLost(Outage(Fault.BROKEN))


async def _fails(address: str, words: str) -> None:
    async with asyncio.timeout(PATIENCE):
        with unreachable(words):
            async with Session.connect(address, Identity()):
                pass


async def _fails_with(serving: Callable[[ServerConnection], Awaitable[None]], words: str) -> None:
    async with serve(serving, "127.0.0.1", 0, subprotocols=SPOKEN) as server:
        await _fails(_address(server.sockets[0]), words)


def _address(listener: socket.socket) -> str:
    return "ws://{}:{}".format(*listener.getsockname()[:2])
