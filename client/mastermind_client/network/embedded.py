"""The server inside this process. Only this module imports the server's code."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, asynccontextmanager
from errno import EBUSY
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import AsyncIterator, Callable

    from mastermind_client.context import ClientContext

GAMES = "games.db"


class DatabaseInUse(OSError):
    """Another process has the database of these games open."""


def prepare_embedded() -> None:
    """Import the modules of `embedded_server`, which is slow. Safe in any thread."""
    import mastermind_server.app  # noqa: F401


@asynccontextmanager
async def embedded_server(
    folder: Path | None = None, network_port: int | None = None
) -> AsyncIterator[str]:
    """Run a server for the duration of the block; yields its ws:// address.

    The games are stored in `folder`, or without one in a temporary folder. With a `network_port`
    other computers can connect, at this port or at a free one if it is taken. Raises DatabaseInUse
    if another process has the games in `folder` open.
    """
    from mastermind_server import app  # late: remote games do not need it

    async with AsyncExitStack() as stack:
        if folder is None:
            temporary = stack.enter_context(TemporaryDirectory(prefix="mastermind-"))
            folder = Path(temporary)
        try:
            address = await stack.enter_async_context(app.embedded(folder / GAMES, network_port))
        except app.DatabaseLocked as error:
            raise DatabaseInUse(EBUSY, os.strerror(EBUSY), str(folder)) from error
        yield address


def add_arena_arguments(parser: ArgumentParser) -> None:
    """Add the options of the server's command `arena`, and its `build` function."""
    from mastermind_server.commands import arena  # late, as above

    arena.add_arena_command(parser)


def play_arena(_context: ClientContext, play: Callable[[], None]) -> None:
    """Call the function that `build` returned."""
    play()
