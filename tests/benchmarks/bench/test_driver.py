from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
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
from bench.processes import ROOM, SERVER, Subject, driving, read_cpu, read_family_cpu, running

if TYPE_CHECKING:
    from kit.postgres import Databases


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


async def test_the_two_of_each_match_play_on_different_nodes(postgres_url: str) -> None:
    shared = replace(SERVER, store=postgres_url)
    async with (
        running(shared) as here,
        running(shared) as there,
        driving(shared, here, there) as driver,
    ):
        await driver.tell(OpenMatches(3), Done)
        played = await driver.tell(Play(rate=500, seconds=0.03), Played)
        assert played.moves == 15
        assert 0 < played.told_p50 <= played.told_p99
        assert 0 < played.cpu < read_cpu(here.pid, there.pid)
        with psycopg.connect(postgres_url) as database:
            query = "SELECT count(DISTINCT node) FROM presence WHERE players <> '' GROUP BY match"
            assert database.execute(query).fetchall() == [(2,), (2,), (2,)]


def test_the_cost_of_a_database_is_that_of_all_its_processes(
    postgres_databases: Databases,
) -> None:
    pid = postgres_databases.find_process()
    assert pid is not None
    assert read_cpu(pid) < read_family_cpu(pid)
