import pytest

from kit.matches import NONCE, do, game, pegs, play, sit
from mastermind_client.messages.results import compare, describe_end, describe_round, write_headline
from mastermind_client.statistics import Record
from mastermind_protocol.commands import LeaveMatch, SetSecret
from mastermind_protocol.match import Match

RECORD = Record().add([4, 6, 6, 6])  # best 4, average 5.5
WIDE = Record().add([3, 7])


def broken_in(number: int, rules: str = "classic") -> Match:
    """Return a match that Bob wins by the guess of this number."""
    return play(game("1234", *["5555"] * (number - 1), "1234"), rules=rules)


STANDS = play(game("1234", "1256"))
LATER_BETTER = play(game("1234", "5555", "1234"), game("1234", *["5555"] * 4, "1234"))
BETTER = play(game("1234", "1122", "1234"), game("1234", "1234"))
EQUAL = play(game("1234", "1234"), game("1234", "1234"))
LEFT = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "ADA", LeaveMatch())


@pytest.mark.parametrize(
    ("match", "me", "record", "headline"),
    [
        (broken_in(3), "BOB", RECORD, "Your best yet!"),
        (broken_in(4), "BOB", RECORD, "Brilliant!"),
        (broken_in(5), "BOB", RECORD, "Well done!"),
        (broken_in(6), "BOB", RECORD, "Well done!"),
        (broken_in(7), "BOB", RECORD, "Cracked it!"),
        (broken_in(12), "BOB", RECORD, "Just in time!"),
        (broken_in(12, "knuth"), "BOB", RECORD, "Cracked it!"),  # no guess is the last
        (broken_in(4), "BOB", WIDE, "Brilliant!"),  # a whole guess below the average
        (broken_in(6), "BOB", WIDE, "Well done!"),
        (broken_in(7), "BOB", WIDE, "Cracked it!"),
        (broken_in(2), "BOB", Record(), "Cracked it!"),
        (broken_in(2), "BOB", Record().add([0]), "Cracked it!"),
        (broken_in(6, "mini"), "BOB", Record(), "Just in time!"),
        (broken_in(3), "ADA", RECORD, "Bob cracked it."),
        (STANDS, "BOB", RECORD, "The code stands."),
        (STANDS, "ADA", RECORD, "Your code stands!"),
        (STANDS, None, Record(), "The code stands."),
        (LATER_BETTER, "BOB", Record(), "Cracked it!"),
        (BETTER, "ADA", RECORD, "Your best yet!"),
        (BETTER, "BOB", RECORD, "Ada wins."),
        (EQUAL, "BOB", RECORD, "A draw."),
        (LEFT, "BOB", RECORD, "You win!"),
        (LEFT, "ADA", RECORD, "Bob wins."),
    ],
)
def test_the_headline_of_a_result(match, me, record, headline):
    assert write_headline(match, me, record) == headline


@pytest.mark.parametrize(
    ("match", "me", "line"),
    [
        (LATER_BETTER, "BOB", "Cracked in 2 guesses."),
        (LATER_BETTER, "ADA", "Cracked in 5 guesses."),
        (LEFT, "BOB", "Ada left."),
        (LEFT, "ADA", "You left."),
    ],
)
def test_the_end_of_a_match_is_described(match, me, line):
    assert describe_end(match, me) == line


@pytest.mark.parametrize(
    ("match", "me", "record", "line"),
    [
        (broken_in(4), "BOB", RECORD, "1.5 better than your average of 5.5"),
        (broken_in(7), "BOB", RECORD, "1.5 more than your average of 5.5"),
        (broken_in(5), "BOB", Record().add([5]), "just your average of 5.0"),
        (broken_in(5), "BOB", Record(), "Your first classic game: there will be more."),
        (broken_in(5), "BOB", Record().add([0]), "The first classic code that you cracked."),
        (broken_in(4), "ADA", RECORD, ""),
        (broken_in(4), None, RECORD, ""),
        (play(game("1234", "1235")), "BOB", RECORD, "You were one peg away."),
        (STANDS, "BOB", RECORD, "You were two pegs away."),
        (play(game("1234", "1555")), "BOB", RECORD, "That was a hard one."),
        (play(game("1234", "5555")), "BOB", RECORD, "That was a hard one."),
        (play(game("1234")), "BOB", RECORD, "That was a hard one."),
        (play(game("1234", "5555", "5555")), "BOB", RECORD, "Vary your guesses."),
    ],
)
def test_a_result_is_compared_with_the_players_record(match, me, record, line):
    assert compare(match, me, record) == line


@pytest.mark.parametrize(
    ("number", "me", "line"),
    [
        (0, "BOB", "Cracked in 2 guesses."),
        (0, "ADA", "Bob needed 2 guesses."),
        (1, "ADA", "Not cracked in 1 guess."),
        (1, "BOB", "It stood 1 guess."),
    ],
)
def test_a_round_is_a_sentence(number, me, line):
    match = play(game("1234", "1122", "1234"), game("1234", "5555"))
    assert describe_round(match.played[number], match, me) == line
