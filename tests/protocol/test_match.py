"""Seats, the end of rounds and matches, leaving, advice, and the rules for bots."""

from unittest.mock import Mock

import pytest

from mastermind_protocol import transitions
from mastermind_protocol.commands import (
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    refuse,
)
from mastermind_protocol.errors import ErrorCode, InvalidRules, Reason
from mastermind_protocol.events import (
    Advised,
    Finished,
    Forfeit,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Phase, find_absentee
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
    WAITING,
    WRONG,
    cause,
    do,
    find_refusal,
    open_match,
    seat,
)


def play_round(match, *, misses):
    """Return the match after a round in which `misses` wrong guesses precede the right one."""
    maker, breaker = match.players
    wrong = [(breaker, GuessCode(WRONG))] * misses
    return do(match, (maker, SetSecret(SECRET, NONCE)), *wrong, (breaker, GuessCode(SECRET)))


# Seats.


def test_the_first_player_chooses_a_seat_and_the_second_gets_the_other():
    waiting = do(open_match(), (BOB, TakeSeat(BOB, Seat.BREAKER)))
    assert (waiting.phase, waiting.players, waiting.to_move) == (Phase.GATHERING, (BOB,), None)
    assert waiting.opponent_of(BOB.id) is None

    match = do(waiting, (ANN, TakeSeat(ANN)))
    assert (match.phase, match.players, match.to_move) == (Phase.SETTING, (ANN, BOB), ANN)
    assert [match.seat_of(player) for player in (ANN.id, BOB.id, EVE.id, None)] == [
        Seat.MAKER,
        Seat.BREAKER,
        None,
        None,
    ]
    assert (match.opponent_of(ANN.id), match.opponent_of(EVE.id)) == (BOB, None)


def test_a_reserved_seat_is_for_one_player_alone():
    invited = Opened(rules="classic", rounds=1, previous="ABCDEF", reserved=BOB.id)
    match = fold([invited, Joined(player=ANN, seat=Seat.MAKER)])

    assert find_refusal(match, TakeSeat(EVE), EVE) == (Reason.SEAT_IS_KEPT, None)
    assert do(match, (BOB, TakeSeat(BOB))).players == (ANN, BOB)


def test_no_program_and_no_bot_sits_down_in_a_rated_match():
    rated = open_match(rated=True)
    for player in (ROBOT, DEVIOUS):
        refusal = find_refusal(rated, TakeSeat(player), player)
        assert refusal == (Reason.RATED_SEAT, "match")
    assert find_refusal(rated, TakeSeat(ANN), ANN) is None
    assert find_refusal(open_match(), TakeSeat(ROBOT), ROBOT) is None


# How a round and a match end.


@pytest.mark.parametrize(
    ("before", "command", "how", "points", "winner"),
    [
        ([], GuessCode(SECRET), RoundEnd.BROKEN, 1, BOB),
        ([WRONG], GuessCode(SECRET), RoundEnd.BROKEN, 2, BOB),
        ([WRONG], GuessCode(WRONG), RoundEnd.EXHAUSTED, 3, ANN),
        ([], ResignRound(), RoundEnd.RESIGNED, 1, ANN),
        ([WRONG], ResignRound(), RoundEnd.RESIGNED, 2, ANN),
    ],
)
def test_a_match_of_one_round_is_won_by_whoever_wins_the_round(
    before, command, how, points, winner
):
    match = do(BREAKING, *[(BOB, GuessCode(code)) for code in before])

    *_, ended, over = cause(match, command, BOB)

    assert ended == RoundEnded(how=how, code=SECRET, nonce=NONCE, points=points)
    assert over == Finished(how=MatchEnd.PLAYED, winner=winner.id)


def test_the_roles_are_swapped_in_the_next_round():
    match = play_round(seat(ANN, BOB, open_match("classic", rounds=2)), misses=3)

    assert (match.phase, match.players, match.to_move) == (Phase.SETTING, (BOB, ANN), BOB)
    assert (match.round_number, len(match.played)) == (2, 1)
    assert (match.points_of(ANN.id), match.points_of(BOB.id)) == (4, 0)


