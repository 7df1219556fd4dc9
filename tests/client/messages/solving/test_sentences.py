import pytest

from kit.matches import pegs
from mastermind_client.config.puzzle_record import PuzzleRecord
from mastermind_client.messages.solving.sentences import (
    describe_colours,
    describe_corrections,
    describe_effect,
    describe_guess,
    describe_left,
    describe_places,
    describe_puzzle,
    describe_puzzle_record,
    describe_puzzle_task,
    describe_solution,
    write_puzzle_command,
    write_puzzle_link,
)
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Turn, find_excluding_guess
from mastermind_protocol.messages import Correction, GuessMeasures, PositionAnalysis
from mastermind_protocol.rules import DEFAULT, find_rules

GUESS = GuessMeasures(pegs("1122"), bits=3.06, size=2.04, worst=4, parts=9, possible=True)
SECRET = pegs("1325")
TURNS = tuple(Turn(guess, score(SECRET, guess)) for guess in (pegs("1122"), pegs("1314")))


@pytest.mark.parametrize(
    ("analysis", "told"),
    [
        (PositionAnalysis(left=1), "1 code left"),
        (PositionAnalysis(left=18), "18 codes left"),
        (PositionAnalysis(left=41234, estimated=True), "about 41,000 codes left"),
    ],
)
def test_the_number_of_codes_left(analysis, told):
    assert describe_left(analysis) == told


@pytest.mark.parametrize(
    ("analysis", "told"),
    [
        (
            PositionAnalysis(left=0, corrections=(Correction(2, 1, 2, 6), Correction(1, 0, 0, 1))),
            "No code fits. Guess 2 may be 1 black, 2 white: then 6 codes fit.",
        ),
        (PositionAnalysis(left=0), "No code fits, and changing one answer is not enough."),
        (PositionAnalysis(left=0, estimated=True), "No code was found that fits."),
    ],
)
def test_a_contradiction_is_explained_with_its_best_correction(analysis, told):
    assert describe_corrections(analysis, DEFAULT) == told


def test_a_guess_is_described_by_the_measure():
    assert describe_guess(GUESS, "bits") == "2.0 left, may be the code"
    effects = [describe_effect(GUESS, by) for by in ("size", "worst", "parts")]
    assert effects == ["2.0 left", "at most 4 left", "9 parts"]
    assert describe_effect(GUESS, "bits", estimated=True) == "about 2 left"


def test_places_and_colours_begin_with_the_likeliest():
    analysis = PositionAnalysis(left=3, places=((0, 1, 2), (3, 0, 0)), colours=(3, 1, 2))
    assert describe_places(analysis, DEFAULT) == ["B G", "R"]
    told = ["R is in 3 of 3", "B is in 2 of 3", "G is in 1 of 3"]
    assert describe_colours(analysis, DEFAULT) == told


def test_an_answer_to_a_puzzle_is_checked_against_every_turn():
    assert find_excluding_guess(SECRET, TURNS) is None
    assert describe_solution(SECRET, TURNS, DEFAULT).startswith("Right: 1 3 2 5 ")
    assert describe_solution(pegs("2513"), TURNS, DEFAULT) == (
        "Wrong: if 2 5 1 3 were the code, the answer to guess 1 would be 0 black, 2 white."
    )
    assert find_excluding_guess(pegs("1625"), TURNS) == 2


def test_a_puzzle_has_a_title_a_command_and_a_link():
    assert describe_puzzle(DEFAULT, 2, 8812) == "Puzzle 8812, level 2, classic"
    assert describe_puzzle_task(TURNS) == "Exactly one code fits all answers. Which?"
    command = "mastermind solve --puzzle --level 2 --seed 8812"
    assert write_puzzle_command(DEFAULT, 2, 8812) == command
    told = write_puzzle_command(find_rules("5x8/10"), 1, 3)
    assert told == "mastermind solve --puzzle --rules 5x8 --level 1 --seed 3"
    link = write_puzzle_link("https://play.example/", DEFAULT, 2, 8812)
    assert link == "https://play.example/#puzzle/classic/2/8812"


def test_the_record_is_one_sentence():
    assert list(describe_puzzle_record(PuzzleRecord())) == []
    told = "12 puzzles solved; in a row at the first answer: 3, most: 5."
    assert list(describe_puzzle_record(PuzzleRecord(12, 3, 5))) == [told]
