import pytest

from kit.matches import game, play
from mastermind_client.messages.presence import (
    count_spectators,
    describe_company,
    describe_connection,
)
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
from mastermind_protocol.events import (
    Finished,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    Seat,
)
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import evolve

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
KNUTH = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
HARD = Player(id="bot-optimal", name="hard", bot="optimal")
ROBOT = Player(id="ROBOT", name="Robot", program=True)
NOW = 1000.0  # seconds


def mirror(*seated: Player) -> Mirror:
    """Return a match between these players, the codemaker first."""
    made = Mirror("ABC234")
    joined = (Joined(player=player, seat=seat) for player, seat in zip(seated, Seat, strict=False))
    made.apply(Row(1, (Opened(rules="classic", rounds=1), *joined)))
    return made


@pytest.mark.parametrize(
    ("seated", "me", "lines"),
    [
        ((ADA, BOB), "ADA", ["Bob is a person.", "Bob is connected.", "Nobody looks on."]),
        ((ADA, BOB), None, ["Ada is a person.", "Ada is connected.", "Bob is a person."]),
        ((ADA,), "ADA", ["Nobody has joined yet.", "Nobody looks on."]),
        ((ADA, KNUTH), "ADA", ["knuth (bot) is a bot."]),
        ((ADA, HARD), "ADA", ["hard (bot) is the bot optimal."]),
        ((ADA, ROBOT), "ADA",
         ["Robot (bot) is somebody's own program.", "Robot (bot) is connected."]),
    ],
)  # fmt: skip
def test_other_players_are_described(seated, me, lines):
    assert list(describe_company(mirror(*seated), me, NOW))[: len(lines)] == lines


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0 seconds"), (1.9, "1 second"), (59, "59 seconds"), (60, "1 minute"), (239, "3 minutes")],
)
def test_an_absent_player_is_described_with_the_time_of_absence(seconds, written):
    match = mirror(ADA, BOB)
    match.away["BOB"] = NOW - seconds
    lines = list(describe_company(match, "ADA", NOW))
    assert lines[1] == f"Bob has been away for {written}; the seat is kept."


def test_a_player_who_has_left_is_described():
    match = mirror(ADA, BOB)
    match.apply(Row(2, (Left(player="BOB"), Finished(how=MatchEnd.LEFT, winner="ADA"))))
    assert "Bob has left." in list(describe_company(match, "ADA", NOW))


@pytest.mark.parametrize(
    ("number", "line"),
    [(0, "Nobody looks on."), (1, "1 spectator looks on."), (2, "2 spectators look on.")],
)
def test_spectators_are_counted(number, line):
    assert count_spectators(number) == line
    match = mirror(ADA, BOB)
    match.spectators = number
    assert list(describe_company(match, "ADA", NOW))[-1] == line


SEATED = mirror(ADA)


def presence(player: str, *, here: bool, with_us: bool = False) -> PresenceChanged:
    """Return the update for a player at Ada's match."""
    return PresenceChanged(SEATED, SEATED.state, player, here=here, with_us=with_us)


@pytest.mark.parametrize(
    ("update", "line"),
    [
        (ConnectionLost(Outage(Fault.OTHER, "the line broke")),
         "*** CONNECTION LOST: the line broke. Your seat is kept; trying to come back. ***"),
        (Reconnecting(3), "*** RECONNECTING, try 3 ... ***"),
        (Reconnected(), "*** CONNECTED AGAIN. ***"),
        (Announced("down at midnight", None), "The server's operator: down at midnight"),
        (Announced("abuse", "ABC234"), "The server's operator ends match ABC234: abuse"),
        (presence("ADA", here=False), "Ada has lost the connection; the seat is kept."),
        (presence("ADA", here=False, with_us=True), None),
        (presence("ADA", here=True), "Ada is back."),
        (presence("BOB", here=True), "Somebody is back."),
        (Moved(SEATED, (), None, SEATED.state), None),
    ],
)  # fmt: skip
def test_an_update_about_connections_is_a_line_or_none(update, line):
    assert describe_connection(update) == line


def test_nobody_is_reported_absent_from_a_match_with_a_rematch():
    over = play(game("1234", "1234"))
    for match, silent in ((over, False), (evolve(over, RematchOffered(by="BOB", match="D")), True)):
        gone = PresenceChanged(SEATED, match, "ADA", here=False)
        assert (describe_connection(gone) is None) is silent
