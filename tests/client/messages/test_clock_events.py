"""Texts of events that only matches with a clock have."""

import pytest

from kit.matches import ADA, BOB, NONCE, pegs
from mastermind_client.figures import Record
from mastermind_client.messages.endings import describe_match_end, describe_outcome, format_headline
from mastermind_client.messages.events import describe_events, describe_result
from mastermind_client.messages.rounds import describe_last_round, format_round_end
from mastermind_protocol.clock import DAY, MINUTE
from mastermind_protocol.commands import Command, GuessCode, LeaveMatch, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import (
    AnyEvent,
    Declined,
    Joined,
    Opened,
    Rated,
    RatedPlayer,
    Resumed,
    Seat,
    SecretSet,
    Unrated,
)
from mastermind_protocol.glicko import INITIAL_RATING, rate
from mastermind_protocol.match import Match
from mastermind_protocol.rules import Rules
from mastermind_protocol.transitions import Moment, advance, decide, evolve, expire, fold

LATE = 2 * DAY


def sit(clock: str = "5+3", *, rated: bool = False, rounds: int = 2) -> Match:
    """Return a match in which Ada is to set the first secret."""
    return fold(
        [
            Opened(rules="classic", rounds=rounds, clock=clock, rated=rated),
            Joined(player=ADA, seat=Seat.MAKER),
            Joined(player=BOB, seat=Seat.BREAKER),
        ]
    )


def do(match: Match, by: str, command: Command) -> Match:
    decision = decide(match, command, by)
    assert not isinstance(decision, Refused)
    return decision.after


def draw(_rules: Rules) -> SetSecret:
    return SetSecret(pegs("4321"), NONCE)


def time_out(match: Match) -> tuple[tuple[AnyEvent, ...], Match]:
    """Return the events when the time of the player to move is over, and the match after them."""
    decision = expire(match, Moment(match.at + 60 * MINUTE), draw)
    assert decision is not None
    return decision.events, decision.after


def tell(events: tuple[AnyEvent, ...], before: Match, me: str | None) -> list[str]:
    return list(describe_events(events, advance(before, LATE), me))


BREAKING = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "BOB", GuessCode(pegs("1122")))
OUT, OUT_OF_TIME = time_out(BREAKING)


def test_a_clock_is_explained_at_the_start():
    assert list(describe_events([sit().opened], None, None))[-1] == (
        "The codebreaker has 5 minutes a round. Each guess adds 3 seconds."
    )


def test_the_end_of_the_time_for_guesses_ends_the_round():
    told = "time is over after 1 guess: the code stands."
    assert tell(OUT, BREAKING, "BOB")[0] == f"Your {told}"
    assert tell(OUT, BREAKING, "ADA")[0] == f"Bob's {told}"
    assert describe_last_round(OUT_OF_TIME, "BOB") == "Your time is over:\n13 points for Ada."
    assert describe_last_round(OUT_OF_TIME, "ADA") == "Bob's time is over:\n13 points for you."
    assert format_round_end(OUT_OF_TIME.played[0]) == "time is over"


def test_a_late_secret_of_a_later_round_is_drawn():
    events, after = time_out(OUT_OF_TIME)
    assert isinstance(events[0], SecretSet)
    assert tell(events, OUT_OF_TIME, "BOB") == [
        "The time to set a secret is over: the server has drawn one.",
        "It is locked: any change would show at the end.",
    ]
    assert after.to_move == ADA


def test_a_late_first_secret_closes_the_match():
    events, after = time_out(sit())
    assert tell(events, sit(), "BOB") == [
        "The match is closed: the first code was not set in time."
    ]
    assert format_headline(after, "BOB", Record()) == "The match is closed."
    assert describe_match_end(after, "BOB") == "The first code was not set in time."
    assert describe_outcome(after, "BOB") == "The match is closed."


def test_leaving_before_the_first_guess_closes_the_match():
    after = do(sit(), "ADA", LeaveMatch())
    assert after.outcome is not None
    told = "The match is closed: there was no guess yet."
    assert describe_result(after.outcome, after, "BOB") == told
    assert describe_match_end(after, "BOB") == "There was no guess yet."


@pytest.mark.parametrize(
    ("me", "told"),
    [
        ("ADA", "You were away for too long, so you have left the match."),
        ("BOB", "Ada was away for too long and has left the match."),
    ],
)
def test_the_end_of_the_days_for_a_move_loses_the_match(me, told):
    match = sit("1d/move")
    decision = expire(match, Moment(LATE), draw)
    assert decision is not None
    assert tell(decision.events, match, me)[0] == told


def test_lost_time_is_given_back():
    assert tell((Resumed(lost=11_500),), BREAKING, "BOB") == [
        "The server lost time: the clock gets 12 seconds back."
    ]


def test_a_declined_challenge_is_told():
    opened = Opened(rules="classic", rounds=2, clock="5+3", reserved="BOB")
    match = fold([opened, Joined(player=ADA, seat=Seat.MAKER)])
    assert tell((Declined(by="BOB"),), match, "ADA") == ["The challenge was declined."]


def test_a_match_that_does_not_count_says_so():
    match = fold(
        [
            Opened(rules="classic", rounds=2, clock="5+3", rated=True),
            Joined(player=ADA, seat=Seat.MAKER),
        ]
    )
    events = (Joined(player=BOB, seat=Seat.BREAKER), Unrated(why="pair"))
    assert tell(events, match, "BOB")[-1] == (
        "This match does not change ratings: you have played six rated ones today."
    )


def test_the_change_of_both_ratings_is_told():
    match = sit(rated=True)
    match = do(match, "ADA", SetSecret(pegs("1234"), NONCE))
    match = do(match, "BOB", GuessCode(pegs("1122")))
    match = do(match, "BOB", LeaveMatch())
    changed = Rated(
        players=(
            RatedPlayer(
                player="ADA",
                n=1,
                before=INITIAL_RATING,
                after=rate(INITIAL_RATING, [(INITIAL_RATING, 1.0)]),
            ),
            RatedPlayer(
                player="BOB",
                n=1,
                before=INITIAL_RATING,
                after=rate(INITIAL_RATING, [(INITIAL_RATING, 0.0)]),
            ),
        )
    )
    assert evolve(match, changed).ratings == changed
    assert tell((changed,), match, "BOB") == [
        "Ada: rating 1500 -> 1662 (+162).",
        "Bob: rating 1500 -> 1338 (-162).",
    ]
