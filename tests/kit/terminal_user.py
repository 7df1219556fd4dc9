"""The terminal of the line interface, on a pipe or a pseudo-terminal, and its user."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable, Coroutine
from dataclasses import replace

from kit.people import PATIENCE
from kit.terminal import open_terminal
from mastermind_client.cli.process import make_context
from mastermind_client.clock import TimerClock
from mastermind_client.config.options import WatchOptions
from mastermind_client.lines.dialogue import SpectatorDialogue
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.lab import LabPlayer
from mastermind_client.lines.player import LinePlayer
from mastermind_client.lines.terminal import InputEnded, StreamTerminal
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.session import Session

PlayerKind = Callable[[Inbox, Mirror], LinePlayer | LabPlayer]


class Screen(io.StringIO):
    """An output that sets `changed` at each write."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Event()

    def write(self, text: str) -> int:
        self.changed.set()
        return super().write(text)

    async def until(self, text: str) -> None:
        """Wait until the output contains `text`."""
        async with asyncio.timeout(PATIENCE):
            while text not in self.getvalue():
                self.changed.clear()
                await self.changed.wait()


class TerminalUser:
    """A user of the line interface. Input is a pseudo-terminal if `person`, else a pipe."""

    def __init__(self, *, person: bool = False) -> None:
        self._write, self._read = open_terminal() if person else _open_pipe()
        self.screen, self.errors = Screen(), Screen()
        context = replace(make_context(), output=self.screen, errors=self.errors)
        self.terminal = StreamTerminal(context, descriptor=self._read)
        self._seen = 0
        self._task: asyncio.Task[None] | None = None
        self._hung_up = False

    @property
    def shown(self) -> str:
        """The whole output."""
        return self.screen.getvalue()

    def type(self, *lines: str) -> None:
        """Type lines, each followed by Enter."""
        os.write(self._write, "".join(line + "\n" for line in lines).encode())

    def send(self, typed: bytes) -> None:
        """Send bytes unchanged."""
        os.write(self._write, typed)

    def end_input(self) -> None:
        """End the input."""
        if not self._hung_up:
            self._hung_up = True
            os.close(self._write)

    async def until(self, text: str) -> str:
        """Wait for `text` after the last text found; return the output up to its end."""
        try:
            async with asyncio.timeout(PATIENCE):
                while (found := self.shown.find(text, self._seen)) < 0:
                    self._raise_failure()
                    self.screen.changed.clear()
                    await self.screen.changed.wait()
        except TimeoutError:
            raise AssertionError(f"{text!r} is not in {self.shown[self._seen :]!r}") from None
        since, self._seen = self._seen, found + len(text)
        return self.shown[since : self._seen]

    def start(self, playing: Coroutine[object, object, None]) -> None:
        """Run a command's coroutine as a task."""
        self._task = asyncio.create_task(playing)
        self._task.add_done_callback(lambda _: self.screen.changed.set())

    def play(
        self,
        kind: PlayerKind,
        session: Session,
        mirror: Mirror,
        pace: float = 0.0,
        clock: TimerClock | None = None,
    ) -> None:
        """Start a task that plays a match and then leaves it, as the command does."""

        async def play_and_leave() -> None:
            with Inbox.open(session, self.terminal, pace, clock) as inbox:
                player = kind(inbox, mirror)
                try:
                    await player.play()
                finally:
                    await player.leave()

        self.start(play_and_leave())

    def watch(
        self,
        session: Session,
        mirror: Mirror,
        options: WatchOptions | None = None,
        pace: float = 0.0,
        clock: TimerClock | None = None,
    ) -> None:
        """Start a task that watches a match."""

        async def watch() -> None:
            with Inbox.open(session, self.terminal, pace, clock) as inbox:
                await SpectatorDialogue(inbox, mirror, options).watch()

        self.start(watch())

    async def finish(self) -> None:
        """Wait until the task has ended, and raise its exception, if any."""
        assert self._task is not None
        async with asyncio.timeout(PATIENCE):
            await self._task

    async def interrupt(self) -> None:
        """Cancel the task, as Ctrl-C does."""
        assert self._task is not None
        self._task.cancel()
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait({self._task})
        assert self._task.cancelled()

    async def close(self) -> None:
        """Cancel the task and close the descriptors."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.end_input()
        async with asyncio.timeout(PATIENCE):
            await self._drain()  # ends the terminal's reader, so that the descriptor can be closed
        os.close(self._read)

    async def _drain(self) -> None:
        try:
            while True:
                await self.terminal.read_line()
        except InputEnded:
            pass

    def _raise_failure(self) -> None:
        if self._task is not None and self._task.done():
            self._task.result()
            raise AssertionError(f"it is over, after: {self.shown[self._seen :]!r}")


def _open_pipe() -> tuple[int, int]:
    read, write = os.pipe()
    return write, read
