import pytest

from kit.matches import game, play
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.updates import (
    Announced,
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
)
from mastermind_protocol.events import Joined, Opened, Player, RematchOffered, Seat
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import evolve

ADA = Player(id="ADA", name="Ada")
SEATED = Mirror("ABC234")
SEATED.apply(Row(1, (Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER))))


def presence(player: str, *, here: bool, after_reconnect: bool = False) -> PresenceChanged:
    """Return the update for a player at Ada's match."""
    return PresenceChanged(
        SEATED, SEATED.state, player, connected=here, after_reconnect=after_reconnect
    )


@pytest.mark.parametrize(
    ("update", "line"),
    [
        (ConnectionLost(DisconnectReason(Fault.OTHER, "the line broke")),
         "*** CONNECTION LOST: the line broke. Your seat is kept; trying to reconnect. ***"),
        (Reconnecting(3), "*** RECONNECTING, try 3 ... ***"),
        (Reconnected(), "*** CONNECTED AGAIN. ***"),
        (Announced("down at midnight", None), "The server's operator: down at midnight"),
        (Announced("abuse", "ABC234"), "The server's operator ends match ABC234: abuse"),
        (presence("ADA", here=False), "Ada has lost the connection; the seat is kept."),
        (presence("ADA", here=False, after_reconnect=True), None),
        (presence("ADA", here=True), "Ada is back."),
        (presence("BOB", here=True), "Someone is back."),
        (Moved(SEATED, (), None, SEATED.state), None),
    ],
)  # fmt: skip
def test_an_update_about_connections_is_a_line_or_none(update, line):
    assert describe_session_update(update) == line


def test_nobody_is_reported_absent_from_a_match_with_a_rematch():
    over = play(game("1234", "1234"))
    for match, silent in ((over, False), (evolve(over, RematchOffered(by="BOB", match="D")), True)):
        gone = PresenceChanged(SEATED, match, "ADA", connected=False)
        assert (describe_session_update(gone) is None) is silent
