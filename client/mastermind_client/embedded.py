"""A server inside this process, for a game without a network: the one tie to the server."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
async def embedded_server() -> AsyncIterator[str]:
    """Run a whole server for one game; yields its ws:// address, and leaves nothing behind."""
    from mastermind_server.app import embedded  # late: players of a remote server need none

    with TemporaryDirectory(prefix="mastermind-") as folder:
        async with embedded(Path(folder)) as address:
            yield address
