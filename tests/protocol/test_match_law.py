"""The law of a match: what the table says, and what is done, in every phase and from every seat."""

from __future__ import annotations

from typing import get_args

import pytest

from mastermind_protocol.commands import (
    LEGAL,
    Command,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    refuse,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.match import Phase, find_absentee
from mastermind_protocol.transitions import decide, fold

ANN = Player(id="p-ann", name="Ann")
BOB = Player(id="p-bob", name="Bob")
EVE = Player(id="p-eve", name="Eve")
NONCE = bytes(range(16))
SECRET = (0, 1, 2, 3)
WRONG = (4, 4, 5, 5)

OPENED = Opened(rules="classic", rounds=1)
ANN_MAKES = Joined(player=ANN, seat=Seat.MAKER)
BOB_BREAKS = Joined(player=BOB, seat=Seat.BREAKER)
SETTING = fold([OPENED, ANN_MAKES, BOB_BREAKS])
BREAKING = fold(
    [SecretSet(by=ANN.id, commitment=commit(NONCE, SECRET), code=SECRET, nonce=NONCE)], SETTING
)
FINISHED = fold(
    [
        Guessed(code=SECRET, black=4, white=0),
        RoundEnded(how=RoundEnd.BROKEN, code=SECRET, nonce=NONCE, points=1),
        Finished(how=MatchEnd.PLAYED, winner=BOB.id),
    ],
    BREAKING,
)

COMMANDS: dict[type, Command] = {
    TakeSeat: TakeSeat(EVE),
    SetSecret: SetSecret(SECRET, NONCE),
    GuessCode: GuessCode(WRONG),
    TakeAdvice: TakeAdvice(),
    ResignRound: ResignRound(),
    LeaveMatch: LeaveMatch(),
    OfferRematch: OfferRematch("ABCDEF"),
}
STANDS = {
    "gathering, the codemaker waits": fold([OPENED, ANN_MAKES]),
    "gathering, the codebreaker waits": fold([OPENED, BOB_BREAKS]),
    "setting": SETTING,
    "breaking": BREAKING,
    "finished": FINISHED,
}
CASES = [
    pytest.param(match, kind, seat, id=f"{name}-{kind.__name__}-{seat or 'nobody'}")
    for name, match in STANDS.items()
    for kind in COMMANDS
    for seat in (*Seat, None)
    if seat is None or match.in_seat(seat) is not None
]


def expected_refusal(phase: Phase, kind: type, seat: Seat | None) -> ErrorCode | None:
    if kind is TakeSeat and seat is not None:
        return ErrorCode.ALREADY_SEATED
    if kind is TakeSeat:
        return {
            Phase.GATHERING: None,
            Phase.SETTING: ErrorCode.SEAT_TAKEN,
            Phase.BREAKING: ErrorCode.SEAT_TAKEN,
            Phase.FINISHED: ErrorCode.WRONG_PHASE,
        }[phase]
    if seat is None:
        return ErrorCode.NOT_SEATED
    seats = LEGAL.get((phase, kind))
    if seats is None:
        return ErrorCode.WRONG_PHASE
    return None if seat in seats else ErrorCode.NOT_YOUR_TURN


@pytest.mark.parametrize(("match", "kind", "seat"), CASES)
def test_a_command_is_refused_exactly_where_the_table_says(match, kind, seat):
    holder = match.in_seat(seat) if seat else EVE
    assert holder is not None

    refusal = refuse(match, COMMANDS[kind], holder.id)

    assert (refusal and refusal.code) == expected_refusal(match.phase, kind, seat)
    assert refusal is None or refusal.message


def test_the_table_is_the_law_of_the_rules():
    maker, breaker = frozenset({Seat.MAKER}), frozenset({Seat.BREAKER})

    assert set(COMMANDS) == set(get_args(Command)) == {kind for _, kind in LEGAL}
    assert {phase for phase, kind in LEGAL if kind is LeaveMatch} == set(Phase)
    assert all(seats == frozenset(Seat) for (_, kind), seats in LEGAL.items() if kind is LeaveMatch)
    assert LEGAL[Phase.SETTING, SetSecret] == maker
    assert LEGAL[Phase.BREAKING, GuessCode] == LEGAL[Phase.BREAKING, ResignRound] == breaker
    assert LEGAL[Phase.BREAKING, TakeAdvice] == breaker
    assert (Phase.GATHERING, TakeSeat) in LEGAL
    assert len(LEGAL) == 10


def test_who_is_nobody_at_all_may_do_nothing():
    for command in (GuessCode(WRONG), SetSecret(SECRET, NONCE), ResignRound(), LeaveMatch()):
        refusal = refuse(fold([OPENED]), command, None)
        assert refusal is not None
        assert refusal.code == ErrorCode.NOT_SEATED


def test_who_has_left_may_not_leave_again():
    decision = decide(BREAKING, LeaveMatch(), BOB.id)
    assert not isinstance(decision, Refused)
    match = decision.after

    refusal = refuse(match, LeaveMatch(), BOB.id)

    assert refusal is not None
    assert (refusal.code, refusal.message) == (
        ErrorCode.WRONG_PHASE,
        "you have left this match",
    )
    assert refuse(match, LeaveMatch(), ANN.id) is None


@pytest.mark.parametrize(
    ("stand", "absentee"),
    [
        ("gathering, the codemaker waits", ANN),
        ("gathering, the codebreaker waits", BOB),
        ("setting", ANN),
        ("breaking", BOB),
        ("finished", None),
    ],
)
def test_whoever_a_match_has_waited_for_too_long_has_left_it(stand, absentee):
    match = STANDS[stand]
    assert find_absentee(match) == absentee
    for player in match.players:
        decision = decide(match, LeaveMatch(absent=True), player.id)
        if player == absentee:
            assert not isinstance(decision, Refused)
            assert decision.events[0] == Left(player=player.id, absent=True)
            assert decision.after.phase is Phase.FINISHED
        else:
            assert isinstance(decision, Refused)


@pytest.mark.parametrize(
    ("match", "command", "by"),
    [
        (SETTING, SetSecret((0, 1, 2), NONCE), ANN),
        (SETTING, SetSecret((0, 1, 2, 6), NONCE), ANN),
        (BREAKING, GuessCode((0, 1, 2, 3, 4)), BOB),
        (BREAKING, GuessCode((0, 1, 2, 6)), BOB),
    ],
)
def test_a_code_that_does_not_fit_the_rules_is_refused(match, command, by):
    refusal = decide(match, command, by.id)

    assert isinstance(refusal, Refused)
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_CODE, "code")
