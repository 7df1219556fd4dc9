from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from held_clock import HeldClock
from mastermind_protocol.events import Player
from mastermind_protocol.messages import AnyRequest, Follow, ListMatches, Unfollow
from mastermind_server.limits import LIST_COST, LOG_COST, WORK, WORK_FROM, Rate
from mastermind_server.network.pace import Pace
from wire import Insider

if TYPE_CHECKING:
    from collections.abc import Iterator

LOG = Follow(id=1, match="ABCDEF")
LIST = ListMatches(id=1, what="waiting")
CHEAP = Unfollow(id=1, match="ABCDEF")


def make_peers() -> Iterator[Insider]:
    """Yield peers of one address, each another player's."""
    number = 0
    while True:
        number += 1
        yield Insider(Player(id=f"P{number}", name="Eve"))


def wait_for(cost: int, rate: Rate) -> object:
    """Return what equals the seconds until there is credit for a cost."""
    return pytest.approx(cost / rate.per_second)


async def ask(pace: Pace, clock: HeldClock, peer: Insider, request: AnyRequest) -> float:
    """Return how long the peer waits to be served."""
    waiting = asyncio.create_task(pace.keep(peer, request))
    await asyncio.sleep(0)
    seconds = 0.0 if waiting.done() else clock.pending[-1].seconds
    clock.skip(seconds)
    await waiting
    return seconds


async def test_a_player_waits_whose_requests_cost_too_much_on_whatever_connection() -> None:
    clock = HeldClock()
    pace, player = Pace(clock), Player(id="P", name="Eve")
    for _ in range(WORK.burst // LOG_COST):
        assert await ask(pace, clock, Insider(player), LOG) == 0
    assert await ask(pace, clock, Insider(player), LIST) == pytest.approx(
        LIST_COST / WORK.per_second
    )
    assert await ask(pace, clock, Insider(player), CHEAP) == wait_for(1, WORK)
    assert await ask(pace, clock, next(make_peers()), LIST) == 0
    clock.skip(WORK.burst / WORK.per_second)
    assert await ask(pace, clock, Insider(player), LIST) == 0


async def test_an_address_waits_however_many_players_it_has() -> None:
    clock, peers = HeldClock(), make_peers()
    pace = Pace(clock)
    for _ in range(WORK_FROM.burst // LIST_COST):
        assert await ask(pace, clock, next(peers), LIST) == 0
    assert await ask(pace, clock, next(peers), LOG) == pytest.approx(
        LOG_COST / WORK_FROM.per_second
    )


async def test_who_has_not_said_hello_is_paced_by_its_address() -> None:
    clock = HeldClock()
    pace, nobody = Pace(clock), Insider(Player(id="P", name="Eve"))
    nobody.player = None
    for _ in range(WORK_FROM.burst // LIST_COST):
        assert await ask(pace, clock, nobody, LIST) == 0
    assert await ask(pace, clock, nobody, CHEAP) == wait_for(1, WORK_FROM)
