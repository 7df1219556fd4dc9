"""What cannot be: a log, or a peer, that is not to be trusted."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mastermind_protocol.commands import OfferRematch
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import Refused
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
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import decide, evolve, fold

ANN = Player(id="p-ann", name="Ann")
BOB = Player(id="p-bob", name="Bob")
EVE = Player(id="p-eve", name="Eve")
NONCE = bytes(16)
SECRET = (0, 1, 2, 3)

OPENED = fold([Opened(rules="4x6/2", rounds=1)])
WAITING = evolve(OPENED, Joined(player=ANN, seat=Seat.MAKER))
SETTING = evolve(WAITING, Joined(player=BOB, seat=Seat.BREAKER))
SET = SecretSet(by=ANN.id, commitment=commit(NONCE, SECRET))
BREAKING = evolve(SETTING, SET)
MISS = Guessed(code=(4, 4, 4, 4), black=0, white=0)
HIT = Guessed(code=SECRET, black=4, white=0)
BROKEN = RoundEnded(how=RoundEnd.BROKEN, code=SECRET, nonce=NONCE, points=1)
BOB_WON = Finished(how=MatchEnd.PLAYED, winner=BOB.id)
FINISHED = fold([HIT, BROKEN, BOB_WON], BREAKING)
ANN_LEFT = Left(player=ANN.id)
KEPT = fold([Opened(rules="4x6/2", rounds=1, reserved=BOB.id), Joined(player=ANN, seat=Seat.MAKER)])


@pytest.mark.parametrize(
    ("match", "event"),
    [
        pytest.param(BREAKING, SET, id="a second commitment in one round"),
        pytest.param(SETTING, replace(SET, by=BOB.id), id="a secret of the codebreaker's"),
        pytest.param(
            SETTING, replace(SET, code=(5, 5, 5, 5), nonce=NONCE), id="a commitment to another code"
        ),
        pytest.param(SETTING, replace(SET, code=SECRET), id="a code without its nonce"),
        pytest.param(
            fold([replace(SET, code=SECRET, nonce=NONCE), HIT], SETTING),
            replace(BROKEN, code=(5, 5, 5, 5)),
            id="another secret shown than the codemaker's",
        ),
        pytest.param(SETTING, MISS, id="a guess before the secret"),
        pytest.param(SETTING, BROKEN, id="a round's end before the secret"),
        pytest.param(fold([MISS, MISS], BREAKING), MISS, id="a guess too many"),
        pytest.param(evolve(BREAKING, HIT), MISS, id="a guess at a code that is broken"),
        pytest.param(evolve(BREAKING, ANN_LEFT), MISS, id="a guess after the codemaker left"),
        pytest.param(BREAKING, replace(MISS, code=(11, 0, 0, 0)), id="a colour of other rules"),
        pytest.param(BREAKING, replace(MISS, code=(0, 0, 0)), id="a guess of other rules"),
        pytest.param(BREAKING, replace(MISS, black=4, white=1), id="more key pegs than pegs"),
        pytest.param(BREAKING, BROKEN, id="a code broken without a guess"),
        pytest.param(
            BREAKING, replace(BROKEN, how=RoundEnd.EXHAUSTED), id="guesses left, and none left"
        ),
        pytest.param(
            evolve(BREAKING, HIT), replace(BROKEN, points=2), id="points that were not made"
        ),
        pytest.param(
            evolve(BREAKING, HIT), replace(BROKEN, code=(9, 9, 9, 9)), id="a secret of other rules"
        ),
        pytest.param(BREAKING, BOB_WON, id="a match over with a round running"),
        pytest.param(OPENED, BOB_WON, id="a match over that nobody joined"),
        pytest.param(FINISHED, BOB_WON, id="a match over twice"),
        pytest.param(
            fold([HIT, BROKEN], BREAKING), replace(BOB_WON, winner=ANN.id), id="another winner"
        ),
        pytest.param(BREAKING, Left(player="p-eve"), id="a stranger leaving"),
        pytest.param(evolve(BREAKING, ANN_LEFT), ANN_LEFT, id="leaving twice"),
        pytest.param(WAITING, Joined(player=ANN, seat=Seat.BREAKER), id="one player, two seats"),
        pytest.param(
            BREAKING, RematchOffered(by=ANN.id, match="ABCDEF"), id="a rematch in mid-round"
        ),
        pytest.param(
            FINISHED, RematchOffered(by="p-eve", match="ABCDEF"), id="a stranger's rematch"
        ),
        pytest.param(FINISHED, Opened(rules="classic", rounds=1), id="opened twice"),
        pytest.param(evolve(BREAKING, HIT), ANN_LEFT, id="leaving before a round's due end"),
        pytest.param(evolve(SETTING, ANN_LEFT), SET, id="a secret before a match's due end"),
        pytest.param(
            evolve(WAITING, ANN_LEFT),
            Joined(player=BOB, seat=Seat.BREAKER),
            id="joining a match that is to be closed",
        ),
        pytest.param(
            evolve(BREAKING, ANN_LEFT),
            Finished(how=MatchEnd.LEFT, winner=BOB.id),
            id="a match over before its round",
        ),
        pytest.param(SETTING, Left(player=ANN.id, why=Forfeit.SLOW), id="a person's forfeit"),
        pytest.param(BREAKING, Left(player=ANN.id, absent=True), id="who need not move away"),
        pytest.param(FINISHED, Left(player=ANN.id, absent=True), id="away when all is over"),
        pytest.param(KEPT, Joined(player=EVE, seat=Seat.BREAKER), id="a stranger in a kept seat"),
    ],
)
def test_what_no_command_could_have_caused_cannot_follow(match, event):
    with pytest.raises(ValueError, match="cannot follow"):
        evolve(match, event)


def test_a_swapped_commitment_does_not_go_unnoticed():
    other = (5, 5, 5, 5)
    swap = SecretSet(by=ANN.id, commitment=commit(NONCE, other))

    with pytest.raises(ValueError, match="cannot follow"):
        fold([MISS, swap], BREAKING)


def test_a_second_rematch_does_not_replace_the_first():
    offered = fold(decided(FINISHED, OfferRematch("ABCDEF"), ANN), FINISHED)

    with pytest.raises(ValueError, match="cannot follow"):
        evolve(offered, RematchOffered(by=BOB.id, match="GHJKMN"))
    assert isinstance(decide(offered, OfferRematch("GHJKMN"), BOB.id), Refused)


def decided(match: Match, command: OfferRematch, by: Player) -> tuple[AnyEvent, ...]:
    decision = decide(match, command, by.id)
    assert not isinstance(decision, Refused)
    return decision.events
