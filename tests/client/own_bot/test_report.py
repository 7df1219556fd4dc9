from __future__ import annotations

import pytest

from kit.matches import pegs
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
from mastermind_client.own_bot.report import describe_update
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

ADA = Player(id="ADA", name="A\x1bda")
BOT = Player(id="BOT", name="Eliza", program=True)
NONCE = bytes(16)
SECRET = pegs("1234")
MISS = Guessed(code=pegs("5555"), black=0, white=0)
HIT = Guessed(code=SECRET, black=4, white=0)
SEATED: list[AnyEvent] = [
    Opened(rules="4x6/2", rounds=1),
    Joined(player=BOT, seat=Seat.BREAKER),
    Joined(player=ADA, seat=Seat.MAKER),
    SecretSet(by="ADA", commitment=commit(NONCE, SECRET)),
]


AGAINST_A_PROGRAM = [
    *SEATED[:2],
    Joined(player=Player(id="ADA", name="A\x1bda", program=True), seat=Seat.MAKER),
    SEATED[3],
]


def told(*events: AnyEvent, before: list[AnyEvent] = SEATED) -> list[str]:
    """Return what is told of a row of events after others."""
    mirror = Mirror("ABC234")
    mirror.apply(Row(1, tuple(before)))
    return list(
        describe_update(Moved(mirror, events, fold(before), fold((*before, *events))), BOT.id)
    )


def ended(how: RoundEnd, points: int, code: str = "1234") -> RoundEnded:
    return RoundEnded(how=how, code=pegs(code), points=points, nonce=NONCE)


def played(winner: str, how: MatchEnd = MatchEnd.PLAYED) -> Finished:
    return Finished(how=how, winner=winner)


@pytest.mark.parametrize(
    ("row", "lines"),
    [
        (
            [MISS, HIT, ended(RoundEnd.BROKEN, 2), played("BOT")],
            ["broke the code in 2 guesses", "won"],
        ),
        (
            [HIT, ended(RoundEnd.BROKEN, 1), played("BOT")],
            ["broke the code in 1 guess", "won"],
        ),
        (
            [MISS, MISS, ended(RoundEnd.EXHAUSTED, 3), played("ADA")],
            ["the code stands after 2 guesses", "lost"],
        ),
        (
            [MISS, Left(player="ADA"), ended(RoundEnd.LEFT, 0), played("BOT", MatchEnd.LEFT)],
            ["A?da left", "won"],
        ),
        (
            [
                MISS,
                Left(player="BOT", absent=True),
                ended(RoundEnd.LEFT, 0),
                played("ADA", MatchEnd.LEFT),
            ],
            ["I stayed away for too long", "lost"],
        ),
        ([MISS], []),
    ],
)
def test_what_happens_is_told_in_a_line_each(row, lines):
    assert told(*row) == [f"ABC234: {line}" for line in lines]


def test_it_is_told_why_another_program_left():
    left = Left(player="ADA", why=Forfeit.SLOW)
    assert told(left, before=AGAINST_A_PROGRAM) == [
        "ABC234: A?da (bot) left: the bot took too long, and forfeits"
    ]


def test_a_code_that_was_not_the_one_committed_to_is_told_of():
    lines = told(MISS, HIT, ended(RoundEnd.BROKEN, 2, "4321"), played("BOT"))
    assert lines[0] == "ABC234: broke the code in 2 guesses"
    assert lines[1].startswith("ABC234: WARNING! Code not proven: ")


def test_several_rounds_are_told_with_their_points():
    before: list[AnyEvent] = [
        Opened(rules="mini", rounds=2),
        Joined(player=ADA, seat=Seat.BREAKER),
    ]
    assert told(Joined(player=BOT, seat=Seat.MAKER), before=before) == [
        "ABC234: rematch of None, I make"
    ]
    before += [
        Joined(player=BOT, seat=Seat.MAKER),
        SecretSet(by="BOT", commitment=commit(NONCE, SECRET), code=SECRET, nonce=NONCE),
        MISS,
    ]
    first = ended(RoundEnd.RESIGNED, 2)
    assert told(first, before=before) == ["ABC234: A?da gave up after 1 guess"]
    before += [first, SecretSet(by="ADA", commitment=commit(NONCE, SECRET)), MISS]
    row: list[AnyEvent] = [HIT, ended(RoundEnd.BROKEN, 2), Finished(how=MatchEnd.PLAYED)]
    assert told(*row, before=before)[-1] == "ABC234: a draw, 2 points to 2"


def test_a_lobby_tells_how_it_can_be_joined_and_that_it_was_closed():
    opened = Opened(rules="mini", rounds=3)
    mirror = Mirror("ABC234")
    row = (opened, Joined(player=BOT, seat=Seat.MAKER))
    assert list(describe_update(Moved(mirror, row, None, fold(row)), BOT.id)) == [
        "open: match ABC234, mini, 3 rounds, I make"
    ]
    closed: list[AnyEvent] = [Left(player="BOT"), Finished(how=MatchEnd.CLOSED)]
    assert told(*closed, before=list(row)) == ["ABC234: closed, for nobody joined"]


def test_nobody_is_said_to_be_away_from_a_match_that_has_a_rematch():
    mirror = Mirror("ABC234")
    offered = RematchOffered(by="ADA", match="DEF567")
    mirror.apply(Row(1, (*SEATED, HIT, ended(RoundEnd.BROKEN, 1), played("BOT"), offered)))
    assert (
        list(describe_update(PresenceChanged(mirror, mirror.state, "ADA", here=False), BOT.id))
        == []
    )


def test_connections_are_told_of_without_each_try():
    mirror = Mirror("ABC234")
    mirror.apply(Row(1, tuple(SEATED)))
    updates: list[Update] = [
        PresenceChanged(mirror, mirror.state, "ADA", here=False),
        PresenceChanged(mirror, mirror.state, "ADA", here=True),
        ConnectionLost(Outage(Fault.OTHER, "\x07gone")),
        Reconnecting(1),
        Reconnected(),
    ]
    assert [line for update in updates for line in describe_update(update, BOT.id)] == [
        "ABC234: A?da has lost the connection",
        "ABC234: A?da is back",
        "connection lost: ?gone; trying to come back",
        "connected again",
    ]
