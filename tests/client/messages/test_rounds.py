import pytest
from msgspec.structs import replace

from kit.entries import play_try
from kit.matches import ADA, BOB, NONCE, do, game, pegs, play, sit
from mastermind_client.messages.rounds import (
    describe_last_round,
    describe_next_round,
    describe_secret,
    describe_stakes,
    format_round_end,
    format_round_heading,
)
from mastermind_protocol.commands import GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import reveal

SECRET, OTHER = pegs("1234"), pegs("1111")
EVE = "EVE"


def after(guesses: int, *, rounds: int = 2, stands: bool = False) -> Match:
    """Return a match after Bob has ended the first round with the guess of this number."""
    match = do(sit("classic", rounds), ADA.id, SetSecret(SECRET, NONCE))
    last = OTHER if stands else SECRET
    return do(match, BOB.id, *[GuessCode(OTHER)] * (guesses - 1), GuessCode(last))


STOOD = after(12, stands=True)
HIDDEN = do(sit(rounds=2), "ADA", SetSecret(SECRET, NONCE))
GIVEN_UP = do(HIDDEN, "BOB", ResignRound())
# Ada has 2 points, Bob has 13, and Bob sets the last code of four.
BEHIND = play(game("1234", "1234"), game("1234", *["1111"] * 12), game("1234", "1234"))
AHEAD = play(*[game("1234", *["1111"] * 12), game("1234", "1234")] * 2)


def of_rounds(match: Match, rounds: int) -> Match:
    """Return the match as one of more rounds."""
    return replace(match, opened=replace(match.opened, rounds=rounds))


def test_the_code_of_a_try_is_told_and_proven_when_it_is_revealed():
    ended = play_try("1111", "1234")
    assert list(describe_secret(ended.played[-1], ended.rules)) == [
        "The code stays locked until all tries at it are over."
    ]
    assert list(describe_secret(reveal(ended, SECRET, NONCE).played[-1], ended.rules)) == [
        "The secret was 1 2 3 4: red green blue yellow.",
        "Code proven: it is the locked one, and all feedback fits it.",
    ]


def test_a_finished_round_is_headed_by_its_number():
    assert format_round_heading(after(4)) == "Round 1 is over"


@pytest.mark.parametrize(
    ("match", "me", "lines"),
    [
        (after(4), "BOB", "You cracked it in 4:\n4 points for Ada."),
        (after(4), "ADA", "Bob cracked it in 4:\n4 points for you."),
        (after(1), EVE, "Bob cracked it in 1:\n1 point for Ada."),
        (STOOD, "BOB", "The code stands:\n13 points for Ada."),
        (GIVEN_UP, "BOB", "You gave up:\n13 points for Ada."),
        (GIVEN_UP, "ADA", "Bob gave up:\n13 points for you."),
    ],
)
def test_a_round_is_described_by_its_end_and_its_points(match, me, lines):
    assert describe_last_round(match, me) == lines


@pytest.mark.parametrize(
    ("match", "to_bob", "to_ada"),
    [
        (after(4), "Now you hide a code.", "Now Bob hides a code."),
        (do(after(4), "BOB", SetSecret(SECRET, NONCE)), "Your code is hidden.",
         "Bob has hidden a code."),
    ],
)  # fmt: skip
def test_the_next_task_is_named(match, to_bob, to_ada):
    assert (describe_next_round(match, "BOB"), describe_next_round(match, "ADA")) == (
        to_bob,
        to_ada,
    )


def test_a_code_that_the_server_drew_is_not_called_the_players():
    match = do(after(4), "BOB", SetSecret(SECRET, NONCE))
    assert match.current
    drawn = replace(match, current=replace(match.current, drawn=True))
    assert describe_next_round(drawn, "ADA") == "The server has hidden a code."


@pytest.mark.parametrize(
    ("match", "me", "line"),
    [
        (after(4), "BOB", "If Ada needs more than 4 guesses, you win the match."),
        (after(4), "ADA", "If you need fewer than 4 guesses, you win the match."),
        (after(4), EVE, "If Ada needs more than 4 guesses, Bob wins the match."),
        (after(1), "BOB", "If Ada needs more than 1 guess, you win the match."),
        (after(1), "ADA", "Crack it with one guess, and the match is a draw."),
        (STOOD, "BOB", "If the code stands, the match is a draw."),
        (STOOD, "ADA", "If you break the code, you win the match."),
        (after(12), "ADA", "If you need fewer than 12 guesses, you win the match."),
        (after(12), "BOB", "If the code stands, you win the match."),
        (after(12), EVE, "If the code stands, Bob wins the match."),
        (after(4, rounds=4), "BOB", "3 rounds are left."),
        (of_rounds(BEHIND, 4), "BOB", "You have won the match already."),
        (of_rounds(BEHIND, 4), "ADA", "Bob has won the match already."),
        (of_rounds(AHEAD, 5), "ADA", "You have won the match already."),
    ],
)
def test_the_stakes_of_the_next_round_are_described(match, me, line):
    assert describe_stakes(match, me) == line


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (do(HIDDEN, BOB.id, GuessCode(OTHER), ResignRound()), "given up"),
        (after(1), "broken in 1 guess"),
        (STOOD, "not broken in 12 guesses"),
        (do(HIDDEN, BOB.id, LeaveMatch()), "not broken"),
    ],
)
def test_the_end_of_a_round_is_named(match, words):
    assert format_round_end(match.played[0]) == words
