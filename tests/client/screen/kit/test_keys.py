import pytest

from kit.screen.slate import slate_of
from kit.screen.stage import Stage
from mastermind_client.language import LANGUAGES, use_language
from mastermind_client.screen.kit.keys import NAMES, Key, describe_keys, hint_keys, name_key
from mastermind_client.screen.look.glyphs import UNICODE

PASTE = "\x1b[200~{}\x1b[201~"


async def see(shown: Stage, *done: str) -> None:
    """Wait until the keys of the slate have done just this."""
    slate = slate_of(shown.app)
    await shown.until(lambda: len(slate.done) >= len(done))
    assert slate.done == list(done)


async def test_every_key_of_an_entry_does_what_the_entry_says(shown):
    shown.press("left", "home", "space", "f2", "c-u", "enter")

    await see(shown, "left", "left", "room", "cleared", "cleared", "sent")


async def test_what_is_typed_goes_to_the_entry_for_typing_letter_by_letter(shown):
    shown.type("aŁ名")

    await see(shown, "typed a", "typed Ł", "typed 名")


async def test_keys_that_type_nothing_are_not_typed(shown):
    shown.press("f3", "c-g", "insert", "tab", "s-left", "x")

    await see(shown, "typed x")


async def test_what_is_pasted_is_given_at_once(shown):
    shown.type(PASTE.format("11 22\x1b[31m") + "x")

    await see(shown, "pasted 11 22\x1b[31m", "typed x")


async def test_a_key_does_nothing_while_its_condition_does_not_hold(shown):
    slate_of(shown.app).allowed = False
    shown.press("enter", "x", "left")
    shown.type(PASTE.format("1122"))
    shown.press("space")
    await see(shown, "left", "room")

    slate_of(shown.app).allowed = True
    shown.press("enter", "x")
    await see(shown, "left", "room", "sent", "typed x")


async def test_a_key_is_explained_while_its_condition_holds(shown):
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
    assert [hint[:2] for hint in hint_keys(table, UNICODE)] == [
        ("←", "left"),
        ("Enter", "send"),
        ("letters", "write"),
        ("Esc", "back"),
    ]

    slate_of(shown.app).allowed = False
    assert describe_keys(table) == [*always, back]
    assert [hint[:2] for hint in hint_keys(table, UNICODE)] == [("←", "left"), ("Esc", "back")]


@pytest.mark.parametrize(
    ("key", "printed"),
    [("f1", "F1"), ("c-l", "Ctrl-L"), ("pageup", "PageUp"), ("?", "?"), ("=", "="), ("y", "y")],
)
def test_keys_are_called_what_is_printed_on_them(key, printed):
    assert name_key(key) == printed


def test_a_key_is_labelled_by_all_its_keys():
    assert Key(("?", "f1"), "help", lambda: None).label == "? F1"


def test_a_hint_can_name_all_the_keys_that_belong_together():
    key = Key(("down",), "one row down", lambda: None, short="choose", hinted=("up", "down"))
    assert hint_keys([key], UNICODE)[0][:2] == ("↑↓", "choose")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_keys_are_called_the_same_in_any_language(language):
    use_language(language)

    names = [name_key(key) for key in NAMES]

    assert len(set(names)) == len(names)
    assert all(name.isprintable() and name for name in names)
