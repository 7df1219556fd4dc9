import pytest

from mastermind_client.own_bot.wire import (
    HEADER,
    MAX_FRAME_BYTES,
    Choose,
    Make,
    pack,
    read_header,
    read_order,
    read_reply,
)
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import UNLIMITED_GUESSES

TURN = Turn((11,) * 9, Feedback(0, 9))


@pytest.mark.parametrize("order", [Choose("mini", ()), Choose("9x12/99", (TURN,)), Make("mini")])
def test_an_order_arrives_as_it_was_given(order):
    frame = pack(order, 7)
    assert read_header(frame[: HEADER.size]) == (7, len(frame) - HEADER.size)
    assert read_order(frame[HEADER.size :]) == order


def test_the_longest_game_fits():
    longest = pack(Choose("knuth", (TURN,) * UNLIMITED_GUESSES), UNLIMITED_GUESSES)
    assert read_header(longest[: HEADER.size])[1] < MAX_FRAME_BYTES / 2


def test_a_length_above_the_maximum_is_refused():
    assert read_header(HEADER.pack(1, MAX_FRAME_BYTES)) == (1, MAX_FRAME_BYTES)
    with pytest.raises(ValueError, match=f"a message of {MAX_FRAME_BYTES + 1} bytes: at most"):
        read_header(HEADER.pack(1, MAX_FRAME_BYTES + 1))


@pytest.mark.parametrize("body", [b"", b"\xc1", b"\x01", pack(Make("mini"), 7)[HEADER.size :]])
def test_a_broken_reply_is_refused(body):
    with pytest.raises(ValueError, match=r"."):
        read_reply(body)
