"""The attacks, their limits, and the actions of honest players during them."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from campaigns.attacks.attack import ATTACKS, CONTROL
from campaigns.attacks.attackers import PER_ADDRESS, act, find_source
from campaigns.attacks.history import GUESSES, LONG, write_history
from campaigns.attacks.honest import Honest, Wait
from campaigns.attacks.measurement import MOST_DISTURBED, MOST_SLOWED, Measurement
from campaigns.attacks.player import Player
from kit.server import GameServer
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Follow
from mastermind_server.limits import DEFAULT_LIMITS
from mastermind_server.matches.tables.tables import ROWS_KEPT


@pytest.fixture
async def hall(tmp_path):
    hall = GameServer(tmp_path)
    await hall.start()
    yield hall
    await hall.close()


def test_the_document_has_the_figures_of_every_attack():
    text = (Path(__file__).parents[3] / "docs/TESTED.md").read_text("utf-8")
    table = text.partition("| attack |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == [*ATTACKS]


def test_attackers_stay_below_the_limit_of_an_address():
    sources = [find_source(number) for number in range(1000)]
    assert max(map(sources.count, sources)) == PER_ADDRESS < DEFAULT_LIMITS.connections_per_address


def test_an_attack_that_hardly_started_is_not_within_its_limits():
    done = ATTACKS["bombs"].least
    found = Measurement("bombs", calm=[Wait(1, 1)] * 9, attacked=[Wait(1, 1)] * 9, done=done)
    assert not found.judge()
    found.done -= 1
    assert found.judge() == [f"done less than {done}"]


def test_the_control_has_a_stricter_latency_limit_than_an_attack():
    slow = [Wait(MOST_SLOWED - 0.1, 1)] * 9
    found = Measurement(CONTROL, calm=[Wait(1, 1)] * 9, attacked=slow, done=ATTACKS[CONTROL].least)
    assert found.judge() == [f"slower by more than {MOST_DISTURBED}"]


async def test_an_attacker_that_is_cut_off_reconnects_and_the_others_continue():
    connected = []
    again = asyncio.Event()

    async def connect(number):
        connected.append(number)
        if connected.count(0) == 2:
            again.set()
        if number == 0:
            raise ConnectionResetError
        await asyncio.Event().wait()

    acting = asyncio.create_task(act(2, connect))
    await again.wait()
    assert connected == [0, 1, 0]
    acting.cancel()


async def test_the_history_is_longer_than_the_cache_and_can_be_read(hall):
    write_history(hall.database)
    assert len(LONG) * GUESSES > ROWS_KEPT
    stranger = await Player.meet(hall.address)
    log = await stranger.request(Follow, match=LONG[-1])
    assert isinstance(log, Log)
    assert log.more
    await stranger.websocket.close()


async def test_honest_players_list_seek_and_return_without_an_attack(hall):
    honest = Honest(hall.address, os.getpid())
    await honest.enter()
    honest.match = LONG[0]
    assert await honest.lists()
    assert await honest.finds()
    assert not await honest.returns()  # this database has no match LONG[0]
