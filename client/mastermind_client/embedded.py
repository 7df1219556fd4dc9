"""The server's own code inside this process, where no network is needed: the one tie to it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from mastermind_protocol.rules import Rules
    from mastermind_server.app import Contest as Contest
    from mastermind_server.app import Tally as Tally


@asynccontextmanager
async def embedded_server() -> AsyncIterator[str]:
    """Run a whole server for one game; yields its ws:// address, and leaves nothing behind."""
    from mastermind_server.app import embedded  # late: players of a remote server need none

    with TemporaryDirectory(prefix="mastermind-") as folder:
        async with embedded(Path(folder)) as address:
            yield address


def enter_arena(bots: Sequence[str], rules: Rules, drawn: int | None, seed: int) -> list[Contest]:
    """Return what bots are to play in the arena, as the server's own function. Raises Refused."""
    from mastermind_server import app  # late, as above

    return app.enter_arena(bots, rules, drawn, seed)
