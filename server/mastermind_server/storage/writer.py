"""Group commit: one thread, one transaction, many matches, one fsync.

Whatever is waiting when the thread comes round is written in one transaction, so that the price of
a commit, most of it the disk's, is shared. A write's future is settled only after that commit.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from mastermind_protocol.errors import Reason
from mastermind_server import tuning
from mastermind_server.storage.connection_thread import ConnectionThread, Job
from mastermind_server.storage.database import explain
from mastermind_server.storage.news import News

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from mastermind_server.storage.database import Database, Session
    from mastermind_server.storage.echo import Echo
    from mastermind_server.storage.rows import LogRow

_LOG = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(slots=True, eq=False, kw_only=True)
class _Write(Job):
    """One caller's write, and what other nodes are told when it is there.

    `row` is all of it, and all that is told, if that is one row of the log. A `move` of a match
    that is under way waits for no more than a few others.
    """

    work: Callable[[Session], object]
    row: LogRow | None
    told: Sequence[News]
    move: bool

    @property
    def news(self) -> Sequence[News]:
        """What other nodes are told."""
        return self.told if self.row is None else (News(self.row.match, self.row.version),)


class Writer(ConnectionThread[_Write]):
    """A thread that writes. It has appended `rows` to the log; an `echo` times what it tells.

    At most so many writes that are no moves are in one commit.
    """

    def __init__(
        self,
        database: Database,
        *,
        pace: float = tuning.COMMIT_SECONDS,
        most: int = tuning.OTHERS_AT_ONCE,
        echo: Echo | None = None,
        name: str = "store-writer",
    ) -> None:
        self.rows, self._echo = 0, echo
        self._moves_next = True  # where others wait too
        super().__init__(name, database, Reason.NOT_SAVED, most=most, pace=pace)

    def write(
        self,
        work: Callable[[Session], T],
        row: LogRow | None = None,
        news: Sequence[News] = (),
        *,
        move: bool = False,
    ) -> asyncio.Future[T]:
        """Do `work` in the next transaction; its result is there when that is on disk.

        What `work` raises is raised there, and it must have changed nothing then. If all that it
        does is to append a `row`, that is done with others'; a `move` waits for few others.
        Raises StorageFailed if the transaction as a whole failed, the database refused the work, or
        the writer is closed.
        """
        return self.ask(
            _Write(self._loop.create_future(), work=work, row=row, told=news, move=move)
        )

    async def close(self, patience: float = tuning.WRITER_STOP_SECONDS) -> bool:
        """Write what is waiting, then stop; tell whether that was done.

        A disk that takes longer than `patience` in seconds is not waited for: nobody was told that
        what is left is there.
        """
        closed = await super().close(patience)
        if not closed:
            _LOG.error("the database is busy: what was not yet saved is not waited for")
        return closed

    def _choose(self, waiting: list[_Write]) -> tuple[list[_Write], list[_Write]]:
        """Let moves and a few others take turns: no move waits for a crowd of newcomers."""
        moves = [write for write in waiting if write.move]
        others = [write for write in waiting if not write.move]
        if moves and (not others or self._moves_next):
            self._moves_next = False
            return moves[: tuning.MOVES_AT_ONCE], moves[tuning.MOVES_AT_ONCE :] + others
        self._moves_next = True
        return others[: self._most], moves + others[self._most :]

    def _do(self, session: Session, group: list[_Write]) -> None:
        try:
            self._write_together(session, group)
        except (*session.conflicts, *session.collisions):  # of one: the others are not to suffer
            for write in group:
                write.error = None
                self._write_alone(session, write)
        for write in group:
            if write.error is None:
                self.rows += 1 if write.row else sum((each.version or 0) > 0 for each in write.told)

    def _conclude(self, session: Session, group: list[_Write]) -> None:
        if not self._database.shared:
            return
        news = [each for write in group if write.error is None for each in write.news]
        if self._echo is not None:
            self._echo.tell(news)
        try:
            session.tell(news)
        except session.failures as error:
            _LOG.warning("other nodes were not told, and have to look: %s", explain(error))

    def _write_together(self, session: Session, group: list[_Write]) -> None:
        rows = [write.row for write in group if write.row is not None]
        mixed = len(rows) < len(group)
        left = () if mixed else session.append_together(rows)
        if not (mixed or left):
            return  # one statement is a transaction
        with session.transaction():
            if mixed and rows:
                left = session.append_together(rows)
            appends = [write for write in group if write.row is not None]
            undone = {appends[n] for n in left}
            for write in group:
                if write.row is None or write in undone:
                    _apply(session, write)

    def _write_alone(self, session: Session, write: _Write) -> None:
        try:
            with session.transaction():
                _apply(session, write)
        except (*session.conflicts, *session.collisions) as error:
            self._log(1, error)
            write.error = self._failure()

    def _log(self, jobs: int, error: Exception) -> None:
        bug = None if isinstance(error, self._database.session.failures) else error
        _LOG.error(
            "a commit of %d writes failed: %s",
            jobs,
            explain(error),
            exc_info=bug,
        )


def _apply(session: Session, write: _Write) -> None:
    """Do the work. What it raises is its caller's, unless the database itself failed."""
    try:
        write.result = write.work(session)
    except session.failures:
        raise  # the transaction may be gone, and with it what others wrote in it
    except Exception as error:
        write.fail(error)
