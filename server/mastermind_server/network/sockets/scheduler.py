"""A time budget for each iteration of the event loop, so that many clients delay no move."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Refused
from mastermind_server.network.rate_limits import RateLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Sized

    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter

BUDGET_SECONDS = 0.005  # of one iteration of the event loop for requests: bounds the wait of a move
PENDING_BUDGET_SECONDS = 0.0005  # for connections without a hello: two handshakes, or one with TLS
PAGES_INTERVAL = 0.01  # seconds between batches of queued page requests
STARTS_PER_ITERATION = 8  # queued requests that start in one iteration; a long log takes 1.6 ms


class _FairQueue:
    """A queue of callbacks that serves addresses round robin."""

    def __init__(self) -> None:
        self._queues: OrderedDict[str, deque[Callable[[], object]]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, address: str, work: Callable[[], object]) -> None:
        """Queue a callback behind the others of `address`."""
        self._queues.setdefault(address, deque()).append(work)
        self._size += 1

    def pop(self) -> Callable[[], object]:
        """Remove and return the oldest callback of the address that was served longest ago."""
        address, queue = self._queues.popitem(last=False)
        work = queue.popleft()
        self._size -= 1
        if queue:
            self._queues[address] = queue
        return work


class LoopScheduler:
    """Queues work for later iterations of the event loop when a time budget is spent.

    The budget of an iteration is BUDGET_SECONDS from its first work. Pending connections, which
    have sent no hello, have a budget of PENDING_BUDGET_SECONDS and a queue that runs last. Running
    work is never interrupted. Must be created on a running event loop, `loop`: to find it costs
    Python 3.11 a system call.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock, self.loop = clock, asyncio.get_running_loop()
        self._started_at: float | None = None
        self._queue = _FairQueue()
        self._pending: deque[Callable[[], object]] = deque()

    def postpone(self, address: str, work: Callable[[], object]) -> bool:
        """Queue `work` for a later iteration if this one has no time left, and return True.

        With time left, return False: the caller must then run `work`.
        """
        if not self._is_budget_spent(self._queue, BUDGET_SECONDS):
            return False
        self._queue.append(address, work)
        return True

    def has_time_for_pending(self) -> bool:
        """Return whether this iteration has time left for pending connections."""
        return not self._is_budget_spent(self._pending, PENDING_BUDGET_SECONDS)

    def postpone_pending(self, work: Callable[[], object]) -> bool:
        """Queue `work` of a pending connection if this iteration has no time for it; return True.

        With time left, return False: the caller must then run `work`.
        """
        if self.has_time_for_pending():
            return False
        self._pending.append(work)
        return True

    def run_or_postpone_pending(self, work: Callable[[], object]) -> None:
        """Run work of a pending connection now, or in a later iteration if no time is left."""
        if not self.postpone_pending(work):
            work()

    async def wait_for_time(self, address: str) -> None:
        """Wait until an iteration of the event loop has time left for work of `address`.

        Usually returns at once.
        """
        ready = asyncio.Event()
        if self.postpone(address, ready.set):
            await ready.wait()

    def _is_budget_spent(self, queue: Sized, seconds: float) -> bool:
        if self._started_at is None:
            self._started_at = self._clock.now()
            self.loop.call_soon(self._start_iteration)
            return False
        return bool(queue) or self._clock.now() - self._started_at >= seconds

    def _start_iteration(self) -> None:
        """Begin an iteration. Run queued work: at least one callback of each queue."""
        self._started_at = None
        if self._queue or self._pending:
            self._started_at = self._clock.now()
            self.loop.call_soon(self._start_iteration)
            for _ in range(min(STARTS_PER_ITERATION, len(self._queue))):
                self._queue.pop()()
            for _ in range(min(STARTS_PER_ITERATION, len(self._pending))):
                self._pending.popleft()()
                if self._clock.now() - self._started_at >= PENDING_BUDGET_SECONDS:
                    break


class PageQueue:
    """Queues page requests above the rate `page_requests`, and runs them at this rate.

    Queued requests run in batches, every PAGES_INTERVAL seconds, with addresses served round robin.
    At most one request of a batch is for a page, because pages cost most. The others are for files.
    So a browser that has received the page gets its files before many other browsers get the page.
    """

    def __init__(self, limiter: Limiter, scheduler: LoopScheduler, clock: Clock) -> None:
        self._scheduler, self._clock = scheduler, clock
        self._rate = RateLimit(limiter, "page_requests", clock.now)
        self._batch = max(2, round(limiter.limits.page_requests.per_second * PAGES_INTERVAL))
        self._files, self._pages = _FairQueue(), _FairQueue()

    def run(self, address: str, work: Callable[[], object], *, page: bool) -> None:
        """Run `work`, which answers a request from `address`, now or in a later batch.

        `page` is true for a page, and false for a file.
        """
        if not (self._files or self._pages):
            try:
                self._rate.take("all")
            except Refused:
                self._start_timer()
            else:
                work()
                return
        (self._pages if page else self._files).append(address, work)

    def _start_timer(self) -> None:
        self._clock.call_later(PAGES_INTERVAL, self._run_batch)

    def _run_batch(self) -> None:
        pages = min(1, len(self._pages))
        files = min(self._batch - pages, len(self._files))
        for queue in [self._pages] * pages + [self._files] * files:
            self._scheduler.run_or_postpone_pending(queue.pop())
        if self._files or self._pages:
            self._start_timer()
