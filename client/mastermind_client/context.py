"""The context of one player at one terminal, instead of state of the process.

It is passed to the app, the line commands, `open_session` and `Identities`. Only the language is
ambient (see language.py). One process can run many players, each with its own context.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.clock import LoopClock
from mastermind_client.language import Language

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import tzinfo
    from pathlib import Path
    from typing import TextIO

    from mastermind_client.clock import TimerClock


class Network(NamedTuple):
    """The settings of connections to servers.

    `cafile` names certificates in PEM that are trusted besides the system's. `proxies` allows the
    proxies of the process's environment.
    """

    cafile: str | None = None
    proxies: bool = True


DIRECT = Network()


class Writer:
    """Writes files in a thread, in the given order: the event loop does not wait for a disk."""

    def __init__(self) -> None:
        self._jobs: deque[tuple[Callable[[], None], Callable[[OSError], None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def put(self, write: Callable[[], None], on_error: Callable[[OSError], None]) -> None:
        """Schedule a write; `on_error` is called in the event loop if it raises OSError."""
        self._jobs.append((write, on_error))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="writer")

    async def flush(self) -> None:
        """Wait for all scheduled writes. Raises their exceptions, except OSError."""
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

    `folder` has the player's identities and offline games, `settings_file` the settings. The
    environment variables `environ` determine the colours, the mouse and the language. `output` and
    `errors` are the terminal's streams; the encoding of `output` determines its character set.
    Times are displayed in `zone`, or in the machine's if it is None. A `local` player uses the
    computer of this process: a server for offline or hosted games may be started, and paths
    are displayed.
    `report` takes an exception that is raised while another one ends the app.
    """

    folder: Path
    settings_file: Path
    environ: Mapping[str, str]
    output: TextIO
    errors: TextIO
    report: Callable[[BaseException], object]
    language: Language = field(default_factory=Language)
    zone: tzinfo | None = None
    network: Network = DIRECT
    local: bool = True
    clock: TimerClock = field(default_factory=LoopClock)
    writer: Writer = field(default_factory=Writer)

    @property
    def player_folders(self) -> tuple[Path, Path]:
        """The folders of the players on servers, and of the offline player."""
        return self.folder / "identities", self.folder / "offline"

    @property
    def hosted_folder(self) -> Path:
        """The folder of the matches that are played at this computer over the network."""
        return self.folder / "hosted"

    @property
    def encoding(self) -> str:
        """The encoding of the output."""
        return getattr(self.output, "encoding", None) or "ascii"
