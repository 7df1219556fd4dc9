import asyncio

import pytest
from prompt_toolkit.input import DummyInput, create_pipe_input
from prompt_toolkit.input.ansi_escape_sequences import REVERSE_ANSI_SEQUENCES
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import DummyOutput

from kit.people import sit_down
from kit.players import identities
from kit.screen.stage import PATIENCE_SECONDS, Stage, stage
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import (
    OFFLINE,
    JoinOptions,
    MatchOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.config.settings import Settings
from mastermind_client.language import is_current_language, use_language
from mastermind_client.screen import fullscreen
from mastermind_client.screen.app import App
from mastermind_client.screen.pages.list_page import (
    ArchiveScreen,
    FindOpponentScreen,
    RunningMatchesScreen,
)
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.pages.matches.watching import ReplayScreen
from mastermind_client.screen.screen import Screen
from mastermind_protocol.requests import AnyRequest, Join
from mastermind_protocol.rules import PRESETS


class Blank(DummyOutput):
    """A terminal that shows nothing, and tells when it is given back."""

    def __init__(self) -> None:
        self.restored = asyncio.Event()

    def quit_alternate_screen(self) -> None:
        self.restored.set()


async def test_the_farewell_is_printed_on_the_terminal(relay, ada, capsys):
    mirror = await ada.session.open("classic", maker="me", breaker="open")
    lost = asyncio.Event()

    def lose_line(_request: AnyRequest) -> None:
        relay.hold()
        relay.cut()
        lost.set()

    relay.answer(Join, lose_line)
    options, screen = JoinOptions(mirror.code, relay.address), Blank()
    with create_pipe_input() as keyboard:
        playing = fullscreen.run(
            make_context(), options, Settings(name="Ada"), (), keyboard, screen
        )
        running = asyncio.create_task(playing)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await lost.wait()
            keyboard.send_text(REVERSE_ANSI_SEQUENCES[Keys.F10])
            await screen.restored.wait()
            relay.release()
            await running
    assert f"mastermind continue {mirror.code}\n" in capsys.readouterr().out


async def test_the_system_language_can_be_restored(monkeypatch):
    class ChangesItsMind(App):
        async def run(self) -> None:
            self.change_settings(language="")

    for variable, value in {"LANGUAGE": "", "LC_ALL": "", "LANG": "en_GB.UTF-8"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(fullscreen, "App", ChangesItsMind)
    context = make_context()
    use_language("pl")  # as the settings have it: the command does so before anything else
    await fullscreen.run(
        context, None, Settings(language="pl"), (), DummyInput(), target=DummyOutput()
    )
    assert is_current_language("en")


async def test_the_list_for_review_has_the_copies_of_matches_at_a_closed_game(monkeypatch):
    closed, found = "ws://localhost:1", []

    class Opens(App):
        async def run(self) -> None:
            assert isinstance(self.screen, ArchiveScreen)
            found.append(self.screen.address)

    with identities().claim(closed) as identity:
        identity.store_token("T" * 43)
        identity.set_player("", "Ada")
    monkeypatch.setattr(fullscreen, "App", Opens)
    options, target = ReviewOptions(None, closed), DummyOutput()
    await fullscreen.run(make_context(), options, Settings(), (), DummyInput(), target=target)
    assert found == [OFFLINE]


async def open_options(shown: Stage, options: MatchOptions, kind: type[Screen]) -> None:
    """Begin, and wait for a kind of screen."""
    shown.app.go(options)
    await shown.wait_for_screen(kind)


async def test_a_finished_match_opens_the_review(server, ada, bob):
    mirror, theirs = await sit_down(ada, bob)
    await ada.set(mirror, "1122")
    await bob.guess(theirs, "1122")
    async with stage() as shown:
        await open_options(shown, ReviewOptions(mirror.code, server.address), ReplayScreen)


async def test_a_running_match_opens_the_spectator_page(server, ada, bob):
    mirror, _theirs = await sit_down(ada, bob)
    async with stage() as shown:
        await open_options(shown, ReviewOptions(mirror.code, server.address), MatchScreen)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (JoinOptions(None, "ws://localhost:1"), FindOpponentScreen),
        (WatchOptions("ws://localhost:1"), RunningMatchesScreen),
        (ReviewOptions(None, "ws://localhost:1"), ArchiveScreen),
    ],
)
async def test_options_without_a_code_open_a_list(options, kind):
    async with stage() as shown:
        await open_options(shown, options, kind)
        await shown.until("localhost:1")


async def test_options_of_the_command_line_are_not_saved():
    async with stage() as shown:
        await open_options(shown, PlayOptions(PRESETS["mini"], "easy"), MatchScreen)
        assert (shown.app.settings.rules, shown.app.settings.opponent) == ("classic", "hard")


async def test_a_second_ctrl_c_does_not_prevent_the_command_that_resumes(capsys, monkeypatch):
    async def be_interrupted(app: App) -> None:
        app.farewell = ["Saved for later"]
        raise asyncio.CancelledError

    monkeypatch.setattr(App, "run", be_interrupted)
    with pytest.raises(asyncio.CancelledError):
        await fullscreen.run(make_context(), None, Settings(), (), DummyInput(), DummyOutput())
    assert capsys.readouterr().out == "Saved for later\n"
