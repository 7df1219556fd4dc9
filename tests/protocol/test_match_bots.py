"""What bots brought into a match: advice, codemakers that keep no code, forfeits, rated matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.breaker import BreakerView, see
from mastermind_protocol.commands import (
    GuessCode,
    LeaveMatch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    refuse,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Forfeit,
    Guessed,
    Joined,
    Left,
    Opened,
    Player,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Match, Phase, Turn, find_absentee, is_advised
from mastermind_protocol.proof import FalseFeedback, find_fraud
from mastermind_protocol.rules import DEFAULT
from mastermind_protocol.transitions import decide, fold
from strategies import codes_of

ANN = Player(id="p-ann", name="Ann")
BOB = Player(id="p-bob", name="Bob")
ROBOT = Player(id="p-robot", name="Robot", program=True)
DEVIOUS = Player(id="bot-devious-maker", name="devious", bot="devious")
NONCE = bytes(range(16))
SECRET = (0, 1, 2, 3)
WRONG = (4, 4, 5, 5)


def seated(maker: Player, breaker: Player, *, rated: bool = False) -> Match:
    """Return a match in which the codemaker is to set the secret."""
    opened = Opened(rules="classic", rounds=1, rated=rated)
    seats = Joined(player=maker, seat=Seat.MAKER), Joined(player=breaker, seat=Seat.BREAKER)
    return fold([opened, *seats])


def do(match: Match, command: object, by: Player) -> tuple[Match, tuple[AnyEvent, ...]]:
    decision = decide(match, command, by.id)  # type: ignore[arg-type]
    assert not isinstance(decision, Refused), decision
    return decision.after, decision.events


def secret_set(match: Match) -> Match:
    return do(match, SetSecret(SECRET, NONCE), ANN)[0]


FRIENDS = secret_set(seated(ANN, BOB))
RATED = secret_set(seated(ANN, BOB, rated=True))
DODGING, _ = do(seated(DEVIOUS, BOB), SetSecret((0, 0, 0, 0), None), DEVIOUS)


# Advice.


def test_advice_is_told_with_the_guess_that_it_is_for():
    match, events = do(FRIENDS, TakeAdvice(), BOB)
    assert events == (Advised(by=BOB.id),)
    assert is_advised(match, BOB.id)
    assert not is_advised(match, ANN.id)
    match, _ = do(match, GuessCode(WRONG), BOB)
    assert not is_advised(match, BOB.id)
    match, _ = do(match, GuessCode(WRONG), BOB)
    match, _ = do(match, TakeAdvice(), BOB)
    assert match.current is not None
    assert match.current.advised == (1, 3)


def test_advice_for_one_guess_is_told_once():
    match, _ = do(FRIENDS, TakeAdvice(), BOB)
    refusal = refuse(match, TakeAdvice(), BOB.id)
    assert refusal is not None
    assert refusal.code == ErrorCode.WRONG_PHASE
    with pytest.raises(ValueError, match="cannot follow"):
        fold([Advised(by=BOB.id)], match)


def test_there_is_no_advice_in_a_rated_match():
    refusal = refuse(RATED, TakeAdvice(), BOB.id)
    assert refusal is not None
    assert refusal.code == ErrorCode.RATED
    with pytest.raises(ValueError, match="cannot follow"):
        fold([Advised(by=BOB.id)], RATED)


@pytest.mark.parametrize("player", [ANN.id, "p-eve"])
def test_nobody_but_the_codebreaker_can_have_taken_advice(player):
    with pytest.raises(ValueError, match="cannot follow"):
        fold([Advised(by=player)], FRIENDS)


# Rated matches.


def test_no_program_sits_down_in_a_rated_match():
    opened = fold([Opened(rules="classic", rounds=1, rated=True)])
    refusal = refuse(opened, TakeSeat(ROBOT), ROBOT.id)
    assert refusal is not None
    assert refusal.code == ErrorCode.RATED
    assert refuse(opened, TakeSeat(ANN), ANN.id) is None
    for player in (ROBOT, DEVIOUS):
        with pytest.raises(ValueError, match="cannot follow"):
            fold([Joined(player=player, seat=Seat.MAKER)], opened)
    assert refuse(fold([Opened(rules="classic", rounds=1)]), TakeSeat(ROBOT), ROBOT.id) is None


# Codemakers that keep no code.


def test_a_bot_may_keep_no_code_and_then_commits_to_none():
    _, (event,) = do(seated(DEVIOUS, BOB), SetSecret(SECRET, None), DEVIOUS)
    assert event == SecretSet(by=DEVIOUS.id, code=SECRET)


@pytest.mark.parametrize(
    "match",
    [
        pytest.param(seated(ANN, BOB), id="a person"),
        pytest.param(seated(ROBOT, BOB), id="somebody's program"),
    ],
)
def test_no_one_else_may_keep_no_code(match):
    assert match.maker is not None
    refusal = refuse(match, SetSecret(SECRET, None), match.maker.id)
    assert refusal is not None
    assert refusal.code == ErrorCode.RATED
    for code in (SECRET, None):
        with pytest.raises(ValueError, match="cannot follow"):
            fold([SecretSet(by=match.maker.id, code=code)], match)


def test_a_guess_is_answered_by_the_code_that_is_held():
    match, (guessed,) = do(DODGING, GuessCode(WRONG, held=(1, 1, 1, 1)), BOB)
    assert guessed == Guessed(code=WRONG, black=0, white=0, held=(1, 1, 1, 1))
    match, (guessed,) = do(match, GuessCode((0, 0, 1, 1), held=(0, 1, 0, 0)), BOB)
    assert isinstance(guessed, Guessed)
    assert (guessed.black, guessed.white) == score((0, 1, 0, 0), (0, 0, 1, 1))


def test_who_gives_up_is_shown_the_code_that_was_held_last():
    match, _ = do(DODGING, GuessCode(WRONG, held=(1, 1, 1, 1)), BOB)
    match, (ended, _) = do(match, ResignRound(), BOB)
    assert isinstance(ended, RoundEnded)
    assert (ended.code, ended.nonce) == ((1, 1, 1, 1), None)
    assert find_fraud(match.played[0], DEFAULT) is None


def test_who_gives_up_at_once_is_shown_the_first_code():
    _, (ended, _) = do(DODGING, ResignRound(), BOB)
    assert isinstance(ended, RoundEnded)
    assert ended.code == (0, 0, 0, 0)


def test_the_last_code_left_must_be_given_in_to():
    match, (guessed, ended, _) = do(DODGING, GuessCode(SECRET, held=SECRET), BOB)
    assert guessed == Guessed(code=SECRET, black=4, white=0, held=SECRET)
    assert isinstance(ended, RoundEnded)
    assert match.phase is Phase.FINISHED


@given(st.lists(codes_of(DEFAULT), min_size=1, max_size=6), codes_of(DEFAULT))
def test_an_answer_that_contradicts_the_answers_before_is_never_given(guesses, held):
    match = DODGING
    for guess in guesses:
        turns = match.current.turns if match.current else ()
        if all(score(held, turn.code) == turn.feedback for turn in turns):
            match, _ = do(match, GuessCode(guess, held=held), BOB)
        else:
            with pytest.raises(ValueError, match="contradicts its earlier feedback"):
                decide(match, GuessCode(guess, held=held), BOB.id)
        if match.phase is Phase.FINISHED:
            break
        held = tuple(reversed(held))


@pytest.mark.parametrize(
    ("match", "guess"), [(DODGING, GuessCode(WRONG)), (FRIENDS, GuessCode(WRONG, held=SECRET))]
)
def test_a_code_is_held_just_where_there_is_no_commitment(match, guess):
    with pytest.raises(ValueError, match="just where there is no commitment"):
        decide(match, guess, BOB.id)


@pytest.mark.parametrize(
    ("match", "event"),
    [
        pytest.param(
            FRIENDS, Guessed(code=WRONG, black=0, white=0, held=SECRET), id="held, yet committed"
        ),
        pytest.param(
            DODGING, Guessed(code=WRONG, black=0, white=0, held=(9, 9, 9, 9)), id="no code of these"
        ),
        pytest.param(
            DODGING,
            RoundEnded(how=RoundEnd.RESIGNED, code=(0, 0, 0, 0), nonce=NONCE, points=1),
            id="a nonce without a commitment",
        ),
        pytest.param(
            FRIENDS,
            RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, points=1),
            id="a commitment without a nonce",
        ),
    ],
)
def test_an_event_that_nothing_could_cause_does_not_follow(match, event):
    with pytest.raises(ValueError, match="cannot follow"):
        fold([event], match)


def test_without_a_commitment_it_is_still_fraud_if_an_answer_does_not_fit():
    blind = fold([SecretSet(by=DEVIOUS.id)], seated(DEVIOUS, BOB))
    match = fold([Guessed(code=WRONG, black=0, white=0)], blind)
    shown = RoundEnded(how=RoundEnd.RESIGNED, code=WRONG, points=2)
    fraud = find_fraud(fold([shown], match).played[0], DEFAULT)
    assert fraud == FalseFeedback(1)


# Forfeits.


@pytest.mark.parametrize("why", [*Forfeit, None])
def test_all_are_told_why_a_bot_had_to_leave(why):
    match = secret_set(seated(ANN, ROBOT))
    _, (left, *_) = do(match, LeaveMatch(why), ROBOT)
    assert left == Left(player=ROBOT.id, why=why)


def test_a_person_gives_no_reason_for_leaving():
    refusal = refuse(FRIENDS, LeaveMatch(Forfeit.SLOW), BOB.id)
    assert refusal is not None
    assert (refusal.code, refusal.field) == (ErrorCode.INVALID_MESSAGE, "why")


def test_a_bot_that_could_not_move_has_not_stayed_away():
    match = secret_set(seated(ANN, Player(id="bot-knuth-breaker", name="knuth", bot="knuth")))
    assert match.to_move != ANN
    assert find_absentee(match) == ANN
    assert refuse(match, LeaveMatch(absent=True), ANN.id) is None


def test_who_stayed_away_has_given_no_reason():
    match = secret_set(seated(ANN, ROBOT))
    assert refuse(match, LeaveMatch(absent=True), ROBOT.id) is None
    refusal = refuse(match, LeaveMatch(Forfeit.SLOW, absent=True), ROBOT.id)
    assert refusal is not None
    assert refusal.field == "why"


# What a codebreaker sees.


def test_a_codebreaker_sees_its_rules_and_its_guesses_with_their_feedback():
    match, _ = do(FRIENDS, GuessCode(WRONG), BOB)
    assert see(match) == BreakerView(DEFAULT, (Turn(WRONG, Feedback(0, 0)),))


def test_where_no_round_is_played_there_is_nothing_to_see():
    with pytest.raises(ValueError, match="no round is being played"):
        see(fold([Opened(rules="classic", rounds=1)]))


@given(codes_of(DEFAULT))
def test_what_a_codebreaker_sees_does_not_hang_on_the_secret(code):
    same = fold([SecretSet(by=ANN.id, commitment=commit(NONCE, code), code=code, nonce=NONCE)],
                seated(ANN, BOB))  # fmt: skip
    guessed = Guessed(code=WRONG, black=0, white=0)
    assert see(fold([guessed], same)) == see(fold([guessed], FRIENDS))
