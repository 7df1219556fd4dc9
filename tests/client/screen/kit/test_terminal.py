import asyncio
from base64 import b64encode

import pytest

from kit.screen.slate import Slate, slate_of
from kit.screen.stage import Glass, Stage, stage
from kit.terminal import CellScreen
from mastermind_client.config.settings import Settings
from mastermind_client.screen.app import TITLE, App
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import Extent, Line, text
from mastermind_client.screen.screen import STAGE_COLUMNS

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
    assert written.rindex("\x1b]2;\x07") > written.rindex(f"\x1b]2;{TITLE}\x07")
    assert "ENTER" not in written
    assert "Traceback" not in written


async def test_the_terminal_is_restored_in_the_end(shown):
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


def fail_in_a_callback(_shown: Stage) -> None:
    asyncio.get_running_loop().call_soon(break_now)


def fail_in_a_key(shown: Stage) -> None:
    slate_of(shown.app).keys = (Key(("x",), "break it", break_now),)
    shown.press("x")


def fail_in_drawing(shown: Stage) -> None:
    def draw(extent: Extent) -> list[Line]:
        raise Broken(f"on purpose, at {extent}")

    slate_of(shown.app).draw = draw  # type: ignore[method-assign]
    shown.app.redraw()


@pytest.mark.parametrize(
    "cause", [fail_in_a_task, fail_in_a_callback, fail_in_a_key, fail_in_drawing]
)
async def test_a_failure_ends_the_program_with_it(shown, cause):
    cause(shown)

    await fail(shown)


@pytest.mark.parametrize("hook", ["on_close", "on_show"])
async def test_a_failure_of_a_screen_ends_the_program_with_it(shown, hook):
    above = Slate(shown.app, "other slate")
    shown.app.open(above)
    await shown.until("This is the other slate.")
    if hook == "on_close":
        above.on_close = raise_broken  # type: ignore[method-assign]
    else:
        shown.app._screens[0].on_show = break_now
    shown.press("escape")

    await fail(shown)


async def test_a_failure_in_the_first_drawing_ends_the_program_with_it():
    class Undrawn(Slate):
        def draw(self, extent: Extent) -> list[Line]:
            raise Broken(f"on purpose, at {extent}")

    glass = Glass(CellScreen(80, 24))
    with pytest.raises(Broken, match="on purpose"):
        async with stage(opening=Undrawn, glass=glass):
            pass
    assert_restored(glass.written)


async def test_the_first_failure_is_told_and_not_what_follows_from_it(shown):
    async def fail_too() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise LookupError("the second one")

    shown.app.spawn(fail_too())
    await shown.until("This is the slate.")
    shown.app.spawn(raise_broken())

    await fail(shown)


async def test_a_failure_at_the_very_end_is_told_too(shown):
    slate_of(shown.app).on_close = raise_broken  # type: ignore[method-assign]
    shown.press("c-q")

    await fail(shown)


async def test_the_loop_is_left_as_it_was_found():
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()

    async with stage(opening=Slate):
        assert loop.get_exception_handler() is not before

    assert loop.get_exception_handler() is before


async def test_what_was_on_the_terminal_before_is_left_as_it_was():
    def begin(app: App) -> Slate:
        app.change(rules="mini")  # which is kept in a file before anything is drawn
        return Slate(app)

    async with stage(opening=begin) as shown:
        await shown.until("This is the slate.")
        before = shown.glass.written.partition(ALTERNATE)[0]

    assert "\x1b[2J" not in before
    assert "\x1b[J" not in before


# Drawing.


async def test_a_click_does_what_belongs_to_the_text_under_it_and_nothing_beside_it(shown):
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


async def test_only_letting_go_of_the_left_button_is_a_click(shown):
    slate = slate_of(shown.app)
    slate.lines = [[("", "red", slate.note("red"))]]
    shown.app.redraw()
    await shown.until("red")

    shown.type("\x1b[<0;1;1M")  # pressed
    shown.type("\x1b[<2;1;1M\x1b[<2;1;1m")  # the right one
    shown.press("left")

    await shown.until(lambda: slate.done == ["left"])


@pytest.mark.parametrize(("column", "row"), [(0, 0), (70, 0), (79, 20)])
async def test_the_wheel_scrolls_wherever_it_is_turned(shown, column, row):
    slate = slate_of(shown.app)
    slate.lines = [[("", "red", slate.note("red"))]]
    shown.wheel(-1, column, row)
    shown.wheel(1, column, row)

    await shown.until(lambda: slate.scrolled == [-1, 1])
    assert slate.done == []


async def test_a_burst_of_events_is_one_painting(shown):
    application = shown.terminal.application
    await shown.until(lambda: not application.invalidated)
    before = application.render_counter

    for _event in range(100):
        shown.app.redraw()
    await shown.until(lambda: application.render_counter > before)
    await shown.until(lambda: not application.invalidated)

    assert application.render_counter == before + 1


async def test_everything_is_painted_at_the_new_size(shown):
    for columns, rows in ((120, 40), (60, 20), (300, 100)):
        shown.resize(columns, rows)
        await shown.until(lambda: "? help" in shown.text().split("\n")[-1])
        assert len(shown.text().split("\n")) == rows
        assert slate_of(shown.app).extents[-1] == (min(columns, STAGE_COLUMNS), rows - 2)


# Other features of the terminal.


async def test_the_bell_rings_and_the_title_tells(shown):
    before = shown.glass.written.count(BELL)  # as the end of other commands
    shown.app.set_title("Your turn", ring=True)

    assert "\x1b]2;Your turn\x07" in shown.glass.written
    assert shown.glass.written.count(BELL) == before + 2


@pytest.mark.parametrize(
    ("settings", "ring", "told"),
    [
        (Settings(bell=False), True, "\x1b]2;Your turn\x07"),
        (Settings(title=False), True, BELL),
        (Settings(), False, "\x1b]2;Your turn\x07"),
        (Settings(bell=False, title=False), True, ""),
    ],
)
async def test_bell_and_title_are_settings(settings, ring, told):
    async with stage(opening=Slate, settings=settings) as shown:
        await shown.until("This is the slate.")
        before = shown.glass.written

        shown.app.set_title("Your turn", ring=ring)

        assert shown.glass.written.removeprefix(before) == told


async def test_what_others_are_called_cannot_break_out_of_the_title(shown):
    shown.app.set_title("a\x1b]2;evil\x07b")

    assert "\x1b]2;evil" not in shown.glass.written


async def test_a_title_is_left_alone_where_that_is_set():
    async with stage(opening=Slate, settings=Settings(title=False)) as shown:
        pass

    assert "\x1b]2;" not in shown.glass.written


async def test_a_text_is_put_into_the_clipboard(shown):
    shown.terminal.copy("7KQ2MX ł")

    assert f"\x1b]52;c;{b64encode('7KQ2MX ł'.encode()).decode()}\x07" in shown.glass.written


async def test_ending_twice_is_ending_once(shown):
    shown.terminal.exit()
    shown.terminal.exit()
    await shown.ended()
    shown.terminal.exit()
