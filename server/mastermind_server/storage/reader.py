"""The thread that reads, beside those that write: no read waits for them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from mastermind_protocol.errors import Reason
from mastermind_server import tuning
from mastermind_server.storage.connection_thread import ConnectionThread, Job
from mastermind_server.storage.database import explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_server.storage.database import Database, Session

_LOG = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(slots=True, eq=False, kw_only=True)
class _Read(Job):
    """What one caller wants to know."""

    query: Callable[[Session], object]


class Reader(ConnectionThread[_Read]):
    """The one thread that reads. Each query is a transaction of its own."""

    def __init__(self, database: Database) -> None:
        most = tuning.READS_AT_ONCE
        super().__init__("store-reader", database, Reason.NOT_READ, most=most)

    async def read(self, query: Callable[[Session], T]) -> T:
        """Return what a query finds, or raise what it raises, or StorageFailed."""
        return cast("T", await self.ask(_Read(self._loop.create_future(), query=query)))

    def _do(self, session: Session, group: list[_Read]) -> None:
        for read in group:
            try:
                read.result = read.query(session)
            except session.failures as error:
                self._log(1, error)
                read.error = self._failure()
            except Exception as error:
                read.fail(error)

    def _log(self, _jobs: int, error: Exception) -> None:
        bug = None if isinstance(error, self._database.session.failures) else error
        _LOG.error("the database could not be read: %s", explain(error), exc_info=bug)
