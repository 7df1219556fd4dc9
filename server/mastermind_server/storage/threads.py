"""Database threads: each owns a connection and runs the event loop's jobs in groups.

Passing a group to the thread, and its results back to the event loop, costs more than most jobs. A
commit costs a disk sync. So jobs are collected on the event loop and passed to the thread in
groups.
"""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.monitoring.overload import OVERLOADED_RETRY_SECONDS
from mastermind_server.monitoring.usage import Histogram
from mastermind_server.storage.engines.database import summarize_error
from mastermind_server.storage.lanes import Job, Lane
from mastermind_server.storage.notices import RowWritten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mastermind_server.storage.engines.database import Database, Session
    from mastermind_server.storage.epochs import Epochs
    from mastermind_server.storage.notices import Notice
    from mastermind_server.storage.rows import LogRow

_LOG = logging.getLogger(__name__)
STOP_SECONDS = 1.0  # for pending writes; a commit takes milliseconds
_TIMER_TOLERANCE = 0.0005  # seconds: uvloop runs timers early by up to this time
T = TypeVar("T")
MAX_JOBS_IN_LANE = 8192  # jobs in a lane: one for each connection at the usual limit


class StorageFailed(MastermindError):
    """The database failed to read or write, or a lane is full.

    A failed write is not on disk, unless the connection was lost or timed out during the commit. If
    the client repeats the request, its key in the log shows whether the write was committed.

    `cause` is the database's message, or empty. It is for operators, and never sent to clients.
    """

    def __init__(self, reason: Reason, /, *, cause: str = "", **values: Any) -> None:
        super().__init__(reason, **values)
        self.cause = cause

    def explain(self) -> str:
        """Return a sentence for operators, with the cause if it is known."""
        return f"the database cannot be used: {self.cause or self}"


