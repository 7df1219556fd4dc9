import pytest

from kit.matches import ADA, NONCE, do, game, leave, pegs, play, sit
from mastermind_client.figures import Record
from mastermind_client.messages.endings import (
    compare_with_record,
    describe_giving_up,
    describe_match_end,
    describe_measurement,
    describe_outcome,
    describe_round,
    describe_saving,
    describe_wins,
    format_headline,
)
from mastermind_client.messages.events import describe_result
from mastermind_client.screen.motion.animation import has_won
from mastermind_protocol.commands import GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import fold

SECRET = pegs("1234")
RECORD = Record().add([4, 6, 6, 6])  # best 4, average 5.5
WIDE = Record().add([3, 7])


def broken_in(number: int, rules: str = "classic") -> Match:
    """Return a match that Bob wins by the guess of this number."""
    return play(game("1234", *["5555"] * (number - 1), "1234"), rules=rules)


ADVISED = play(game("1234", "1122", "1234", advised=(2,)))
STANDS = play(game("1234", "1256"))
LATER_BETTER = play(game("1234", "5555", "1234"), game("1234", *["5555"] * 4, "1234"))
BETTER = play(game("1234", "1122", "1234"), game("1234", "1234"))
EQUAL = play(game("1234", "1234"), game("1234", "1234"))
LEFT = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "ADA", LeaveMatch())


@pytest.mark.parametrize(
    ("match", "me", "record", "headline"),
    [
        (broken_in(3), "BOB", RECORD, "Your best here yet!"),
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
        (ADVISED, "BOB", RECORD, "Cracked it!"),
        (broken_in(3), "ADA", RECORD, "Bob cracked it."),
        (STANDS, "BOB", RECORD, "The code stands."),
        (STANDS, "ADA", RECORD, "Your code stands!"),
        (STANDS, None, Record(), "The code stands."),
        (LATER_BETTER, "BOB", Record(), "Cracked it!"),
        (BETTER, "ADA", RECORD, "Your best here yet!"),
        (BETTER, "BOB", RECORD, "Ada wins."),
        (EQUAL, "BOB", RECORD, "A draw."),
        (LEFT, "BOB", RECORD, "You win!"),
        (LEFT, "ADA", RECORD, "Bob wins."),
    ],
)
def test_the_headline_of_a_result(match, me, record, headline):
    assert format_headline(match, me, record) == headline


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
    assert describe_match_end(match, me) == line


@pytest.mark.parametrize(
    ("match", "me", "record", "line"),
    [
        (broken_in(4), "BOB", RECORD, "1.5 better than your average of 5.5 here"),
        (broken_in(7), "BOB", RECORD, "1.5 more than your average of 5.5 here"),
        (broken_in(5), "BOB", Record().add([5]), "exactly your average of 5.0 here"),
        (broken_in(5), "BOB", Record(), "Your first classic game here. May many more follow!"),
        (broken_in(5), "BOB", Record().add([0]), "Your first cracked classic code here."),
        (ADVISED, "BOB", RECORD, "With advice: not counted in best and average."),
        (broken_in(4), "ADA", RECORD, ""),
        (broken_in(4), None, RECORD, ""),
        (play(game("1234", "1235")), "BOB", RECORD, "You were one peg away."),
        (STANDS, "BOB", RECORD, "You were two pegs away."),
        (play(game("1234", "1555", "6555", "5556")), "BOB", RECORD, "That was a hard one."),
        (play(game("1234", "1555", "5555")), "BOB", RECORD, ""),
        (play(game("1234")), "BOB", RECORD, ""),
        (play(game("1234", "5555", "5555")), "BOB", RECORD, "Vary your guesses."),
    ],
)
def test_a_result_is_compared_with_the_players_record(match, me, record, line):
    assert compare_with_record(match, me, record) == line


@pytest.mark.parametrize(
    ("number", "me", "line"),
    [
        (0, "BOB", "Cracked in 2 guesses."),
        (0, "ADA", "Bob needed 2 guesses."),
        (1, "ADA", "Not cracked in 1 guess."),
        (1, "BOB", "It withstood 1 guess."),
    ],
)
def test_a_round_is_a_sentence(number, me, line):
    match = play(game("1234", "1122", "1234"), game("1234", "5555"))
    assert describe_round(match.played[number], match, me) == line


