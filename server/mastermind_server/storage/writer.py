"""Group commit: one thread, one transaction, many matches, one fsync.

Whatever is waiting when the thread comes round is written in one transaction, so that the price of
a commit, most of it the disk's, is shared. A write's future is settled only after that commit.
"""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_protocol.errors import Reason
from mastermind_server import limits
from mastermind_server.storage.connection_thread import ConnectionThread, Job
from mastermind_server.storage.database import FAILURES, explain
from mastermind_server.storage.driver import find_driver
from mastermind_server.storage.inserts import append_together

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from sqlalchemy.engine import Connection, Engine

    from mastermind_server.storage.rows import LogRow

_LOG = logging.getLogger(__name__)


@dataclass(slots=True, eq=False, kw_only=True)
class _Write(Job):
    """One caller's write. `row` is all of it, if that is one row of the log."""

    work: Callable[[Connection], None]
    row: LogRow | None

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


class Writer(ConnectionThread[_Write]):
    """The one thread that writes."""

    def __init__(self, engine: Engine, pace: float = limits.COMMIT_SECONDS) -> None:
        most = limits.WRITES_AT_ONCE
        super().__init__("store-writer", engine, Reason.NOT_SAVED, most=most, pace=pace)

    def write(
        self, work: Callable[[Connection], None], row: LogRow | None = None
    ) -> asyncio.Future[None]:
        """Do `work` in the next transaction; what is returned is done when that is on disk.

        What `work` raises is raised there, and it must have changed nothing then. If all that it
        does is to append a `row`, that is done together with others'. Raises StorageFailed if the
        transaction as a whole failed, or the writer is closed.
        """
        return self.ask(_Write(self._loop.create_future(), work=work, row=row))

    async def close(self, patience: float = limits.WRITER_STOP_SECONDS) -> bool:
        """Write what is waiting, then stop; tell whether that was done.

        A disk that takes longer than `patience` in seconds is not waited for: nobody was told that
        what is left is there.
        """
        closed = await super().close(patience)
        if not closed:
            _LOG.error("the database is busy: what was not yet saved is not waited for")
        return closed

    def _do(self, connection: Connection, group: list[_Write]) -> None:
        driver = find_driver(connection)
        rows = [write.row for write in group if write.row is not None]
        mixed = len(rows) < len(group)
        if not mixed and append_together(driver, rows):
            return  # one statement is a transaction
        with connection.begin():
            together = mixed and append_together(driver, rows)
            for write in group:
                if write.row is None or not together:
                    write.apply(connection)

    def _log(self, jobs: int, error: Exception) -> None:
        bug = None if isinstance(error, FAILURES) else error  # what is none needs no trace
        _LOG.error("a commit of %d writes failed: %s", jobs, explain(error), exc_info=bug)
