import pytest

from kit.screen.slate import Slate, ask, ask_name, rows, slate_of
from kit.screen.stage import Stage, stage
from mastermind_client.screen.toolkit.help import Help
from mastermind_client.screen.toolkit.lines import text
from mastermind_client.screen.window import SMALLEST_WINDOW


async def test_too_many_lines_do_not_hide_the_hints():
    async with stage(60, 20, opening=Slate) as shown:
        slate_of(shown.app).lines = [text("x" * 200)] * 50
        shown.app.redraw()
        await shown.until("x" * 60)
        assert rows(shown)[17] == "x" * 60
        assert "? help" in rows(shown)[-1]
        assert len(rows(shown)) == 20


@pytest.mark.parametrize(("columns", "lines"), [(59, 20), (60, 19), (1, 1)])
async def test_a_window_that_is_too_small_shows_the_needed_size(columns, lines):
    async with stage(opening=Slate) as shown:
        shown.resize(columns, lines)
        await shown.until(lambda: "This is the slate." not in shown.text())
        assert "60 x 20 needed"[:columns].split()[0] in shown.text()
        shown.resize(60, 20)
        await shown.until("This is the slate.")


async def force_redraw(shown: Stage) -> None:
    """Press a key that works everywhere, and wait for its effect, after all earlier input."""
    written = len(shown.glass.written)
    shown.press("c-l")
    await shown.until(lambda: len(shown.glass.written) > written)


async def test_a_window_that_is_too_small_accepts_only_the_end_keys(shown):
    slate = slate_of(shown.app)
    shown.resize(40, 10)
    await shown.until("A little more room")

    shown.press("left", "enter", "x", "f1")
    shown.type("\x1b[200~1122\x1b[201~")
    shown.wheel(1)
    shown.press("escape")
    await force_redraw(shown)
    shown.resize(80, 24)
    await shown.until("This is the slate.")
    shown.press("left")

    await shown.until(lambda: slate.done == ["left"])
    assert slate.scrolled == []
    assert shown.app.find_overlay(Help) is None

    shown.resize(40, 10)
    await shown.until("A little more room")
    shown.press("c-c")
    await shown.ended()


async def test_a_window_that_is_too_small_accepts_no_text(shown):
    taken: list[str] = []
    ask_name(shown.app, taken, begin="Al")
    shown.resize(59, 20)
    await shown.until("A little more room")
    shown.press("i", "c", "e", "enter", "backspace", "escape")
    await force_redraw(shown)
    shown.resize(80, 24)
    await shown.until("This is the slate.")

    shown.press("enter")

    await shown.until(lambda: taken == ["Al"])


async def test_a_visible_question_can_be_answered_in_a_small_window(shown):
    given = ask(shown.app)
    shown.resize(40, 10)
    await shown.until("► Leave it")
    shown.press("down")
    await shown.until("► Burn it")
    shown.press("enter")
    await shown.until(lambda: given == ["burnt"])


async def test_a_hidden_question_cannot_be_answered(shown):
    given = ask(shown.app)
    shown.resize(20, 3)
    await shown.until("60 x 20 needed")
    shown.press("down", "enter", "escape")
    await force_redraw(shown)
    shown.resize(80, 24)
    await shown.until("► Leave it")
    assert given == []

    shown.press("down", "enter")

    await shown.until(lambda: given == ["burnt"])


async def test_the_smallest_window_has_room_for_a_prompt():
    async with stage(*SMALLEST_WINDOW, opening=Slate) as shown:
        ask_name(shown.app, [])
        await shown.until("Name:")
        assert "This is the slate." in shown.text()
        assert slate_of(shown.app).extents[-1] == (60, 18)
        shown.resize(60, 19)
        await shown.until("60 x 19")
