from concurrent.futures import ThreadPoolExecutor
from functools import partial

import msgspec
import pytest

from mastermind_client.config.puzzle_record import (
    MAX_REMEMBERED,
    RECORD_FILE,
    PuzzleRecord,
    load_record,
    name_puzzle,
    record_answer,
    record_surrender,
)
from mastermind_client.config.settings_file import BrokenFile
from mastermind_protocol.rules import DEFAULT, find_rules


def figures(record: PuzzleRecord) -> tuple[int, int, int]:
    return record.solved, record.streak, record.best


def test_a_streak_counts_puzzles_solved_with_the_first_answer(tmp_path):
    for name, right, expected in (
        ("a", True, (1, 1, 1)),
        ("b", True, (2, 2, 2)),
        ("c", False, (2, 0, 2)),
        ("d", True, (3, 1, 2)),
        ("c", True, (4, 1, 2)),  # with its second answer
    ):
        assert figures(record_answer(tmp_path, name, right=right)) == expected
    assert figures(load_record(tmp_path)) == (4, 1, 2)


def test_a_puzzle_counts_once(tmp_path):
    record_answer(tmp_path, "a", right=True)
    for right in (True, False):
        assert figures(record_answer(tmp_path, "a", right=right)) == (1, 1, 1)
    assert figures(record_surrender(tmp_path, "a")) == (1, 1, 1)


def test_giving_up_ends_a_streak_and_the_shown_code_is_no_solution(tmp_path):
    record_answer(tmp_path, "a", right=True)
    assert figures(record_surrender(tmp_path, "b")) == (1, 0, 1)
    assert figures(record_answer(tmp_path, "b", right=True)) == (1, 0, 1)


def test_clients_of_one_user_count_at_the_same_time(tmp_path):
    names = [f"{number}" for number in range(8)]
    with ThreadPoolExecutor() as clients:
        list(clients.map(partial(record_answer, tmp_path / "data", right=True), names))
    assert figures(load_record(tmp_path / "data")) == (8, 8, 8)
    assert (tmp_path / "data").stat().st_mode & 0o077 == 0


def test_the_file_stays_small(tmp_path):
    names = tuple(map(str, range(MAX_REMEMBERED)))
    record = PuzzleRecord(finished=names, missed=names)
    (tmp_path / RECORD_FILE).write_bytes(msgspec.json.encode(record))
    assert record_surrender(tmp_path, "new").finished == (*names[1:], "new")


@pytest.mark.parametrize("written", ["[", '{"x":' + "[" * 100_000])
def test_a_file_that_is_no_record_is_kept_and_named(tmp_path, written):
    file = tmp_path / RECORD_FILE
    file.write_text(written)
    with pytest.raises(BrokenFile, match=RECORD_FILE):
        record_answer(tmp_path, "a", right=True)
    assert file.read_text() == written


def test_rules_with_the_same_codes_have_the_same_puzzles():
    assert (
        name_puzzle(DEFAULT, 2, 8812) == name_puzzle(find_rules("4x6/9"), 2, 8812) == "4x6/2/8812"
    )
