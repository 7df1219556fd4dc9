"""Rows, and the one place where tests run their own statements on the threads of a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mastermind_protocol.match import Phase
from mastermind_server.storage.database import Session
from mastermind_server.storage.news import News
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.store import LogRow, Store


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


async def write_with(
    store: Store, work: Callable[[Session], Any], news: Sequence[News] = ()
) -> Any:
    """Return the result of a function that the writing thread calls with its session."""
    return await store._writer.write(work, news=news)


async def read_with(store: Store, work: Callable[[Session], Any]) -> Any:
    """Return the result of a function that the reading thread calls with its session."""
    return await store._reader.read(work)


def count_commits(database: Path) -> int:
    """Return the number of transactions in the write-ahead log of a file.

    Only the last frame of each has the size of the database, not 0: see "WAL-mode File
    Format" on SQLite's pages.
    """
    wal = database.with_name(f"{database.name}-wal").read_bytes()
    page = int.from_bytes(wal[8:12], "big")
    return sum(any(wal[at + 4 : at + 8]) for at in range(32, len(wal), 24 + page))
