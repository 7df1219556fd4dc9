"""The reasons of refusals, and errors of the caller; test_match_properties has the rules."""

import pytest
from hypothesis import given

from kit.strategies import any_rules
from mastermind_protocol.commands import (
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    find_refusal,
)
from mastermind_protocol.errors import ErrorCode, InvalidRules, Reason
from mastermind_protocol.events import (
    Advised,
    Forfeit,
    Joined,
    Opened,
    RematchOffered,
    Seat,
    SecretSet,
)
from mastermind_protocol.match import Phase, find_player_to_remove
from mastermind_protocol.transitions import decide, evolve, fold
from protocol.matches import (
    ADAPTIVE,
    ANN,
    BOB,
    BREAKING,
    DEVIOUS,
    EVE,
    FINISHED,
    NONCE,
    ROBOT,
    SECRET,
    SECRET_SET,
    SETTING,
    WRONG,
    do,
    find_reason,
    open_match,
    seat,
)

INVITED = fold(
    [
        Opened(rules="classic", rounds=1, previous="ABCDEF", reserved=BOB.id),
        Joined(player=ANN, seat=Seat.MAKER),
    ]
)
RATED = evolve(seat(ANN, BOB, open_match(rated=True)), SECRET_SET)
WITH_ROBOT = evolve(seat(ANN, ROBOT), SECRET_SET)
SLOW = LeaveMatch(Forfeit.SLOW)
REFUSALS = {
    "a reserved seat": (INVITED, TakeSeat(EVE), EVE, Reason.SEAT_IS_KEPT, None),
    "a program in a rated match": (
        open_match(rated=True), TakeSeat(ROBOT), ROBOT, Reason.RATED_SEAT, "match"
    ),
    "a bot in a rated match": (
        open_match(rated=True), TakeSeat(DEVIOUS), DEVIOUS, Reason.RATED_SEAT, "match"
    ),
    "leaving twice": (
        do(FINISHED, (ANN, LeaveMatch())), LeaveMatch(), ANN, Reason.YOU_HAVE_LEFT, None
    ),
    "a rematch after a match that was left": (
        do(BREAKING, (ANN, LeaveMatch())), OfferRematch("ABCDEF"), BOB, Reason.OPPONENT_LEFT, None
    ),
    "a rematch with an opponent who has left": (
        do(FINISHED, (ANN, LeaveMatch())), OfferRematch("ABCDEF"), BOB, Reason.OPPONENT_LEFT, None
    ),
    "a second rematch": (
        evolve(FINISHED, RematchOffered(by=ANN.id, match="ABCDEF")),
        OfferRematch("GHJKMN"), BOB, Reason.REMATCH_OFFERED, None,
    ),
    "a person with a reason to leave": (BREAKING, SLOW, BOB, Reason.MAY_NOT_EXPLAIN, "why"),
    "an absent program with a reason to leave": (
        WITH_ROBOT, LeaveMatch(Forfeit.SLOW, absent=True), ROBOT, Reason.MAY_NOT_EXPLAIN, "why"
    ),
    "advice twice for one guess": (
        do(BREAKING, (BOB, TakeAdvice())), TakeAdvice(), BOB, Reason.ADVICE_TAKEN, None
    ),
    "advice in a rated match": (RATED, TakeAdvice(), BOB, Reason.RATED_WITHOUT_ADVICE, "match"),
    "a person who commits to no code": (
        SETTING, SetSecret(SECRET, None), ANN, Reason.MAY_NOT_DODGE, "match"
    ),
    "a program that commits to no code": (
        seat(ROBOT, BOB), SetSecret(SECRET, None), ROBOT, Reason.MAY_NOT_DODGE, "match"
    ),
}  # fmt: skip


@pytest.mark.promise("programs")
@pytest.mark.parametrize(
    ("match", "command", "by", "reason", "field"), REFUSALS.values(), ids=REFUSALS
)
def test_a_refusal_has_its_reason_and_field(match, command, by, reason, field):
    assert find_reason(match, command, by) == (reason, field)


