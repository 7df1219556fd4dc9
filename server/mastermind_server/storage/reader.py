"""The thread that reads, beside the one that writes: WAL lets it."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from mastermind_protocol.errors import Reason
from mastermind_server import limits
from mastermind_server.storage.connection_thread import ConnectionThread, Job
from mastermind_server.storage.database import FAILURES, explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection, Engine

_LOG = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(slots=True, eq=False, kw_only=True)
class _Read(Job):
    """What one caller wants to know."""

    query: Callable[[Connection], object]


class Reader(ConnectionThread[_Read]):
    """The one thread that reads. Each query is a transaction of its own."""

    def __init__(self, engine: Engine) -> None:
        most = limits.READS_AT_ONCE
        super().__init__("store-reader", engine, Reason.NOT_READ, most=most)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Return what a query finds, or raise what it raises, or StorageFailed."""
        return cast("T", await self.ask(_Read(self._loop.create_future(), query=query)))

    def _do(self, connection: Connection, group: list[_Read]) -> None:
        for read in group:
            try:
                read.result = read.query(connection)
            except FAILURES as error:
                self._log(1, error)
                read.error = self._failure()
            except Exception as error:
                read.error = error

    def _log(self, _jobs: int, error: Exception) -> None:
        bug = None if isinstance(error, FAILURES) else error  # what is none needs no trace
        _LOG.error("the database could not be read: %s", explain(error), exc_info=bug)
