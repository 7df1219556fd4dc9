"""The time of a match: whose clock runs, and what happens when it is over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mastermind_protocol.clock import DAY, MINUTE, SECOND, find_clock
from mastermind_protocol.commands import Command, GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import InvalidClock, Refused
from mastermind_protocol.events import (
    SERVER,
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    Rated,
    RatedPlayer,
    Resumed,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
    Unrated,
)
from mastermind_protocol.glicko import INITIAL_RATING, Rating, rate
from mastermind_protocol.match import Match, Phase, is_time_over
from mastermind_protocol.transitions import Moment, advance, decide, expire, fold, resume
from protocol.matches import ANN, BOB, DEVIOUS, NONCE, SECRET, SECRET_SET, WRONG, seat

JOINED = 1000  # ms: the time of the second player
LIMIT = 2  # guesses of the rules


def open_clocked(clock: str = "5+3", rounds: int = 2, *, rated: bool = False) -> Match:
    """Return a match that waits for its first code since JOINED."""
    opened = Opened(rules="4x6/2", rounds=rounds, rated=rated, clock=clock)
    waiting = fold([opened, Joined(player=ANN, seat=Seat.MAKER)])
    return fold([Joined(player=BOB, seat=Seat.BREAKER)], waiting, JOINED)


def do_at(match: Match, command: Command, by: Player, at: int, credit: int = 0) -> Match:
    """Return the match after a command at the time `at`, checked as a client does."""
    decision = decide(match, command, by.id, Moment(at, credit))
    assert not isinstance(decision, Refused)
    assert fold(decision.events, match, at) == decision.after
    return decision.after


def draw(_rules: object) -> SetSecret:
    return SetSecret(SECRET, NONCE)


def expire_at(match: Match, at: int, *, away: bool = False) -> tuple[AnyEvent, ...]:
    """Return the events of the end of time, checked as a client does."""
    decision = expire(match, Moment(at), draw, away=away)
    assert decision is not None
    assert fold(decision.events, match, at) == decision.after
    return decision.events


SETTING = open_clocked()
BREAKING = do_at(SETTING, SetSecret(SECRET, NONCE), ANN, 11_000)
FLAG = 11_000 + 5 * MINUTE  # the last millisecond of the first guess
SECOND_SETTING = do_at(BREAKING, ResignRound(), BOB, 20_000)


def test_the_clock_of_the_player_to_move_runs():
    assert SETTING.timer is not None
    assert SETTING.timer.deadline == JOINED + 60 * SECOND
    assert BREAKING.timer is not None
    assert BREAKING.timer.deadline == FLAG
    after = do_at(BREAKING, GuessCode(WRONG), BOB, 41_000)
    assert after.timer is not None
    assert (after.timer.since, after.timer.remaining) == (41_000, 4 * MINUTE + 33 * SECOND)
    assert SECOND_SETTING.timer is not None
    assert SECOND_SETTING.timer.deadline == 20_000 + 60 * SECOND


def test_a_match_without_a_clock_has_no_time():
    match = fold([SECRET_SET], seat(ANN, BOB), 99)
    assert (match.clock, match.timer, match.at) == (None, None, 0)
    assert expire(match, Moment(10**12), draw) is None


def test_a_move_at_the_deadline_is_in_time_and_one_later_is_not():
    do_at(BREAKING, GuessCode(WRONG), BOB, FLAG)
    assert expire(BREAKING, Moment(FLAG), draw) is None
    with pytest.raises(ValueError, match="is over"):
        decide(BREAKING, GuessCode(WRONG), BOB.id, Moment(FLAG + 1))
    assert expire_at(BREAKING, FLAG + 1)


def test_a_move_is_in_time_by_the_credited_latency_which_the_log_records():
    after = do_at(BREAKING, GuessCode(WRONG), BOB, FLAG + 250, credit=250)
    assert after.timer is not None
    assert (after.timer.remaining, after.timer.credited) == (3 * SECOND, 250)
    assert expire(BREAKING, Moment(FLAG + 250, 250), draw) is None
    assert expire(BREAKING, Moment(FLAG + 301, 999), draw) is not None


def test_a_code_that_is_not_set_in_time_closes_the_first_round():
    assert expire_at(SETTING, 61_001) == (Finished(how=MatchEnd.CLOSED),)


def test_the_server_draws_the_code_of_a_later_round():
    (drawn,) = expire_at(SECOND_SETTING, 80_001)
    commitment = commit(NONCE, SECRET)
    assert drawn == SecretSet(by=SERVER, commitment=commitment, code=SECRET, nonce=NONCE)
    hidden = replace(drawn, code=None, nonce=None)
    after = fold([hidden], SECOND_SETTING, 80_001)
    assert after.phase is Phase.BREAKING
    assert after.current
    assert after.current.drawn
    assert after.timer is not None
    assert after.timer.deadline == 80_001 + 5 * MINUTE


def test_the_end_of_time_costs_the_codebreaker_the_round_as_if_all_guesses_were_used():
    events = expire_at(BREAKING, FLAG + 1)
    assert events == (RoundEnded(how=RoundEnd.TIME, code=SECRET, nonce=NONCE, points=LIMIT + 1),)


def test_a_codebreaker_who_is_away_when_time_ends_has_left():
    guessed = do_at(BREAKING, GuessCode(WRONG), BOB, 20_000)
    first, ended, finished = expire_at(guessed, FLAG + 3 * SECOND + 1, away=True)
    assert first == Left(player=BOB.id, absent=True)
    assert isinstance(ended, RoundEnded)
    assert finished == Finished(how=MatchEnd.LEFT, winner=ANN.id)


def test_with_days_the_player_to_move_leaves():
    setting = open_clocked("3d/move", rounds=1)
    assert expire_at(setting, JOINED + 3 * DAY + 1) == (
        Left(player=ANN.id, absent=True),
        Finished(how=MatchEnd.LEFT, winner=BOB.id),
    )


def test_a_bot_of_the_server_is_always_in_time():
    opened = Opened(rules="4x6/2", rounds=1, clock="1+0")
    seats = Joined(player=DEVIOUS, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER)
    match = fold([opened, *seats])
    assert not is_time_over(match, DAY)


@pytest.mark.parametrize("match", [SETTING, BREAKING])
def test_who_leaves_before_the_first_guess_closes_the_match(match):
    decision = decide(match, LeaveMatch(), BOB.id, Moment(12_000))
    assert not isinstance(decision, Refused)
    assert decision.events[-1] == Finished(how=MatchEnd.CLOSED)


def test_who_leaves_after_a_guess_or_a_round_loses():
    guessed = do_at(BREAKING, GuessCode(WRONG), BOB, 20_000)
    for match in (guessed, SECOND_SETTING):
        after = do_at(match, LeaveMatch(), BOB, 21_000)
        assert after.outcome == Finished(how=MatchEnd.LEFT, winner=ANN.id)


@pytest.mark.parametrize("clock", ["5+3", "3d/move"])
def test_lost_time_is_given_back(clock):
    breaking = do_at(open_clocked(clock), SetSecret(SECRET, NONCE), ANN, 11_000)
    assert breaking.timer is not None
    deadline = breaking.timer.deadline
    decision = resume(breaking, Moment(deadline + 7000), 9000)
    assert decision.events == (Resumed(lost=9000),)
    assert fold(decision.events, breaking, deadline + 7000) == decision.after
    do_at(decision.after, GuessCode(WRONG), BOB, deadline + 9000)
    assert expire(decision.after, Moment(deadline + 9001), draw) is not None


def test_time_never_goes_back():
    assert advance(BREAKING, 5).at == 11_000


@pytest.mark.parametrize(
    ("match", "event", "at"),
    [
        (BREAKING, RoundEnded(how=RoundEnd.TIME, code=SECRET, nonce=NONCE, points=3), FLAG),
        (BREAKING, RoundEnded(how=RoundEnd.TIME, code=SECRET, nonce=NONCE, points=2), FLAG + 1),
        (BREAKING, Guessed(code=WRONG, black=0, white=0), FLAG + 1),
        (BREAKING, Guessed(code=WRONG, black=0, white=0, lag=200), FLAG + 201),
        (SETTING, Finished(how=MatchEnd.CLOSED), 61_000),
        (SECOND_SETTING, Finished(how=MatchEnd.CLOSED), 99_999),
        (SETTING, replace(SECRET_SET, by=SERVER), 61_001),
        (SECOND_SETTING, replace(SECRET_SET, by=SERVER), 80_000),
        (seat(ANN, BOB), Resumed(lost=5), 5),
        (BREAKING, Unrated(why="pair"), 20_000),
        (seat(ANN, BOB), Unrated(why="pair"), 0),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, int) else str(value),
)
def test_a_client_accepts_no_event_that_contradicts_the_time(match, event, at):
    with pytest.raises(ValueError, match="cannot follow"):
        fold([event], match, at)


def test_an_unknown_clock_is_an_error():
    with pytest.raises(InvalidClock):
        open_clocked("1h")


RATED = open_clocked(rated=True)
ENDED = do_at(
    do_at(do_at(RATED, SetSecret(SECRET, NONCE), ANN, 2000), GuessCode(WRONG), BOB, 3000),
    LeaveMatch(), BOB, 4000,
)  # fmt: skip
STRONG = Rating(1900.0, 60.0, 0.06)
CHANGE = Rated(
    players=(
        RatedPlayer(
            player=ANN.id, n=1, before=INITIAL_RATING, after=rate(INITIAL_RATING, [(STRONG, 1)])
        ),
        RatedPlayer(player=BOB.id, n=9, before=STRONG, after=rate(STRONG, [(INITIAL_RATING, 0)])),
    )
)


def test_ratings_change_once_after_the_end():
    after = fold([CHANGE], ENDED, 4000)
    assert after.ratings == CHANGE
    for match in (after, RATED, replace(ENDED, unrated=True), replace(ENDED, clock=None)):
        with pytest.raises(ValueError, match="cannot follow"):
            fold([CHANGE], match, 4000)


@pytest.mark.parametrize("wrong", [
    Rated(players=CHANGE.players[::-1]),
    Rated(players=(replace(CHANGE.players[0], after=INITIAL_RATING), CHANGE.players[1])),
    Rated(players=(replace(CHANGE.players[0], player="EVE"), CHANGE.players[1])),
])  # fmt: skip
def test_a_client_checks_the_change_of_ratings(wrong):
    with pytest.raises(ValueError, match="cannot follow"):
        fold([wrong], ENDED, 4000)


def test_a_closed_match_changes_no_ratings():
    closed = do_at(RATED, LeaveMatch(), BOB, 4000)
    with pytest.raises(ValueError, match="cannot follow"):
        fold([CHANGE], closed, 4000)


@given(
    st.sampled_from(["1+0", "1+5", "20/move"]),
    st.lists(st.tuples(st.integers(0, 70 * SECOND), st.integers(0, 500)), max_size=40),
)
def test_a_match_has_one_outcome_and_nobody_gains_time(name, waits):
    clock, match, at = find_clock(name), open_clocked(name), JOINED
    for wait, credit in waits:
        mover = match.to_move
        if mover is None:
            break
        at += wait
        before, moment = match, Moment(at, credit)
        if (expired := expire(match, moment, draw)) is not None:
            match = expired.after
        else:
            setting = match.phase is Phase.SETTING
            command = SetSecret(SECRET, NONCE) if setting else GuessCode(WRONG)
            decision = decide(match, command, mover.id, moment)
            assert not isinstance(decision, Refused)
            match = decision.after
            last = decision.events[-1]
            if isinstance(last, Guessed) and before.timer and match.timer:
                gained = match.timer.deadline - before.timer.deadline
                most = max(clock.move, clock.increment + last.lag)
                assert gained <= most
        assert match.at == at
    if match.phase is Phase.FINISHED:
        assert match.outcome is not None
        assert match.timer is None
        assert expire(match, Moment(at + DAY), draw) is None
