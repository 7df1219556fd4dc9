import pytest
from websockets.protocol import State

from kit.clock import ManualClock
from kit.frames import HANDSHAKE
from mastermind_server.bans import Bans
from mastermind_server.health.readiness import Readiness
from mastermind_server.limits import Limiter, Limits
from mastermind_server.network.sockets.access import PLAIN
from mastermind_server.network.sockets.admission import Admission
from mastermind_server.network.sockets.handshake import Handshake, NoClient


@pytest.fixture
def limiter():
    return Limiter(Limits(handshake_bytes=len(HANDSHAKE)))


@pytest.fixture
async def handshake(limiter):
    return Handshake(limiter, Admission(limiter, ManualClock(), Readiness(), Bans()), PLAIN)


def shake(handshake: Handshake, *pieces: bytes) -> bytes:
    """Send pieces of a request; return the answer."""
    for data in pieces:
        handshake.protocol.receive_data(data)
        request = handshake.read(handshake.protocol.events_received(), len(data))
        if request is not None:
            handshake.answer(request)
    return b"".join(handshake.protocol.data_to_send())


async def test_a_handshake_may_arrive_in_pieces(handshake):
    sent = shake(handshake, *(HANDSHAKE[n : n + 50] for n in range(0, len(HANDSHAKE), 50)))
    assert sent.startswith(b"HTTP/1.1 101 ")
    assert handshake.protocol.state is State.OPEN


@pytest.mark.parametrize(
    "frame",
    [b"\x89\x80\0\0\0\0", b"\xff\x80\0\0\0\0", b"\x82\0"],
    ids=["whole", "broken", "not masked"],
)
async def test_a_frame_with_the_handshake_is_refused(handshake, frame):
    with pytest.raises(NoClient):
        shake(handshake, HANDSHAKE + frame)
