from __future__ import annotations

import pytest
from websockets.client import ClientProtocol
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from kit.clock import ManualClock
from mastermind_protocol.messages import SUBPROTOCOL
from mastermind_server.bans import Bans
from mastermind_server.health.readiness import Readiness
from mastermind_server.limits import Limiter, Limits
from mastermind_server.network.sockets.access import PLAIN
from mastermind_server.network.sockets.admission import Admission
from mastermind_server.network.sockets.handshake import Handshake, NoClient

_CLIENT = ClientProtocol(parse_uri("ws://localhost"), subprotocols=[Subprotocol(SUBPROTOCOL)])
REQUEST = _CLIENT.connect().serialize()


@pytest.fixture
def limiter():
    return Limiter(Limits(handshake_bytes=len(REQUEST)))


@pytest.fixture
async def handshake(limiter):
    return Handshake(limiter, Admission(limiter, ManualClock(), Readiness(), Bans()), PLAIN)


def shake(handshake: Handshake, *pieces: bytes) -> bytes:
    """Let a client send pieces of a request; return what it is sent."""
    for data in pieces:
        handshake.protocol.receive_data(data)
        request = handshake.read(handshake.protocol.events_received(), len(data))
        if request is not None:
            handshake.answer(request)
    return b"".join(handshake.protocol.data_to_send())


async def test_a_request_in_pieces_opens_a_connection(handshake):
    sent = shake(handshake, *(REQUEST[n : n + 50] for n in range(0, len(REQUEST), 50)))
    assert sent.startswith(b"HTTP/1.1 101 ")
    assert handshake.protocol.state is State.OPEN


@pytest.mark.parametrize(
    "frame",
    [b"\x89\x80\0\0\0\0", b"\xff\x80\0\0\0\0", b"\x82\0"],
    ids=["whole", "broken", "not masked"],
)
async def test_who_sends_a_frame_before_it_was_let_in_is_no_client(handshake, frame):
    with pytest.raises(NoClient):
        shake(handshake, REQUEST + frame)


async def test_what_is_no_request_is_told_so(handshake):
    assert shake(handshake, b"EHLO\r\n\r\n").startswith(b"HTTP/1.1 400 ")


async def test_a_request_has_so_many_bytes(handshake, limiter):
    long = b"GET / HTTP/1.1\r\nCookie: "
    assert shake(handshake, long, bytes(len(REQUEST))).startswith(b"HTTP/1.1 431 ")
    assert limiter.met["handshake_bytes"] == 1
