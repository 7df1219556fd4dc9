"""Published games at 4x6, with the numbers of codes that their authors counted."""

from __future__ import annotations

from kit.codes import answer
from kit.matches import pegs
from mastermind_protocol.code import format_code
from mastermind_protocol.rules import find_rules
from mastermind_server.bots.analysis.positions import analyse

CLASSIC = find_rules("classic")


def test_the_example_of_knuth_1977_has_a_guess_that_cannot_win():
    guesses = ["1122", "1344", "3526", "1462", "3632"]
    turns = answer(pegs("3632"), *map(pegs, guesses))
    assert [turn.feedback for turn in turns] == [(1, 0), (0, 1), (1, 2), (1, 1), (4, 0)]
    positions = [analyse(CLASSIC, turns[:number], "worst", 1) for number in range(5)]
    assert [position.left for position in positions] == [1296, 256, 44, 7, 1]
    assert [format_code(each.guesses[0].code, CLASSIC) for each in positions] == guesses
    assert [each.guesses[0].possible for each in positions] == [True, True, True, False, True]
    seven = [format_code(code, CLASSIC) for code in positions[3].codes]
    assert seven == ["3632", "3662", "4562", "4625", "5532", "6425", "6623"]


def test_an_unlucky_player_of_possible_codes_needs_ten_guesses():
    """The numbers are those of a game on cut-the-knot. These guesses, which give them, are ours."""
    guesses = ["1111", "4366", "4535", "4223", "4652", "3526", "3265", "6325", "5236", "2563"]
    turns = answer(pegs("2563"), *map(pegs, guesses))
    positions = [analyse(CLASSIC, turns[:number], "bits", 1) for number in range(10)]
    assert [each.left for each in positions] == [1296, 625, 120, 20, 6, 5, 4, 3, 2, 1]
    assert positions[9].after == (625, 120, 20, 6, 5, 4, 3, 2, 1)
    assert all(turn.code in each.codes for turn, each in zip(turns[3:], positions[3:], strict=True))
