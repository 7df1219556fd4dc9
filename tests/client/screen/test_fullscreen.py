from __future__ import annotations

import asyncio
from base64 import b64encode
from typing import TYPE_CHECKING

import pyte
import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.ansi_escape_sequences import REVERSE_ANSI_SEQUENCES
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import DummyOutput

from client.screen.slate import Slate, slate_of
from client.screen.stage import PATIENCE_SECONDS, Glass, stage
from mastermind_client.config.options import JoinOptions
from mastermind_client.config.settings import Settings
from mastermind_client.language import speaks, use_language
from mastermind_client.screen import fullscreen
from mastermind_client.screen.app import TITLE
from mastermind_client.screen.fullscreen import FullScreen
from mastermind_client.screen.kit.keys import Key
from mastermind_protocol.messages import Join

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from client.people import Person
    from client.relay import Relay
    from client.screen.stage import Stage
    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.lines import Extent, Line
    from mastermind_protocol.messages import AnyRequest

ALTERNATE, NORMAL = "\x1b[?1049h", "\x1b[?1049l"
BELL = "\a"


class Broken(RuntimeError):
    pass


@pytest.fixture
async def shown() -> AsyncIterator[Stage]:
    async with stage(opening=Slate) as shown:
        yield shown


def assert_restored(written: str) -> None:
    """The terminal is as it was: its own screen, its cursor, its mouse, its title."""
    for on, off in (
        (ALTERNATE, NORMAL),
        ("\x1b[?1000h", "\x1b[?1000l"),
        ("\x1b[?25l", "\x1b[?25h"),
    ):
        assert written.rfind(off) >= written.rfind(on)  # both -1 of what was never asked for
    assert written.rindex("\x1b]2;\x07") > written.rindex(f"\x1b]2;{TITLE}\x07")
    assert "ENTER" not in written
    assert "Traceback" not in written


async def test_the_terminal_is_restored_in_the_end(shown: Stage) -> None:
    shown.press("c-q")

    await shown.ended()

    assert_restored(shown.glass.written)


async def fail(shown: Stage) -> None:
    """Wait until the program has failed by what a test does."""
    assert shown.running is not None
    with pytest.raises(Broken, match="on purpose"):
        await shown.ended()
    shown.running = None
    assert_restored(shown.glass.written)


async def raise_broken() -> None:
    raise Broken("on purpose")


def break_now() -> None:
    raise Broken("on purpose")


async def test_a_failure_in_a_task_ends_the_program_with_it(shown: Stage) -> None:
    shown.app.run(raise_broken(), "Trying ...")

    await fail(shown)


async def test_a_failure_in_a_task_that_nobody_awaits_ends_the_program_with_it(
    shown: Stage,
) -> None:
    asyncio.get_running_loop().call_soon(break_now)

    await fail(shown)


async def test_a_failure_in_a_key_ends_the_program_with_it(shown: Stage) -> None:
    slate_of(shown.app).keys = (Key(("x",), "break it", break_now),)
    shown.press("x")

    await fail(shown)


@pytest.mark.parametrize("hook", ["part", "shown"])
async def test_a_failure_of_a_screen_ends_the_program_with_it(shown: Stage, hook: str) -> None:
    above = Slate(shown.app, "other slate")
    shown.app.open(above)
    await shown.until("This is the other slate.")
    if hook == "part":
        above.part = raise_broken  # type: ignore[method-assign]
    else:
        shown.app._screens[0].shown = break_now  # type: ignore[method-assign]
    shown.press("escape")

    await fail(shown)


async def test_a_failure_in_drawing_ends_the_program_with_it(shown: Stage) -> None:
    def draw(extent: Extent) -> list[Line]:
        raise Broken(f"on purpose, at {extent}")

    slate_of(shown.app).draw = draw  # type: ignore[method-assign]
    shown.app.redraw()

    await fail(shown)


async def test_a_failure_in_the_first_drawing_ends_the_program_with_it() -> None:
    class Undrawn(Slate):
        def draw(self, extent: Extent) -> list[Line]:
            raise Broken(f"on purpose, at {extent}")

    glass = Glass(pyte.Screen(80, 24))
    with pytest.raises(Broken, match="on purpose"):
        async with stage(opening=Undrawn, glass=glass):
            pass
    assert_restored(glass.written)


async def test_the_first_failure_is_told_and_not_what_follows_from_it(shown: Stage) -> None:
    async def fail_too() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise LookupError("the second one")

    shown.app.run(fail_too())
    await shown.until("This is the slate.")
    shown.app.run(raise_broken())

    await fail(shown)