def test_wins_are_counted_over_rematches_with_ours_first():
    lobby = fold([Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER)])
    matches = [STANDS, EQUAL, broken_in(3), LATER_BETTER, broken_in(4), sit()]
    assert describe_wins(matches, "BOB") == "In all: Bob 3 : 1 Ada"
    assert describe_wins(matches, "ADA") == "In all: Ada 1 : 3 Bob"
    assert describe_wins([STANDS, do(lobby, "ADA", LeaveMatch())], "ADA") == ""
    assert describe_wins([STANDS], "ADA") == ""


KNUTH = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
HER_BOT = Player(id="EVE", name="Eve's", program=True)


def seat_with(bot: Player, rules: str = "classic", rounds: int = 1) -> Match:
    """Return a match with Ada as codemaker and a bot as codebreaker."""
    opened = Opened(rules=rules, rounds=rounds)
    joined = Joined(player=ADA, seat=Seat.MAKER), Joined(player=bot, seat=Seat.BREAKER)
    return fold([opened, *joined])


def hide_from(bot: Player, *guesses: str, rules: str = "classic", rounds: int = 1) -> Match:
    """Return a match in which Ada hides 1234 from a bot, which resigns if its guesses end."""
    match = do(seat_with(bot, rules, rounds), "ADA", SetSecret(SECRET, NONCE))
    match = do(match, bot.id, *(GuessCode(pegs(guess)) for guess in guesses))
    return match if match.played else do(match, bot.id, ResignRound())


@pytest.mark.parametrize(
    ("match", "line", "headline"),
    [
        (hide_from(KNUTH, "1122", "1234"), "knuth needed 2 guesses; it usually needs 4.5.",
         "knuth cracked it."),
        (hide_from(KNUTH, "1234", rules="4x9/12"), "knuth needed 1 guess.", "knuth cracked it."),
        (hide_from(KNUTH, "1122"), "knuth did not break the code; it usually needs 4.5 guesses.",
         "Your code stands!"),
        (hide_from(HER_BOT, "1234"), "Eve's needed 1 guess.", "Eve's cracked it."),
        (hide_from(HER_BOT), "Eve's did not break the code.", "Your code stands!"),
        (leave(do(seat_with(KNUTH), "ADA", SetSecret(SECRET, NONCE)), ADA),
         "Nobody has won or lost.", "The end"),
        (leave(seat_with(KNUTH), ADA), "Nobody has won or lost.", "The end"),
    ],
)  # fmt: skip
def test_a_code_hidden_from_a_bot_ends_with_the_bots_guesses_and_no_winner(match, line, headline):
    assert match.measures_bot
    assert describe_outcome(match, "ADA") == describe_measurement(match, mark_bot=False) == line
    assert format_headline(match, "ADA", RECORD) == headline
    assert match.outcome is not None
    result = describe_result(match.outcome, match, "ADA")
    assert result == describe_measurement(match)
    assert not {"win", "wins", "lose"} & set(result.split())
    assert not has_won(match, "ADA")
    assert describe_wins([match, match], "ADA") == ""


def test_a_match_of_two_rounds_or_of_a_bots_code_is_won_or_lost():
    assert not hide_from(KNUTH, "1234", rounds=2).measures_bot
    assert not broken_in(3).measures_bot
    assert not sit().measures_bot


@pytest.mark.parametrize(
    ("stored", "offline", "line"),
    [
        (False, True, "It waits here until you end the program."),
        (True, True, "Kept on this computer; continue from the home screen."),
        (True, False, "Your seat is kept; continue from the home screen."),
    ],
)
def test_a_running_match_can_be_saved(stored, offline, line):
    assert describe_saving(sit(), stored=stored, offline=offline) == line


@pytest.mark.parametrize(
    ("match", "ends_with_round", "line"),
    [
        (sit(), False, "Bob wins."),
        (sit(), True, "The code is shown."),
        (seat_with(KNUTH), False, "Nobody wins or loses."),
    ],
)
def test_giving_up_has_a_result(match, ends_with_round, line):
    assert describe_giving_up(match, "ADA", ends_with_round=ends_with_round) == line