@pytest.mark.parametrize(
    ("match", "command", "by"),
    [
        (INVITED, TakeSeat(BOB), BOB),
        (open_match(rated=True), TakeSeat(ANN), ANN),
        (open_match(), TakeSeat(ROBOT), ROBOT),
        (WITH_ROBOT, SLOW, ROBOT),
    ],
)
def test_a_command_beside_those_refused_ones_is_legal(match, command, by):
    assert find_reason(match, command, by) is None


@pytest.mark.parametrize(
    ("match", "event"),
    [
        (RATED, Advised(by=BOB.id)),
        (SETTING, SecretSet(by=ANN.id, code=SECRET)),
        (SETTING, SecretSet(by=ANN.id)),
        (seat(ROBOT, BOB), SecretSet(by=ROBOT.id, code=SECRET)),
    ],
)
def test_an_event_of_a_refused_command_cannot_follow(match, event):
    with pytest.raises(ValueError, match="cannot follow"):
        evolve(match, event)


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
    refusal = find_refusal(match, command, by.id)
    assert refusal is not None
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_CODE, "code")


def test_a_match_that_waits_for_a_bot_can_only_be_left_by_the_person():
    match = evolve(seat(ANN, DEVIOUS), SECRET_SET)
    assert (match.to_move, find_player_to_remove(match)) == (DEVIOUS, ANN)
    assert find_reason(match, LeaveMatch(absent=True), ANN) is None


def test_a_code_that_contradicts_earlier_feedback_cannot_be_held():
    match = do(ADAPTIVE, (BOB, GuessCode(WRONG, held=(1, 1, 1, 1))))
    with pytest.raises(ValueError, match="contradicts its earlier feedback"):
        decide(match, GuessCode(WRONG, held=(4, 1, 1, 1)), BOB.id)


@pytest.mark.parametrize(
    ("match", "guess"), [(ADAPTIVE, GuessCode(WRONG)), (BREAKING, GuessCode(WRONG, held=SECRET))]
)
def test_a_code_is_held_exactly_where_there_is_no_commitment(match, guess):
    with pytest.raises(ValueError, match="a held code is required without"):
        decide(match, guess, BOB.id)


@pytest.mark.parametrize(
    "command", [GuessCode(WRONG), ResignRound(), LeaveMatch()], ids=["guess", "resign", "leave"]
)
def test_deciding_a_guess_or_an_end_needs_the_secret(command):
    mirror = evolve(SETTING, SecretSet(by=ANN.id, commitment=SECRET_SET.commitment))
    assert find_reason(mirror, command, BOB) is None
    with pytest.raises(ValueError, match="needs the secret"):
        decide(mirror, command, BOB.id)


@given(any_rules)
def test_a_copy_without_the_secret_takes_its_commitment_by_all_rules(rules):
    setting = seat(ANN, BOB, open_match(rules.name))
    mirror = evolve(setting, SecretSet(by=ANN.id, commitment=SECRET_SET.commitment))
    assert mirror.phase is Phase.BREAKING


def test_a_log_begins_with_the_opening_of_a_match_of_known_rules():
    with pytest.raises(InvalidRules):
        open_match("chess")
    with pytest.raises(ValueError, match="at least one event"):
        fold([])
    with pytest.raises(ValueError, match="begins with Opened"):
        fold([Joined(player=ANN, seat=Seat.MAKER)])


@pytest.mark.parametrize(
    ("rules", "by", "command", "points"),
    [
        ("4x6/2", BOB, ResignRound(), 3),
        ("4x6/2", BOB, LeaveMatch(), 3),
        ("4x6/2", ANN, LeaveMatch(), 0),
        ("knuth", BOB, ResignRound(), 13),
    ],
)
def test_a_round_that_is_given_up_counts_as_if_all_guesses_were_used(rules, by, command, points):
    match = do(seat(ANN, BOB, open_match(rules)), (ANN, SetSecret(SECRET, NONCE)))
    assert do(match, (by, command)).played[0].points == points
