from __future__ import annotations

import pytest

from mastermind_client.net.failures import Fault, Outage
from mastermind_client.net.mirror import Mirror
from mastermind_client.net.updates import (
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    Update,
)
from mastermind_client.words.connection import describe_connection
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.messages import Row

ADA = Player(id="ADA", name="Ada\x1b[2J")


@pytest.mark.parametrize(
    ("update", "words"),
    [
        (
            ConnectionLost(Outage(Fault.OTHER, "the \x1b[2J broke")),
            "*** CONNECTION LOST: the ?[2J broke. Your seat is kept; trying to come back. ***",
        ),
        (Reconnecting(3), "*** RECONNECTING, try 3 ... ***"),
        (Reconnected(), "*** CONNECTED AGAIN. ***"),
    ],
)
def test_connections_are_told_loudly(update: Update, words: str) -> None:
    assert describe_connection(update) == words


def test_who_is_away_or_back_is_told_by_name() -> None:
    mirror = Mirror("ABC234")
    events = (Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER))
    mirror.apply(Row(1, events))
    match = mirror.state
    assert describe_connection(PresenceChanged(mirror, match, "ADA", here=False)) == (
        "Ada?[2J has lost the connection; the seat is kept."
    )
    back = PresenceChanged(mirror, match, "ADA", here=True)
    assert describe_connection(back) == "Ada?[2J is back."
    back = PresenceChanged(mirror, match, "BOB", here=True)
    assert describe_connection(back) == "Somebody is back."
    assert describe_connection(Moved(mirror, events, None, match)) is None


def test_nobody_is_said_to_be_away_from_a_match_that_has_a_rematch() -> None:
    mirror, secret, nonce = Mirror("ABC234"), (0, 0, 1, 1), bytes(16)
    events = (
        Opened(rules="classic", rounds=1),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=Player(id="BOB", name="Bob"), seat=Seat.BREAKER),
        SecretSet(by="ADA", commitment=commit(nonce, secret)),
        Guessed(code=secret, black=4, white=0),
        RoundEnded(how=RoundEnd.BROKEN, code=secret, points=1, nonce=nonce),
        Finished(how=MatchEnd.PLAYED, winner="BOB"),
    )
    mirror.apply(Row(1, events))
    gone = PresenceChanged(mirror, mirror.state, "ADA", here=False)
    assert describe_connection(gone) is not None
    mirror.apply(Row(2, (RematchOffered(by="BOB", match="DEF567"),)))
    gone = PresenceChanged(mirror, mirror.state, "ADA", here=False)
    assert describe_connection(gone) is None
