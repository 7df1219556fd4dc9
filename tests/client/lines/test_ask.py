from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mastermind_client.config.options import FRIEND, PlayOptions
from mastermind_client.config.settings import load
from mastermind_client.language import use_language
from mastermind_client.lines.ask import ask_open_questions, read_answer, read_letter
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk

    NewDesk = Callable[..., Desk]


CLASSIC, MINI = PlayOptions(DEFAULT), PlayOptions(PRESETS["mini"])


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    """A person's desk."""
    return new_desk(person=True)


async def test_classic_asks_for_the_name_and_the_seat(desk: Desk) -> None:
    desk.type(" Ada ", "m")
    assert await ask_open_questions(CLASSIC, desk.terminal) == replace(
        CLASSIC, name="Ada", seat=Seat.MAKER
    )
    assert desk.shown == (
        "Your name (Enter for a guest's): Be the codemaker or the codebreaker? (m/B) "
    )


async def test_the_name_is_asked_for_once_and_kept(new_desk: NewDesk) -> None:
    first, second = new_desk(person=True), new_desk(person=True)
    first.type("Ada", "m")
    await ask_open_questions(CLASSIC, first.terminal)
    assert load().settings.name == "Ada"
    second.type("m")
    assert (await ask_open_questions(CLASSIC, second.terminal)).seat is Seat.MAKER
    assert "Your name" not in second.shown


async def test_a_guest_is_not_asked_again(new_desk: NewDesk) -> None:
    first, second = new_desk(person=True), new_desk(person=True)
    first.type("", "m")
    await ask_open_questions(CLASSIC, first.terminal)
    second.type("m")
    assert (await ask_open_questions(CLASSIC, second.terminal)).name is None
    assert "Your name" not in second.shown


@pytest.mark.parametrize(("answer", "seat"), [("", Seat.BREAKER), ("B", Seat.BREAKER)])
async def test_enter_is_a_guest_who_breaks(desk: Desk, answer: str, seat: Seat) -> None:
    desk.type("", answer)
    assert await ask_open_questions(CLASSIC, desk.terminal) == replace(CLASSIC, seat=seat)


async def test_another_answer_is_asked_for_again(desk: Desk) -> None:
    desk.type("Ada", "judge", "M")
    assert (await ask_open_questions(CLASSIC, desk.terminal)).seat is Seat.MAKER
    assert "Please answer one of: m, b.\nBe the codemaker" in desk.shown


async def test_a_name_that_cannot_be_is_asked_for_again(desk: Desk) -> None:
    desk.type("x" * 25, "a\x07b", "x" * 24, "")
    assert (await ask_open_questions(CLASSIC, desk.terminal)).name == "x" * 24
    assert desk.shown.count("A name has up to 24 characters that can be shown.\n") == 2


@pytest.mark.parametrize(
    ("answer", "options"),
    [
        ("", replace(MINI, seat=Seat.BREAKER)),
        ("1", replace(MINI, seat=Seat.BREAKER)),
        ("2", replace(MINI, versus=FRIEND)),
        ("3", replace(MINI, seat=Seat.MAKER)),
    ],
)
async def test_mini_asks_which_of_three_ways_to_play(
    desk: Desk, answer: str, options: PlayOptions
) -> None:
    desk.type("4", answer)
    assert await ask_open_questions(MINI, desk.terminal) == options
    assert desk.shown.startswith("1  You break the computer's code\n2  You play against a friend\n")
    assert "Please answer one of: 1, 2, 3." in desk.shown


@pytest.mark.parametrize("rules", ["thirteen", "eight", "lab", "knuth"])
async def test_the_other_presets_ask_nothing(desk: Desk, rules: str) -> None:
    options = PlayOptions(PRESETS[rules])
    assert await ask_open_questions(options, desk.terminal) == options
    assert not desk.shown


async def test_whoever_has_settled_the_game_is_asked_nothing(desk: Desk) -> None:
    settled = replace(CLASSIC, settled=True)
    assert await ask_open_questions(settled, desk.terminal) == settled
    assert not desk.shown


@pytest.mark.parametrize(
    ("typed", "rules"), [("", "lab"), ("classic", "classic"), (" 5x8/12", "5x8/12")]
)
async def test_rules_of_an_earlier_time_are_not_begun_again_unasked(
    desk: Desk, typed: str, rules: str
) -> None:
    before = PlayOptions(PRESETS["lab"], settled=True, rules_from_before=True)
    desk.type("nope", typed)
    assert (await ask_open_questions(before, desk.terminal)).rules == find_rules(rules)
    question = "Which rules? (Enter for lab, played last) "
    assert desk.shown.startswith(
        "Rules: classic, thirteen, mini, eight, lab, knuth, "
        f"or PEGSxCOLOURS[/GUESSES] such as 5x8/12.\n{question}'nope' names no rules"
    )
    assert desk.shown.endswith(f".\n{question}")


async def test_the_rules_that_are_chosen_decide_what_else_is_asked(desk: Desk) -> None:
    before = PlayOptions(PRESETS["lab"], name="Ada", rules_from_before=True)
    desk.type("classic", "m")
    assert (await ask_open_questions(before, desk.terminal)).seat is Seat.MAKER


async def test_a_script_is_asked_nothing(new_desk: NewDesk) -> None:
    piped = new_desk()
    piped.type("Ada", "m")
    assert await ask_open_questions(CLASSIC, piped.terminal) == CLASSIC
    assert not piped.shown
    assert await piped.terminal.read_line() == "Ada"


async def test_whoever_goes_away_is_not_asked_on(desk: Desk) -> None:
    desk.type("Ada")
    desk.send(b"\x04")
    with pytest.raises(InputEnded):
        await ask_open_questions(CLASSIC, desk.terminal)


async def test_whoever_fixes_the_secrets_is_not_asked_for_another_seat(desk: Desk) -> None:
    seeded = replace(CLASSIC, seed=7)
    desk.type("Ada")
    assert await ask_open_questions(seeded, desk.terminal) == replace(seeded, name="Ada")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("y", True), (" Y ", True), ("n", False), ("N", False), ("yes", None), ("", None)],
)
def test_a_letter_is_an_answer(typed: str, meant: bool | None) -> None:
    assert read_letter(typed) is meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("Yes", True), ("y", True), ("NO", False), ("n", False), ("maybe", None), ("", None)],
)
def test_a_word_is_an_answer_too(typed: str, meant: bool | None) -> None:
    assert read_answer(typed) is meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("t", True), ("Tak", True), ("n", False), ("nie", False), ("y", True), ("no", False)],
)
def test_answers_may_be_in_the_readers_language_or_in_english(typed: str, meant: bool) -> None:
    use_language("pl")
    assert read_answer(typed) is meant
