import asyncio

from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.ansi_escape_sequences import REVERSE_ANSI_SEQUENCES
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import DummyOutput

from kit.screen.stage import PATIENCE_SECONDS
from mastermind_client.config.options import JoinOptions
from mastermind_client.config.settings import Settings
from mastermind_client.language import speaks, use_language
from mastermind_client.screen import fullscreen
from mastermind_client.screen.app import App
from mastermind_protocol.requests import AnyRequest, Join


async def test_the_farewell_is_printed_on_the_terminal(relay, ada, monkeypatch, capsys):
    monkeypatch.setattr(
        fullscreen, "open_output", lambda: None
    )  # the session's: a test has no terminal
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
        running = asyncio.create_task(fullscreen.run(options, Settings(name="Ada"), ()))
        async with asyncio.timeout(PATIENCE_SECONDS):
            await lost.wait()
            application = session.app
            assert application is not None
            keyboard.send_text(REVERSE_ANSI_SEQUENCES[Keys.F10])
            while application.is_running:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.005)
            relay.release()
            await running
    assert f"mastermind continue {mirror.code}\n" in capsys.readouterr().out


async def test_the_system_language_can_be_restored(monkeypatch):
    class ChangesItsMind(App):
        async def run(self) -> None:
            self.change(language="")

    for variable, value in {"LANGUAGE": "", "LC_ALL": "", "LANG": "en_GB.UTF-8"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(fullscreen, "App", ChangesItsMind)
    use_language("pl")  # as the settings have it: the command does so before anything else
    with create_pipe_input() as keyboard, create_app_session(keyboard, DummyOutput()):
        await fullscreen.run(None, Settings(language="pl"), ())
    assert speaks("en")
