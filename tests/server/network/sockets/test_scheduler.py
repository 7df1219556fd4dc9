import asyncio
from functools import partial

from mastermind_server.network.sockets.scheduler import LoopScheduler
from mastermind_server.tuning import NEWCOMERS_SECONDS, RELEASED_PER_TURN, TURN_SECONDS

HOME, ELSEWHERE = "192.0.2.1", "192.0.2.2"


async def test_work_within_the_budget_of_an_iteration_runs_at_once(clock):
    scheduler, done = LoopScheduler(clock), list[int]()
    clock.skip(2 * TURN_SECONDS)  # before the iteration's first work
    assert not scheduler.postpone(HOME, partial(done.append, 1))
    clock.skip(TURN_SECONDS / 2)
    assert not scheduler.postpone(HOME, partial(done.append, 2))
    await scheduler.wait(HOME)  # at once: nothing was released
    assert done == []


async def test_work_beyond_the_budget_runs_in_later_iterations_in_order(clock):
    scheduler, done = LoopScheduler(clock), list[int]()
    assert not scheduler.postpone(HOME, partial(done.append, -1))
    clock.skip(2 * TURN_SECONDS)
    for number in range(2 * RELEASED_PER_TURN + 1):
        assert scheduler.postpone(HOME, partial(done.append, number))
    released = []
    while len(done) <= 2 * RELEASED_PER_TURN:
        await asyncio.sleep(0)
        released.append(len(done))
    assert released == [RELEASED_PER_TURN, 2 * RELEASED_PER_TURN, 2 * RELEASED_PER_TURN + 1]
    assert done == sorted(done)


async def test_later_work_does_not_overtake_waiting_work(clock):
    scheduler, done = LoopScheduler(clock), list[str]()
    assert not scheduler.postpone(HOME, partial(done.append, "first"))
    clock.skip(2 * TURN_SECONDS)
    for _ in range(RELEASED_PER_TURN + 1):
        scheduler.postpone(HOME, partial(done.append, "early"))

    async def come_late():
        await scheduler.wait(HOME)
        done.append("late")

    late = asyncio.create_task(come_late())
    await late
    assert done == ["early"] * (RELEASED_PER_TURN + 1) + ["late"]


async def test_work_for_newcomers_waits_behind_work_for_players(clock):
    scheduler, done, all_done = LoopScheduler(clock), list[str](), asyncio.Event()

    def shake_hands():
        done.append("newcomer")
        clock.skip(2 * NEWCOMERS_SECONDS)

    assert not scheduler.postpone_pending(shake_hands)
    clock.skip(2 * NEWCOMERS_SECONDS)
    for _ in range(3):
        assert scheduler.postpone_pending(shake_hands)
    assert not scheduler.postpone(HOME, partial(done.append, "player"))  # the budget has room
    clock.skip(TURN_SECONDS)
    for _ in range(2):
        assert scheduler.postpone(HOME, partial(done.append, "player"))
    assert scheduler.postpone_pending(all_done.set)
    await all_done.wait()
    assert done == ["player", "player", "newcomer", "newcomer", "newcomer"]


async def test_work_for_a_newcomer_runs_now_or_in_a_later_iteration(clock):
    scheduler, done = LoopScheduler(clock), list[int]()
    scheduler.run_pending(partial(done.append, 1))
    assert done == [1]
    clock.skip(2 * NEWCOMERS_SECONDS)
    scheduler.run_pending(partial(done.append, 2))
    assert done == [1]
    await asyncio.sleep(0)
    assert done == [1, 2]


async def test_waiting_work_alternates_between_addresses(clock):
    scheduler, done = LoopScheduler(clock), list[str]()
    assert not scheduler.postpone(HOME, partial(done.append, "first"))
    clock.skip(2 * TURN_SECONDS)
    for number in range(3):
        scheduler.postpone(ELSEWHERE, partial(done.append, f"of a crowd, {number}"))
    scheduler.postpone(HOME, partial(done.append, "move"))
    await scheduler.wait(ELSEWHERE)
    assert done == ["of a crowd, 0", "move", "of a crowd, 1", "of a crowd, 2"]
