"""Jobs of a database thread, and lanes: the queues in which jobs wait."""

from __future__ import annotations

from dataclasses import dataclass, field
from traceback import format_tb
from typing import TYPE_CHECKING, Any

from mastermind_protocol.errors import MastermindError
from mastermind_server.storage.rows import WriteRejected

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Sequence

    from mastermind_server.storage.engines.database import Session

LONE_WAITS = 4  # of jobs in a row: if one ended it, jobs that are 4 ms apart would rarely share
LONE_GROUPS = 128  # between two trials: fewer than one in a hundred jobs waits in vain


@dataclass(slots=True, eq=False)
class Job:
    """One call for a database thread, and the future that receives its result.

    `work` runs in the thread. If the job has a `row`, its lane can insert the rows of several jobs
    by one statement instead. The job began to wait at `waiting_since`, in seconds of the event
    loop's clock. It was decided in the `epoch` of the store, and fails in another.
    """

    work: Callable[[Session], object]
    row: Any
    future: asyncio.Future[Any]
    waiting_since: float
    epoch: str
    result: Any = None
    error: Exception | None = None

    def fail(self, error: Exception) -> None:
        """Store the exception that `work` raised, without its traceback.

        The traceback refers to the job, which would be a reference cycle. An unexpected error gets
        the text of its traceback as a note.
        """
        if not isinstance(error, MastermindError | WriteRejected):
            error.add_note("".join(["In the thread:\n", *format_tb(error.__traceback__)]))
        self.error = error.with_traceback(None)

    @property
    def timed_out(self) -> bool:
        """Whether the job was too late: its future has failed with StorageFailed already."""
        return self.future.done() and not self.future.cancelled()


def _reject_all_rows(_session: Session, rows: Sequence[Any]) -> Iterable[int]:
    return range(len(rows))


@dataclass(slots=True, eq=False)
class Lane:
    """A queue of jobs of one kind. Its jobs run in groups of at most `group_limit`.

    After a group of several jobs, groups start at least `interval_seconds` apart, so that
    concurrent jobs share a commit. When LONE_WAITS groups in a row had one job, groups start at
    once again: a client that sends its jobs one after another would always wait in vain. Of
    LONE_GROUPS such groups, one waits to find out whether jobs arrive close together. As soon as
    `enough_jobs` wait, unless that is 0, their group may start: a larger one would gain little.

    If several jobs of a group have a row, `insert_rows` inserts these rows instead of the calls of
    `work`, and returns the indices of the rejected rows. The jobs of these rows run alone. If the
    lane is `atomic`, the jobs of a group share a transaction. Otherwise each statement commits by
    itself.
    """

    group_limit: int
    interval_seconds: float = 0.0
    insert_rows: Callable[[Session, Sequence[Any]], Iterable[int]] = _reject_all_rows
    atomic: bool = True
    enough_jobs: int = 0
    jobs: list[Job] = field(default_factory=list)
    next_start: float = 0.0  # when the next group may start, by the loop's clock
    last_start: float = 0.0  # when the last group started
    lone_groups: int = LONE_WAITS  # of one job, in a row

    def end_interval(self, now: float) -> None:
        """Let the next group start at `now`, a time of the loop's clock."""
        self.next_start = now
        for job in self.jobs:
            job.waiting_since = min(job.waiting_since, now)

    def take_group(self, now: float) -> list[Job]:
        """Remove and return the jobs of a group that starts at `now`, a time of the loop's clock.

        `next_start` is then the earliest start of the next group.
        """
        group, self.jobs = self.jobs[: self.group_limit], self.jobs[self.group_limit :]
        self.lone_groups = 0 if len(group) > 1 else self.lone_groups + 1
        if self.lone_groups < LONE_WAITS or self.lone_groups % LONE_GROUPS == 0:
            self.next_start = now + self.interval_seconds
        self.last_start = now
        return group
