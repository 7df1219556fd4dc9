import pytest

from kit.screen.seats import find
from kit.screen.slate import ask, ask_name, rows, slate_of
from mastermind_client.screen.app import END_KEYS
from mastermind_client.screen.kit.cards import Answer, Card
from mastermind_client.screen.kit.keys import Key

# The help.


async def test_a_key_that_is_added_to_a_table_is_in_the_help(shown):
    slate = slate_of(shown.app)
    slate.keys = (*slate.keys, Key(("f9",), "dance", slate.note("danced"), short="dance"))
    shown.press("f9", "?")

    await shown.until("Help")
    assert slate.done == ["danced"]
    assert any("F9" in row and "dance" in row for row in rows(shown))
    assert any("Left Home" in row and "go to the left" in row for row in rows(shown))
    assert any("? F1" in row and "this help" in row for row in rows(shown))


@pytest.mark.parametrize("key", ["escape", "?", "f1", "enter"])
async def test_the_help_is_closed_by_the_keys_that_it_names(shown, key):
    shown.press("f1")
    await shown.until("Help")
    assert "Esc close" in rows(shown)[-1]

    shown.press(key)

    await shown.until(lambda: "Help" not in shown.text())
    assert not shown.app.help.shown
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


async def test_keys_do_not_reach_the_screen_below_the_help(shown):
    shown.press("f1", "left", "x", "f2", "escape", "space")

    await shown.until(lambda: slate_of(shown.app).done == ["room"])


async def test_a_long_help_is_scrolled_by_keys_and_by_the_wheel(shown):
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


async def test_the_help_goes_back_at_once_however_far_it_was_scrolled_on(shown):
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


async def test_the_program_ends_from_its_help_too(shown):
    shown.press("f1")
    await shown.until("Help")
    assert "F10 quit" in rows(shown)[-1]

    shown.press("f10")

    await shown.ended()


# Questions.


async def test_the_harmless_answer_is_selected_and_esc_gives_it(shown):
    for key in ("enter", "escape"):
        given = ask(shown.app)
        await shown.until("► Leave it")
        assert "Nothing happens." in shown.text()
        shown.press(key)
        await shown.until(lambda given=given: given == ["left"])
        await shown.until(lambda: "Burn the board?" not in shown.text())


async def test_another_answer_is_chosen_before_it_is_given(shown):
    given = ask(shown.app)
    await shown.until("↑↓ choose  Enter do it  Esc leave it  F10 quit")
    shown.press("down", "down")
    await shown.until("► Burn it")
    assert given == []

    shown.press("enter")

    await shown.until(lambda: given == ["burnt"])


async def test_an_answer_is_given_by_the_mouse(shown):
    given = ask(shown.app)
    await shown.until("Burn it")

    shown.click(*find(shown, "no other one"))

    await shown.until(lambda: given == ["burnt"])


@pytest.mark.parametrize("key", ["y", "left", "f1", "f2", "space"])
async def test_any_other_key_answers_nothing(shown, key):
    given = ask(shown.app)
    await shown.until("Burn the board?")

    shown.press(key, "up")
    shown.press("enter")

    await shown.until(lambda: given == ["left"])
    assert slate_of(shown.app).done == []
    assert not shown.app.help.shown


async def test_a_question_is_not_answered_by_moving_the_mouse(shown):
    given = ask(shown.app)
    await shown.until("Burn the board?")

    shown.type("\x1b[<35;10;10M")  # the pointer moves, with no button
    shown.wheel(1)
    await shown.until(lambda: slate_of(shown.app).scrolled == [1])

    assert shown.app.card is not None
    assert given == []


async def test_what_is_no_question_any_more_is_not_asked(shown):
    open_still = True
    shown.app.ask(Card("Wait?", Answer("Wait", "On.", lambda: None), when=lambda: open_still))
    await shown.until("Wait?")

    open_still = False
    shown.app.redraw()

    await shown.until(lambda: "Wait?" not in shown.text())
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


@pytest.mark.parametrize("key", END_KEYS)
async def test_the_keys_that_end_the_program_do_so_over_a_question(shown, key):
    given = ask(shown.app)
    await shown.until("Burn the board?")

    shown.press(key)

    await shown.ended()
    assert given == []


async def test_no_screen_is_on_top_when_the_program_has_ended(shown):
    slate = slate_of(shown.app)
    assert shown.app.shows(slate)

    shown.press("f10")
    await shown.ended()

    assert not shown.app.shows(slate)


# The mouse.


@pytest.mark.parametrize("over", ["a line", "a question", "the help"])
async def test_nothing_below_what_lies_over_a_screen_can_be_clicked_on(shown, over):
    slate = slate_of(shown.app)
    slate.lines = [[("", "press me", slate.note("clicked"))]]
    if over == "a line":
        ask_name(shown.app, [])
        await shown.until("Name:")
    elif over == "a question":
        ask(shown.app)
        await shown.until("Burn the board?")
    else:
        shown.press("f1")
        await shown.until("Help")
        shown.resize(200, 60)  # so that the screen is visible next to it
    await shown.until("press me")

    shown.click(2, 0)
    shown.wheel(1)  # which comes after it
    await shown.until(lambda: slate.scrolled == [1] or over == "the help")
    shown.press("escape")
    await shown.until("← left")
    shown.press("left")

    await shown.until(lambda: "left" in slate.done)
    assert slate.done == ["left"]
