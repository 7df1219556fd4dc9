import pytest

from mastermind_client.language import use_language
from mastermind_client.lines.ask import read_answer, read_letter


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("y", True), (" Y ", True), ("n", False), ("N", False), ("yes", None), ("", None)],
)
def test_a_letter_is_an_answer(typed, meant):
    assert read_letter(typed) is meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("Yes", True), ("y", True), ("NO", False), ("n", False), ("maybe", None), ("", None)],
)
def test_a_word_is_an_answer(typed, meant):
    assert read_answer(typed) is meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("t", True), ("Tak", True), ("n", False), ("nie", False), ("y", True), ("no", False)],
)
def test_answers_may_be_in_the_readers_language_or_in_english(typed, meant):
    use_language("pl")
    assert read_answer(typed) is meant
