from __future__ import annotations

import pytest

from mastermind_client.words.hints import (
    find_line_hint,
    find_screen_hint,
    is_played_to_its_end,
)
from mastermind_protocol.commands import Command, GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import decide, fold

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
SECRET, WRONG = (0, 1, 2, 3), (5, 5, 5, 5)
TYPE = "Type colours by their letters: R is red."
SEND = "The row is full: Enter sends it."
MARKS = "black: in its place; white: elsewhere. But which?"


def play(*commands: Command, rounds: int = 1, rules: str = "classic") -> Match:
    """Return a match after commands of whoever has to give them; Ada sets the first secret."""
    match = fold(
        (
            Opened(rules=rules, rounds=rounds),
            Joined(player=ADA, seat=Seat.MAKER),
            Joined(player=BOB, seat=Seat.BREAKER),
        )
    )
    for command in commands:
        assert match.to_move is not None
        decision = decide(match, command, match.to_move.id)
        assert not isinstance(decision, Refused)
        match = decision.after
    return match


SET = SetSecret(SECRET, bytes(16))


def test_each_hint_comes_when_there_is_something_to_do_with_it():
    waiting, first, second, third = (
        play(), play(SET), play(SET, GuessCode(WRONG)), play(SET, *[GuessCode(WRONG)] * 2)
    )  # fmt: skip
    told = [
        find_screen_hint(match, BOB.id, full=full)
        for match in (waiting, first, second, third)
        for full in (False, True)
    ]
    assert told == ["", "", TYPE, SEND, MARKS, MARKS, "", ""]


def test_in_lines_a_code_is_typed_at_once():
    assert find_line_hint(play(SET), BOB.id) == "Type a code, such as 1122; Enter sends it."
    assert find_line_hint(play(SET, GuessCode(WRONG)), BOB.id) == MARKS
    assert find_line_hint(play(), BOB.id) == ""


def test_the_names_of_the_key_pegs_are_those_of_the_rules():
    match = play(SET, GuessCode((4, 4, 4, 4)), rules="mini")
    assert "gray: elsewhere" in find_screen_hint(match, BOB.id, full=False)


def test_codemakers_spectators_and_later_rounds_get_none():
    first = play(SET)
    later = play(SET, GuessCode(SECRET), SET, rounds=2)
    for match, me in ((first, ADA.id), (first, "EVE"), (later, ADA.id), (later, BOB.id)):
        assert find_screen_hint(match, me, full=False) == find_line_hint(match, me) == ""


@pytest.mark.parametrize("last", [GuessCode(SECRET), ResignRound()])
def test_a_match_is_played_to_its_end_for_its_players(last):
    over = play(SET, last)
    assert is_played_to_its_end(over, ADA.id)
    assert is_played_to_its_end(over, BOB.id)
    assert not is_played_to_its_end(over, "EVE")


def test_a_match_that_goes_on_or_was_left_is_not_played_to_its_end():
    assert not is_played_to_its_end(play(SET), BOB.id)
    assert not is_played_to_its_end(play(SET, LeaveMatch()), BOB.id)
