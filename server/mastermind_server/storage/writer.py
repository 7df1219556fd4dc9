"""Group commit: one thread, one transaction, many matches, one fsync.

What is to be written is collected on the event loop, and handed to the thread group by group: the
price of a commit, most of it the disk's, is shared. A write's future is settled only after that
commit. What comes one by one is written at once; of many, a group waits for its next ones a little.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server import limits
from mastermind_server.storage.database import FAILURES, explain
from mastermind_server.storage.inserts import append_together, find_driver

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection, Engine

    from mastermind_server.storage.rows import LogRow

_LOG = logging.getLogger(__name__)


class StorageFailed(MastermindError):
    """The disk or the database refused, to write or to read; nothing of a write is there."""


@dataclass(slots=True)
class _Write:
    """One caller's write: what to do, and the future that tells when it is on disk.

    `row` is all that it writes, if that is one row of the log.
    """

    work: Callable[[Connection], None]
    row: LogRow | None
    future: asyncio.Future[None]
    error: Exception | None = None

    def apply(self, connection: Connection) -> None:
        """Do the work. What it raises is its caller's, unless the database itself failed."""
        try:
            self.work(connection)
        except (sa.exc.IntegrityError, sqlite3.IntegrityError) as error:
            self.error = error  # the statement is undone, and the transaction goes on
        except (sa.exc.DBAPIError, sqlite3.Error):
            raise  # the transaction may be gone, and with it what others wrote in it
        except Exception as error:
            self.error = error


class Writer:
    """The one thread that writes. Made and used on a running event loop.

    `pace` is how long in seconds the writes of a crowd are collected for one commit.
    """

    def __init__(self, engine: Engine, pace: float = limits.COMMIT_SECONDS) -> None:
        self._engine, self._pace = engine, pace
        self._connection: Connection | None = None  # the thread's own, opened by the first write
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Write] = []
        self._next: asyncio.Handle | None = None  # which hands the waiting over
        self._busy = False  # whether the thread has a group
        self._since, self._taken = self._loop.time(), 0  # writes handed over within a pace
        self._queue: queue.SimpleQueue[list[_Write] | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    async def write(self, work: Callable[[Connection], None], row: LogRow | None = None) -> None:
        """Do `work` in the next transaction; return when that is on disk.

        What `work` raises is raised here, and it must have changed nothing then. If all that it
        does is to append a `row`, that is done together with others'. Raises StorageFailed if the
        transaction as a whole failed, or the writer is closed.
        """
        if self._closed:
            raise StorageFailed(Reason.NOT_SAVED, retry_after=limits.RETRY_SECONDS)
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(_Write(work, row, future))
        if self._next is None and not self._busy:
            self._plan()
        await future

    async def close(self, patience: float = limits.WRITER_STOP_SECONDS) -> None:
        """Write what is waiting, then stop.

        A disk that takes longer than `patience` in seconds is not waited for: nobody was told that
        what is left is there.
        """
        self._closed = True
        while self._waiting:
            self._hand_over()
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join, patience)
        if self._thread.is_alive():
            _LOG.error("the database is busy: what was not yet saved is not waited for")

    def _plan(self) -> None:
        """Hand over what waits once this turn of the loop has collected it, or a pace later."""
        if self._taken < limits.LONE_WRITES:
            self._next = self._loop.call_soon(self._hand_over)
        else:
            self._next = self._loop.call_at(self._since + self._pace, self._hand_over)

    def _hand_over(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        now = self._loop.time()
        if now >= self._since + self._pace:
            self._since, self._taken = now, 0
        group = self._waiting[: limits.WRITES_AT_ONCE]
        del self._waiting[: limits.WRITES_AT_ONCE]
        self._taken += len(group)
        self._busy = True
        self._queue.put(group)

    def _run(self) -> None:
        while (group := self._queue.get()) is not None:
            self._commit(group)
            self._loop.call_soon_threadsafe(self._settle, group)
        if self._connection is not None:
            self._connection.close()

    def _commit(self, writes: list[_Write]) -> None:
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            rows = [write.row for write in writes if write.row is not None]
            if len(rows) == len(writes) and append_together(find_driver(self._connection), rows):
                return  # one statement is a transaction
            with self._connection.begin():
                for write in writes:
                    write.apply(self._connection)
        except Exception as error:
            bug = None if isinstance(error, FAILURES) else error  # what is none needs no trace
            reason = explain(error)
            _LOG.error("a commit of %d writes failed: %s", len(writes), reason, exc_info=bug)
            for write in writes:
                write.error = StorageFailed(Reason.NOT_SAVED, retry_after=limits.RETRY_SECONDS)

    def _settle(self, group: list[_Write]) -> None:
        """Tell the callers, and go on with those who have come meanwhile."""
        self._busy = False
        for write in group:
            if write.future.cancelled():
                continue
            if write.error is not None:
                write.future.set_exception(write.error)
            else:
                write.future.set_result(None)
        if self._waiting:
            self._plan()
