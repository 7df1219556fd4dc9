"""Rows of a store, and the number of commits in a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mastermind_protocol.match import Phase
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.rows import LogRow


def row(
    match: str = "AAAAAA", version: int = 1, request: int | None = None, digest: bytes = b""
) -> LogRow:
    """Return a row of player A."""
    return LogRow(match, version, 0, b"\x90", "A", request, digest if request else None)


def listed(
    match: str, *, public: bool = True, phase: Phase = Phase.GATHERING, due: int | None = None
) -> Projection:
    """Return what the lists show of a match of Ada."""
    return Projection(MatchRecord(match, "mini", 1, public, phase, "Ada", None, 0, due=due))


def count_commits(database: Path) -> int:
    """Return the number of transactions in the write-ahead log of a file.

    Only the last frame of each has the size of the database, not 0: see "WAL-mode File
    Format" on SQLite's pages.
    """
    wal = database.with_name(f"{database.name}-wal").read_bytes()
    page = int.from_bytes(wal[8:12], "big")
    return sum(any(wal[at + 4 : at + 8]) for at in range(32, len(wal), 24 + page))


async def cancel(task: asyncio.Task[None]) -> None:
    """Cancel a task, and wait for its end."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
