"""Events that no command could have caused: a log or a peer that cannot be trusted."""

import pytest
from msgspec.structs import replace

from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Advised,
    Finished,
    Forfeit,
    Joined,
    Left,
    MatchEnd,
    Opened,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.transitions import evolve, fold
from protocol.matches import (
    ADAPTIVE,
    ANN,
    BOB,
    BOB_BREAKS,
    BOB_WON,
    BREAKING,
    BROKEN,
    DEVIOUS,
    EVE,
    FINISHED,
    HIT,
    MISS,
    NONCE,
    ROBOT,
    SECRET,
    SECRET_SET,
    SETTING,
    WAITING,
    WRONG,
    cause,
    open_match,
)

COMMITTED = SecretSet(by=ANN.id, commitment=commit(NONCE, SECRET))  # as others are sent it
MIRROR = evolve(SETTING, COMMITTED)
ANN_LEFT = Left(player=ANN.id)
CLOSED = fold(cause(WAITING, LeaveMatch(), ANN), WAITING)
RESERVED = fold(
    [Opened(rules="4x6/2", rounds=1, reserved=BOB.id), Joined(player=ANN, seat=Seat.MAKER)]
)
OFFERED = evolve(FINISHED, RematchOffered(by=ANN.id, match="ABCDEF"))
RESIGNED = RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, nonce=NONCE, points=1)

CASES = {
    "opened twice": (SETTING, Opened(rules="classic", rounds=1)),
    # Seats.
    "a seat that is taken": (WAITING, Joined(player=BOB, seat=Seat.MAKER)),
    "a third player": (SETTING, Joined(player=EVE, seat=Seat.MAKER)),
    "joining a finished match": (FINISHED, Joined(player=EVE, seat=Seat.BREAKER)),
    "joining a closed match": (CLOSED, Joined(player=EVE, seat=Seat.BREAKER)),
    "joining a match that is about to close": (evolve(WAITING, ANN_LEFT), BOB_BREAKS),
    "one player in two seats": (WAITING, Joined(player=ANN, seat=Seat.BREAKER)),
    "another player in a reserved seat": (RESERVED, Joined(player=EVE, seat=Seat.BREAKER)),
    "a program in a rated match": (open_match(rated=True), Joined(player=ROBOT, seat=Seat.MAKER)),
    "a bot in a rated match": (open_match(rated=True), Joined(player=DEVIOUS, seat=Seat.MAKER)),
    # The secret.
    "a secret before both seats are taken": (open_match(), COMMITTED),
    "a second commitment in one round": (MIRROR, COMMITTED),
    "a swapped commitment": (
        evolve(MIRROR, MISS),
        replace(COMMITTED, commitment=commit(NONCE, WRONG)),
    ),
    "a secret set by the codebreaker": (SETTING, replace(COMMITTED, by=BOB.id)),
    "a commitment to another code": (SETTING, replace(SECRET_SET, code=WRONG)),
    "a code without its nonce": (SETTING, replace(COMMITTED, code=SECRET)),
    "a secret before the due end of a match": (evolve(SETTING, ANN_LEFT), COMMITTED),
    "a secret after the end": (FINISHED, COMMITTED),
    # Guesses.
    "a guess before both seats are taken": (open_match(), MISS),
    "a guess before the secret": (SETTING, MISS),
    "a guess beyond the limit": (fold([MISS, MISS], BREAKING), MISS),
    "a guess at a broken code": (evolve(BREAKING, HIT), MISS),
    "a guess after the codemaker left": (evolve(BREAKING, ANN_LEFT), MISS),
    "a guess after the end": (FINISHED, MISS),
    "a colour of other rules": (BREAKING, replace(MISS, code=(11, 0, 0, 0))),
    "a number of pegs of other rules": (BREAKING, replace(MISS, code=(0, 0, 0))),
    "more key pegs than pegs": (BREAKING, replace(MISS, black=4, white=1)),
    "a held code despite a commitment": (BREAKING, replace(MISS, held=SECRET)),
    "a held code of other rules": (ADAPTIVE, replace(MISS, held=(9, 9, 9, 9))),
    # Advice.
    "advice for the codemaker": (BREAKING, Advised(by=ANN.id)),
    "advice for a spectator": (BREAKING, Advised(by=EVE.id)),
    "advice twice for one guess": (evolve(BREAKING, Advised(by=BOB.id)), Advised(by=BOB.id)),
    # The end of a round.
    "the end of a round before it began": (open_match(), BROKEN),
    "the end of a round before its secret": (SETTING, BROKEN),
    "the end of a round after the end of the match": (FINISHED, BROKEN),
    "a code broken without a guess": (BREAKING, BROKEN),
    "guesses exhausted too early": (BREAKING, replace(BROKEN, how=RoundEnd.EXHAUSTED)),
    "wrong points": (evolve(BREAKING, HIT), replace(BROKEN, points=2)),
    "a revealed code of other rules": (evolve(MIRROR, HIT), replace(BROKEN, code=(9, 9, 9, 9))),
    "a revealed code that is not the secret": (
        evolve(BREAKING, HIT),
        replace(BROKEN, code=(5, 5, 5, 5)),
    ),
    "a nonce without a commitment": (ADAPTIVE, replace(RESIGNED, code=(0, 0, 0, 0))),
    "a commitment without its nonce": (BREAKING, replace(RESIGNED, nonce=None)),
    # Leaving.
    "a stranger leaves": (BREAKING, Left(player=EVE.id)),
    "leaving twice": (evolve(BREAKING, ANN_LEFT), ANN_LEFT),
    "leaving before the due end of a round": (evolve(BREAKING, HIT), ANN_LEFT),
    "a person forfeits like a bot": (SETTING, Left(player=ANN.id, why=Forfeit.SLOW)),
    "absent while the other is to move": (BREAKING, Left(player=ANN.id, absent=True)),
    "absent after the end": (FINISHED, Left(player=ANN.id, absent=True)),
    # The end of a match, and a rematch.
    "a match over during a round": (BREAKING, BOB_WON),
    "a match over that nobody joined": (open_match(), BOB_WON),
    "a match over twice": (FINISHED, BOB_WON),
    "a match over before its round": (
        evolve(BREAKING, ANN_LEFT),
        Finished(how=MatchEnd.LEFT, winner=BOB.id),
    ),
    "another winner": (fold([HIT, BROKEN], BREAKING), replace(BOB_WON, winner=ANN.id)),
    "a rematch during a round": (BREAKING, RematchOffered(by=ANN.id, match="ABCDEF")),
    "a rematch offered by a stranger": (FINISHED, RematchOffered(by=EVE.id, match="ABCDEF")),
    "a second rematch": (OFFERED, RematchOffered(by=BOB.id, match="GHJKMN")),
}


@pytest.mark.parametrize(("match", "event"), CASES.values(), ids=CASES)
def test_an_event_that_no_command_could_have_caused_cannot_follow(match, event):
    with pytest.raises(ValueError, match="cannot follow"):
        evolve(match, event)
