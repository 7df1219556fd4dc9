import pytest

from mastermind_client.words.accounts import (
    tell_logged_out,
    tell_offer,
    tell_taken,
    write_transfer_command,
)
from mastermind_protocol.messages import Transferable

CODE = "7KQ2MX9D"


@pytest.mark.parametrize(
    ("seconds", "time"), [(600, "10 minutes"), (119, "1 minute"), (9, "1 minute")]
)
def test_a_transfer_code_is_offered_for_a_time(seconds, time):
    offered = Transferable(id=1, code=CODE, seconds=seconds)
    assert tell_offer("Ada", offered) == (
        f"To be Ada on another computer, type there, within {time}:"
    )
    assert write_transfer_command(CODE, "ws://h") == f"mastermind transfer {CODE} --server ws://h"


def test_a_transfer_and_a_logout_are_confirmed():
    assert tell_taken("Ada", "ws://h") == "You are Ada on ws://h now, on this computer too."
    assert tell_logged_out("ws://h", elsewhere=False) == "This computer is logged out of ws://h."
    assert tell_logged_out("ws://h", elsewhere=True) == (
        "You are logged out of ws://h everywhere but on this computer."
    )
