import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.matches import pegs
from kit.strategies import any_rules, brief, codes_of, thorough
from mastermind_client.language import use_language
from mastermind_client.messages.codes import describe_feedback, format_pegs
from mastermind_client.messages.solving.notation import (
    MAX_FILE_BYTES,
    InvalidNotation,
    load_position,
    read_feedback,
    read_position,
    read_turn,
    write_position,
)
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.requests import MAX_GIVEN_TURNS
from mastermind_protocol.rules import DEFAULT, PRESETS, Rules, find_rules


def turns_of(rules: Rules) -> st.SearchStrategy[list[Turn]]:
    """Return a strategy for turns by these rules, each with a secret of its own."""
    codes = codes_of(rules)
    turns = st.builds(lambda code, secret: Turn(code, score(secret, code)), codes, codes)
    return st.lists(turns, max_size=MAX_GIVEN_TURNS)


positions = any_rules.flatmap(lambda rules: st.tuples(st.just(rules), turns_of(rules)))
preset_turns = st.sampled_from(sorted(PRESETS.values(), key=str)).flatmap(
    lambda rules: st.tuples(st.just(rules), turns_of(rules))
)


@given(positions)
@thorough
def test_a_written_position_is_read_with_its_rules(position):
    rules, turns = position
    assert read_position(write_position(rules, turns)) == (rules, tuple(turns))


@pytest.mark.parametrize("language", ["en", "pl"])
@given(preset_turns)
@brief
def test_the_answers_of_every_preset_are_read_as_it_writes_them(language, position):
    use_language(language)
    rules, turns = position
    for feedback in (turn.feedback for turn in turns):
        assert read_feedback(rules.keys.write(feedback, rules.pegs), rules) == feedback
        assert read_feedback(describe_feedback(feedback, rules), rules) == feedback


@given(preset_turns)
@brief
def test_a_row_of_the_board_is_read_with_its_number(position):
    rules, turns = position
    rows = [
        f"{number:2}  {format_pegs(code, rules)}  {rules.keys.write(feedback, rules.pegs)}"
        for number, code, feedback in (
            (number, turn.code, turn.feedback) for number, turn in enumerate(turns, start=1)
        )
    ]
    assert list(read_position("\n".join(rows), rules).turns) == turns


@pytest.mark.parametrize(
    "text",
    [
        *("1b2w", "1B2W", "1 black 2 white", "1 black, 2 white", "2 whites and 1 black"),
        *("black 1, white 2", "B1W2", "12", "1 2", "1,2", "(1, 2)", "1-2", "1/2"),
        *("KWW", "BWW", "k w w", "[X][O][O][ ]", "XOO.", "●○○·", "black white white"),
        *("[1, 1, 2]", "[2,1,1]", "1 bull 2 cows", "1B2C", "1b 2w 1e", "1 black, 2 gray, 1 empty"),
        *("１ｂ２ｗ", "1и2ц", "\N{MEDIUM BLACK CIRCLE}\N{VARIATION SELECTOR-16}○○"),
    ],
)
def test_an_answer_is_read_in_every_usual_notation(text):
    assert read_feedback(text, DEFAULT) == Feedback(1, 2)


@pytest.mark.parametrize(
    "text", ["-", "\N{EN DASH}", "00", "0 0", "0b0w", "[]", "[ ][ ][ ][ ]", "....", "0b"]
)
def test_an_answer_without_key_pegs_is_read(text):
    assert read_feedback(text, DEFAULT) == Feedback(0, 0)


@pytest.mark.parametrize("text", ["1 czarny, 2 białe", "1 byk, 2 krowy", "czarne: 1, białe: 2"])
def test_polish_words_are_read(text):
    use_language("pl")
    assert read_feedback(text, DEFAULT) == Feedback(1, 2)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("", 1, "the answer is missing"),
        ("  nine", 3, "'nine' is no answer"),
        ("1b 2q", 5, "'q' is no answer"),
        ("1b1b", 4, "'b' is no answer"),
        ("1b 1", 4, "'1' is no answer"),
        ("KWQ", 3, "'KWQ' is no answer"),
        ("1", 1, "'1' is no answer"),
        ("123", 1, "'123' is no answer"),
        ("2 [1]", 1, "'2 [1]' is no answer"),
        ("3b1w", 1, "3 black and 1 white cannot be"),
        (" 3b2w", 2, "3 black and 2 white are more than the 4 pegs"),
        ("KKKKK", 1, "5 black and 0 white are more than the 4 pegs"),
        ("1b1w1e", 1, "1 black, 1 white and 1 empty are not 4 pegs"),
    ],
)
def test_a_wrong_answer_is_explained_with_its_column(text, column, reason):
    with pytest.raises(InvalidNotation, match="line 1, ") as caught:
        read_feedback(text, DEFAULT)
    assert (caught.value.column, caught.value.reason.startswith(reason)) == (column, True)


