from __future__ import annotations

import pytest

from bench.commands import (
    Advance,
    Come,
    Done,
    End,
    LookOn,
    OpenMatches,
    Play,
    Played,
    Probe,
    Rally,
    Return,
    Saturate,
    Show,
)
from bench.processes import ROOM, SERVER, Subject, driving, read_cpu, running


@pytest.mark.parametrize("subject", [ROOM, SERVER], ids=lambda subject: subject.name)
async def test_the_driver_does_every_command_with_a_process_of_either_kind(
    subject: Subject,
) -> None:
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.tell(OpenMatches(2), Done)
        played = await driver.tell(Play(rate=500, seconds=0.02), Played)
        assert played.moves == 10
        assert 0 < played.p50 <= played.p99
        assert 0 < played.cpu < read_cpu(process.pid)
        saturated = await driver.tell(Saturate(seconds=0.02), Played)
        assert saturated.moves >= 2
        rallied = await driver.tell(Rally(moves=12, at_once=3), Played)
        assert rallied.moves == 12
        await driver.tell(Advance(guesses=30), Done)
        await driver.tell(Return(), Done)
        await driver.tell(Come(connections=3), Done)
        probed = await driver.tell(Probe(rate=200, pings=200, seconds=0.02), Played)
        assert probed.moves == 4
        assert probed.longest_ping > 0
        await driver.tell(LookOn(), Done)
        shown = await driver.tell(Show(rate=200, seconds=0.02), Played)
        assert shown.moves == 4
        await driver.tell(End(), Done)


async def test_a_driver_that_is_answered_what_it_does_not_expect_ends() -> None:
    async with running(ROOM) as process, driving(SERVER, process) as driver:
        with pytest.raises(AssertionError, match="the driver has failed"):
            await driver.tell(OpenMatches(1), Done)
