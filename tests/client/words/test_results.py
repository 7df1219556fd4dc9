from __future__ import annotations

import pytest

from kit.matches import pegs
from kit.played import NONCE, do, game, play, sit
from mastermind_client.statistics import Record
from mastermind_client.words.results import compare, describe_end, describe_round, write_headline
from mastermind_protocol.commands import LeaveMatch, SetSecret
from mastermind_protocol.match import Match

RECORD = Record().add([4, 6, 6, 6])  # best 4, average 5.5


def broken_in(number: int, rules: str = "classic") -> Match:
    """Return a match in which Bob cracks the code with this guess."""
    return play(game("1234", *["5555"] * (number - 1), "1234"), rules=rules)


@pytest.mark.parametrize(
    ("guesses", "headline"),
    [
        (3, "Your best yet!"),
        (4, "Brilliant!"),
        (5, "Well done!"),
        (6, "Well done!"),
        (7, "Cracked it!"),
        (12, "Just in time!"),
    ],
)
def test_a_win_is_praised_by_ones_own_record(guesses, headline):
    assert write_headline(broken_in(guesses), "BOB", RECORD) == headline


def test_a_whole_guess_from_the_average_is_brilliant_below_and_well_done_above():
    record = Record().add([3, 7])
    assert write_headline(broken_in(4), "BOB", record) == "Brilliant!"
    assert write_headline(broken_in(6), "BOB", record) == "Well done!"
    assert write_headline(broken_in(7), "BOB", record) == "Cracked it!"


def test_a_first_win_is_measured_by_nothing():
    assert write_headline(broken_in(2), "BOB", Record()) == "Cracked it!"
    assert write_headline(broken_in(2), "BOB", Record().add([0])) == "Cracked it!"
    assert write_headline(broken_in(6, "mini"), "BOB", Record()) == "Just in time!"


def test_where_guesses_have_no_end_none_is_the_last():
    assert write_headline(broken_in(12, "knuth"), "BOB", RECORD) == "Cracked it!"


def test_the_winner_of_several_rounds_is_told_of_the_round_that_the_headline_praises():
    match = play(game("1234", "5555", "1234"), game("1234", *["5555"] * 4, "1234"))

    assert write_headline(match, "BOB", Record()) == "Cracked it!"
    assert describe_end(match, "BOB") == "Cracked in 2 guesses."
    assert describe_end(match, "ADA") == "Cracked in 5 guesses."


def test_who_loses_is_told_what_became_of_the_code():
    assert write_headline(broken_in(3), "ADA", RECORD) == "Bob cracked it."
    stands = play(game("1234", "1256"))
    assert write_headline(stands, "BOB", RECORD) == "The code stands."
    assert write_headline(stands, "ADA", RECORD) == "Your code stands!"
    assert write_headline(stands, None, Record()) == "The code stands."


def test_several_rounds_are_won_by_points():
    won = play(game("1234", "1122", "1234"), game("1234", "1234"))
    assert write_headline(won, "ADA", RECORD) == "Your best yet!"
    assert write_headline(won, "BOB", RECORD) == "Ada wins."
    drawn = play(game("1234", "1234"), game("1234", "1234"))
    assert write_headline(drawn, "BOB", RECORD) == "A draw."


def test_who_stays_wins_and_whoever_leaves_cracked_nothing():
    match = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "ADA", LeaveMatch())
    assert write_headline(match, "BOB", RECORD) == "You win!"
    assert write_headline(match, "ADA", RECORD) == "Bob wins."
    assert describe_end(match, "BOB") == "Ada left."
    assert describe_end(match, "ADA") == "You left."


@pytest.mark.parametrize(
    ("guesses", "record", "told"),
    [
        (4, RECORD, "1.5 better than your average of 5.5"),
        (7, RECORD, "1.5 more than your average of 5.5"),
        (5, Record().add([5]), "just your average of 5.0"),
        (5, Record(), "Your first classic game: there will be more."),
        (5, Record().add([0]), "The first classic code that you cracked."),
    ],
)
def test_a_game_is_compared_with_ones_own_average(guesses, record, told):
    assert compare(broken_in(guesses), "BOB", record) == told


@pytest.mark.parametrize(
    ("guess", "told"),
    [
        ("1235", "You were one peg away."),
        ("1256", "You were two pegs away."),
        ("1555", "That was a hard one."),
        ("5555", "That was a hard one."),
    ],
)
def test_what_was_good_is_said_of_a_code_that_was_not_found(guess, told):
    assert compare(play(game("1234", guess)), "BOB", RECORD) == told


def test_who_broke_nothing_is_compared_with_nothing():
    assert compare(broken_in(4), "ADA", RECORD) == ""
    assert compare(broken_in(4), None, RECORD) == ""
    assert compare(play(game("1234")), "BOB", RECORD) == "That was a hard one."


def test_a_round_is_told_in_a_sentence():
    match = play(game("1234", "1122", "1234"), game("1234", "5555"))
    first, second = match.played
    assert describe_round(first, match, "BOB") == "Cracked in 2 guesses."
    assert describe_round(first, match, "ADA") == "Bob needed 2 guesses."
    assert describe_round(second, match, "ADA") == "Not cracked in 1 guess."
    assert describe_round(second, match, "BOB") == "It stood 1 guess."
