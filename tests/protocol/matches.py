"""Players, and matches of `4x6/2` at each stage, for the tests of the rules of a match."""

from __future__ import annotations

from mastermind_protocol.commands import Command, find_refusal
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    MatchEnd,
    Opened,
    Player,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import decide, evolve, fold

ANN = Player(id="p-ann", name="Ann")
BOB = Player(id="p-bob", name="Bob")
EVE = Player(id="p-eve", name="Eve")
ROBOT = Player(id="p-robot", name="Robot", program=True)
DEVIOUS = Player(id="bot-devious-maker", name="devious", bot="devious")

NONCE = bytes(range(16))
SECRET = (0, 1, 2, 3)
WRONG = (4, 4, 5, 5)  # no peg of the secret

ANN_MAKES = Joined(player=ANN, seat=Seat.MAKER)
BOB_BREAKS = Joined(player=BOB, seat=Seat.BREAKER)
SECRET_SET = SecretSet(by=ANN.id, commitment=commit(NONCE, SECRET), code=SECRET, nonce=NONCE)
MISS = Guessed(code=WRONG, black=0, white=0)
HIT = Guessed(code=SECRET, black=4, white=0)
BROKEN = RoundEnded(how=RoundEnd.BROKEN, code=SECRET, nonce=NONCE, points=1)
BOB_WON = Finished(how=MatchEnd.PLAYED, winner=BOB.id)


def open_match(rules: str = "4x6/2", rounds: int = 1, *, rated: bool = False) -> Match:
    """Return a match with two free seats."""
    return fold([Opened(rules=rules, rounds=rounds, rated=rated)])


def seat(maker: Player, breaker: Player, match: Match | None = None) -> Match:
    """Return the match with both seats taken."""
    seats = Joined(player=maker, seat=Seat.MAKER), Joined(player=breaker, seat=Seat.BREAKER)
    return fold(seats, match or open_match())


def cause(match: Match, command: Command, by: Player) -> tuple[AnyEvent, ...]:
    """Return the events of a command, which must be accepted."""
    decision = decide(match, command, by.id)
    assert not isinstance(decision, Refused), decision.message
    return decision.events


def find_reason(match: Match, command: Command, by: Player) -> tuple[Reason, str | None] | None:
    """Return the reason and the field of a refusal, or None if the command is accepted."""
    refusal = find_refusal(match, command, by.id)
    if refusal is None:
        return None
    assert refusal.reason is not None
    return refusal.reason, refusal.field


def do(match: Match, *commands: tuple[Player, Command]) -> Match:
    """Return the match after the players' commands, which must all be accepted."""
    for by, command in commands:
        match = fold(cause(match, command, by), match)
    return match


WAITING = evolve(open_match(), ANN_MAKES)
SETTING = evolve(WAITING, BOB_BREAKS)
BREAKING = evolve(SETTING, SECRET_SET)
FINISHED = fold([HIT, BROKEN, BOB_WON], BREAKING)
# A bot that commits to no code and may choose another one after each guess.
ADAPTIVE = evolve(seat(DEVIOUS, BOB), SecretSet(by=DEVIOUS.id, code=(0, 0, 0, 0)))