async def test_a_failure_at_the_very_end_is_told_too(shown: Stage) -> None:
    slate_of(shown.app).part = raise_broken  # type: ignore[method-assign]
    shown.press("c-q")

    await fail(shown)


async def test_the_loop_is_left_as_it_was_found() -> None:
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()

    async with stage(opening=Slate):
        assert loop.get_exception_handler() is not before

    assert loop.get_exception_handler() is before


async def test_what_was_on_the_terminal_before_is_left_as_it_was() -> None:
    def begin(app: App) -> Slate:
        app.change(rules="mini")  # as what is asked for on the command line is remembered
        return Slate(app)

    async with stage(opening=begin) as shown:
        await shown.until("This is the slate.")
        before = shown.glass.written.partition(ALTERNATE)[0]

    assert "\x1b[2J" not in before
    assert "\x1b[J" not in before


async def test_what_is_to_be_known_afterwards_is_said_in_the_terminal(
    relay: Relay, ada: Person, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        fullscreen, "open_output", lambda: None
    )  # the session's: there is no terminal
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    lost = asyncio.Event()

    def lose_line(_request: AnyRequest) -> None:
        relay.hold()
        relay.cut()
        lost.set()

    relay.answer(Join, lose_line)
    options = JoinOptions(mirror.code, relay.address)
    with (
        create_pipe_input() as keyboard,
        create_app_session(input=keyboard, output=DummyOutput()) as session,
    ):
        running = asyncio.create_task(fullscreen.run(options, Settings(), ()))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await lost.wait()
            application = session.app
            assert application is not None
            keyboard.send_text(REVERSE_ANSI_SEQUENCES[Keys.F10])
            while application.is_running:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.005)
            relay.release()
            await running
    assert f"You have a seat in match {mirror.code}" in capsys.readouterr().out


# Drawing.


async def test_a_burst_of_events_is_one_painting(shown: Stage) -> None:
    canvas = shown.terminal.canvas
    await shown.until(lambda: not shown.terminal.application.invalidated)
    before = canvas.painted

    for _event in range(100):
        shown.app.redraw()
    await shown.until(lambda: canvas.painted > before)
    await shown.until(lambda: not shown.terminal.application.invalidated)

    assert canvas.painted == before + 1


async def test_everything_is_painted_at_the_new_size(shown: Stage) -> None:
    for columns, rows in ((120, 40), (60, 20), (300, 100)):
        shown.resize(columns, rows)
        await shown.until(lambda: "? help" in shown.text().split("\n")[-1])
        assert len(shown.text().split("\n")) == rows
        assert slate_of(shown.app).extents[-1] == (columns, rows - 2)


# The hands.


async def test_the_bell_rings_and_the_title_tells(shown: Stage) -> None:
    before = shown.glass.written.count(BELL)  # as the end of other commands
    shown.terminal.call("Your turn", ring=True)

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
async def test_bell_and_title_are_settings(settings: Settings, ring: bool, told: str) -> None:
    async with stage(opening=Slate, settings=settings) as shown:
        await shown.until("This is the slate.")
        before = shown.glass.written

        shown.terminal.call("Your turn", ring=ring)

        assert shown.glass.written.removeprefix(before) == told


async def test_what_others_are_called_cannot_break_out_of_the_title(shown: Stage) -> None:
    shown.terminal.call("a\x1b]2;evil\x07b", ring=False)

    assert "\x1b]2;evil" not in shown.glass.written


async def test_a_title_is_left_alone_where_that_is_set() -> None:
    async with stage(opening=Slate, settings=Settings(title=False)) as shown:
        pass

    assert "\x1b]2;" not in shown.glass.written


async def test_a_text_is_put_into_the_clipboard(shown: Stage) -> None:
    shown.terminal.copy("7KQ2MX ł")

    assert f"\x1b]52;c;{b64encode('7KQ2MX ł'.encode()).decode()}\x07" in shown.glass.written


async def test_ending_twice_is_ending_once(shown: Stage) -> None:
    shown.terminal.exit()
    shown.terminal.exit()
    await shown.ended()
    shown.terminal.exit()


async def test_the_language_of_the_system_can_be_chosen_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class ChangesItsMind(FullScreen):
        async def run(self) -> None:
            self.app.change(language="")

    for variable, value in {"LANGUAGE": "", "LC_ALL": "", "LANG": "en_GB.UTF-8"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(fullscreen, "FullScreen", ChangesItsMind)
    use_language("pl")  # as the settings have it: the command does so before anything else
    with create_pipe_input() as keyboard, create_app_session(keyboard, DummyOutput()):
        await fullscreen.run(None, Settings(language="pl"), ())
    assert speaks("en")
