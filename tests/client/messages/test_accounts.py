import pytest

from mastermind_client.messages.accounts import tell_offer, write_transfer_command
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
