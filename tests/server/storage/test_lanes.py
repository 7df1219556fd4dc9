"""Jobs that arrive close together share a group of their lane."""

import asyncio

from mastermind_server.storage.lanes import LONE_GROUPS, LONE_WAITS, Job, Lane

INTERVAL = 8.0


class Arrivals:
    """A lane with jobs at given times of arrival. Each group starts at the first allowed time."""

    def __init__(self):
        self.lane = Lane(9, INTERVAL)

    def start(self, *times):
        """Return when the group of the jobs that arrive at `times` starts."""
        lane = self.lane
        for now in times:
            future = asyncio.get_running_loop().create_future()
            lane.jobs.append(Job(id, None, future, max(now, lane.next_start), "epoch"))
        start = max(times[0], lane.next_start)
        assert len(lane.take_group(start)) == len(times)
        return start


async def test_a_job_after_each_answer_waits_once_in_many():
    arrivals, now, waits = Arrivals(), 100.0, []
    for _ in range(3 * LONE_GROUPS):
        start = arrivals.start(now)
        waits.append(start - now)
        now = start + 1
    assert sorted(waits)[-4:] == [0, *3 * [INTERVAL - 1]]


async def test_jobs_that_arrive_close_together_come_to_share_groups():
    arrivals, now = Arrivals(), 100.0
    for _ in range(LONE_GROUPS - LONE_WAITS):
        assert arrivals.start(now) == now
        now += 2
    for _ in range(9):
        assert arrivals.start(now, now + 2, now + 4) == now + INTERVAL - 2
        now += INTERVAL


async def test_concurrent_jobs_wait_until_some_in_a_row_were_alone():
    arrivals, last = Arrivals(), 100.0
    for _ in range(2):
        assert arrivals.start(last, last) == last
        for _ in range(LONE_WAITS):
            start = arrivals.start(last + 1)
            assert start == last + INTERVAL  # in vain
            last = start
        last += 1
        assert arrivals.start(last) == last


async def test_concurrent_jobs_share_groups_also_after_one_that_waited_in_vain():
    arrivals = Arrivals()
    assert arrivals.start(100.0, 100.0) == 100
    for first in (101.0, 117.0, 133.0):
        assert arrivals.start(first) == first + INTERVAL - 1
        assert arrivals.start(first + INTERVAL, first + INTERVAL) == first + 2 * INTERVAL - 1
    assert arrivals.start(200.0) == 200  # late enough: it need not wait
