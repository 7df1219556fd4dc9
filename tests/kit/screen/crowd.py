"""Many full-screen clients in one event loop, each with a context and a terminal of its own."""

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input

from kit.screen.stage import ENVIRON
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import MatchOptions
from mastermind_client.config.settings import Color, Settings
from mastermind_client.context import ClientContext
from mastermind_client.language import Language
from mastermind_client.screen import fullscreen
from mastermind_client.screen.toolkit.keys import MouseOutput

PATIENCE_SECONDS = 100.0  # many clients take turns on one processor, which may be busy


class Wire(io.StringIO):
    """The output of a terminal: it keeps what was written since the last `clear`.

    With a `failure`, writing raises it.
    """

    encoding = "utf-8"

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()
        self.failure: Exception | None = None

    def write(self, text: str) -> int:
        if self.failure is not None:
            raise self.failure
        self.changed.set()
        return super().write(text)

    def clear(self) -> None:
        """Forget what was written."""
        self.seek(0)
        self.truncate()

    def isatty(self) -> bool:
        return True


class Client:
    """A running client, its keyboard and its wire."""

    def __init__(self, context: ClientContext, keyboard: PipeInput, wire: Wire) -> None:
        self.context, self.wire, self._keyboard = context, wire, keyboard
        self.running: asyncio.Task[None]

    def start(self, options: MatchOptions | None, settings: Settings) -> None:
        """Run the client in a task."""
        size = Size(rows=24, columns=80)
        output = MouseOutput(self.wire, lambda: size, term=self.context.environ["TERM"])
        playing = fullscreen.run(self.context, options, settings, (), self._keyboard, output)
        self.running = asyncio.create_task(playing)
        self.running.add_done_callback(lambda _: self.wire.changed.set())

    def press(self, keys: str) -> None:
        """Press keys, given as a terminal sends them."""
        self._keyboard.send_text(keys)

    async def until(self, text: str) -> None:
        """Wait until a text was written since the last `clear`."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while text not in self.wire.getvalue():
                assert not self.running.done(), self.running.exception()
                self.wire.changed.clear()
                await self.wire.changed.wait()


@asynccontextmanager
async def crowd(
    folder: Path,
    number: int,
    options: MatchOptions | None = None,
    languages: Sequence[str] = ("en",),
    colours: Sequence[Color] = ("auto",),
) -> AsyncIterator[list[Client]]:
    """Run clients, which have the languages and the colours in turn, and end them with Ctrl-Q."""
    clients = []
    with ExitStack() as keyboards:
        for index in range(number):
            home = folder / str(index)
            wire = Wire()
            context = replace(
                make_context(ENVIRON),
                folder=home,
                settings_file=home / "settings.toml",
                output=wire,
                language=Language(languages[index % len(languages)]),
            )
            keyboard = keyboards.enter_context(create_pipe_input())
            clients.append(Client(context, keyboard, wire))
            colour = colours[index % len(colours)]
            settings = Settings(color=colour, introduction="none", motion=False, pace=0.0)
            clients[-1].start(options, settings)
        yield clients
        for client in clients:
            client.press("\x11")
        await asyncio.gather(*(client.running for client in clients), return_exceptions=True)
