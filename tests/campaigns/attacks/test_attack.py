"""The attacks that are measured, and what the documents tell of them."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING

import pytest

from campaigns.attacks.attack import ATTACKS, CONTROL
from campaigns.attacks.attackers import PER_ADDRESS, act, find_home
from campaigns.attacks.history import GUESSES, LONG, lay_out
from campaigns.attacks.honest import Honest, Wait
from campaigns.attacks.measurement import MOST_DISTURBED, MOST_SLOWED, Measurement
from campaigns.attacks.player import Player
from kit.server import Hall
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Follow
from mastermind_server.limits import USUAL
from mastermind_server.tuning import ROWS_KEPT
from protocol.documents.markdown import DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Hall]:
    hall = Hall(tmp_path)
    await hall.start()
    yield hall
    await hall.close()


def test_the_figures_of_every_attack_are_in_the_documents() -> None:
    text = (DOCUMENTS / "OPERATIONS.md").read_text("utf-8")
    table = text.partition("| attack |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE) == [*ATTACKS]


def test_no_crowd_is_turned_away_for_its_address_alone() -> None:
    homes = [find_home(number) for number in range(1000)]
    assert max(map(homes.count, homes)) == PER_ADDRESS < USUAL.connections_per_address


def test_an_attack_that_has_hardly_begun_is_not_within_bounds() -> None:
    done = ATTACKS["bombs"].least
    found = Measurement("bombs", calm=[Wait(1, 1)] * 9, attacked=[Wait(1, 1)] * 9, done=done)
    assert not found.judge()
    found.done -= 1
    assert found.judge() == [f"done less than {done}"]


def test_what_is_no_attack_must_slow_nobody_as_much_as_an_attack_may() -> None:
    least = ATTACKS[CONTROL].least
    slow = Wait(MOST_SLOWED - 0.1, 1)
    found = Measurement(CONTROL, calm=[Wait(1, 1)] * 9, attacked=[slow] * 9, done=least)
    assert found.judge() == [f"slower by more than {MOST_DISTURBED}"]


async def test_whoever_is_cut_off_comes_again_and_ends_no_other() -> None:
    came: list[int] = []
    again = asyncio.Event()

    async def come(number: int) -> None:
        came.append(number)
        if came.count(0) == 2:
            again.set()
        if number == 0:
            raise ConnectionResetError
        await asyncio.Event().wait()

    acting = asyncio.create_task(act(2, come))
    await again.wait()
    assert came == [0, 1, 0]
    acting.cancel()


async def test_long_matches_are_there_to_be_asked_for(hall: Hall) -> None:
    lay_out(hall.database)
    assert len(LONG) * GUESSES > ROWS_KEPT
    stranger = await Player.meet(hall.address)
    log = await stranger.ask(Follow, match=LONG[-1])
    assert isinstance(log, Log)
    assert log.more
    await stranger.websocket.close()


async def test_whoever_is_honest_lists_and_finds_and_returns_where_nobody_attacks(
    hall: Hall,
) -> None:
    honest = Honest(hall.address, os.getpid())
    await honest.enter()
    honest.match = LONG[0]
    assert await honest.lists()
    assert await honest.finds()
    assert not await honest.returns()  # there is no such match here
