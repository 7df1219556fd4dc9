import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from kit.strategies import brief
from mastermind_server.network.sockets.frames import (
    MAX_MEDIUM_LENGTH,
    MAX_SHORT_LENGTH,
    encode_frame,
    measure_frame,
    unpack_messages,
)

LENGTHS = [0, 1, MAX_SHORT_LENGTH, MAX_SHORT_LENGTH + 1, MAX_MEDIUM_LENGTH, MAX_MEDIUM_LENGTH + 1]


def client_frame(message: bytes, opcode: Opcode = Opcode.BINARY, *, fin: bool = True) -> bytes:
    return Frame(opcode, message, fin).serialize(mask=True)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_message_is_packed_as_by_websockets(length):
    message = bytes(length)
    assert encode_frame(message) == Frame(Opcode.BINARY, message).serialize(mask=False)


@given(st.lists(st.binary(max_size=MAX_SHORT_LENGTH), max_size=5))
@brief
def test_short_messages_are_unmasked(messages):
    assert unpack_messages(b"".join(map(client_frame, messages))) == (messages, b"")


@pytest.mark.parametrize(
    "data",
    [
        client_frame(b"12")[:-1],
        client_frame(bytes(MAX_SHORT_LENGTH + 1)),
        client_frame(b"12", Opcode.TEXT),
        client_frame(b"12", Opcode.PING),
        client_frame(b"12", fin=False),
        client_frame(b"12", Opcode.CONT),
        Frame(Opcode.BINARY, b"123456").serialize(mask=False),
        b"\xc2" + client_frame(b"12")[1:],
        b"\x82",
        b"",
    ],
    ids=itertools.count(),  # for their masks are other ones in each process
)
def test_frames_that_are_not_short_messages_are_left_to_websockets(data):
    assert unpack_messages(data) == ([], data)
    assert unpack_messages(client_frame(b"3") + data) == ([b"3"], data)


@pytest.mark.parametrize("length", LENGTHS)
def test_the_length_of_a_client_frame_is_measured(length):
    frame = Frame(Opcode.BINARY, bytes(length))
    assert measure_frame(frame) == len(frame.serialize(mask=True))
