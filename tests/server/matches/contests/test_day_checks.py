"""Nodes that notice another history of the store, or a jump of its clock, withdraw days."""

from __future__ import annotations

import asyncio

import pytest
import sqlalchemy as sa

from kit.client import PATIENCE, RawClient
from kit.clock import ManualClock
from kit.days import DAY, NOON, begin_day
from kit.history import go_back
from kit.server import GameServer
from mastermind_protocol.days import find_day, find_day_start, find_reveal, find_tries_end
from mastermind_protocol.requests import EnterDay
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.contests import day_checks
from mastermind_server.matches.contests.day_checks import CLOCK_CHECK_SECONDS, DayChecks
from mastermind_server.matches.contests.days import Days
from mastermind_server.matches.contests.withdrawals import EARLY_MS, PROOF_MS
from mastermind_server.storage.day_rows import DayRow
from mastermind_server.storage.engines.postgresql import PostgresSession
from mastermind_server.storage.schema import days, log
from mastermind_server.storage.threads import StorageFailed


async def find(node: GameServer, day: int) -> DayRow:
    row = await Days(node.services).find(day, "mini")
    assert row is not None
    return row


async def find_today(node: GameServer) -> DayRow:
    return await find(node, Days(node.services).find_today())


async def is_refused(wire: RawClient, day: int) -> bool:
    """Return whether a player is refused another try."""
    refused = await wire.refused(EnterDay, rules="classic", day=day)
    return "you have had your try" in refused.message


@pytest.fixture
def start_pair(start_node):
    """Return a function that starts two nodes, which renew their leases only for the test."""

    async def start() -> tuple[GameServer, GameServer]:
        first = await start_node(connection_clock=ManualClock())
        return first, await start_node(connection_clock=ManualClock())

    return start


@pytest.fixture
def change_history(monkeypatch):
    """Return a function that gives the database of nodes another epoch, which they notice."""

    async def change(*nodes: GameServer) -> None:
        monkeypatch.setattr(PostgresSession, "read_epoch", lambda _: "another")
        for node in nodes:
            for thread, _ in node.store._queues.values():
                if thread._session is not None:
                    thread._session.epoch = ""
            with pytest.raises(StorageFailed):
                await node.store.check_health()

    return change


async def test_a_day_waits_until_all_nodes_have_found_their_last_rows(start_pair, change_history):
    here, there = await start_pair()
    drawn = await find_today(here)
    await there.begin_match()
    await change_history(here, there)
    for node in (here, there):
        with pytest.raises(StorageFailed) as refused:
            await find_today(node)
        assert refused.value.retry_after == RETRY_SECONDS
    await here.server.lease.renew()
    with pytest.raises(StorageFailed):
        await find_today(here)
    await there.server.lease.renew()
    for node in (here, there):
        assert await find_today(node) == drawn._replace(epoch="another")


@pytest.mark.parametrize("rewritten", [False, True], ids=["lost", "written again by another node"])
async def test_a_node_whose_last_row_is_lost_withdraws_the_day(
    start_pair, change_history, rewritten
):
    here, there = await start_pair()
    await find_today(here)
    _, _, match = await there.begin_match()
    last = (log.c.match == match) & (log.c.version == 2)
    change = sa.update(log).values(at=0) if rewritten else sa.delete(log)
    await change_history(here, there)
    await here.server.lease.renew()
    await here.store.write(lambda session: session.connection.execute(change.where(last)) and None)
    await there.server.lease.renew()
    assert (await find_today(here)).state == "withdrawn"


async def test_a_day_is_withdrawn_if_a_node_was_killed_with_the_store(start_pair, change_history):
    here, killed = await start_pair()
    await find_today(here)
    await killed.kill()
    await change_history(here)
    await here.server.lease.renew()
    with pytest.raises(StorageFailed):
        await find_today(here)
    here.clock.skip(PROOF_MS / 1000)
    assert (await find_today(here)).state == "withdrawn"


async def test_a_day_is_withdrawn_when_the_server_starts_with_a_restored_backup(hall, caplog):
    today = (await find_today(hall)).day
    copy = await hall.back_up()
    await hall.restore(copy)
    row = await find_today(hall)
    assert (row.state, row.key) == ("withdrawn", None)
    warning = f"code {today} of mini is withdrawn: the store may have lost tries"
    assert [line.getMessage() for line in caplog.records if line.name == day_checks.__name__] == [
        warning
    ]
    await hall.restart()
    assert await find_today(hall) == row


async def test_a_day_is_withdrawn_when_the_file_of_a_server_goes_back(hall):
    await find_today(hall)
    await go_back(hall)
    assert (await find_today(hall)).state == "withdrawn"


async def test_a_day_that_a_clock_ahead_drew_is_withdrawn_when_the_clock_is_right(hall):
    midnight = find_day_start(find_day(hall.clock.unix_milliseconds()) + 1)
    hall.clock.jump(midnight)
    drawn = await find_today(hall)
    hall.clock.jump(midnight - 2 * EARLY_MS)
    hall.clock.skip(CLOCK_CHECK_SECONDS)
    async with asyncio.timeout(PATIENCE):
        while (await find(hall, drawn.day)).state == "open":
            await hall.store.check_health()
    assert (await find_today(hall)).day == drawn.day - 1


async def test_a_day_that_a_clock_ahead_closed_stays_closed_and_is_withdrawn(hall):
    day = (await find_today(hall)).day
    hall.clock.jump(find_reveal(day))
    closed = await find(hall, day)
    assert closed.state == "closed"
    hall.clock.jump(find_tries_end(day) - 60_000)
    assert await find(hall, day) == closed
    await hall.restart()
    assert (await find(hall, day)).state == "withdrawn"


async def test_a_clock_that_jumps_over_midnight_gives_no_second_try(hall, ada):
    await begin_day(hall)
    await ada.resign((await ada.enter(DAY)).match)
    hall.clock.jump(find_day_start(DAY + 1))
    await ada.resign((await ada.enter(DAY + 1)).match)
    hall.clock.jump(NOON)
    await DayChecks(hall.services).check_clock()
    for day in (DAY, DAY + 1):
        assert await is_refused(ada, day)
    hall.clock.jump(find_day_start(DAY + 1))
    assert await is_refused(ada, DAY + 1)
    assert (await ada.day(rules="classic", day=DAY + 1)).state == "withdrawn"


async def test_no_code_of_tomorrow_exists(hall):
    hall.clock.jump(find_day_start(1000) - 60_000)
    today = await find_today(hall)
    assert await Days(hall.services).find(today.day + 1, "mini") is None
    rows = await hall.store.look_up(
        lambda session: session.connection.execute(sa.select(days)).all()
    )
    assert [row.day for row in rows] == [today.day]