def test_without_repeats_an_answer_can_have_too_few_key_pegs():
    with pytest.raises(InvalidNotation, match="0 black and 1 white are too few"):
        read_feedback("0b1w", find_rules("4x6u"))


@pytest.mark.parametrize(
    "text",
    [
        *("RRGG 1b1w", "rrgg  11", "R R G G 1 black, 1 white", "R,R,G,G: KW", "RR-GG -> 1b1w"),
        *("1122 = 1,1", "1 1 2 2 1 1", "3. RRGG KW", " 1  R R G G  1 black, 1 white"),
        "RRGG 1b1w # a note",
    ],
)
def test_a_turn_is_read_in_every_usual_notation(text):
    assert read_turn(text, DEFAULT) == Turn(pegs("1122"), Feedback(1, 1))


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("RRGG 1b1w\n\nRRG 1b1w", (3, 1), "3 pegs given, and a code of classic has 4"),
        ("  RRGGB 1b1w", (1, 3), "5 pegs given, and a code of classic has 4"),
        ("R G X B 1b1w", (1, 5), "peg 3: 'X'"),
        ("RRGG", (1, 5), "the answer is missing"),
        ("1 R R G G KW", (1, 3), "letters or digits, not both"),
        ("R R G 1 black", (1, 7), "letters or digits, not both"),
        ("RRGG 1b1w # mine\nRRGG  3b1w", (2, 7), "3 black and 1 white cannot be"),
        ("# mastermind solve --rules 4x99\n", (1, 28), "'4x99'"),
        (" # mastermind solve --rules s", (1, 29), "'s'"),
        ("RRGG 1b1w\rRRGG 1b1w\r\nRRG 1b1w", (3, 1), "3 pegs given"),
        ("RRGG 1b1w\n" * MAX_GIVEN_TURNS + "#\nRRGG 1b1w", (34, 1), "at most 32 guesses"),
        ("-> bb", (1, 4), "2 pegs given"),
        ("\0", (1, 1), "peg 1"),
    ],
)
def test_a_wrong_position_is_explained_with_its_line_and_column(text, place, reason):
    with pytest.raises(InvalidNotation) as caught:
        read_position(text)
    error = caught.value
    assert ((error.line, error.column), reason in error.reason) == (place, True), error.reason


def test_a_colour_that_is_twice_has_its_column():
    with pytest.raises(InvalidNotation, match="line 1, column 4: peg 3: 1 is on peg 1"):
        read_position(" 1213 1b1w", find_rules("bulls"))


def test_given_rules_precede_those_of_the_text_and_these_the_usual_ones():
    named, usual = find_rules("5x8"), find_rules("3x4")
    assert read_position(write_position(named, []), DEFAULT).rules is DEFAULT
    assert read_position(write_position(named, []), usual=usual).rules == named
    assert read_position("RGB 1b # by --rules 5x8", usual=usual).rules is usual


def test_a_file_is_loaded_with_windows_line_ends_and_a_byte_order_mark(tmp_path):
    file = tmp_path / "game.txt"
    file.write_bytes("\ufeff# mastermind solve --rules mini\r\n\r\nRRGG 1b1w\r\n".encode())
    assert load_position(file) == (find_rules("mini"), (Turn((0, 0, 1, 1), Feedback(1, 1)),))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"RRGG 1b1w\nRR\xff", "line 2, column 3: this is no text in UTF-8"),
        ("\ufeffRRGG 1b1w\r\nąą".encode() + b"\xff", "line 2, column 3: this is no text in UTF-8"),
        (b"#" * (MAX_FILE_BYTES + 1), "this is too large: a position has at most 65536 bytes"),
        (b"\0" * 100, "line 1, column 1: "),
    ],
)
def test_a_file_that_is_no_position_is_refused(tmp_path, data, told):
    file = tmp_path / "game.txt"
    file.write_bytes(data)
    with pytest.raises(InvalidNotation) as caught:
        load_position(file)
    assert told in str(caught.value)


def test_a_huge_file_is_not_read_whole(tmp_path):
    file = tmp_path / "game.txt"
    with file.open("wb") as sparse:
        sparse.truncate(100_000_000_000)
    with pytest.raises(InvalidNotation, match="too large"):
        load_position(file)
