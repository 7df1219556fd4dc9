"""The server's own code inside this process, where no network is needed: the one tie to it."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mastermind_protocol.rules import Rules
    from mastermind_server.app import Contest as Contest
    from mastermind_server.app import Tally as Tally


GAMES = "games.db"


class DatabaseInUse(OSError):
    """Another process has these games open."""


def prepare_embedded() -> None:
    """Do the slow imports that `embedded_server` needs, which may be done in any thread."""
    import mastermind_server.app  # noqa: F401


@asynccontextmanager
async def embedded_server(folder: Path | None = None) -> AsyncIterator[str]:
    """Run a whole server for one's own games; yields its ws:// address.

    In a folder the games are kept; without one nothing is left behind. Raises DatabaseInUse if
    another process has the games in the folder open.
    """
    from mastermind_server import app  # late: players of a remote server need none

    async with AsyncExitStack() as stack:
        if folder is None:
            temporary = stack.enter_context(TemporaryDirectory(prefix="mastermind-"))
            folder = Path(temporary)
        try:
            address = await stack.enter_async_context(app.embedded(folder / GAMES))
        except app.DatabaseInUse as error:
            told = _("another process plays the games in {folder}")
            raise DatabaseInUse(told.format(folder=folder)) from error
        yield address


def enter_arena(bots: Sequence[str], rules: Rules, drawn: int | None, seed: int) -> list[Contest]:
    """Return what bots are to play in the arena, as the server's own function. Raises Refused."""
    from mastermind_server import app  # late, as above

    return app.enter_arena(bots, rules, drawn, seed)