class DatabaseThread:
    """A thread that runs the jobs of `lanes` in groups. The lane served longest ago is next.

    Create and use it on a running event loop. If the database fails, jobs raise StorageFailed with
    the reason `failure`. After each commit, the thread calls `on_notices` with the notices of the
    commit, and then sends them. `epochs` adopts the epoch of a new connection.

    `delays` is a histogram of job delays in seconds: the time from the arrival of the first job in
    a group to the end of the group. `failures` is the number of jobs that raised StorageFailed, and
    `last_cause` the cause if all jobs of the last group did, otherwise None. `rows` is the number
    of log rows written. `last_rows` maps epochs to the last log row that was written in each.
    """

    def __init__(
        self,
        name: str,
        database: Database,
        epochs: Epochs,
        failure: Reason,
        lanes: Sequence[Lane],
        on_notices: Callable[[Sequence[Notice]], None] = lambda _: None,
    ) -> None:
        self._name, self._database, self._reason = name, database, failure
        self._lanes, self._on_notices, self._epochs = lanes, on_notices, epochs
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[tuple[Lane, list[Job]] | None] = queue.SimpleQueue()
        self._group: list[Job] = []  # in the thread now
        self._running_lane: Lane | None = None  # of the last group
        self._next: asyncio.Handle | None = None  # starts the next group, at `_due`
        self._due = 0.0
        self._timeout: asyncio.TimerHandle | None = None
        self._closed = False
        self._session: Session | None = None  # of the thread, which opens it for the first job
        self.delays, self.failures, self.rows = Histogram(), 0, 0
        self.last_cause: str | None = None
        self.last_rows: dict[str, LogRow] = {}
        self._thread = threading.Thread(target=self._run_jobs, name=name, daemon=True)
        self._thread.start()

    def submit(
        self, lane: Lane, work: Callable[[Session], T], row: object = None
    ) -> asyncio.Future[T]:
        """Add a job that calls `work` with a session to `lane`. Return the future of its result.

        If `row` is given, the lane may insert it with the rows of other jobs instead. The future of
        a write is done after the commit. The future raises the exception of `work`, or
        StorageFailed if the database fails. If `work` raises, it must have changed nothing.
        `submit` itself raises StorageFailed if the thread is closed or the lane is full.
        """
        if self._closed:
            raise self._make_failure()
        if (pending := len(lane.jobs)) >= MAX_JOBS_IN_LANE:
            retry_after = OVERLOADED_RETRY_SECONDS
            raise StorageFailed(Reason.OVERLOADED, limit=MAX_JOBS_IN_LANE, retry_after=retry_after)
        now = self._loop.time()
        # A lane starts at most `group_limit` jobs an interval. The time before is no waiting time.
        start = lane.next_start + pending // lane.group_limit * lane.interval_seconds
        future: asyncio.Future[T] = self._loop.create_future()
        job = Job(work, row, future, max(now, start), self._epochs.current)
        lane.jobs.append(job)
        if pending + 1 == lane.enough_jobs:
            lane.end_interval(now)
        if not self._group:
            self._schedule_group(lane.next_start, now)
        return future

    def measure_wait(self, lane: Lane) -> float:
        """Return the time, in seconds, that the oldest unfinished job of `lane` has waited.

        Return 0 for a lane without jobs.
        """
        jobs = self._group if self._group and lane is self._running_lane else lane.jobs
        return max(0.0, self._loop.time() - jobs[0].waiting_since) if jobs else 0.0

    async def close(self, seconds: float = STOP_SECONDS) -> bool:
        """Run the pending jobs and stop. Return whether the thread ended within `seconds`.

        Jobs that have not ended by then are abandoned: their futures are never done.
        """
        self._closed = True
        for lane in self._lanes:
            while lane.jobs:
                self._start_group(lane, self._loop.time())
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join, seconds)
        if self._thread.is_alive():
            _LOG.error("%s: the database is busy, pending jobs are abandoned", self._name)
            return False
        return True

    def _make_failure(self, cause: str = "") -> StorageFailed:
        return StorageFailed(self._reason, cause=cause, retry_after=RETRY_SECONDS)

    def _schedule_group(self, at: float, now: float) -> None:
        """Start the next group at the loop's time `at`, unless an earlier start is scheduled.

        Times are in seconds.
        """
        if self._next is not None:
            if self._due <= at:
                return
            self._next.cancel()  # another lane is ready later
        self._due = at
        if at <= now:
            self._next = self._loop.call_soon(self._start_next_group)
        else:
            self._next = self._loop.call_at(at, self._start_next_group)

    def _start_next_group(self) -> None:
        """If the thread is idle, start a group of the ready lane that was served longest ago."""
        self._next = None
        if self._group:
            return
        now, chosen, next_ready = self._loop.time(), None, math.inf
        for lane in self._lanes:
            if not lane.jobs:
                continue
            if lane.next_start > now + _TIMER_TOLERANCE:
                next_ready = min(next_ready, lane.next_start)
            elif chosen is None or lane.last_start < chosen.last_start:
                chosen = lane
        if chosen is not None:
            self._start_group(chosen, now)
        elif next_ready < math.inf:
            self._schedule_group(next_ready, now)

    def _start_group(self, lane: Lane, now: float) -> None:
        self._group, self._running_lane = lane.take_group(now), lane
        self._queue.put((lane, self._group))
        self._start_timeout()

    def _start_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
        if self._database.timeout is not None:
            self._timeout = self._loop.call_later(self._database.timeout, self._time_out)

    def _time_out(self) -> None:
        """Interrupt the running group, and fail its jobs and all pending jobs."""
        if (session := self._session) is not None:
            session.interrupt()
        self._fail_futures(self._group)
        self._fail_pending_jobs()
        self._start_timeout()

    def _fail_pending_jobs(self) -> None:
        """Fail all pending jobs: without a database connection, each would wait for a time-out."""
        for lane in self._lanes:
            self.failures += len(lane.jobs)
            self._fail_futures(lane.jobs)
            lane.jobs.clear()

    def _fail_futures(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            if not job.future.done():
                job.future.set_exception(self._make_failure())

    def _finish_group(self, group: list[Job], connected: bool) -> None:
        """Set the results of a group's futures, then start the next group.

        If the thread is not `connected`, all pending jobs fail.
        """
        self._group = []
        if self._timeout is not None:
            self._timeout.cancel()
        self.delays.add(max(0.0, self._loop.time() - group[0].waiting_since), len(group))
        self.last_cause = ""
        for job in group:
            error, future = job.error, job.future
            if isinstance(error, StorageFailed):
                self.failures += 1
                if self.last_cause is not None:
                    self.last_cause = self.last_cause or error.cause
            else:
                self.last_cause = None
            if future.done():  # cancelled, or timed out
                continue
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(job.result)
        if not connected:
            self._fail_pending_jobs()
        self._start_next_group()

    # The methods below run in the thread.

    def _run_jobs(self) -> None:
        while (taken := self._queue.get()) is not None:
            lane, group = taken
            try:
                ready = self._prepare_session(group[-1].epoch)
                current = [job for job in group if job.epoch == ready.epoch]
                if all(job.timed_out for job in current):
                    self._set_errors(group)
                else:
                    self._set_errors(job for job in group if job.epoch != ready.epoch)
                    self._run_group(ready, lane, current)
            except Exception as error:
                self._set_errors(group, self._log_failure(len(group), error))
            session = self._session
            if session is not None:
                self.rows += sum(isinstance(notice, RowWritten) for notice in session.notices)
                if session.last_row is not None:
                    self.last_rows[session.epoch] = session.last_row
            self._loop.call_soon_threadsafe(self._finish_group, group, session is not None)
            if session is not None:
                self._send_notices(session)
                if session.broken:
                    self._disconnect()
        self._disconnect()

    def _prepare_session(self, epoch: str) -> Session:
        """Return a session. If possible, it has the epoch of the newest job, `epoch`.

        A session with another epoch is replaced, because it may be of a database that failed.
        """
        session = self._session
        if session is not None:
            session.detect_disconnection()
            if session.broken or session.epoch != epoch:
                self._disconnect()
        if self._session is None:
            self._session = self._database.connect()
            self._session.wait_for_standby()
            self._session.epoch = self._session.read_epoch()
            self._loop.call_soon_threadsafe(self._epochs.adopt, self._session.epoch)
        return self._session

    def _run_group(self, session: Session, lane: Lane, group: list[Job]) -> None:
        if lane.atomic:
            try:
                self._run_in_one_transaction(session, lane, group)
            except (*session.write_errors, *session.concurrency_errors):
                pass  # caused by one job: each gets a transaction of its own
            else:
                return
        for job in group:
            self._run_job(session, lane, job)

    def _run_in_one_transaction(self, session: Session, lane: Lane, group: list[Job]) -> None:
        batch = [job for job in group if job.row is not None]
        single = [job for job in group if job.row is None]
        if not single:  # the insert is a transaction of its own
            batch, single = [], _insert_rows(session, lane, batch)
            if not single:
                return
        with session.transaction():
            if batch:
                single += _insert_rows(session, lane, batch)
            for job in single:
                try:
                    job.result = job.work(session)
                except session.database_errors:
                    raise  # the transaction may be lost, with the changes of other jobs
                except Exception as error:
                    job.fail(error)

    def _run_job(self, session: Session, lane: Lane, job: Job) -> None:
        job.error = None
        try:
            with session.transaction() if lane.atomic else nullcontext():
                job.result = job.work(session)
        except session.database_errors as error:
            job.error = self._make_failure(self._log_failure(1, error))
        except Exception as error:
            job.fail(error)

    def _send_notices(self, session: Session) -> None:
        """Send the notices after the commit, because NOTIFY in a transaction serializes commits."""
        notices = list(session.notices)
        session.notices.clear()
        if not (notices and self._database.shared):
            return
        self._on_notices(notices)
        try:
            session.notify(notices)
        except session.database_errors as error:
            _LOG.warning("other nodes were not notified, and will poll: %s", summarize_error(error))

    def _set_errors(self, jobs: Iterable[Job], cause: str = "") -> None:
        for job in jobs:
            job.error = self._make_failure(cause)

    def _log_failure(self, job_count: int, error: Exception) -> str:
        """Log an error of the database, which the session notes. Return its text."""
        if self._session is not None:
            self._session.note_error(error)
        bug = None if isinstance(error, self._database.session.database_errors) else error
        text = self._database.session.explain(error)
        _LOG.error("%s: a group of %d failed: %s", self._name, job_count, text, exc_info=bug)
        return text

    def _disconnect(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


def _insert_rows(session: Session, lane: Lane, batch: list[Job]) -> list[Job]:
    """Insert the rows of the jobs in `batch`. Return the jobs with rejected rows."""
    return [batch[n] for n in lane.insert_rows(session, [job.row for job in batch])]
