import pytest

from mastermind_client.words.accounts import (
    tell_logged_out,
    tell_offer,
    tell_taken,
    write_transfer_command,
)
from mastermind_protocol.messages import Transferable

CODE = "7KQ2MX9D"
OFFER = "To be Ada on another computer, type there, within {}:"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (tell_offer("Ada", Transferable(id=1, code=CODE, seconds=600)), OFFER.format("10 minutes")),
        (tell_offer("Ada", Transferable(id=1, code=CODE, seconds=119)), OFFER.format("1 minute")),
        (tell_offer("Ada", Transferable(id=1, code=CODE, seconds=9)), OFFER.format("1 minute")),
        (write_transfer_command(CODE, "ws://h"), f"mastermind transfer {CODE} --server ws://h"),
        (tell_taken("Ada", "ws://h"), "You are Ada on ws://h now, on this computer too."),
        (tell_logged_out("ws://h", elsewhere=True),
         "You are logged out of ws://h everywhere but on this computer."),
        (tell_logged_out("ws://h", elsewhere=False), "This computer is logged out of ws://h."),
    ],
)  # fmt: skip
def test_the_players_computers_are_described(written, words):
    assert written == words
