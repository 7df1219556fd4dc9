import asyncio
import errno

import pytest

from kit.screen.slate import Slate, open_another, slate_of
from kit.screen.stage import ENVIRON, Glass, Stage, stage
from kit.terminal import CellScreen
from mastermind_client.config.settings import Settings
from mastermind_client.screen.app import TITLE, App
from mastermind_client.screen.screen import STAGE_COLUMNS
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, Line, text
from mastermind_client.screen.toolkit.terminal import RESTORE_TITLE, SAVE_TITLE

ALTERNATE, NORMAL = "\x1b[?1049h", "\x1b[?1049l"
BELL = "\a"


class Broken(RuntimeError):
    pass


def assert_restored(written: str) -> None:
    """The terminal is as it was: its own screen, its cursor, its mouse, its title."""
    for on, off in (
        (ALTERNATE, NORMAL),
        ("\x1b[?1000h", "\x1b[?1000l"),
        ("\x1b[?25l", "\x1b[?25h"),
    ):
        assert written.rfind(off) >= written.rfind(on)  # both -1 if nothing asked for a size
    assert written.count(SAVE_TITLE) == written.count(RESTORE_TITLE) == 1
    assert written.index(SAVE_TITLE) < written.index(f"\x1b]2;{TITLE}\x07")
    assert written.index(RESTORE_TITLE) > written.rindex(f"\x1b]2;{TITLE}\x07")
    assert "ENTER" not in written
    assert "Traceback" not in written


async def test_the_terminal_is_restored_at_the_end(shown):
    shown.press("c-q")
    await shown.ended()
    assert_restored(shown.glass.written)


async def fail(shown: Stage) -> None:
    """Wait until an action of the test has made the program fail."""
    assert shown.running is not None
    with pytest.raises(Broken, match="on purpose"):
        await shown.ended()
    shown.running = None
    assert_restored(shown.glass.written)


async def raise_broken() -> None:
    raise Broken("on purpose")


def break_now() -> None:
    raise Broken("on purpose")


def fail_in_a_task(shown: Stage) -> None:
    shown.app.spawn(raise_broken(), "Trying ...")


def fail_in_a_timer(shown: Stage) -> None:
    shown.app.clock.call_later(0.0, break_now)


def fail_in_a_key(shown: Stage) -> None:
    slate_of(shown.app).keys = (Key(("x",), "break it", break_now),)
    shown.press("x")


def fail_in_drawing(shown: Stage) -> None:
    def draw(extent: Extent) -> list[Line]:
        raise Broken(f"on purpose, at {extent}")

    slate_of(shown.app).draw = draw  # type: ignore[method-assign]
    shown.app.redraw()


def fail_in_closing(shown: Stage) -> None:
    open_another(shown.app).on_close = raise_broken  # type: ignore[method-assign]
    shown.press("escape")


def fail_in_showing(shown: Stage) -> None:
    below = slate_of(shown.app)
    open_another(shown.app)
    below.on_show = break_now  # type: ignore[method-assign]
    shown.press("escape")


def fail_at_the_end(shown: Stage) -> None:
    slate_of(shown.app).on_close = raise_broken  # type: ignore[method-assign]
    shown.press("c-q")


@pytest.mark.parametrize(
    "cause",
    [
        fail_in_a_task, fail_in_a_timer, fail_in_a_key, fail_in_drawing,
        fail_in_closing, fail_in_showing, fail_at_the_end,
    ],
)  # fmt: skip
async def test_a_failure_ends_the_program_and_is_raised(shown, cause):
    cause(shown)
    await fail(shown)


async def test_a_failure_in_the_first_drawing_is_raised():
    class Undrawn(Slate):
        def draw(self, extent: Extent) -> list[Line]:
            raise Broken(f"on purpose, at {extent}")

    glass = Glass(CellScreen(80, 24))
    with pytest.raises(Broken, match="on purpose"):
        async with stage(opening=Undrawn, glass=glass):
            pass
    assert_restored(glass.written)


async def test_the_first_of_several_failures_is_raised_and_the_others_are_reported(shown):
    async def fail_too() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise LookupError("the second one")

    shown.app.spawn(fail_too())
    await shown.until("This is the slate.")
    shown.app.spawn(raise_broken())

    await fail(shown)
    assert [str(error) for error in shown.reported] == ["the second one"]


