from __future__ import annotations

import pytest

from mastermind_client.net.failures import Fault, Outage
from mastermind_client.net.mirror import Mirror
from mastermind_client.net.updates import (
    Announced,
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
)
from mastermind_client.words.presence import count_spectators, describe_company, describe_connection
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    Left,
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

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
KNUTH = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
ROBOT = Player(id="ROBOT", name="Robot", program=True)
NOW = 1000.0  # seconds


def mirror(*seated: Player) -> Mirror:
    """Return a match at which these sit, the codemaker first."""
    made = Mirror("ABC234")
    joined = (Joined(player=player, seat=seat) for player, seat in zip(seated, Seat, strict=False))
    made.apply(Row(1, (Opened(rules="classic", rounds=1), *joined)))
    return made


def test_a_player_is_told_of_the_opponent_and_a_spectator_of_both():
    match = mirror(ADA, BOB)
    match.spectators = 2
    assert list(describe_company(match, "ADA", NOW)) == [
        "Bob is a person.",
        "Bob is connected.",
        "2 spectators look on.",
    ]
    assert [line.partition(" ")[0] for line in describe_company(match, None, NOW)] == [
        "Ada", "Ada", "Bob", "Bob", "2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "0 seconds"),
        (1.9, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (3 * 60 + 59, "3 minutes"),
    ],
)
def test_it_is_told_since_when_somebody_is_away(seconds, told):
    match = mirror(ADA, BOB)
    match.note_presence("BOB", gone_since=NOW - seconds)
    lines = list(describe_company(match, "ADA", NOW))
    assert lines[1] == f"Bob has been away for {told}; the seat is kept."


def test_bots_and_programs_are_told_from_people():
    hard = Player(id="bot-optimal", name="hard", bot="optimal")
    for bot, told in ((KNUTH, "knuth (bot) is a bot."), (hard, "hard (bot) is the bot optimal.")):
        assert next(iter(describe_company(mirror(ADA, bot), "ADA", NOW))) == told
    assert list(describe_company(mirror(ADA, ROBOT), "ADA", NOW))[:2] == [
        "Robot (bot) is somebody's own program.",
        "Robot (bot) is connected.",
    ]


def test_an_empty_seat_and_one_that_was_left_are_told():
    assert list(describe_company(mirror(ADA), "ADA", NOW)) == [
        "Nobody has joined yet.",
        "Nobody looks on.",
    ]
    match = mirror(ADA, BOB)
    match.apply(Row(2, (Left(player="BOB"), Finished(how=MatchEnd.LEFT, winner="ADA"))))
    assert "Bob has left." in list(describe_company(match, "ADA", NOW))


@pytest.mark.parametrize(
    ("number", "told"),
    [(0, "Nobody looks on."), (1, "1 spectator looks on."), (2, "2 spectators look on.")],
)
def test_spectators_are_counted(number, told):
    assert count_spectators(number) == told


HOSTILE = Player(id="ADA", name="Ada\x1b[2J")


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
def test_connections_are_told_loudly(update, words):
    assert describe_connection(update) == words


def test_the_operators_word_is_told_and_moves_no_cursor():
    told = describe_connection(Announced("down at \x1b[2Jmidnight", None))
    assert told == "The server's operator: down at ?[2Jmidnight"
    assert describe_connection(Announced("abuse", "ABC234")) == (
        "The server's operator ends match ABC234: abuse"
    )


def test_who_is_away_or_back_is_told_by_name():
    mirror = Mirror("ABC234")
    events = (Opened(rules="classic", rounds=1), Joined(player=HOSTILE, seat=Seat.MAKER))
    mirror.apply(Row(1, events))
    match = mirror.state
    assert describe_connection(PresenceChanged(mirror, match, "ADA", here=False)) == (
        "Ada?[2J has lost the connection; the seat is kept."
    )
    cut_off_too = PresenceChanged(mirror, match, "ADA", here=False, with_us=True)
    assert describe_connection(cut_off_too) is None
    back = PresenceChanged(mirror, match, "ADA", here=True)
    assert describe_connection(back) == "Ada?[2J is back."
    back = PresenceChanged(mirror, match, "BOB", here=True)
    assert describe_connection(back) == "Somebody is back."
    assert describe_connection(Moved(mirror, events, None, match)) is None


def test_nobody_is_said_to_be_away_from_a_match_that_has_a_rematch():
    mirror, secret, nonce = Mirror("ABC234"), (0, 0, 1, 1), bytes(16)
    events = (
        Opened(rules="classic", rounds=1),
        Joined(player=HOSTILE, seat=Seat.MAKER),
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