@pytest.mark.parametrize(
    ("first", "second", "winner"), [(3, 3, None), (4, 3, ANN.id), (3, 4, BOB.id)]
)
def test_after_two_rounds_more_points_win_and_equal_points_are_a_draw(first, second, winner):
    match = seat(ANN, BOB, open_match("classic", rounds=2))
    match = play_round(play_round(match, misses=first), misses=second)

    assert match.outcome == Finished(how=MatchEnd.PLAYED, winner=winner)
    assert (match.points_of(ANN.id), match.points_of(BOB.id)) == (first + 1, second + 1)
    assert match.round_number == 2


def test_a_guess_is_scored_alone_after_any_number_of_guesses(monkeypatch):
    guessed = Guessed(code=WRONG, black=0, white=0)
    match = fold([SECRET_SET, *[guessed] * 300], seat(ANN, BOB, open_match("knuth")))
    scoring = Mock(wraps=score)
    monkeypatch.setattr(transitions, "score", scoring)

    assert cause(match, GuessCode(WRONG), BOB) == (guessed,)

    scoring.assert_called_once_with(SECRET, WRONG)


# Leaving, in each phase.


@pytest.mark.parametrize("leaver", [ANN, BOB], ids=["codemaker", "codebreaker"])
@pytest.mark.parametrize("match", [SETTING, BREAKING], ids=["setting", "breaking"])
def test_a_player_who_leaves_a_running_match_loses_it(match, leaver):
    left, *ended, over = cause(match, LeaveMatch(), leaver)

    (winner,) = {ANN.id, BOB.id} - {leaver.id}
    assert left == Left(player=leaver.id)
    assert over == Finished(how=MatchEnd.LEFT, winner=winner)
    shown = RoundEnded(how=RoundEnd.LEFT, code=SECRET, nonce=NONCE, points=0)
    assert ended == ([shown] if match is BREAKING else [])


def test_a_match_that_nobody_joined_is_closed_when_its_player_leaves():
    assert cause(WAITING, LeaveMatch(), ANN) == (
        Left(player=ANN.id),
        Finished(how=MatchEnd.CLOSED),
    )


def test_no_further_round_begins_when_a_player_has_left():
    match = evolve(seat(ANN, BOB, open_match(rounds=3)), SECRET_SET)
    left, ended, _ = cause(match, LeaveMatch(), ANN)

    match = fold([left, ended], match)

    assert (match.phase, match.current) == (Phase.FINISHED, None)


def test_both_players_may_leave_a_finished_match_once_and_its_result_stays():
    match = do(FINISHED, (ANN, LeaveMatch()), (BOB, LeaveMatch()))

    assert match.left == {ANN.id, BOB.id}
    assert (match.outcome, match.played) == (FINISHED.outcome, FINISHED.played)
    for by in (ANN, BOB):
        assert find_refusal(match, LeaveMatch(), by) == (Reason.YOU_HAVE_LEFT, None)


def test_there_is_no_rematch_with_an_opponent_who_has_left():
    for match in (FINISHED, BREAKING):
        left = do(match, (ANN, LeaveMatch()))
        assert find_refusal(left, OfferRematch("ABCDEF"), BOB) == (Reason.OPPONENT_LEFT, None)


def test_a_match_that_waits_for_a_bot_can_only_be_left_by_the_person():
    match = evolve(seat(ANN, DEVIOUS), SECRET_SET)
    assert (match.to_move, find_absentee(match)) == (DEVIOUS, ANN)
    assert find_refusal(match, LeaveMatch(absent=True), ANN) is None


def test_a_person_gives_no_reason_for_leaving_and_an_absent_player_cannot():
    slow = LeaveMatch(Forfeit.SLOW)
    with_robot = evolve(seat(ANN, ROBOT), SECRET_SET)
    assert find_refusal(with_robot, slow, ROBOT) is None
    refusal = (Reason.MAY_NOT_EXPLAIN, "why")
    assert find_refusal(BREAKING, slow, BOB) == refusal
    assert find_refusal(with_robot, LeaveMatch(Forfeit.SLOW, absent=True), ROBOT) == refusal