async def test_a_lost_terminal_is_one_failure_however_often_it_is_written_to(shown):
    await shown.until("This is the slate.")
    for _drawing in range(2):
        shown.app.terminal.fail(OSError(errno.EIO, "Input/output error"))
    assert shown.running is not None
    with pytest.raises(OSError, match="Input/output error"):
        await shown.ended()
    shown.running = None
    assert shown.reported == []


async def test_a_failure_ends_one_of_several_apps():
    async with stage(opening=Slate) as first, stage(opening=Slate) as second:
        fail_in_drawing(first)
        await fail(first)
        second.press("x")
        await second.until(lambda: slate_of(second.app).done == ["typed x"])
        assert asyncio.get_running_loop().get_exception_handler() is None


async def test_the_normal_screen_is_not_cleared():
    def begin(app: App) -> Slate:
        app.change_settings(rules="mini")  # which is kept in a file before anything is drawn
        return Slate(app)

    async with stage(opening=begin) as shown:
        await shown.until("This is the slate.")
        before = shown.glass.written.partition(ALTERNATE)[0]

    assert "\x1b[2J" not in before
    assert "\x1b[J" not in before


# Drawing.


async def test_a_click_acts_only_on_the_text_under_it(shown):
    slate = slate_of(shown.app)
    slate.lines = [
        text("title"),
        [
            ("", "名e\u0301 "),  # four columns
            ("", "red", slate.note("red")),
            ("", " "),
            ("", "green", slate.note("green")),
        ],
    ]
    shown.app.redraw()
    await shown.until("green")

    for column in (3, 7, 13, 70):
        shown.click(column, 1)
    for column in (4, 6, 8, 12):
        shown.click(column, 1)
    shown.click(4, 0)
    shown.click(4, 2)

    await shown.until(lambda: slate.done == ["red", "red", "green", "green"])


async def test_a_burst_of_redraws_is_painted_once(shown):
    application = shown.terminal.application
    await shown.until(lambda: not application.invalidated)
    before = application.render_counter
    for _event in range(100):
        shown.app.redraw()
    await shown.until(lambda: application.render_counter > before)
    await shown.until(lambda: not application.invalidated)
    assert application.render_counter == before + 1


async def test_a_resize_repaints_the_screen(shown):
    for columns, rows in ((120, 40), (60, 20), (300, 100)):
        shown.resize(columns, rows)
        await shown.until(lambda: "? help" in shown.text().split("\n")[-1])
        assert len(shown.text().split("\n")) == rows
        assert slate_of(shown.app).extents[-1] == (min(columns, STAGE_COLUMNS), rows - 2)


# Other features of the terminal.


@pytest.mark.parametrize(
    ("settings", "ring", "told"),
    [
        (Settings(bell=False), True, "\x1b]2;Your turn\x07"),
        (Settings(title=False), True, BELL),
        (Settings(), False, "\x1b]2;Your turn\x07"),
        (Settings(bell=False, title=False), True, ""),
    ],
)
async def test_the_settings_decide_bell_and_title(settings, ring, told):
    async with stage(opening=Slate, settings=settings) as shown:
        await shown.until("This is the slate.")
        before = shown.glass.written
        shown.app.set_title("Your turn", ring=ring)
        assert shown.glass.written.removeprefix(before) == told


@pytest.mark.parametrize(("term", "sent"), [("xterm-256color", True), ("vt100", False)])
async def test_only_a_terminal_like_xterm_has_a_title_a_clipboard_and_a_mouse(term, sent):
    async with stage(opening=Slate, environ={**ENVIRON, "TERM": term}) as shown:
        shown.terminal.copy("1122")
    for sequence in (SAVE_TITLE, "\x1b]2;", "\x1b]52;", "\x1b[?1000h", RESTORE_TITLE):
        assert (sequence in shown.glass.written) is sent


async def test_without_the_setting_the_title_stays():
    async with stage(opening=Slate, settings=Settings(title=False)) as shown:
        pass
    assert SAVE_TITLE not in shown.glass.written
    assert RESTORE_TITLE not in shown.glass.written


async def test_control_characters_are_removed_from_the_title(shown):
    shown.app.set_title("a\x1b]2;evil\x07b")
    assert "\x1b]2;evil" not in shown.glass.written


async def test_copy_sends_the_text_to_the_clipboard(shown):
    shown.terminal.copy("7KQ2MX ł")
    assert shown.copied() == ["7KQ2MX ł"]


async def test_exit_can_be_called_again(shown):
    shown.terminal.exit()
    shown.terminal.exit()
    await shown.ended()
    shown.terminal.exit()
