"""A thread with a connection to the database, which does what an event loop asks of it.

What is asked for is collected on the event loop and handed over group by group: to wake the thread,
and the loop when all is done, costs more than most of what is asked for.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from traceback import format_tb
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server.health.histogram import Histogram
from mastermind_server.storage.rows import RowTaken
from mastermind_server.tuning import (
    LONE_WRITES,
    OVERLOADED_RETRY_SECONDS,
    RETRY_SECONDS,
    STORE_QUEUE,
    WRITER_STOP_SECONDS,
)

if TYPE_CHECKING:
    from mastermind_server.storage.database import Database, Session


class StorageFailed(MastermindError):
    """The disk or the database refused, to write or to read, or too much waits for it.

    Nobody was told of such a write. It is not there either, unless the database was cut off or too
    slow while it was being done: then the log's keys tell when it is asked for again.
    """


@dataclass(slots=True, eq=False)
class Job:
    """What one caller asks for, and the future that tells what came of it."""

    future: asyncio.Future[Any]
    result: Any = None
    error: Exception | None = None

    def fail(self, error: Exception) -> None:
        """Take what the work raised, which is its caller's.

        Without the thread's frames: they know the job, and each would keep the other and whoever
        asked until a collection. Where they matter, a note tells of them.
        """
        if not isinstance(error, MastermindError | RowTaken):
            error.add_note("".join(["In the thread:\n", *format_tb(error.__traceback__)]))
        self.error = error.with_traceback(None)

    @property
    def given_up(self) -> bool:
        """Whether the caller was told that it has failed, whatever comes of it."""
        return self.future.done() and not self.future.cancelled()


JobT = TypeVar("JobT", bound=Job)


class ConnectionThread(ABC, Generic[JobT]):
    """One that does jobs of a kind. Made and used on a running event loop.

    `failed` is why a job failed that the database could not do, `most` how many are a group. Jobs
    wait for nothing but the ones before, unless they are a crowd: these are collected for a `pace`
    in seconds. `delays` is how long they took, waiting too, by the first of each group, and
    `failures` how many failed, `failing` whether all of the last group did.
    """

    def __init__(
        self, name: str, database: Database, failed: Reason, *, most: int, pace: float = 0
    ) -> None:
        self._database, self._failed, self._most, self._pace = database, failed, most, pace
        self._session: Session | None = None  # the thread's own, opened by the first job
        self._loop = asyncio.get_running_loop()
        self._waiting: list[JobT] = []
        self._asked = self._began = 0.0  # when the first of them was, and of the group
        self._next: asyncio.Handle | None = None  # which hands the waiting over
        self._group: list[JobT] | None = None  # which the thread has
        self._late: asyncio.TimerHandle | None = None  # which gives up a group that hangs
        self._since, self._taken = self._loop.time(), 0  # jobs handed over within a pace
        self._queue: queue.SimpleQueue[list[JobT] | None] = queue.SimpleQueue()
        self._closed = False
        self.delays, self.failures, self.failing = Histogram(), 0, False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @abstractmethod
    def _do(self, session: Session, group: list[JobT]) -> None:
        """Do the jobs, in the thread; what is raised is the error of each."""

    def _choose(self, waiting: list[JobT]) -> tuple[list[JobT], list[JobT]]:
        """Return the next group, where more wait than are one, and who waits on."""
        return waiting[: self._most], waiting[self._most :]

    def _conclude(self, session: Session, group: list[JobT]) -> None:
        """Do, in the thread, what is left once the callers are being told of their jobs."""

    @abstractmethod
    def _log(self, jobs: int, error: Exception) -> None:
        """Tell in the log why so many jobs failed."""

    def ask(self, job: JobT) -> asyncio.Future[Any]:
        """Return the future of a job: its result, or its error.

        Raises StorageFailed once it is closed, or while the queue is full.
        """
        if self._closed:
            raise self._failure()
        if len(self._waiting) >= STORE_QUEUE:
            again = OVERLOADED_RETRY_SECONDS
            raise StorageFailed(Reason.OVERLOADED, limit=STORE_QUEUE, retry_after=again)
        if not self._waiting:
            self._asked = self._loop.time()
        self._waiting.append(job)
        if self._next is None and self._group is None:
            self._plan()
        return job.future

    @property
    def wait(self) -> float:
        """For how many seconds whoever waits longest has waited."""
        if self._group is None and not self._waiting:
            return 0.0
        return self._loop.time() - (self._asked if self._group is None else self._began)

    async def close(self, patience: float = WRITER_STOP_SECONDS) -> bool:
        """Do what is waiting, then stop; tell whether it was done within `patience` in seconds."""
        self._closed = True
        while self._waiting:
            self._hand_over()
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join, patience)
        return not self._thread.is_alive()

    def _failure(self) -> StorageFailed:
        return StorageFailed(self._failed, retry_after=RETRY_SECONDS)

    def _plan(self) -> None:
        """Hand over what waits once this turn of the loop has collected it, or a pace later."""
        if self._taken < LONE_WRITES:
            self._next = self._loop.call_soon(self._hand_over)
        else:
            self._next = self._loop.call_at(self._since + self._pace, self._hand_over)

    def _is_due(self) -> bool:
        """Tell whether nobody who waits is to wait for others."""
        return self._taken < LONE_WRITES or self._loop.time() >= self._since + self._pace

    def _hand_over(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        now = self._loop.time()
        if now >= self._since + self._pace:
            self._since, self._taken = now, 0
        group, self._waiting = self._waiting, []
        self._taken += len(group)
        if len(group) > self._most:
            group, self._waiting = self._choose(group)
            if self._waiting:
                self._taken = 0  # these have been collected already
        self._group, self._began = group, self._asked
        self._queue.put(group)
        self._be_patient()

    def _be_patient(self) -> None:
        self._be_content()
        if self._database.patience is not None:
            self._late = self._loop.call_later(self._database.patience, self._give_up)

    def _be_content(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        """Let what the thread waits for fail; and tell so to all callers, whatever comes of it."""
        if (session := self._session) is not None:
            session.interrupt()
        self._fail(self._group or [])
        self._fail_waiting()
        self._be_patient()

    def _fail_waiting(self) -> None:
        """Fail those who wait for a database that is not there: each group would wait as long."""
        waiting, self._waiting = self._waiting, []
        self.failures += len(waiting)
        self._fail(waiting)

    def _fail(self, jobs: list[JobT]) -> None:
        for job in jobs:
            if not job.future.done():
                job.future.set_exception(self._failure())

    def _run(self) -> None:
        while (group := self._queue.get()) is not None:
            try:
                if self._session is None:
                    self._session = self._database.connect()
                if all(job.given_up for job in group):  # before it was begun
                    self._refuse(group)
                else:
                    self._do(self._session, group)
            except Exception as error:
                self._log(len(group), error)
                self._refuse(group)
            session = self._session
            self._loop.call_soon_threadsafe(self._settle, group, session is not None)
            if session is not None:
                self._conclude(session, group)
                if session.broken:
                    self._leave_session()
        self._leave_session()

    def _refuse(self, group: list[JobT]) -> None:
        for job in group:
            job.error = self._failure()

    def _leave_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _settle(self, group: list[JobT], connected: bool) -> None:
        """Tell the callers, and go on with those who have come meanwhile."""
        self._group = None
        self._be_content()
        self.delays.add(self._loop.time() - self._began, len(group))
        self.failing = True
        for job in group:
            error, future = job.error, job.future
            if isinstance(error, StorageFailed):
                self.failures += 1
            else:
                self.failing = False
            if future.done():  # the caller has gone, or was told that it takes too long
                continue
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(job.result)
        if not connected:
            self._fail_waiting()
        if self._waiting:
            if self._is_due():  # they have been collected: a turn of the loop would bring no more
                self._hand_over()
            else:
                self._plan()
