"""Tries at the code of a day, while three nodes are killed; `make chaos` runs a long storm."""

from __future__ import annotations

from campaigns.chaos.days import DayStorm
from campaigns.chaos.entrants import Plan
from campaigns.ledger import Ledger, find_faults
from campaigns.traffic import Traffic
from kit.days import DAY
from kit.matches import SeededRandom
from kit.server import GameServer


class Halls:
    """Nodes in the test process."""

    def __init__(self, url: str, halls: list[GameServer]) -> None:
        self.url, self._halls = url, halls

    def choose(self, dice: SeededRandom) -> str:
        return dice.choice(self._halls).address

    async def kill_one(self, dice: SeededRandom) -> None:
        hall = dice.choice(self._halls)
        await hall.kill()
        await hall.start()

    async def set_time(self, time: int) -> None:
        for hall in self._halls:
            hall.clock.jump(time)


async def test_each_player_has_one_try_and_one_place_through_kills_and_the_close(
    start_node, postgres_url
):
    halls = [await start_node() for _ in range(3)]
    traffic = Traffic(Ledger())
    storm = DayStorm(Halls(postgres_url, halls), traffic, DAY, seed=1, players=5, kills=3)
    assert await storm.run() == []
    assert (storm.killed, storm.closed) == (3, [Plan.IS_LATE])
    assert traffic.ledger.acknowledged
    assert find_faults(traffic.ledger, storm.log) == []
