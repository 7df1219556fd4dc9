import io
import json
import sys

import pytest

from mastermind_client.cli.command import EXIT_ERROR, EXIT_OK, EXIT_USAGE, main


@pytest.fixture
def run(monkeypatch, capsys):
    """Run `mastermind solve` with an input, as a script does. Return its status and its output."""

    def run(typed: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
        try:
            status = main(("solve", *arguments))
        except SystemExit as end:
            status = int(str(end.code))
        written = capsys.readouterr()
        return status, written.out, written.err

    return run


def test_a_pipe_gets_the_analysis_of_its_turns(run):
    status, out, _err = run("RRGG 1b1w\nGBYY 1 black, 1 white\n")
    assert status == EXIT_OK
    assert out.startswith(
        " 1  R R G G  1 black, 1 white\n 2  G B Y Y  1 black, 1 white\n35 codes left.\n"
    )
    assert "\nPlace 1: " in out
    assert "\nCodes 1 to 35 of 35:\nRGYO  " in out


def test_a_pipe_with_a_contradiction_gets_the_corrections_and_a_status(run):
    status, out, err = run("RRGG 1b1w\nRRGG 0b1w\n")
    assert (status, err) == (EXIT_ERROR, "")
    assert "guess 2 may be 1 black, 1 white: then 208 codes fit\n" in out


@pytest.mark.parametrize(
    ("typed", "arguments", "told"),
    [
        ("RRGG 1b1w\nRRG 1b1w", (), "standard input, line 2, column 1: 3 pegs given"),
        ("RRGG 3b1w", ("-",), "standard input, line 1, column 6: 3 black and 1 white cannot be"),
        ("\n" * 100_000, (), "standard input, line 1, column 1: this is too large"),
        ("", ("--seed", "3"), "--level and --seed need --puzzle"),
        ("", ("--bot", "hard"), "--bot needs --as maker"),
        ("", ("--puzzle", "--by", "bits"), "no FILE, --by or --bot"),
        ("", ("--puzzle", "--seed", "-1"), "is no number of a puzzle"),
        ("", ("--puzzle", "--level", "4"), "invalid choice"),
        ("", ("/",), "Is a directory"),
        ("", ("--rules", "4x99"), "'4x99'"),
        ("", ("--as", "maker", "--bot", "nobody", "--json"), "'nobody' is no bot here"),
        ("", ("--as", "maker", "--bot", "devious"), "devious only makes codes"),
    ],
)
def test_a_wrong_input_is_a_wrong_use(run, typed, arguments, told):
    status, out, err = run(typed, *arguments)
    assert (status, told in err) == (EXIT_USAGE, True), err
    assert " left" not in out


def test_a_file_names_its_rules(run, tmp_path):
    file = tmp_path / "game.txt"
    file.write_text("# mastermind solve --rules 2x3\nRG 1b0w\n")
    assert "\n4 codes left: RR, RB, GG, BG.\n" in run("", str(file))[1]


def test_a_position_is_json(run):
    status, out, _err = run("RG 1b0w\n", "--rules", "2x3", "--json", "--by", "worst")
    assert status == EXIT_OK
    found = json.loads(out)
    assert found["turns"] == [{"guess": "RG", "black": 1, "white": 0, "left": 4}]
    assert (found["rules"], found["left"], found["by"]) == ("2x3/12", 4, "worst")
    assert found["codes"] == ["RR", "RB", "GG", "BG"]
    assert found["places"] == [{"R": 2, "G": 1, "B": 1}, {"R": 1, "G": 2, "B": 1}]
    assert found["colours"] == {"R": 2, "G": 2, "B": 2}
    assert set(found["guesses"][0]) == {"code", "bits", "size", "worst", "parts", "possible"}
    assert (found["bot"], found["choice"], found["corrections"]) == (None, None, [])


def test_the_next_guess_of_a_bot_is_json(run):
    _status, out, _err = run("", "--as", "maker", "--bot", "knuth", "--json")
    found = json.loads(out)
    assert (found["bot"], found["choice"]) == ("knuth", "RRGG")


def test_corrections_are_json_and_a_status(run):
    status, out, _err = run("RR 2b0w\nGG 2b0w\n", "--rules", "2x3", "--json")
    assert status == EXIT_ERROR
    found = json.loads(out)
    assert {"turn": 1, "black": 0, "white": 0, "left": 1} in found["corrections"]
    assert (found["left"], found["codes"], found["choice"]) == (0, [], None)


def test_estimates_are_json_without_lists(run):
    _status, out, _err = run("RRRRRRR 1b0w", "--rules", "7x9", "--json")
    found = json.loads(out)
    assert found["estimated"]
    assert found["turns"][0]["left"] is None
    assert (found["codes"], found["places"], found["colours"]) == ([], [], {})


def test_a_puzzle_is_json_without_its_code(run):
    status, out, _err = run("", "--puzzle", "--rules", "mini", "--seed", "0", "--json")
    assert status == EXIT_OK
    found = json.loads(out)
    assert (found["rules"], found["level"], found["seed"]) == ("mini", 1, 0)
    assert set(found["turns"][0]) == {"guess", "black", "white"}
    assert found["command"] == "mastermind solve --puzzle --rules mini --level 1 --seed 0"
    assert "seed" in json.loads(run("", "--puzzle", "--json")[1])


def test_a_script_asks_a_puzzle_or_answers_a_bot(run):
    assert "Exactly one code fits" in run("", "--puzzle", "--rules", "mini", "--seed", "1")[1]
    assert "Your answer: " in run("", "--as", "maker", "--bot", "knuth")[1]
