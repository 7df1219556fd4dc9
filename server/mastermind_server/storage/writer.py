"""Group commit: one thread, one transaction, many matches, one fsync.

Whatever is waiting when the thread comes round is written in one transaction, so that the price
of a sync to disk is shared. A write's future is settled only after that commit.
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

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection, Engine

_LOG = logging.getLogger(__name__)


class StorageFailed(MastermindError):
    """The disk or the database refused, to write or to read; nothing of a write is there."""


@dataclass(slots=True)
class _Write:
    """One caller's write: what to do, and the future that tells when it is on disk."""

    work: Callable[[Connection], None]
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
    """The one thread that writes. Made and used on a running event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None  # the thread's own, opened by the first write
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    async def write(self, work: Callable[[Connection], None]) -> None:
        """Do `work` in the next transaction; return when that is on disk.

        What `work` raises is raised here, and it must have changed nothing then. Raises
        StorageFailed if the transaction as a whole failed, or the writer is closed.
        """
        if self._closed:
            raise StorageFailed(Reason.NOT_SAVED, retry_after=limits.RETRY_SECONDS)
        future: asyncio.Future[None] = self._loop.create_future()
        self._queue.put(_Write(work, future))
        await future

    async def close(self, patience: float = limits.WRITER_STOP_SECONDS) -> None:
        """Write what is waiting, then stop.

        A disk that takes longer than `patience` in seconds is not waited for: nobody was told that
        what is left is there.
        """
        self._closed = True
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join, patience)
        if self._thread.is_alive():
            _LOG.error("the database is busy: what was not yet saved is not waited for")

    def _run(self) -> None:
        closing = False
        while not closing:
            group = [self._queue.get()]
            while len(group) < limits.WRITES_AT_ONCE and not self._queue.empty():
                group.append(self._queue.get())
            closing = None in group
            writes = [write for write in group if write is not None]
            if writes:
                self._commit(writes)
            self._loop.call_soon_threadsafe(_settle, writes)
        if self._connection is not None:
            self._connection.close()

    def _commit(self, writes: list[_Write]) -> None:
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            with self._connection.begin():
                for write in writes:
                    write.apply(self._connection)
        except Exception as error:
            bug = None if isinstance(error, FAILURES) else error  # what is none needs no trace
            reason = explain(error)
            _LOG.error("a commit of %d writes failed: %s", len(writes), reason, exc_info=bug)
            for write in writes:
                write.error = StorageFailed(Reason.NOT_SAVED, retry_after=limits.RETRY_SECONDS)


def _settle(writes: list[_Write]) -> None:
    """Tell the callers, on their loop."""
    for write in writes:
        if write.future.cancelled():
            continue
        if write.error is not None:
            write.future.set_exception(write.error)
        else:
            write.future.set_result(None)
