import pytest
from hypothesis import given

from kit.matches import NONCE, do, pegs, sit
from kit.strategies import any_rules
from mastermind_client.messages.rules import (
    build_how_to_play,
    choose_example,
    describe_preset,
    describe_rules,
    find_line_hint,
    find_screen_hint,
    format_how_to_play,
    format_peg_count,
    is_played_out,
    list_letter_warnings,
)
from mastermind_protocol.code import check_code
from mastermind_protocol.commands import Command, GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Match
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules


@given(any_rules)
def test_the_rules_list_every_spelling_of_a_colour(rules):
    size, colours = describe_rules(rules)
    symbols = "digits" if rules.digits_only else "colours"
    assert size.startswith(
        f"{rules.name}: {format_peg_count(rules.pegs)}, {rules.colours} {symbols}, "
    )
    for index, colour in enumerate(rules.palette):
        assert f"{' or '.join(alphabet[index] for alphabet in rules.alphabets)} {colour}" in colours


def test_letters_with_another_meaning_than_elsewhere_are_warned_of():
    assert list_letter_warnings(PRESETS["eight"]) == [
        "Take care: O is olive, not orange; P is pink, not purple."
    ]


@pytest.mark.parametrize("name", ["classic", "thirteen", "mini", "lab", "knuth", "4x12"])
def test_letters_with_their_usual_meaning_are_not_warned_of(name):
    assert not list_letter_warnings(find_rules(name))


@given(any_rules)
def test_the_example_has_one_peg_in_its_place_one_elsewhere_and_none_besides(rules):
    example = choose_example(rules)
    for code in (example.secret, example.guess):
        check_code(code, example.rules)
    assert example.feedback == Feedback(1, 1)
    assert example.guess[0] == example.secret[0]
    assert not set(example.guess[2:]) & set(example.secret)


def test_the_example_is_of_these_rules_or_of_the_default_ones():
    for name in ("classic", "eight", "lab", "5x6/12"):
        rules = find_rules(name)
        assert choose_example(rules).rules == rules
    for name in ("3x6/12", "6x6/12", "4x4/12"):
        assert choose_example(find_rules(name)).rules == DEFAULT
    for name, preset in (
        ("bulls", "bulls"),
        ("4x6u", "4x6u"),
        ("4x5u", "bulls"),
        ("5x9u", "bulls"),
    ):
        assert choose_example(find_rules(name)).rules == find_rules(preset)


def test_the_example_names_the_pegs_that_earned_its_feedback():
    assert choose_example(DEFAULT).guess_letters == ["G", "B", "Y", "Y"]
    assert (
        choose_example(DEFAULT).explain()
        == "G is in its place. B is in the code, elsewhere. Y is not."
    )


def test_the_text_has_the_rules_numbers_and_key_pegs():
    assert "has 12 guesses to find it" in build_how_to_play(DEFAULT).task[1]
    assert (
        "The other player guesses until it is found."
        in build_how_to_play(find_rules("knuth")).task[1]
    )
    assert (
        "has 1 guess to find it. It gets an answer"
        in build_how_to_play(find_rules("4x6/1")).task[1]
    )
    black, gray = build_how_to_play(find_rules("mini")).answers
    assert (black.split(":")[0], gray.split(":")[0]) == ("black", "gray")
    assert build_how_to_play(find_rules("thirteen")).answers[1].startswith("white: ")
    bull, cow = build_how_to_play(find_rules("bulls")).answers
    assert (bull.split(":")[0], cow.split(":")[0]) == ("bull", "cow")


def test_the_text_and_the_size_say_whether_colours_or_digits_repeat():
    assert build_how_to_play(DEFAULT).task[0].endswith("Repeats are allowed.")
    for name, symbols in (("bulls", "digits"), ("4x10u/12", "colours")):
        rules = find_rules(name)
        assert build_how_to_play(rules).task[0].endswith("Repeats are not allowed.")
        size = f"{name}: 4 pegs, 10 {symbols}, no repeats, 12 guesses."
        assert describe_rules(rules)[0] == size


@given(any_rules)
def test_the_lines_contain_the_whole_text_and_the_rules(rules):
    told, lines = build_how_to_play(rules), format_how_to_play(rules)
    for sentence in (*told.task, told.riddle, *told.end, *describe_rules(rules)):
        assert sentence in lines
    assert [line for line in lines if line.startswith("  the code")]
    assert len(lines) <= 14
    assert all(lines)


def test_the_example_in_lines_has_the_rules_notation():
    for name, answer in (
        ("classic", "G B Y Y   1 black, 1 white"),
        ("eight", "G B Y Y   KW  1 black, 1 white"),
        ("mini", "G O B B   1 black, 1 gray, 2 empty"),
        ("bulls", "1 2 3 5   1 bull, 1 cow"),
    ):
        assert [line for line in format_how_to_play(find_rules(name)) if line.endswith(answer)]


TYPE = "Type colours by their letters: R is red."
LINE = "Type a code, such as 1122; Enter sends it."
SEND = "The row is full: Enter sends it."
MARKS = "black: right place; white: wrong place. But which pegs?"
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


def test_rules_without_letters_have_a_code_of_digits_as_the_first_hint():
    match = play(SET, rules="bulls")
    hint = "Type a code, such as 0123; Enter sends it."
    assert find_screen_hint(match, "BOB", full=False) == hint == find_line_hint(match, "BOB")


def test_a_hint_names_the_key_pegs_as_the_rules_do():
    match = play(SET, GuessCode(pegs("5555")), rules="mini")
    assert "gray: wrong place" in find_screen_hint(match, "BOB", full=False)


@pytest.mark.parametrize(
    ("last", "ended"),
    [([RIGHT], True), ([ResignRound()], True), ([], False), ([LeaveMatch()], False)],
)
def test_a_match_is_played_to_its_end_for_its_players(last, ended):
    match = play(SET, *last)
    played = [is_played_out(match, me) for me in ("ADA", "BOB", "EVE")]
    assert played == [ended, ended, False]


def test_each_preset_but_classic_says_what_distinguishes_it():
    without = [name for name, rules in PRESETS.items() if not describe_preset(rules)]
    assert without == ["classic"], "the others have a text in _PRESET_TEXTS of messages/rules.py"
    assert describe_preset(find_rules("5x8")) == ""
