"""An app on an emulated terminal, with keys as terminal sequences and a pyte screen."""

import asyncio
import re
from base64 import b64decode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeAlias, TypeVar

import pyte
from msgspec import structs
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.input.ansi_escape_sequences import REVERSE_ANSI_SEQUENCES
from prompt_toolkit.keys import Keys

from kit.terminal import CellScreen, CellStream, read_rows
from mastermind_client.cli.process import make_context
from mastermind_client.clock import LoopClock, TimerClock
from mastermind_client.config.settings import IntroductionLevel, Settings
from mastermind_client.language import Language, bind_language, current_language_code
from mastermind_client.screen.app import App
from mastermind_client.screen.fullscreen import make_screen
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.screen import Screen
from mastermind_client.screen.toolkit.keys import MouseOutput

S = TypeVar("S", bound=Screen)
Kind: TypeAlias = type[S]
PATIENCE_SECONDS = 20.0  # a shared machine may be slow; a failure shows the screen
ENVIRON = {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
FOCUSED = "\x1b[I"  # the terminal reports that its window has the focus
# The report ends the wait for more of a sequence, so the next key is not Alt with this key.
_TYPED = {"enter": "\r", "tab": "\t", "escape": f"\x1b{FOCUSED}", "space": " ", "backspace": "\x7f"}


class Glass:
    """An output stream for the app that draws on a pyte screen."""

    encoding = "utf-8"

    def __init__(self, screen: pyte.Screen) -> None:
        self.screen = screen
        self._stream = CellStream(screen)
        self.written = ""
        self.flushes = 0
        self._text: str | None = None

    def write(self, data: str) -> int:
        self.written += data
        self._stream.feed(data)
        self._text = None
        return len(data)

    def resize(self, columns: int, rows: int) -> None:
        """Resize the screen."""
        self.screen.resize(rows, columns)
        self._text = None

    def read(self) -> str:
        """Return the text of the screen, cached because tests read it often."""
        if self._text is None:
            self._text = "\n".join(read_rows(self.screen))
        return self._text

    def flush(self) -> None:
        self.flushes += 1

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("no descriptor")


class LeapingClock(LoopClock):
    """A clock that leaps ten seconds at each reading; timers run in real time."""

    def __init__(self) -> None:
        self._leapt = 0.0

    def now(self) -> float:
        self._leapt += 10.0
        return super().now() + self._leapt


class Stage:
    """A running app, its keyboard and its screen. `reported` are its further failures."""

    def __init__(
        self,
        app: App,
        keyboard: PipeInput,
        screen: pyte.Screen,
        glass: Glass,
        reported: list[BaseException],
    ) -> None:
        self.app, self.screen, self.glass, self.reported = app, screen, glass, reported
        self.terminal = app.terminal
        self._keyboard = keyboard
        self.running: asyncio.Task[None] | None = None

    def press(self, *keys: str) -> None:
        """Press keys by prompt_toolkit's names, or type a character."""
        for key in keys:
            self._keyboard.send_text(
                _TYPED.get(key) or (key if len(key) == 1 else REVERSE_ANSI_SEQUENCES[Keys(key)])
            )

    def type(self, text: str) -> None:
        """Type a text, without Enter."""
        self._keyboard.send_text(text)

    def click(self, column: int, row: int) -> None:
        """Click with the left button; `column` and `row` start at 0."""
        for end in "Mm":
            self._keyboard.send_text(f"\x1b[<0;{column + 1};{row + 1}{end}")

    def wheel(self, rows: int, column: int = 0, row: int = 0) -> None:
        """Turn the wheel one step, down if `rows` is positive; `column` and `row` start at 0."""
        self._keyboard.send_text(f"\x1b[<{64 + (rows > 0)};{column + 1};{row + 1}M")

    def resize(self, columns: int, rows: int) -> None:
        """Resize the terminal, as its window does."""
        self.glass.resize(columns, rows)
        self.terminal.application._on_resize()  # the handler of SIGWINCH

    def text(self) -> str:
        """Return the text on the screen."""
        return self.glass.read()

    def copied(self) -> list[str]:
        """Return the texts sent to the clipboard."""
        sent = re.findall(r"\x1b\]52;c;(.*?)\x07", self.glass.written)
        return [b64decode(text).decode() for text in sent]

    def on(self, kind: Kind[S]) -> S:
        """Return the screen on top, which must be of type `kind`."""
        assert isinstance(self.app.screen, kind)
        return self.app.screen

    async def wait_for_screen(self, kind: Kind[S]) -> S:
        """Wait until a screen of type `kind` is on top, and return it."""
        await self.until(lambda: isinstance(self.app.screen, kind))
        return self.on(kind)

    async def ended(self) -> None:
        """Wait until the program has ended by itself, and raise its exception, if any."""
        assert self.running is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.running

    async def until(self, condition: str | Callable[[], bool]) -> None:
        """Wait until the screen shows a text, or until a condition holds."""

        def holds() -> bool:
            return condition in self.text() if isinstance(condition, str) else condition()

        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not holds():
                    if self.running is not None and self.running.done():
                        self.running.result()
                        break
                    await asyncio.sleep(0.005)  # polls the condition
        except TimeoutError:
            pass
        assert holds(), f"waited in vain for {condition!r}; on the screen is:\n{self.text()}"


@asynccontextmanager
async def stage(
    columns: int = 80,
    rows: int = 24,
    *,
    settings: Settings | None = None,
    clock: TimerClock | None = None,
    environ: Mapping[str, str] = ENVIRON,
    opening: Callable[[App], Screen] = HomeScreen,
    glass: Glass | None = None,
    introduction: IntroductionLevel = "none",
    local: bool = True,
) -> AsyncIterator[Stage]:
    """Run an app within the block, starting with the screen made by `opening`.

    Without `settings` bots have no delay. Without `clock` all durations end at once.
    `introduction` replaces that of the settings; by default the app shows none. The player is at
    this computer, or elsewhere if not `local`.
    """
    glass = glass or Glass(CellScreen(columns, rows))
    screen = glass.screen
    output = MouseOutput(
        glass,  # type: ignore[arg-type]
        lambda: Size(rows=screen.lines, columns=screen.columns),
        term=environ.get("TERM"),
    )
    with create_pipe_input() as keyboard:
        chosen = structs.replace(settings or Settings(pace=0), introduction=introduction)
        reported: list[BaseException] = []
        context = replace(
            make_context(environ),
            output=glass,  # type: ignore[arg-type]
            clock=clock or LeapingClock(),
            language=Language(current_language_code()),
            report=reported.append,
            local=local,
        )
        app = App(context, chosen, make_screen, keyboard, output)
        shown = Stage(app, keyboard, screen, glass, reported)

        async def run() -> None:
            bind_language(context.language)  # a test may run several apps
            with create_app_session(input=keyboard, output=output):
                await app.run()

        app.open(opening(app))
        shown.running = asyncio.create_task(run())
        try:
            await shown.until(lambda: app.terminal.application.render_counter > 0)
            yield shown
        finally:
            app.quit()
            if shown.running is not None:
                await shown.running
