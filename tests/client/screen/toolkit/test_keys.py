import pytest

from kit.clock import ManualClock
from kit.screen.seats import find
from kit.screen.slate import Slate, slate_of
from kit.screen.stage import ENVIRON, Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.keys import (
    KEY_NAMES,
    Key,
    describe_keys,
    list_key_hints,
    name_key,
)
from mastermind_client.tty.sequences import UNFINISHED_SECONDS

PASTE = "\x1b[200~{}\x1b[201~"


async def see(shown: Stage, *done: str) -> None:
    """Wait until the keys of the slate have done just this."""
    slate = slate_of(shown.app)
    await shown.until(lambda: len(slate.done) >= len(done))
    assert slate.done == list(done)


async def test_every_key_of_an_entry_calls_its_action(shown):
    shown.press("left", "home", "space", "f2", "c-u", "enter")
    await see(shown, "left", "left", "room", "cleared", "cleared", "sent")


async def test_typed_characters_reach_the_typing_entry_one_by_one(shown):
    shown.type("aŁ名")
    await see(shown, "typed a", "typed Ł", "typed 名")


async def test_keys_without_a_character_are_not_typed(shown):
    shown.press("f3", "c-g", "insert", "tab", "s-left", "x")
    await see(shown, "typed x")


async def test_pasted_text_arrives_in_one_piece(shown):
    shown.type(PASTE.format("11 22\x1b[31m") + "x")
    await see(shown, "pasted 11 22\x1b[31m", "typed x")


async def test_the_line_ends_of_pasted_text_are_line_feeds(shown):
    shown.type(PASTE.format("11\r22\r\n33\n"))  # terminals send carriage returns
    await see(shown, "pasted 11\n22\n33\n")


async def test_keys_work_again_a_second_after_the_last_input_of_a_paste_without_end():
    clock = ManualClock()
    async with stage(opening=Slate, clock=clock) as shown:
        shown.type(PASTE.partition("{")[0] + "1122")
        timer = await clock.until(lambda timer: timer.seconds == UNFINISHED_SECONDS)
        shown.press("c-c", "f2")
        await shown.until(lambda: timer.cancelled())
        clock.skip(UNFINISHED_SECONDS)
        await see(shown, "pasted 1122\x03\x1bOQ")
        shown.press("f2")
        await see(shown, "pasted 1122\x03\x1bOQ", "cleared")
        shown.press("c-c")
        await shown.ended()


async def test_a_key_is_ignored_while_its_condition_is_false(shown):
    slate_of(shown.app).allowed = False
    shown.press("enter", "x", "left")
    shown.type(PASTE.format("1122"))
    shown.press("space")
    await see(shown, "left", "room")
    slate_of(shown.app).allowed = True
    shown.press("enter", "x")
    await see(shown, "left", "room", "sent", "typed x")


async def test_a_key_is_described_while_its_condition_is_true(shown):
    table = slate_of(shown.app).keys
    always = [("Left Home", "go to the left"), ("Space", "make room"), ("F2 Ctrl-U", "clear all")]
    back = ("Esc", "go back")

    assert describe_keys(table) == [
        *always[:2],
        ("Enter", "send it"),
        always[2],
        ("letters", "write them"),
        back,
    ]
    assert [hint[:2] for hint in list_key_hints(table, UNICODE)] == [
        ("←", "left"),
        ("Enter", "send"),
        ("letters", "write"),
        ("Esc", "back"),
    ]

    slate_of(shown.app).allowed = False
    assert describe_keys(table) == [*always, back]
    assert [hint[:2] for hint in list_key_hints(table, UNICODE)] == [("←", "left"), ("Esc", "back")]


@pytest.mark.parametrize(
    ("key", "printed"),
    [("f1", "F1"), ("c-l", "Ctrl-L"), ("pageup", "PageUp"), ("?", "?"), ("=", "="), ("y", "y")],
)
def test_keys_have_the_names_on_the_keyboard(key, printed):
    assert name_key(key) == printed


def test_a_label_has_all_keys_of_the_entry():
    assert Key(("?", "f1"), "help", lambda: None).label == "? F1"


def test_a_hint_can_name_a_group_of_keys():
    key = Key(("down",), "one row down", lambda: None, short="choose", hinted=("up", "down"))
    assert list_key_hints([key], UNICODE)[0][:2] == ("↑↓", "choose")


@pytest.mark.parametrize("language", LANGUAGES)
def test_key_names_are_unique_in_every_language(language):
    use_language(language)
    names = [name_key(key) for key in KEY_NAMES]
    assert len(set(names)) == len(names)
    assert all(name.isprintable() and name for name in names)


CLICKS, MOVEMENTS = "\x1b[?1000{}", "\x1b[?1003{}"


async def test_sequences_without_a_key_are_ignored():
    """In this order: focus, a colour, features, Alt with keys, and mouse reports."""
    async with stage() as shown:
        await shown.until("Play a bot")
        shown.type("\x1b[O\x1b[I\x1b]11;rgb:0/0/0\x1b\\\x1b[?62;4c\x1b[1;3A\x1b\x1b[A\x1b\r")
        shown.type("\x1b[1;31M\x1b[<1;2;3;4M\x1b[M\x7f!!\x1b[<99;1;1M\x1b[<0;-1;1M\x1b[97;5u")
        shown.press("?")
        await shown.until("─ Help ─")
        shown.press("escape")
        await shown.until(lambda: "─ Help ─" not in shown.text())
        shown.click(*find(shown, "Settings"))
        await shown.until("Palette")


async def test_the_app_enables_click_reports_and_no_motion_reports():
    async with stage(opening=Slate) as shown:
        assert CLICKS.format("h") in shown.glass.written
        assert MOVEMENTS.format("h") not in shown.glass.written
    assert shown.glass.written.rindex(CLICKS.format("l")) > shown.glass.written.rindex(
        CLICKS.format("h")
    )


async def test_mouse_reports_are_off_by_setting_and_over_ssh():
    far = {**ENVIRON, "SSH_CONNECTION": "::1 1 ::1 22"}
    async with stage(opening=Slate, settings=Settings(mouse="off")) as off:
        pass
    async with stage(opening=Slate, environ=far) as away:
        pass
    assert CLICKS.format("h") not in off.glass.written + away.glass.written


async def test_f5_toggles_the_mouse():
    async with stage(opening=Slate) as shown:
        shown.press("f5")
        await shown.until("The mouse selects text again.")
        assert shown.glass.written.count(CLICKS.format("l")) == 1
        shown.press("f5")
        await shown.until("The mouse plays.")
        assert shown.glass.written.count(CLICKS.format("h")) == 2


async def test_the_mouse_setting_applies_at_once():
    async with stage(opening=Slate) as shown:
        shown.app.change_settings(mouse="on")
        shown.app.change_settings(mouse="off")
        await shown.until(lambda: CLICKS.format("l") in shown.glass.written)
        shown.app.change_settings(mouse="on")
        await shown.until(lambda: shown.glass.written.count(CLICKS.format("h")) == 2)
