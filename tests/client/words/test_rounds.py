from __future__ import annotations

import pytest
from msgspec.structs import replace

from kit.matches import pegs
from kit.played import ADA, BOB, NONCE, do, game, play, sit
from mastermind_client.words.rounds import (
    head_round,
    tell_next,
    tell_round,
    tell_stakes,
    warn_of_fraud,
    write_end,
)
from mastermind_protocol.commands import GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Match, Turn

EVE = "EVE"


def after(guesses: int, *, rounds: int = 2, rules: str = "classic", stands: bool = False) -> Match:
    """Return a match whose first round took Bob so many guesses."""
    secret, other = pegs("1234"), pegs("1111")
    match = do(sit(rules, rounds), ADA.id, SetSecret(secret, NONCE))
    last = other if stands else secret
    return do(match, BOB.id, *[GuessCode(other)] * (guesses - 1), GuessCode(last))


def test_a_round_is_told_by_its_number():
    assert head_round(after(4)) == "Round 1 is over"


@pytest.mark.parametrize(
    ("match", "me", "told"),
    [
        (after(4), "BOB", "You cracked it in 4:\n4 points for Ada."),
        (after(4), "ADA", "Bob cracked it in 4:\n4 points for you."),
        (after(1), EVE, "Bob cracked it in 1:\n1 point for Ada."),
        (after(12, stands=True), "BOB", "The code stands:\n13 points for Ada."),
    ],
)
def test_it_is_told_who_cracked_it_and_what_that_brought(match, me, told):
    assert tell_round(match, me) == told


def test_who_gave_up_is_told():
    match = do(do(sit(rounds=2), "ADA", SetSecret(pegs("1234"), NONCE)), "BOB", ResignRound())
    assert tell_round(match, "BOB") == "You gave up:\n1 point for Ada."
    assert tell_round(match, "ADA") == "Bob gave up:\n1 point for you."


def test_what_is_next_is_one_task():
    match = after(4)
    assert tell_next(match, "BOB") == "Now you hide a code."
    assert tell_next(match, "ADA") == "Now Bob hides a code."
    hidden = do(match, "BOB", SetSecret(pegs("1234"), NONCE))
    assert tell_next(hidden, "BOB") == "Your code is hidden."
    assert tell_next(hidden, "ADA") == "Bob has hidden a code."


@pytest.mark.parametrize(
    ("guesses", "told"),
    [
        (
            4,
            {
                "BOB": "If Ada needs more than 4 guesses, you win the match.",
                "ADA": "If you need fewer than 4 guesses, you win the match.",
                EVE: "If Ada needs more than 4 guesses, Bob wins the match.",
            },
        ),
        (
            1,
            {
                "BOB": "If Ada needs more than 1 guess, you win the match.",
                "ADA": "Crack it with one guess, and the match is a draw.",
            },
        ),
    ],
)
def test_it_is_told_what_would_win_the_match(guesses, told):
    match = after(guesses)
    assert {me: tell_stakes(match, me) for me in told} == told


def test_a_code_that_stood_can_only_be_matched():
    match = after(12, stands=True)
    assert tell_stakes(match, "BOB") == "If the code stands, the match is a draw."
    assert tell_stakes(match, "ADA") == "If you need fewer than 13 guesses, you win the match."


def test_a_round_that_is_given_up_is_not_told_as_one_that_was_not_broken():
    match = do(sit("classic", 2), ADA.id, SetSecret(pegs("1234"), NONCE))
    given_up = do(match, BOB.id, GuessCode(pegs("1111")), ResignRound())
    assert write_end(given_up.played[0]) == "given up"
    assert write_end(after(1).played[0]) == "broken in 1 guess"
    assert write_end(after(12, stands=True).played[0]) == "not broken in 12 guesses"
    left = do(match, BOB.id, LeaveMatch())
    assert write_end(left.played[0]) == "not broken"


def test_before_the_last_round_the_rounds_are_counted():
    assert tell_stakes(after(4, rounds=4), "BOB") == "3 rounds are left."


def test_a_match_that_is_decided_is_said_to_be():
    three = play(game("1234", "1234"), game("1234", *["1111"] * 12), game("1234", "1234"))
    # Ada hid for 1 and 1 point, Bob for 13; Bob hides in the last round of four.
    match = replace(three, opened=replace(three.opened, rounds=4))
    assert tell_stakes(match, "BOB") == "You have won the match already, whatever comes."
    assert tell_stakes(match, "ADA") == "Bob has won the match already."
    fourth = play(*[game("1234", *["1111"] * 12), game("1234", "1234")] * 2)
    ahead = replace(fourth, opened=replace(fourth.opened, rounds=5))
    assert tell_stakes(ahead, "ADA") == "You have won the match already, whatever comes."


def test_only_a_code_that_is_not_proven_speaks():
    (played,) = play(game("1234", "1122", "1234")).played
    rules = sit().rules
    lied = (Turn(pegs("1122"), Feedback(0, 0)), *played.turns[1:])
    assert warn_of_fraud(played, rules) == ""
    assert warn_of_fraud(replace(played, secret=None), rules) == "The sealed code was not shown."
    changed = replace(played, secret=pegs("1235"))
    assert warn_of_fraud(changed, rules) == "This was not the sealed code."
    told = "The answer to guess 1 was wrong."
    assert warn_of_fraud(replace(played, turns=lied), rules) == told
