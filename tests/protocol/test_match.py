from __future__ import annotations

from unittest.mock import Mock

import pytest

from mastermind_protocol import transitions
from mastermind_protocol.commands import (
    Command,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeSeat,
    refuse,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, InvalidRules, Refused
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
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
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Match, Phase, Turn
from mastermind_protocol.proof import find_fraud
from mastermind_protocol.transitions import decide, evolve, fold

ANN = Player(id="p-ann", name="Ann")
BOB = Player(id="p-bob", name="Bob")
EVE = Player(id="p-eve", name="Eve")
NONCE = bytes(range(16))
SECRET = (0, 1, 2, 3)
WRONG = (4, 4, 5, 5)


def opened(rules: str = "classic", rounds: int = 1) -> Match:
    return evolve(None, Opened(rules=rules, rounds=rounds))


def do(match: Match, command: Command, by: Player) -> Match:
    """Return the match after a command that must be legal."""
    return fold(caused(match, command, by), match)


def caused(match: Match, command: Command, by: Player) -> tuple[AnyEvent, ...]:
    decision = decide(match, command, by.id)
    assert not isinstance(decision, Refused), decision.message
    return decision.events


def setting(rules: str = "classic", rounds: int = 1) -> Match:
    """Return a match in which Ann is to set the secret for Bob."""
    waiting = do(opened(rules, rounds), TakeSeat(ANN, Seat.MAKER), ANN)
    return do(waiting, TakeSeat(BOB), BOB)


def breaking(rules: str = "classic", rounds: int = 1) -> Match:
    return do(setting(rules, rounds), SetSecret(SECRET, NONCE), ANN)


def finished() -> Match:
    return do(breaking(), GuessCode(SECRET), BOB)


def closed() -> Match:
    """Return a match that Ann left before anybody joined."""
    return do(do(opened(), TakeSeat(ANN, Seat.MAKER), ANN), LeaveMatch(), ANN)


def play_round(match: Match, *, misses: int) -> Match:
    """Play a round of classic in which the code is broken after so many misses."""
    maker, breaker = match.players
    match = do(match, SetSecret(SECRET, NONCE), maker)
    for _ in range(misses):
        match = do(match, GuessCode(WRONG), breaker)
    return do(match, GuessCode(SECRET), breaker)


# Sitting down.


def test_whoever_comes_first_may_choose_a_seat():
    match = do(opened(), TakeSeat(BOB, Seat.BREAKER), BOB)

    assert (match.phase, match.maker, match.breaker) == (Phase.GATHERING, None, BOB)
    assert match.players == (BOB,)
    assert match.to_move is None
    assert match.opponent_of(BOB.id) is None


def test_whoever_comes_second_gets_the_seat_that_is_free():
    match = do(do(opened(), TakeSeat(BOB, Seat.BREAKER), BOB), TakeSeat(ANN), ANN)

    assert (match.phase, match.players) == (Phase.SETTING, (ANN, BOB))
    assert match.to_move == ANN


def test_a_seat_that_is_taken_is_refused():
    match = do(opened(), TakeSeat(ANN, Seat.MAKER), ANN)

    refusal = decide(match, TakeSeat(BOB, Seat.MAKER), BOB.id)

    assert isinstance(refusal, Refused)
    assert refusal.code == ErrorCode.SEAT_TAKEN
    assert refusal.message == "the codemaker is there already"


def test_a_reserved_seat_is_for_one_player_alone():
    invited = Opened(rules="classic", rounds=1, previous="ABCDEF", reserved=BOB.id)
    match = fold([invited, Joined(player=ANN, seat=Seat.MAKER)])

    refusal = decide(match, TakeSeat(EVE), EVE.id)

    assert isinstance(refusal, Refused)
    assert refusal.code == ErrorCode.SEAT_TAKEN
    assert do(match, TakeSeat(BOB), BOB).players == (ANN, BOB)


def test_a_player_is_found_by_seat_and_a_seat_by_player():
    match = setting()

    assert [match.seat_of(player.id) for player in (ANN, BOB, EVE)] == [
        Seat.MAKER,
        Seat.BREAKER,
        None,
    ]
    assert match.seat_of(None) is None
    assert match.opponent_of(ANN.id) == BOB
    assert match.opponent_of(EVE.id) is None


# How a round and a match end.


def test_the_secret_is_kept_with_its_commitment():
    (event,) = caused(setting(), SetSecret(SECRET, NONCE), ANN)

    assert event == SecretSet(by=ANN.id, commitment=commit(NONCE, SECRET), code=SECRET, nonce=NONCE)
    assert breaking().to_move == BOB


def test_a_guess_is_answered_with_its_feedback():
    (event,) = caused(breaking(), GuessCode((0, 1, 3, 4)), BOB)
    match = evolve(breaking(), event)

    assert event == Guessed(code=(0, 1, 3, 4), black=2, white=1)
    assert match.current is not None
    assert match.current.turns == (Turn((0, 1, 3, 4), Feedback(2, 1)),)
    assert match.phase is Phase.BREAKING


def test_a_guess_is_scored_alone_however_many_there_were(monkeypatch):
    guessed = Guessed(code=WRONG, black=0, white=0)
    match = fold([guessed] * 300, breaking("knuth"))
    scoring = Mock(wraps=score)
    monkeypatch.setattr(transitions, "score", scoring)

    assert caused(match, GuessCode(WRONG), BOB) == (guessed,)

    scoring.assert_called_once_with(SECRET, WRONG)


def test_a_match_of_one_round_is_won_by_who_breaks_the_code():
    match = do(breaking(), GuessCode(WRONG), BOB)

    guessed, ended, over = caused(match, GuessCode(SECRET), BOB)

    assert guessed == Guessed(code=SECRET, black=4, white=0)
    assert ended == RoundEnded(how=RoundEnd.BROKEN, code=SECRET, nonce=NONCE, points=2)
    assert over == Finished(how=MatchEnd.PLAYED, winner=BOB.id)
    match = fold([guessed, ended, over], match)
    assert (match.phase, match.outcome, match.to_move) == (Phase.FINISHED, over, None)
    assert find_fraud(match.played[0], match.rules) is None


def test_a_match_of_one_round_is_won_by_the_codemaker_when_the_guesses_are_used_up():
    match = breaking("4x6/3")
    for _ in range(2):
        match = do(match, GuessCode(WRONG), BOB)

    _, ended, over = caused(match, GuessCode(WRONG), BOB)

    assert ended == RoundEnded(how=RoundEnd.EXHAUSTED, code=SECRET, nonce=NONCE, points=4)
    assert over == Finished(how=MatchEnd.PLAYED, winner=ANN.id)


def test_the_code_can_be_broken_with_the_last_guess():
    match = do(breaking("4x6/2"), GuessCode(WRONG), BOB)

    _, ended, over = caused(match, GuessCode(SECRET), BOB)

    assert ended == RoundEnded(how=RoundEnd.BROKEN, code=SECRET, nonce=NONCE, points=2)
    assert over == Finished(how=MatchEnd.PLAYED, winner=BOB.id)


def test_who_resigns_loses_the_round_and_the_code_stands():
    match = do(breaking(), GuessCode(WRONG), BOB)

    ended, over = caused(match, ResignRound(), BOB)

    assert ended == RoundEnded(how=RoundEnd.RESIGNED, code=SECRET, nonce=NONCE, points=2)
    assert over == Finished(how=MatchEnd.PLAYED, winner=ANN.id)


def test_the_roles_are_swapped_in_the_next_round():
    match = play_round(setting(rounds=2), misses=3)

    assert (match.phase, match.players, match.to_move) == (Phase.SETTING, (BOB, ANN), BOB)
    assert (match.round_number, len(match.played)) == (2, 1)
    assert (match.points_of(ANN.id), match.points_of(BOB.id)) == (4, 0)


@pytest.mark.parametrize(
    ("first", "second", "winner"), [(3, 3, None), (4, 3, ANN.id), (3, 4, BOB.id)]
)
def test_of_two_rounds_more_points_win_and_equal_points_are_a_draw(first, second, winner):
    match = play_round(play_round(setting(rounds=2), misses=first), misses=second)

    assert match.outcome == Finished(how=MatchEnd.PLAYED, winner=winner)
    assert (match.points_of(ANN.id), match.points_of(BOB.id)) == (first + 1, second + 1)
    assert match.round_number == 2


# Leaving, in each phase.


def test_a_match_that_nobody_joined_is_closed_when_its_player_leaves():
    match = do(opened(), TakeSeat(ANN, Seat.MAKER), ANN)

    assert caused(match, LeaveMatch(), ANN) == (Left(player=ANN.id), Finished(how=MatchEnd.CLOSED))


@pytest.mark.parametrize(("leaver", "winner"), [(ANN, BOB), (BOB, ANN)], ids=["maker", "breaker"])
def test_who_leaves_before_the_secret_is_set_has_lost(leaver, winner):
    events = caused(setting(), LeaveMatch(), leaver)

    assert events == (Left(player=leaver.id), Finished(how=MatchEnd.LEFT, winner=winner.id))


@pytest.mark.parametrize(("leaver", "winner"), [(ANN, BOB), (BOB, ANN)], ids=["maker", "breaker"])
def test_who_leaves_while_the_code_is_broken_has_lost_and_the_code_is_shown(leaver, winner):
    match = do(breaking(rounds=3), GuessCode(WRONG), BOB)

    events = caused(match, LeaveMatch(), leaver)

    assert events == (
        Left(player=leaver.id),
        RoundEnded(how=RoundEnd.LEFT, code=SECRET, nonce=NONCE, points=0),
        Finished(how=MatchEnd.LEFT, winner=winner.id),
    )
    after = fold(events, match)
    assert find_fraud(after.played[0], after.rules) is None
    assert after.players == (ANN, BOB)


def test_no_further_round_begins_when_a_player_has_left():
    left, ended, _ = caused(breaking(rounds=3), LeaveMatch(), ANN)

    match = fold([left, ended], breaking(rounds=3))

    assert (match.phase, match.current) == (Phase.FINISHED, None)


def test_leaving_a_finished_match_changes_no_result():
    match = finished()
    after = do(match, LeaveMatch(), ANN)

    assert caused(match, LeaveMatch(), ANN) == (Left(player=ANN.id),)
    assert after.left == {ANN.id}
    assert (after.outcome, after.played) == (match.outcome, match.played)


def test_both_players_may_leave_a_finished_match():
    match = do(do(finished(), LeaveMatch(), ANN), LeaveMatch(), BOB)

    assert match.left == {ANN.id, BOB.id}
    assert [refuse(match, LeaveMatch(), by.id) is None for by in (ANN, BOB)] == [False, False]


# Once more.


@pytest.mark.parametrize("by", [ANN, BOB], ids=["maker", "breaker"])
def test_either_player_may_offer_a_rematch(by):
    (event,) = caused(finished(), OfferRematch("ABCDEF"), by)

    assert event == RematchOffered(by=by.id, match="ABCDEF")
    assert evolve(finished(), event).rematch == "ABCDEF"


def test_there_is_no_rematch_with_an_opponent_who_has_left():
    for match in (do(finished(), LeaveMatch(), ANN), do(breaking(), LeaveMatch(), ANN)):
        refusal = decide(match, OfferRematch("ABCDEF"), BOB.id)

        assert isinstance(refusal, Refused)
        assert refusal.code == ErrorCode.OPPONENT_LEFT


# What cannot be: a log, or a peer, that is not to be trusted.

SECRET_SET = SecretSet(by=ANN.id, commitment=commit(NONCE, SECRET))
GUESSED = Guessed(code=WRONG, black=0, white=0)
ROUND_ENDED = RoundEnded(how=RoundEnd.BROKEN, code=SECRET, nonce=NONCE, points=1)


@pytest.mark.parametrize(
    ("match", "event"),
    [
        (None, Joined(player=ANN, seat=Seat.MAKER)),
        (None, GUESSED),
        (setting(), Opened(rules="classic", rounds=1)),
        (do(opened(), TakeSeat(ANN, Seat.MAKER), ANN), Joined(player=BOB, seat=Seat.MAKER)),
        (setting(), Joined(player=EVE, seat=Seat.MAKER)),
        (finished(), Joined(player=EVE, seat=Seat.BREAKER)),
        (closed(), Joined(player=EVE, seat=Seat.BREAKER)),
        (opened(), SECRET_SET),
        (opened(), GUESSED),
        (opened(), ROUND_ENDED),
        (finished(), SECRET_SET),
        (finished(), GUESSED),
        (finished(), ROUND_ENDED),
    ],
)
def test_an_event_that_cannot_follow_is_an_error(match, event):
    with pytest.raises(ValueError, match=r"\w+"):
        evolve(match, event)


def test_a_match_of_unknown_rules_cannot_be_folded():
    with pytest.raises(InvalidRules):
        opened("chess")


def test_a_match_without_events_cannot_be_folded():
    with pytest.raises(ValueError, match="at least one event"):
        fold([])


@pytest.mark.parametrize(
    "command", [GuessCode(WRONG), ResignRound(), LeaveMatch()], ids=["guess", "resign", "leave"]
)
def test_only_who_knows_the_secret_can_decide_what_needs_it(command):
    mirror = evolve(setting(), SECRET_SET)

    assert refuse(mirror, command, BOB.id) is None
    with pytest.raises(ValueError, match="which knows the secret"):
        decide(mirror, command, BOB.id)
