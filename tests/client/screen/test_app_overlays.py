from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.screen.slate import ask_name, rows, slate_of
from mastermind_client.language import use_language
from mastermind_client.screen.app import END_KEYS
from mastermind_client.screen.kit.keys import Key

if TYPE_CHECKING:
    from client.screen.stage import Stage


# The help.


async def test_a_key_that_is_added_to_a_table_is_in_the_help(shown: Stage) -> None:
    slate = slate_of(shown.app)
    slate.keys = (*slate.keys, Key(("f9",), "dance", slate.note("danced"), short="dance"))
    shown.press("f9", "?")

    await shown.until("Help")
    assert slate.done == ["danced"]
    assert any("F9" in row and "dance" in row for row in rows(shown))
    assert any("Left Home" in row and "go to the left" in row for row in rows(shown))
    assert any("? F1" in row and "this help" in row for row in rows(shown))


@pytest.mark.parametrize("key", ["escape", "?", "f1", "enter"])
async def test_the_help_is_closed_by_the_keys_that_it_names(shown: Stage, key: str) -> None:
    shown.press("f1")
    await shown.until("Help")
    assert "Esc close" in rows(shown)[-1]

    shown.press(key)

    await shown.until(lambda: "Help" not in shown.text())
    assert not shown.app.help.shown
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


async def test_keys_do_not_reach_the_screen_below_the_help(shown: Stage) -> None:
    shown.press("f1", "left", "x", "f2", "escape", "space")

    await shown.until(lambda: slate_of(shown.app).done == ["room"])


async def test_a_long_help_is_scrolled_by_keys_and_by_the_wheel(shown: Stage) -> None:
    slate = slate_of(shown.app)
    slate.keys = tuple(
        Key((f"f{number}",), f"do number {number}", slate.note("")) for number in range(11, 24)
    ) + tuple(Key((letter,), f"do letter {letter}", slate.note("")) for letter in "abcdefghij")
    shown.press("f1")
    await shown.until("do number 11")
    assert "this help" not in shown.text()

    shown.press("pagedown", "pagedown")
    await shown.until("this help")
    assert "do number 11" not in shown.text()
    shown.press("up")
    await shown.until("do number 11")

    for _turn in range(30):
        shown.wheel(1)
    await shown.until("end the program")
    assert slate.scrolled == []
    for _turn in range(30):
        shown.wheel(-1)
    await shown.until("do number 11")


async def test_the_help_goes_back_at_once_however_far_it_was_scrolled_on(shown: Stage) -> None:
    slate_of(shown.app).keys = tuple(
        Key((letter,), f"do letter {letter}", lambda: None) for letter in "abcdefghijklmnopqrstuvwx"
    )
    shown.press("f1")
    await shown.until("do letter a")
    for _turn in range(40):
        shown.wheel(1)
    await shown.until("end the program")
    last = shown.text()

    shown.wheel(-1)

    await shown.until(lambda: shown.text() != last)


async def test_the_program_ends_from_its_help_too(shown: Stage) -> None:
    shown.press("f1")
    await shown.until("Help")
    assert "F10 quit" in rows(shown)[-1]

    shown.press("f10")

    await shown.ended()


async def test_ending_from_the_help_asks_first_in_a_match(shown: Stage) -> None:
    slate_of(shown.app).playing = True
    shown.press("f1", "f10")
    await shown.until("Leave the match, and lose it? (Y/N)")

    shown.press("y")

    await shown.ended()


# Questions.


@pytest.mark.parametrize("key", ["y", "Y"])
async def test_what_is_agreed_to_is_done(shown: Stage, key: str) -> None:
    agreed: list[str] = []
    shown.app.ask("Burn the board?", lambda: agreed.append("burnt"))
    await shown.until("Burn the board? (Y/N)")

    shown.press(key)

    await shown.until(lambda: agreed == ["burnt"])
    await shown.until(lambda: "Burn the board?" not in shown.text())


@pytest.mark.parametrize("key", ["n", "enter", "left", "c-q"])
async def test_any_other_key_is_a_no_and_nothing_else(shown: Stage, key: str) -> None:
    agreed: list[str] = []
    shown.app.ask("Burn the board?", lambda: agreed.append("burnt"))
    await shown.until("Burn the board?")

    shown.press(key)

    await shown.until(lambda: "Burn the board?" not in shown.text())
    assert agreed == slate_of(shown.app).done == []
    assert not shown.app.help.shown
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


async def test_a_question_is_not_answered_by_moving_the_mouse(shown: Stage) -> None:
    shown.app.ask("Burn the board?", lambda: None)
    await shown.until("Burn the board?")

    shown.type("\x1b[<35;10;10M")  # the pointer moves, with no button
    shown.wheel(1)
    await shown.until(lambda: slate_of(shown.app).scrolled == [1])

    assert shown.app.question


async def test_the_letter_of_the_question_itself_agrees_in_every_language(shown: Stage) -> None:
    agreed: list[str] = []
    use_language("pl")
    shown.app.ask("Spalić planszę?", lambda: agreed.append("yes"))
    await shown.until("Spalić planszę? (T/N)")

    shown.press("t")

    await shown.until(lambda: agreed == ["yes"])


@pytest.mark.parametrize("key", END_KEYS)
async def test_the_keys_that_end_the_program_do_so_when_pressed_again(
    shown: Stage, key: str
) -> None:
    slate_of(shown.app).playing = True
    shown.press(key)
    await shown.until("Leave the match, and lose it? (Y/N)")

    shown.press(key)

    await shown.ended()


async def test_no_screen_is_on_top_when_the_program_has_ended(shown: Stage) -> None:
    slate = slate_of(shown.app)
    assert shown.app.shows(slate)

    shown.press("f10")
    await shown.ended()

    assert not shown.app.shows(slate)


# The mouse.


@pytest.mark.parametrize("over", ["a line", "a question", "the help"])
async def test_nothing_below_what_lies_over_a_screen_can_be_clicked_on(
    shown: Stage, over: str
) -> None:
    slate = slate_of(shown.app)
    slate.lines = [[("", "press me", slate.note("clicked"))]]
    if over == "a line":
        ask_name(shown.app, [])
        await shown.until("Name:")
    elif over == "a question":
        shown.app.ask("Really?", lambda: None)
        await shown.until("Really?")
    else:
        shown.press("f1")
        await shown.until("Help")
        shown.resize(200, 60)  # so that the screen is seen beside it
    await shown.until("press me")

    shown.click(2, 0)
    shown.wheel(1)  # which comes after it
    await shown.until(lambda: slate.scrolled == [1] or over == "the help")
    shown.press("escape")
    await shown.until("Left left")
    shown.press("left")

    await shown.until(lambda: "left" in slate.done)
    assert slate.done == ["left"]
