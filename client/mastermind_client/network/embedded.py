"""The server inside this process. Only this module imports code of the server."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, asynccontextmanager
from errno import EBUSY
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractContextManager

    from mastermind_client.context import ClientContext

GAMES_FILE = "games.db"


class DatabaseInUse(OSError):
    """The stored games are open in another process."""


def prepare_embedded() -> None:
    """Import the server's modules, which is slow. Any thread can call this."""
    import mastermind_server.app  # noqa: F401


@asynccontextmanager
async def embedded_server(
    folder: Path | None = None, network_port: int | None = None
) -> AsyncIterator[str]:
    """Run a server during the block, and yield its ws:// address.

    The games are stored in `folder`, or for None in a temporary folder. If `network_port` is given,
    other computers can connect to this port, or to a free port if it is taken. Raises DatabaseInUse
    if another process has the stored games open.
    """
    from mastermind_server import app  # late: remote games do not need it

    async with AsyncExitStack() as stack:
        if folder is None:
            temporary = stack.enter_context(TemporaryDirectory(prefix="mastermind-"))
            folder = Path(temporary)
        try:
            address = await stack.enter_async_context(
                app.run_embedded_server(folder / GAMES_FILE, network_port)
            )
        except app.DatabaseLocked as error:
            raise DatabaseInUse(EBUSY, os.strerror(EBUSY), str(folder)) from error
        yield address


def add_arena_arguments(
    parser: ArgumentParser, load_bot: Callable[[str], AbstractContextManager[Any]]
) -> None:
    """Add the arguments of the server's command `arena`, and set the parser's default `build`.

    `load_bot` loads the user's own bots: it takes MODULE:CLASS, and yields a codebreaker.
    """
    from mastermind_server.commands import arena  # late, as above

    arena.add_arena_command(parser, load_bot)


def play_arena(_context: ClientContext, play: Callable[[], None]) -> None:
    """Run the command `arena`: call `play`, which the command's parser made from the arguments."""
    play()
