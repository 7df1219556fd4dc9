from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.screen.looks import LOOK, show
from mastermind_client.config.settings import Settings
from mastermind_client.screen.kit.forms import Form
from mastermind_client.screen.match_terms import (
    Terms,
    ask_public,
    ask_rated,
    ask_rounds,
    ask_rules,
    ask_seat,
    describe_error,
    draw_colours,
)
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import MAX_ROUNDS, PRESETS, find_rules

if TYPE_CHECKING:
    from mastermind_client.screen.kit.prompt import Asked


class Questions:
    """A form of all terms, and what was asked to be typed."""

    def __init__(self, terms: Terms | None = None) -> None:
        self.terms = terms or Terms()
        self.asked: list[Asked] = []
        self.form = Form(
            lambda: [
                *ask_rules(self.terms, self.asked.append),
                ask_seat(self.terms, (None, Seat.BREAKER, Seat.MAKER)),
                ask_rounds(self.terms, self.asked.append),
                ask_rated(self.terms),
            ]
        )

    def answer(self, name: str, text: str) -> str | None:
        """Type a value, and return why it cannot be."""
        self.form.select(name)
        self.form.press()
        return self.asked.pop().accept(text)

    def change(self, name: str, step: int) -> None:
        self.form.select(name)
        self.form.change(step)

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.form.items]


@pytest.fixture
def questions() -> Questions:
    return Questions()


def test_the_rules_that_were_played_last_come_first() -> None:
    assert Terms.remembered(Settings(rules="lab")).rules is PRESETS["lab"]
    assert Terms.remembered(Settings(rules="5x8/12")).rules == find_rules("5x8/12")


def test_every_preset_can_be_chosen_and_a_size_of_ones_own(questions: Questions) -> None:
    seen = []
    for _change in range(len(PRESETS) + 1):
        seen.append(questions.terms.rules.name)
        questions.change("rules", 1)
    assert seen == [*PRESETS, "4x6/12"]
    assert questions.terms.rules.name == "classic"


def test_a_size_of_ones_own_is_made_of_three_numbers(questions: Questions) -> None:
    assert "pegs" not in questions.names
    questions.change("rules", -1)
    assert questions.names[:4] == ["rules", "pegs", "colours", "guesses"]
    questions.change("pegs", 1)
    questions.change("colours", -1)
    questions.change("guesses", 1)
    assert questions.terms.rules.name == "5x5/13"


def test_the_numbers_go_from_the_most_to_the_least(questions: Questions) -> None:
    questions.terms.rules = find_rules("9x12/99")
    for name in ("pegs", "colours", "guesses"):
        questions.change(name, 1)
    assert questions.terms.rules.name == "1x2/1"


def test_rules_can_be_typed_and_so_can_their_numbers(questions: Questions) -> None:
    assert questions.answer("rules", "6X9/20") is None
    assert questions.answer("guesses", "42") is None
    assert questions.answer("pegs", " 3 ") is None
    assert questions.terms.rules.name == "3x9/42"


def test_what_names_no_rules_is_refused_with_what_is_allowed(questions: Questions) -> None:
    assert "classic" in str(questions.answer("rules", "chess"))
    questions.terms.rules = find_rules("5x8/12")
    assert "1-9 pegs" in str(questions.answer("pegs", "10"))
    assert questions.terms.rules.name == "5x8/12"


def test_what_the_rules_are_like_is_said(questions: Questions) -> None:
    assert questions.form.selected.about == "classic: 4 pegs, 6 colours, 12 guesses."


def test_rounds_are_counted_or_typed(questions: Questions) -> None:
    questions.change("rounds", 1)
    assert questions.terms.rounds == 2
    assert "swapped" in questions.form.selected.about
    assert questions.answer("rounds", "7") is None
    assert f"1 to {MAX_ROUNDS}" in str(questions.answer("rounds", "21"))
    assert questions.terms.rounds == 7


@pytest.mark.parametrize(
    ("seat", "words"),
    [(None, "Whichever seat is free"), (Seat.BREAKER, "you break it"), (Seat.MAKER, "You hide")],
)
def test_it_is_said_what_one_does_in_a_seat(seat: Seat | None, words: str) -> None:
    questions = Questions(Terms(seat=seat))
    questions.form.select("seat")
    assert words in questions.form.selected.about
    questions.form.change(1)
    assert questions.terms.seat is not seat


def test_a_match_is_rated_or_not(questions: Questions) -> None:
    questions.change("rated", 1)
    assert questions.terms.rated
    assert "without advice" in questions.form.selected.about


def test_a_match_is_public_or_not() -> None:
    chosen: list[bool] = []
    form = Form(lambda: [ask_public(True, chosen.append)])
    form.change(1)
    assert chosen == [False]
    assert "in the list" in form.selected.about


def test_all_colours_of_the_rules_are_shown_with_their_letters() -> None:
    for rules in PRESETS.values():
        (line,) = show([draw_colours(rules, LOOK)])
        assert line.split() == [colour[0].upper() for colour in rules.palette]


def test_errors_are_whole_sentences() -> None:
    assert describe_error(OSError("no such thing")) == "No such thing."
    assert describe_error(Refused(ErrorCode.SEAT_TAKEN, "too late")) == "Too late."
