import pytest

from kit.matches import NONCE, do, pegs, sit
from mastermind_client.messages.hints import find_line_hint, find_screen_hint, is_played_to_its_end
from mastermind_protocol.commands import Command, GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.match import Match

TYPE = "Type colours by their letters: R is red."
LINE = "Type a code, such as 1122; Enter sends it."
SEND = "The row is full: Enter sends it."
MARKS = "black: in its place; white: elsewhere. But which?"
SET, RIGHT, WRONG = (
    SetSecret(pegs("1234"), NONCE), GuessCode(pegs("1234")), GuessCode(pegs("6666"))
)  # fmt: skip


def play(*commands: Command, rounds: int = 1, rules: str = "classic") -> Match:
    """Return a match after commands of its players in turn; Ada sets the first secret."""
    match = sit(rules, rounds)
    for command in commands:
        assert match.to_move is not None
        match = do(match, match.to_move.id, command)
    return match


@pytest.mark.parametrize(
    ("commands", "me", "empty_row", "full_row", "line"),
    [
        ([], "BOB", "", "", ""),
        ([SET], "BOB", TYPE, SEND, LINE),
        ([SET, WRONG], "BOB", MARKS, MARKS, MARKS),
        ([SET, WRONG, WRONG], "BOB", "", "", ""),
        ([SET], "ADA", "", "", ""),
        ([SET], "EVE", "", "", ""),
        ([SET, RIGHT, SET], "ADA", "", "", ""),  # the second round
        ([SET, RIGHT, SET], "BOB", "", "", ""),
    ],
)
def test_a_codebreaker_is_given_hints_in_the_first_round(commands, me, empty_row, full_row, line):
    match = play(*commands, rounds=2)
    assert find_screen_hint(match, me, full=False) == empty_row
    assert find_screen_hint(match, me, full=True) == full_row
    assert find_line_hint(match, me) == line


def test_a_hint_names_the_key_pegs_as_the_rules_do():
    match = play(SET, GuessCode(pegs("5555")), rules="mini")
    assert "gray: elsewhere" in find_screen_hint(match, "BOB", full=False)


@pytest.mark.parametrize(
    ("last", "ended"),
    [([RIGHT], True), ([ResignRound()], True), ([], False), ([LeaveMatch()], False)],
)
def test_a_match_is_played_to_its_end_for_its_players(last, ended):
    match = play(SET, *last)
    played = [is_played_to_its_end(match, me) for me in ("ADA", "BOB", "EVE")]
    assert played == [ended, ended, False]
