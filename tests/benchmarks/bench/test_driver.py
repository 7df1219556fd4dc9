"""The load driver runs every command with the server, the baseline, and several nodes."""

from dataclasses import replace

import psycopg
import pytest

from bench.processes import BASELINE, SERVER, driving, read_family_cpu, running
from kit.processes import read_cpu


@pytest.mark.parametrize("subject", [BASELINE, SERVER], ids=lambda subject: subject.name)
async def test_every_command_returns_its_cost(subject):
    async with running(subject) as process, driving(subject, process) as driver:
        await driver.do("open_matches", matches=2)
        played = await driver.do("play", rate=500, seconds=0.02)
        assert played.moves == 10
        assert 0 < played.p50 <= played.p99
        assert 0 < played.cpu < read_cpu(process.pid)
        assert played.per_move == pytest.approx(played.cpu * 1e5)
        assert (await driver.do("play_one_at_a_time", moves=5)).moves == 5
        assert (await driver.do("saturate", seconds=0.02)).moves >= 2
        await driver.do("reconnect")
        await driver.do("connect", connections=3)
        probed = await driver.do("probe", rate=200, pings=200, seconds=0.02)
        assert probed.moves == 4
        assert probed.longest_ping > 0
        await driver.do("spectate")
        assert (await driver.do("show", rate=200, seconds=0.02)).moves == 4
        await driver.do("end_matches")


async def test_an_unexpected_answer_ends_the_driver():
    async with running(BASELINE) as process, driving(SERVER, process) as driver:
        with pytest.raises(AssertionError, match="the driver failed"):
            await driver.do("open_matches", matches=1)


async def test_the_players_of_a_match_are_on_different_nodes(postgres_url, postgres_databases):
    shared = replace(SERVER, store=postgres_url)
    async with (
        running(shared) as here,
        running(shared) as there,
        driving(shared, here, there) as driver,
    ):
        await driver.do("open_matches", matches=3)
        played = await driver.do("play", rate=500, seconds=0.03)
        assert played.moves == 15
        assert 0 < played.event_p50 <= played.event_p99
        assert 0 < played.cpu < read_cpu(here.pid, there.pid)
        with psycopg.connect(postgres_url) as database:
            query = "SELECT count(DISTINCT node) FROM presence WHERE players <> '' GROUP BY match"
            assert database.execute(query).fetchall() == [(2,), (2,), (2,)]
    postgres = postgres_databases.find_process()
    assert postgres is not None
    assert read_cpu(postgres) < read_family_cpu(postgres)
