"""The context of one player at one terminal. It replaces global state.

The context is passed to the app, the line commands, `open_session` and `Identities`. Only the
language is a context variable (see language.py). One process can have many players. Each player
has a ClientContext.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.clock import LoopClock
from mastermind_client.language import Language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import tzinfo
    from pathlib import Path
    from typing import TextIO

    from mastermind_client.clock import TimerClock


class Network(NamedTuple):
    """The settings for connections to servers.

    `cafile` is the path of a PEM file, whose certificates are trusted besides the system's.
    `proxies` is whether the proxies in the process's environment variables are used. `clock` times
    the pings of silent connections.
    """

    cafile: str | None = None
    proxies: bool = True
    clock: TimerClock = LoopClock()


DEFAULT_NETWORK = Network()
ANNOUNCE_SECONDS = 1.0  # of silence: then a user wonders if the program works


class Writer:
    """Writes files in a thread, in order, so that the event loop does not wait for a disk."""

    def __init__(self) -> None:
        self._jobs: deque[tuple[Callable[[], None], Callable[[OSError], None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def put(self, write: Callable[[], None], on_error: Callable[[OSError], None]) -> None:
        """Schedule `write`. If `write` raises OSError, the event loop calls `on_error`."""
        self._jobs.append((write, on_error))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="writer")

    async def flush(self) -> None:
        """Wait for all scheduled writes. Raises the first exception other than OSError."""
        while (task := self._task) is not None:
            await asyncio.wait({task})
            if self._task is task:
                self._task = None
            task.result()

    async def _run(self) -> None:
        while self._jobs:
            write, on_error = self._jobs.popleft()
            try:
                await asyncio.to_thread(write)
            except OSError as error:
                on_error(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientContext:
    """One player at one terminal.

    `folder` has the player's identities and offline games; `settings_file` is the file of the
    settings. The environment variables `environ` determine the colours, the mouse and the language.
    `output` and `errors` are the terminal's streams. The encoding of `output` determines the
    character set. Times are displayed in `zone`; None means the machine's time zone. If `local`,
    the player sits at this computer: the process may start a server for offline or hosted games,
    and paths are displayed. `report` receives an exception that is raised while another exception
    ends the app.
    """

    folder: Path
    settings_file: Path
    environ: Mapping[str, str]
    output: TextIO
    errors: TextIO
    report: Callable[[BaseException], object]
    language: Language = field(default_factory=Language)
    zone: tzinfo | None = None
    network: Network = DEFAULT_NETWORK
    local: bool = True
    clock: TimerClock = field(default_factory=LoopClock)
    writer: Writer = field(default_factory=Writer)

    @contextmanager
    def announce_if_slow(
        self, text: str, write: Callable[[str], object] | None = None
    ) -> Iterator[None]:
        """Pass `text` to `write` if the block has not ended after ANNOUNCE_SECONDS.

        Without `write`, the text is printed to `errors`.
        """

        def announce() -> None:
            if write is None:
                print(text, file=self.errors, flush=True)
            else:
                write(text)

        timer = self.clock.call_later(ANNOUNCE_SECONDS, announce)
        try:
            yield
        finally:
            timer.cancel()

    @property
    def hosted_folder(self) -> Path:
        """The folder of the matches that this computer hosts for the network."""
        return self.folder / "hosted"

    @property
    def encoding(self) -> str:
        """The encoding of the output."""
        return getattr(self.output, "encoding", None) or "ascii"