# Advice.


def test_advice_is_announced_once_for_the_guess_that_it_is_for():
    asked = (BOB, TakeAdvice())
    match = seat(ANN, BOB, open_match("classic"))
    match = do(match, (ANN, SetSecret(SECRET, NONCE)), asked)
    assert find_refusal(match, TakeAdvice(), BOB) == (Reason.ADVICE_TAKEN, None)

    wrong = (BOB, GuessCode(WRONG))
    match = do(match, wrong, wrong, asked)
    assert match.current is not None
    assert match.current.advised == (1, 3)


def test_there_is_no_advice_in_a_rated_match():
    rated = evolve(seat(ANN, BOB, open_match(rated=True)), SECRET_SET)
    refusal = find_refusal(rated, TakeAdvice(), BOB)
    assert refusal == (Reason.RATED_WITHOUT_ADVICE, "match")
    with pytest.raises(ValueError, match="cannot follow"):
        evolve(rated, Advised(by=BOB.id))


# Codemakers that choose their code anew after each guess.


@pytest.mark.parametrize("maker", [ANN, ROBOT], ids=["a person", "a player's program"])
def test_only_a_bot_of_the_server_may_commit_to_no_code(maker):
    match = seat(maker, BOB)
    refusal = find_refusal(match, SetSecret(SECRET, None), maker)
    assert refusal == (Reason.MAY_NOT_DODGE, "match")
    for code in (SECRET, None):
        with pytest.raises(ValueError, match="cannot follow"):
            evolve(match, SecretSet(by=maker.id, code=code))


def test_a_codebreaker_who_resigns_is_shown_the_code_that_was_held_last():
    ended, _ = cause(ADAPTIVE, ResignRound(), BOB)
    assert ended == RoundEnded(how=RoundEnd.RESIGNED, code=(0, 0, 0, 0), points=1)

    match = do(ADAPTIVE, (BOB, GuessCode(WRONG, held=(1, 1, 1, 1))))
    ended, _ = cause(match, ResignRound(), BOB)
    assert ended == RoundEnded(how=RoundEnd.RESIGNED, code=(1, 1, 1, 1), points=2)


def test_a_code_that_contradicts_earlier_feedback_cannot_be_held():
    match = do(ADAPTIVE, (BOB, GuessCode(WRONG, held=(1, 1, 1, 1))))
    with pytest.raises(ValueError, match="contradicts its earlier feedback"):
        decide(match, GuessCode(WRONG, held=(4, 1, 1, 1)), BOB.id)


@pytest.mark.parametrize(
    ("match", "guess"), [(ADAPTIVE, GuessCode(WRONG)), (BREAKING, GuessCode(WRONG, held=SECRET))]
)
def test_a_code_is_held_exactly_where_there_is_no_commitment(match, guess):
    with pytest.raises(ValueError, match="just where there is no commitment"):
        decide(match, guess, BOB.id)


# Errors of the caller.


@pytest.mark.parametrize(
    "command", [GuessCode(WRONG), ResignRound(), LeaveMatch()], ids=["guess", "resign", "leave"]
)
def test_only_a_state_with_the_secret_can_decide_what_needs_it(command):
    mirror = evolve(SETTING, SecretSet(by=ANN.id, commitment=SECRET_SET.commitment))

    assert find_refusal(mirror, command, BOB) is None
    with pytest.raises(ValueError, match="which knows the secret"):
        decide(mirror, command, BOB.id)


def test_a_log_begins_with_the_opening_of_a_match_of_known_rules():
    with pytest.raises(InvalidRules):
        open_match("chess")
    with pytest.raises(ValueError, match="at least one event"):
        fold([])
    with pytest.raises(ValueError, match="begins with Opened"):
        fold([Joined(player=ANN, seat=Seat.MAKER)])


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
    refusal = refuse(match, command, by.id)
    assert refusal is not None
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_CODE, "code")
