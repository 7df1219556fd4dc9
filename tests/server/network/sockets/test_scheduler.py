import asyncio
from functools import partial

from mastermind_server.limits import Limiter, Limits, Rate
from mastermind_server.network.sockets.scheduler import (
    BUDGET_SECONDS,
    PAGES_INTERVAL,
    PENDING_BUDGET_SECONDS,
    STARTS_PER_ITERATION,
    LoopScheduler,
    PageQueue,
)

HOME, ELSEWHERE = "192.0.2.1", "192.0.2.2"


async def test_work_within_the_budget_of_an_iteration_runs_at_once(clock):
    scheduler, done = LoopScheduler(clock), list[int]()
    clock.skip(2 * BUDGET_SECONDS)  # before the iteration's first work
    assert not scheduler.postpone(HOME, partial(done.append, 1))
    clock.skip(BUDGET_SECONDS / 2)
    assert not scheduler.postpone(HOME, partial(done.append, 2))
    await scheduler.wait_for_time(HOME)  # at once: nothing was released
    assert done == []


async def test_work_beyond_the_budget_runs_in_later_iterations_in_order(clock):
    scheduler, done = LoopScheduler(clock), list[int]()
    assert not scheduler.postpone(HOME, partial(done.append, -1))
    clock.skip(2 * BUDGET_SECONDS)
    for number in range(2 * STARTS_PER_ITERATION + 1):
        assert scheduler.postpone(HOME, partial(done.append, number))
    released = []
    while len(done) <= 2 * STARTS_PER_ITERATION:
        await asyncio.sleep(0)
        released.append(len(done))
    started = STARTS_PER_ITERATION
    assert released == [started, 2 * started, 2 * started + 1]
    assert done == sorted(done)


async def test_later_work_does_not_overtake_waiting_work(clock):
    scheduler, done = LoopScheduler(clock), list[str]()
    assert not scheduler.postpone(HOME, partial(done.append, "first"))
    clock.skip(2 * BUDGET_SECONDS)
    for _ in range(STARTS_PER_ITERATION + 1):
        scheduler.postpone(HOME, partial(done.append, "early"))

    async def come_late():
        await scheduler.wait_for_time(HOME)
        done.append("late")

    late = asyncio.create_task(come_late())
    await late
    assert done == ["early"] * (STARTS_PER_ITERATION + 1) + ["late"]


async def test_work_for_newcomers_waits_behind_work_for_players(clock):
    scheduler, done, all_done = LoopScheduler(clock), list[str](), asyncio.Event()

    def shake_hands():
        done.append("newcomer")
        clock.skip(2 * PENDING_BUDGET_SECONDS)

    assert not scheduler.postpone_pending(shake_hands)
    clock.skip(2 * PENDING_BUDGET_SECONDS)
    for _ in range(3):
        assert scheduler.postpone_pending(shake_hands)
    assert not scheduler.postpone(HOME, partial(done.append, "player"))  # the budget has room
    clock.skip(BUDGET_SECONDS)
    for _ in range(2):
        assert scheduler.postpone(HOME, partial(done.append, "player"))
    assert scheduler.postpone_pending(all_done.set)
    await all_done.wait()
    assert done == ["player", "player", "newcomer", "newcomer", "newcomer"]


async def test_queued_work_for_newcomers_shares_an_iteration_within_its_budget(clock):
    scheduler, done = LoopScheduler(clock), list[int]()
    assert not scheduler.postpone_pending(partial(done.append, -1))
    clock.skip(2 * PENDING_BUDGET_SECONDS)
    for number in range(2):
        assert scheduler.postpone_pending(partial(done.append, number))
    await asyncio.sleep(0)
    assert done == [0, 1]


async def test_work_for_a_newcomer_runs_now_or_in_a_later_iteration(clock):
    scheduler, done = LoopScheduler(clock), list[int]()
    scheduler.run_or_postpone_pending(partial(done.append, 1))
    assert done == [1]
    clock.skip(2 * PENDING_BUDGET_SECONDS)
    scheduler.run_or_postpone_pending(partial(done.append, 2))
    assert done == [1]
    await asyncio.sleep(0)
    assert done == [1, 2]


async def test_waiting_work_alternates_between_addresses(clock):
    scheduler, done = LoopScheduler(clock), list[str]()
    assert not scheduler.postpone(HOME, partial(done.append, "first"))
    clock.skip(2 * BUDGET_SECONDS)
    for number in range(3):
        scheduler.postpone(ELSEWHERE, partial(done.append, f"of a crowd, {number}"))
    scheduler.postpone(HOME, partial(done.append, "move"))
    await scheduler.wait_for_time(ELSEWHERE)
    assert done == ["of a crowd, 0", "move", "of a crowd, 1", "of a crowd, 2"]


async def test_page_requests_above_the_rate_run_in_batches_with_one_page_and_by_address(clock):
    limiter = Limiter(Limits(page_requests=Rate(burst=1, per_second=3 / PAGES_INTERVAL)))
    queue, done = PageQueue(limiter, LoopScheduler(clock), clock), list[str]()

    def ask(address: str, name: str, *, page: bool = False) -> None:
        queue.run(address, partial(done.append, name), page=page)

    ask(HOME, "first", page=True)
    for number in range(3):
        ask(HOME, f"page {number}", page=True)
    for number in range(3):
        ask(HOME, f"file {number}")
    ask(ELSEWHERE, "other file")
    assert done == ["first"]
    batches = [["page 0", "file 0", "other file"], ["page 1", "file 1", "file 2"], ["page 2"]]
    for batch in batches:
        done.clear()
        clock.skip(PAGES_INTERVAL)
        await asyncio.sleep(0)  # another iteration, with its own budget
        assert done == batch
    ask(HOME, "later")  # the bucket is full again
    assert done[1:] == ["later"]
    assert limiter.exceeded["page_requests"] == 1
