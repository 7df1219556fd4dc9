"""Messages in frames of every kind, and frames that break RFC 6455."""

import asyncio
import socket

import pytest
from websockets.frames import Close, CloseCode, Frame, Opcode

from kit.client import PATIENCE
from kit.frames import HANDSHAKE, feed, frame, open_client, read_ids, request
from kit.server import GameServer
from mastermind_protocol.codec import encode
from mastermind_protocol.requests import Ping


def pieces(number: int) -> bytes:
    """Return a request in three frames, with a ping between them."""
    data = encode(Ping(id=number))
    first, rest = frame(Opcode.BINARY, data[:3], fin=False), frame(Opcode.CONT, data[5:])
    return first + frame(Opcode.PING, b"") + frame(Opcode.CONT, data[3:5], fin=False) + rest


LAST = 9
SENT = request(1) + pieces(2) + request(3) + frame(Opcode.TEXT, b"4") + request(5) + pieces(LAST)


async def answers_to(
    hall: GameServer, *reads: bytes, handshake: bytes = HANDSHAKE
) -> list[int | Close | None]:
    """Feed a connection with reads; return the ids of the requests that it answers.

    The last item may be the close frame. The answers are refusals, because no hello was sent.
    """
    ours, theirs = socket.socketpair()
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(hall.server.gateway.make_connection, sock=ours)
    reader, writer = await asyncio.open_connection(sock=theirs)
    async with asyncio.timeout(PATIENCE):
        feed(connection, handshake)
        await reader.readuntil(b"\r\n\r\n")
        for data in reads:
            feed(connection, data)
        client = open_client()
        answers = list[int | Close | None]()
        while LAST not in answers and client.close_rcvd is None:
            answers += read_ids(client, await reader.read(4096))
    writer.close()
    return answers if client.close_rcvd is None else [*answers, client.close_rcvd]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 19, len(SENT)])
async def test_requests_may_arrive_in_pieces_of_any_size(hall, size):
    reads = [SENT[begin : begin + size] for begin in range(0, len(SENT), size)]
    assert await answers_to(hall, *reads) == [1, 2, 3, None, 5, LAST]


@pytest.mark.parametrize(
    ("invalid", "code"),
    [
        (Frame(Opcode.BINARY, b"?").serialize(mask=False), CloseCode.PROTOCOL_ERROR),
        (frame(Opcode.CLOSE, b"\x03\xe8\xff"), CloseCode.INVALID_DATA),
    ],
    ids=["no mask", "a reason that is not UTF-8"],
)
async def test_an_invalid_frame_closes_with_the_documented_code(hall, invalid, code):
    (close,) = await answers_to(hall, invalid)
    assert isinstance(close, Close)
    assert close.code == code


async def test_a_frame_inside_a_message_is_ignored(hall):
    outer = Frame(Opcode.BINARY, b"?" + request(1)).serialize(mask=True)
    head = outer[:2] + bytes(4) + b"?"  # by a mask that changes nothing
    assert await answers_to(hall, head, request(1), request(LAST)) == [None, LAST]
    with_it = HANDSHAKE + head
    assert await answers_to(hall, request(1), request(LAST), handshake=with_it) == [
        None,
        LAST,
    ]


async def test_a_message_between_the_fragments_of_another_is_a_protocol_error(hall):
    first = frame(Opcode.BINARY, b"", fin=False)
    (closed,) = await answers_to(hall, first, request(1), request(LAST))
    assert isinstance(closed, Close)
    assert closed.code == CloseCode.PROTOCOL_ERROR
