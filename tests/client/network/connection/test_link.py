import asyncio
import logging
import socket
import time

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from kit.matches import pegs
from kit.people import PATIENCE, SessionClient, sit_down, unreachable
from kit.proxy import SPOKEN
from mastermind_client.messages.failures import describe_refusal
from mastermind_client.network.connection import link as links
from mastermind_client.network.connection.line import (
    MAX_MESSAGE_BYTES,
)
from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_client.network.updates import ConnectionLost, Moved, Reconnected, Reconnecting
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Guessed, Player
from mastermind_protocol.messages import Done, Error, Happened, Welcome
from mastermind_protocol.requests import Hello
from mastermind_server.app import listen
from mastermind_server.limits import Limits

BOB = Player(id="B0B", name="Bob")
OTHER_VERSION = "that server speaks another version of the protocol"
FULL = "the server takes no more connections now: try again later"

# Faults before a session is open.


async def wait(client: ServerConnection) -> None:
    await client.wait_closed()


async def misunderstand(client: ServerConnection) -> None:
    await client.recv()
    await client.send(encode(Done(id=1)))
    await client.wait_closed()


async def hang_up(client: ServerConnection) -> None:
    await client.recv()
    await client.close(1008, "no strangers")


async def flood(client: ServerConnection) -> None:
    await client.recv()
    await client.send(encode(Welcome(id=1, player=BOB)))
    await client.send(bytes(MAX_MESSAGE_BYTES + 1))
    await client.wait_closed()


async def speak_mail(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"220 mail.example ESMTP\r\n\r\n")
    writer.close()


def address_of(listener: socket.socket) -> str:
    return "ws://{}:{}".format(*listener.getsockname()[:2])


async def fails(address: str, words: str, identity: Identity | None = None) -> None:
    """Check that no session can be opened at an address, and the reason."""
    async with asyncio.timeout(PATIENCE):
        with unreachable(words):
            async with Session.connect(address, identity or Identity()):
                pass


NO_ADDRESS = r"that is no server address: use ws://HOST:PORT or wss://HOST:PORT"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        *((address, NO_ADDRESS) for address in ("http://h:1", "localhost:1", "ws://", "ws:///p")),
        ("ws://localhost:99999", r"the session with ws://localhost:99999 failed: Value"),
    ],
)
async def test_a_wrong_address_is_refused(address, words, caplog):
    await fails(address, words)
    assert [record.message for record in caplog.records] == ["the session failed"] * (
        "failed" in words
    )
    caplog.clear()


async def test_a_closed_port_is_reported_at_once():
    with listen("127.0.0.1", 0) as listener:
        address = address_of(listener)
    await fails(address, rf"cannot reach {address}: nothing listens there\. Is the address right")


async def test_a_proxy_that_cannot_be_used_is_reported(monkeypatch):
    monkeypatch.setenv("socks_proxy", "socks5h://127.0.0.1:1")
    await fails("ws://games.example:1", "cannot reach ws://games.example:1: ")


async def test_a_token_that_cannot_be_kept_is_reported(server, tmp_path):
    path = tmp_path / "one.json"
    path.mkdir()
    words = r"cannot keep who we are: .*Is a directory"
    await fails(server.address, words, Identity(path))


async def test_an_answer_without_a_websocket_is_reported(server):
    await fails(f"{server.address}/healthz", "must pass on the headers Upgrade and Connection$")


async def test_a_full_server_is_reported(server, relay):
    await server.stop()
    await server.start(limits=Limits(connections_per_address=0))
    await fails(server.address, FULL)
    relay.reject_connections(503)  # as a proxy in front of a server does
    await fails(relay.address, "the proxy in front of the server gets no answer from it$")


@pytest.mark.parametrize(
    ("serving", "protocol", "words"),
    [
        (wait, {"subprotocols": [Subprotocol("mastermind.v9")]}, OTHER_VERSION),
        (wait, {"select_subprotocol": lambda *_: Subprotocol("mastermind.v9")}, OTHER_VERSION),
        (wait, {"subprotocols": SPOKEN}, "no answer in time"),
        (misunderstand, {"subprotocols": SPOKEN}, "did not answer our greeting"),
        (hang_up, {"subprotocols": SPOKEN}, "the server closed the connection: no strangers"),
    ],
    ids=["another version", "insists on one", "silent", "wrong answer", "closes"],
)
async def test_a_server_that_does_not_greet_is_reported(serving, protocol, words, monkeypatch):
    if "in time" in words:
        monkeypatch.setattr(links, "OPEN_SECONDS", 0.1)
    async with serve(serving, "127.0.0.1", 0, **protocol) as server:
        await fails(address_of(server.sockets[0]), words)


async def test_a_service_without_http_is_no_server():
    async with await asyncio.start_server(speak_mail, "127.0.0.1", 0) as server:
        await fails(address_of(server.sockets[0]), "the answer is not from a Mastermind server")


async def test_an_unanswered_handshake_times_out(monkeypatch):
    monkeypatch.setattr(links, "OPEN_SECONDS", 0.1)
    with listen("127.0.0.1", 0) as silent:
        await fails(address_of(silent), "no answer in time")


