"""Rows appended to the log: by the store, or by the bare driver of SQLite, into the same file.

python -m bench.inside.store FOLDER [--bare]  # prints rates, and microseconds of CPU, as JSON
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bench.processes import DATABASE
from bench.rows.store import GROUPS, name_cpu, name_rate
from mastermind_protocol.codec import encode_events
from mastermind_protocol.events import Guessed
from mastermind_server.storage.store import LogRow, Store

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 0.5  # for each size of a group
MATCHES = 200
EVENTS = encode_events((Guessed(code=(0, 0, 1, 1), black=1, white=1),))
INSERT = "INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)"


def list_rows() -> Iterator[LogRow]:
    """Yield rows of guesses, of one match after the other."""
    for number in itertools.count():
        version, match = divmod(number, MATCHES)
        yield LogRow(
            match=f"{match:06}",
            version=version + 1,
            at=1_790_000_000_000 + number,
            events=EVENTS,
            player=f"PLAYER{match:020}",
            request=version + 1,
            digest=bytes(8),
        )


async def append(store: Store, rows: Iterator[LogRow], group: int) -> None:
    """Append so many rows, each on its own and all at once, as moves come."""
    if group == 1:
        await store.append(next(rows))
    else:
        await asyncio.gather(*(store.append(row) for row in itertools.islice(rows, group)))


def append_bare(connection: sqlite3.Connection, rows: Iterator[LogRow], group: int) -> None:
    """Append so many rows in one transaction."""
    values = [
        (row.match, row.version, row.at, row.events, row.player, row.request, row.digest)
        for row in itertools.islice(rows, group)
    ]
    with connection:
        connection.executemany(INSERT, values)


class Meter:
    """How many groups were written in how long, and at what cost."""

    def __init__(self, group: int) -> None:
        self._group, self._written = group, 0
        self._began, self._cpu = time.perf_counter(), time.process_time()

    def go_on(self) -> bool:
        """Count a group; tell whether there is time for another."""
        self._written += self._group
        return time.perf_counter() - self._began < SECONDS

    def report(self) -> dict[str, float]:
        """Return the figures."""
        seconds, cpu = time.perf_counter() - self._began, time.process_time() - self._cpu
        return {
            name_rate(self._group): self._written / seconds,
            name_cpu(self._group): cpu / self._written * 1e6,
        }


async def main() -> None:
    """Write groups of each size, for as long."""
    file, bare = Path(sys.argv[1]) / DATABASE, "--bare" in sys.argv
    figures: dict[str, float] = {}
    rows = list_rows()
    store = await Store.open(file)
    if bare:
        await store.close()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            for group in GROUPS:
                append_bare(connection, rows, group)
                meter = Meter(group)
                append_bare(connection, rows, group)
                while meter.go_on():
                    append_bare(connection, rows, group)
                figures |= meter.report()
    else:
        for group in GROUPS:
            await append(store, rows, group)
            meter = Meter(group)
            await append(store, rows, group)
            while meter.go_on():
                await append(store, rows, group)
            figures |= meter.report()
        await store.close()
    print(msgspec.json.encode(figures).decode())


if __name__ == "__main__":
    asyncio.run(main())
