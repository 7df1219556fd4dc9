"""The table of legal commands, and that a match obeys it in every phase and from every seat."""

import pytest

from mastermind_protocol.commands import (
    LEGAL_SEATS,
    Command,
    Decline,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    find_refusal,
)
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Left, Seat
from mastermind_protocol.match import Phase, find_player_to_remove
from mastermind_protocol.transitions import decide, evolve
from protocol.matches import (
    ANN,
    BOB,
    BOB_BREAKS,
    BREAKING,
    EVE,
    FINISHED,
    NONCE,
    SECRET,
    SETTING,
    WAITING,
    WRONG,
    open_match,
)

COMMANDS: dict[type, Command] = {  # one of each kind
    TakeSeat: TakeSeat(EVE),
    Decline: Decline(),
    SetSecret: SetSecret(SECRET, NONCE),
    GuessCode: GuessCode(WRONG),
    TakeAdvice: TakeAdvice(),
    ResignRound: ResignRound(),
    LeaveMatch: LeaveMatch(),
    OfferRematch: OfferRematch("ABCDEF"),
}
STAGES = {
    "the codemaker waits": WAITING,
    "the codebreaker waits": evolve(open_match(), BOB_BREAKS),
    "setting": SETTING,
    "breaking": BREAKING,
    "finished": FINISHED,
}
CASES = [
    pytest.param(match, kind, seat, id=f"{name}-{kind.__name__}-{seat or 'nobody'}")
    for name, match in STAGES.items()
    for kind in COMMANDS
    for seat in (*Seat, None)
    if seat is None or match.in_seat(seat) is not None
]


def expected_refusal(phase: Phase, kind: type, seat: Seat | None) -> ErrorCode | None:
    """Return the code that `LEGAL_SEATS` gives a command from a seat, or None."""
    if kind is TakeSeat and seat is not None:
        return ErrorCode.ALREADY_SEATED
    if kind is Decline and phase is Phase.GATHERING:
        return ErrorCode.NOT_SEATED
    if kind is TakeSeat:
        return {
            Phase.GATHERING: None,
            Phase.SETTING: ErrorCode.SEAT_TAKEN,
            Phase.BREAKING: ErrorCode.SEAT_TAKEN,
            Phase.FINISHED: ErrorCode.WRONG_PHASE,
        }[phase]
    if seat is None:
        return ErrorCode.NOT_SEATED
    seats = LEGAL_SEATS.get((phase, kind))
    if seats is None:
        return ErrorCode.WRONG_PHASE
    return None if seat in seats else ErrorCode.NOT_YOUR_TURN


@pytest.mark.parametrize(("match", "kind", "seat"), CASES)
def test_a_command_is_refused_exactly_where_the_table_says(match, kind, seat):
    holder = match.in_seat(seat) if seat else EVE
    assert holder is not None
    refusal = find_refusal(match, COMMANDS[kind], holder.id)
    assert (refusal and refusal.code) == expected_refusal(match.phase, kind, seat)
    assert refusal is None or refusal.message


@pytest.mark.parametrize("kind", [kind for kind in COMMANDS if kind is not TakeSeat])
def test_only_a_player_may_do_anything_but_sit_down(kind):
    refusal = find_refusal(open_match(), COMMANDS[kind], None)
    assert refusal is not None
    assert refusal.code == ErrorCode.NOT_SEATED


@pytest.mark.parametrize(
    ("stage", "absentee"), list(zip(STAGES, [ANN, BOB, ANN, BOB, None], strict=True))
)
def test_only_the_player_that_a_match_waits_for_can_be_absent(stage, absentee):
    match = STAGES[stage]
    assert find_player_to_remove(match) == absentee
    for player in match.players:
        decision = decide(match, LeaveMatch(absent=True), player.id)
        if player == absentee:
            assert not isinstance(decision, Refused)
            assert decision.events[0] == Left(player=player.id, absent=True)
            assert decision.after.phase is Phase.FINISHED
        else:
            assert isinstance(decision, Refused)