async def test_a_message_that_is_too_large_breaks_the_connection():
    async with (
        serve(flood, "127.0.0.1", 0, subprotocols=SPOKEN) as server,
        Session.connect(address_of(server.sockets[0]), Identity()) as session,
    ):
        assert session.player == BOB
        bob = SessionClient(session, Identity())
        lost = await bob.wait_for_update(ConnectionLost)
        assert lost == ConnectionLost(DisconnectReason(Fault.BROKEN))


# Faults of an open session.


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        *((lambda relay, code=code: relay.close(code, "too many bad frames"), None,
           "closed the connection: too many bad frames")
          for code in (1002, 1003, 1007, 1008, 1009)),
        (lambda relay: relay.say("hello"), None, "it is no Mastermind server"),
        (lambda relay: relay.say(b"\xc1"), None,
         r"the server speaks another version of the protocol$"),
        (lambda relay: relay.say(Error(code=ErrorCode.INTERNAL, message="the server failed")),
         Refused, "the server failed"),
        (lambda relay: relay.say(Error(code=ErrorCode.BANNED, message="you are banned")),
         Refused, "you are banned"),
    ],
)  # fmt: skip
async def test_a_lasting_fault_ends_the_session(bob, relay, fault, kind, words):
    await relay.say(b"\x81\xa2op\xa5clock")  # of a later version: this is no fault
    await fault(relay)
    with pytest.raises(kind, match=words) if kind else unreachable(words):
        await bob.wait_for_update(Moved)
    with pytest.raises(kind, match=words) if kind else unreachable(words):
        await bob.session.list_matches("waiting")
    assert bob.updates == []
    assert [type(request) for request in relay.sent] == [Hello]


async def test_impossible_events_end_the_session(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.wait_for_turn(theirs)
    impossible = Guessed(code=pegs("1234"), black=4, white=4)
    await relay.say(Happened(match=theirs.code, v=4, events=(impossible,)))
    words = f"contradicts itself: version 4 does not follow in match {theirs.code}$"
    with unreachable(words):
        await bob.wait_for_update(Moved)
    assert theirs.version == 3


# Reconnecting.


@pytest.mark.parametrize(("stable", "attempts"), [(0.0, [1, 1]), (60.0, [1, 2])])
async def test_the_tries_start_again_after_a_stable_connection(
    bob, relay, monkeypatch, stable, attempts
):
    monkeypatch.setattr(links, "STABLE_SECONDS", stable)
    for _ in attempts:
        relay.cut()
        await bob.wait_for_update(Reconnected)
    assert [u.attempt for u in bob.updates if isinstance(u, Reconnecting)] == attempts


async def test_a_restarting_server_names_the_time_to_come_back(bob, relay):
    for _ in range(2):
        began = time.monotonic()
        await relay.close(1012, "restarting; retry_after=0.1")
        await bob.wait_for_update(Reconnected)
        assert time.monotonic() - began >= 0.1
    assert [u.attempt for u in bob.updates if isinstance(u, Reconnecting)] == [1, 1]


async def test_a_known_server_that_is_full_is_tried_again(bob, relay):
    relay.reject_connections(503)
    relay.cut()
    await bob.wait_for_update(Reconnecting, lambda update: update.attempt == 3)
    relay.reject_connections(None)
    await bob.wait_for_update(Reconnected)


async def test_a_session_can_be_closed_while_the_line_is_down(relay, caplog, monkeypatch):
    monkeypatch.setattr(links, "OPEN_SECONDS", 1000.0)
    async with asyncio.timeout(PATIENCE):
        async with Session.connect(relay.address, Identity()) as session:
            relay.hold()
            relay.cut()
            await SessionClient(session, Identity()).wait_for_update(Reconnecting)
    assert [type(request) for request in relay.sent] == [Hello]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "ask",
    [lambda ada: ada.wait_for_update(Moved), lambda ada: ada.session.list_matches("waiting")],
    ids=["updates", "a request"],
)
async def test_a_session_gives_up_when_the_server_stays_away(server, people, monkeypatch, ask):
    monkeypatch.setattr(links, "RECONNECT_SECONDS", 0.1)
    ada = await people.meet("Ada")
    await server.stop()
    with unreachable(r"lost ws://.*: nothing listens there; gave up"):
        await asyncio.wait_for(ask(ada), PATIENCE)


async def test_a_program_waits_for_a_server_that_stays_away(server, people, monkeypatch):
    monkeypatch.setattr(links, "RECONNECT_SECONDS", 0.0)
    eliza = await people.connect_program("Eliza")
    await server.stop()
    await eliza.wait_for_update(Reconnecting, lambda update: update.attempt == 2)
    await server.start()
    await eliza.wait_for_update(Reconnected)


async def test_a_server_without_our_player_ends_the_session(server, people):
    ada = await people.meet("Ada")
    await server.stop()
    server.database = server.database.with_name("other.sqlite3")
    await server.start()
    with pytest.raises(Refused) as refused:
        await ada.wait_for_update(Moved)
    assert refused.value.code == ErrorCode.UNKNOWN_TOKEN
    assert describe_refusal(refused.value) == "The server does not know you."
