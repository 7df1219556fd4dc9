import pytest

from kit.matches import pegs
from mastermind_client.bot_runner.report import describe_update
from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.updates import (
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Forfeit,
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
from mastermind_protocol.transitions import fold

ADA = Player(id="ADA", name="Ada")
PROGRAM = Player(id="ADA", name="Ada", program=True)
BOT = Player(id="BOT", name="Eliza", program=True)
NONCE = bytes(16)
SECRET = pegs("1234")
MISS = Guessed(code=pegs("5555"), black=0, white=0)
HIT = Guessed(code=SECRET, black=4, white=0)
HIDDEN = SecretSet(by="ADA", commitment=commit(NONCE, SECRET))
OWN = SecretSet(by="BOT", commitment=commit(NONCE, SECRET), code=SECRET, nonce=NONCE)


def seated(opponent: Player = ADA, rules: str = "4x6/2") -> list[AnyEvent]:
    """Return the events up to the bot's first guess."""
    joined = Joined(player=BOT, seat=Seat.BREAKER), Joined(player=opponent, seat=Seat.MAKER)
    return [Opened(rules=rules, rounds=1), *joined, HIDDEN]


def ended(how: RoundEnd, points: int, code: str = "1234") -> RoundEnded:
    """Return the end of a round."""
    return RoundEnded(how=how, code=pegs(code), points=points, nonce=NONCE)


def played(winner: str | None, how: MatchEnd = MatchEnd.PLAYED) -> Finished:
    """Return the end of a match."""
    return Finished(how=how, winner=winner)


def follow(events: list[AnyEvent]) -> Mirror:
    """Return a match after these events."""
    mirror = Mirror("ABC234")
    mirror.apply(Row(1, tuple(events)))
    return mirror


LOBBY: list[AnyEvent] = [Opened(rules="mini", rounds=3), Joined(player=BOT, seat=Seat.MAKER)]
AGAIN: list[AnyEvent] = [Opened(rules="mini", rounds=2), Joined(player=ADA, seat=Seat.BREAKER)]
MAKES = Joined(player=BOT, seat=Seat.MAKER)
GAVE_UP = ended(RoundEnd.RESIGNED, 7)


@pytest.mark.parametrize(
    ("before", "row", "lines"),
    [
        ([], LOBBY, ["open: match ABC234, mini, 3 rounds, I make"]),
        (LOBBY, [Left(player="BOT"), Finished(how=MatchEnd.CLOSED)],
         ["The match is closed: nobody joined."]),
        (AGAIN, [MAKES], ["rematch of None, I make"]),
        (seated(), [MISS], []),
        (seated(), [MISS, HIT, ended(RoundEnd.BROKEN, 2), played("BOT")],
         ["broke the code in 2 guesses", "won"]),
        (seated(), [HIT, ended(RoundEnd.BROKEN, 1), played("BOT")],
         ["broke the code in 1 guess", "won"]),
        (seated(), [MISS, MISS, ended(RoundEnd.EXHAUSTED, 3), played("ADA")],
         ["The code stands: 2 guesses used, none left.", "lost"]),
        (seated(),
         [MISS, Left(player="ADA"), ended(RoundEnd.LEFT, 0), played("BOT", MatchEnd.LEFT)],
         ["Ada left.", "won"]),
        (seated(),
         [Left(player="BOT", absent=True), ended(RoundEnd.LEFT, 3), played("ADA", MatchEnd.LEFT)],
         ["Eliza (bot) was away for too long and has left the match.", "lost"]),
        (seated(PROGRAM), [Left(player="ADA", why=Forfeit.SLOW)],
         ["Ada (bot) left: the bot took too long and forfeits."]),
        ([*AGAIN, MAKES, OWN, MISS], [GAVE_UP], ["Ada gave up after 1 guess: the code stands."]),
        ([*AGAIN, MAKES, OWN, MISS, GAVE_UP, HIDDEN, MISS],
         [GAVE_UP, played(None)],
         ["Eliza (bot) gave up after 1 guess: the code stands.", "a draw, 7 points to 7"]),
    ],
)  # fmt: skip
def test_a_row_of_events_is_reported_in_lines(before, row, lines):
    mirror, match = follow(before or row), fold(before) if before else None
    update = Moved(mirror, tuple(row), match, fold([*before, *row]))
    reported = [line.removeprefix("ABC234: ") for line in describe_update(update, BOT.id)]
    assert reported == lines


@pytest.mark.promise("commitment")
def test_a_code_without_proof_is_reported():
    row = (MISS, HIT, ended(RoundEnd.BROKEN, 2, "4321"), played("BOT"))
    update = Moved(follow(seated()), row, fold(seated()), fold([*seated(), *row]))
    lines = list(describe_update(update, BOT.id))
    assert lines[0] == "ABC234: broke the code in 2 guesses"
    assert lines[1].startswith("ABC234: WARNING! CODE NOT PROVEN: ")


MATCH = follow(seated())
REMATCH = follow(
    [
        *(*seated(), HIT, ended(RoundEnd.BROKEN, 1), played("BOT")),
        RematchOffered(by="ADA", match="DEF567"),
    ]
)


@pytest.mark.parametrize(
    ("update", "lines"),
    [
        (PresenceChanged(MATCH, MATCH.state, "ADA", connected=False),
         ["ABC234: Ada has lost the connection; the seat is kept."]),
        (PresenceChanged(MATCH, MATCH.state, "ADA", connected=True), ["ABC234: Ada is back."]),
        (PresenceChanged(REMATCH, REMATCH.state, "ADA", connected=False), []),
        (ConnectionLost(DisconnectReason(Fault.OTHER, "gone")),
         ["*** CONNECTION LOST: gone. Your seat is kept; trying to reconnect. ***"]),
        *((Reconnecting(number), [f"*** RECONNECTING, try {number} ... ***"])
          for number in (1, 3, 10, 20, 300)),
        *((Reconnecting(number), []) for number in (11, 19, 301)),
        (Reconnected(), ["*** CONNECTED AGAIN. ***"]),
    ],
)  # fmt: skip
def test_connections_are_reported_with_the_first_tries_and_each_tenth(update, lines):
    assert list(describe_update(update, BOT.id)) == lines
