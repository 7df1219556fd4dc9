"""The time of day of a server starts no earlier than the newest time in its store."""

from __future__ import annotations

import pytest

from kit.server import GameServer
from mastermind_server.clock import Clock
from mastermind_server.timekeeping.outages import Outage
from mastermind_server.timekeeping.statements import record_outages

HOUR = 3_600_000  # ms


@pytest.mark.parametrize("shared", [False, True])
async def test_a_clock_that_was_set_back_while_no_server_ran_stands_not_still(
    tmp_path, postgres_url, caplog, shared
):
    hall = GameServer(tmp_path, postgres_url if shared else None, clock=Clock())
    await hall.start()
    before = Clock().unix_milliseconds()
    await hall.store.write(record_outages, [("AAAAAA", Outage(before, before + HOUR))])
    await hall.restart()
    for _ in range(2):
        assert hall.services.clock.unix_milliseconds() >= before + HOUR
        await hall.server.lease.renew() if shared else await hall.server.lease.write_alive_if_due()
    assert ("s behind the store" in caplog.text) is not shared
    await hall.close()
