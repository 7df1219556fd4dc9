"""Short storms; `make chaos` runs long ones."""

import asyncio

import pytest

from campaigns import traffic
from campaigns.chaos.storms import Storm, kill_one_node, strike_a_fleet
from campaigns.ledger import Flaw
from kit.processes import Server


def test_an_unexpected_exception_of_a_server_is_a_fault(tmp_path):
    log = tmp_path / "node.log"
    node, storm = Server.on("", log), Storm(matches=0)
    log.write_text("INFO one: fine\n")
    storm.check([], [node])
    assert storm.faults == []
    log.write_text("INFO one: fine\nTraceback (most recent call last):\nKeyError: 1\n")
    storm.check([], [node])
    assert [fault.flaw for fault in storm.faults] == [Flaw.CRASHED]
    assert storm.faults[0].text.endswith("KeyError: 1\n")


async def test_a_client_that_never_sees_the_end_is_a_fault(monkeypatch, tmp_path):
    async def wait_forever(playing, *_, **__):
        playing.seated.release()
        await asyncio.Event().wait()

    monkeypatch.setattr(traffic, "play", wait_forever)
    monkeypatch.setattr(traffic, "SETTLE_SECONDS", 0.0)
    storm = Storm(matches=1)
    await kill_one_node(tmp_path, storm, seed=1, kills=0)
    assert [fault.flaw for fault in storm.faults] == [Flaw.STUCK]


@pytest.mark.promise("cut")
async def test_no_move_is_lost_when_the_server_is_killed_under_play(tmp_path):
    storm = Storm(matches=4)
    await kill_one_node(tmp_path, storm, seed=1, kills=3)
    assert storm.ledger.acknowledged
    assert storm.faults == []


async def test_no_move_is_lost_when_nodes_and_their_store_are_killed_and_cut_off_under_play(
    tmp_path, postgres_server
):
    storm = Storm(matches=4)
    await strike_a_fleet(
        tmp_path,
        postgres_server,
        storm,
        seed=1,
        nodes=2,
        kills=1,
        store_kills=1,
        cuts=1,
        freezes=0,
    )
    assert storm.ledger.acknowledged
    assert storm.faults == []
