import pytest

from kit.screen.seats import find
from kit.screen.slate import ask, ask_name, rows, slate_of
from mastermind_client.screen.toolkit.help import Help
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_client.screen.window import END_KEYS

# The help.


async def test_the_help_lists_an_added_key(shown):
    slate = slate_of(shown.app)
    slate.keys = (*slate.keys, Key(("f9",), "dance", slate.note("danced"), short="dance"))
    shown.press("f9", "?")
    await shown.until("Help")
    assert slate.done == ["danced"]
    assert any("F9" in row and "dance" in row for row in rows(shown))
    assert any("Left Home" in row and "go to the left" in row for row in rows(shown))
    assert any("? F1" in row and "this help" in row for row in rows(shown))


@pytest.mark.parametrize("key", ["escape", "?", "f1", "enter"])
async def test_the_help_takes_all_keys_until_one_of_several_closes_it(shown, key):
    shown.press("f1")
    await shown.until("Help")
    assert "Esc close" in rows(shown)[-1]
    shown.press("left", "x", "f2", key)
    await shown.until(lambda: "Help" not in shown.text())
    assert shown.app.find_overlay(Help) is None
    shown.press("space")
    await shown.until(lambda: slate_of(shown.app).done == ["room"])


async def test_keys_and_the_wheel_scroll_a_long_help(shown):
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


async def test_f10_ends_the_program_from_the_help(shown):
    shown.press("f1")
    await shown.until("Help")
    assert "F10 quit" in rows(shown)[-1]
    shown.press("f10")
    await shown.ended()


# Questions.


@pytest.mark.parametrize(
    ("keys", "answer"),
    [(["enter"], "left"), (["escape"], "left"), (["down", "down", "enter"], "burnt")],
)
async def test_enter_gives_the_selected_answer_and_esc_the_harmless_one(shown, keys, answer):
    given = ask(shown.app)
    await shown.until("► Leave it")
    assert "Nothing happens." in shown.text()
    assert " ".join(rows(shown)[-1].split()) == "Enter do it ↑↓ choose Esc leave it F10 quit"
    shown.press(*keys)
    await shown.until(lambda: given == [answer])
    await shown.until(lambda: "Burn the board?" not in shown.text())


async def test_a_question_lies_over_the_help_and_has_the_keys(shown):
    shown.press("f1")
    await shown.until("this help")
    given = ask(shown.app)
    await shown.until("► Leave it")
    shown.press("escape")
    await shown.until(lambda: given == ["left"])
    await shown.until("Esc close")
    shown.press("escape")
    await shown.until(lambda: not shown.app.has_overlay)


async def test_a_click_gives_an_answer(shown):
    given = ask(shown.app)
    await shown.until("Burn it")
    shown.click(*find(shown, "no other one"))
    await shown.until(lambda: given == ["burnt"])


async def test_other_keys_and_the_pointer_do_not_answer_a_question(shown):
    given = ask(shown.app)
    await shown.until("Burn the board?")
    shown.type("\x1b[<35;10;10M")  # the pointer moves, with no button
    shown.press("y", "left", "f1", "f2", "space", "up", "enter")
    await shown.until(lambda: given == ["left"])
    assert slate_of(shown.app).done == []
    assert shown.app.find_overlay(Help) is None


async def test_an_obsolete_question_disappears(shown):
    open_still = True
    shown.app.ask(Card("Wait?", Answer("Wait", "On.", lambda: None), when=lambda: open_still))
    await shown.until("Wait?")
    open_still = False
    shown.app.redraw()
    await shown.until(lambda: "Wait?" not in shown.text())
    shown.press("left")
    await shown.until(lambda: slate_of(shown.app).done == ["left"])


@pytest.mark.parametrize("key", END_KEYS)
async def test_the_end_keys_work_over_a_question(shown, key):
    slate, given = slate_of(shown.app), ask(shown.app)
    await shown.until("Burn the board?")
    assert shown.app.shows(slate)
    shown.press(key)
    await shown.ended()
    assert given == []
    assert not shown.app.shows(slate)


# The mouse.


@pytest.mark.parametrize("over", ["a line", "a question", "the help"])
async def test_clicks_do_not_reach_the_screen_below_an_overlay(shown, over):
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
