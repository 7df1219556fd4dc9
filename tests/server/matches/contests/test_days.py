"""The code of a day: drawn when a node first needs it, and revealed when one needs it later."""

import asyncio

import pytest

from kit.days import DAY, NOON, REVEAL, START, make_day
from kit.matches import SeededRandom
from kit.server import GameServer
from mastermind_protocol.commitment import commit
from mastermind_protocol.days import DAY_RULES, find_day_start
from mastermind_protocol.rules import find_rules
from mastermind_server.matches.contests.days import Days
from mastermind_server.storage.day_rows import DayRow
from mastermind_server.storage.statements.days import add_day, read_day


async def look(hall: GameServer, time: int, day: int = DAY, rules: str = "mini") -> DayRow | None:
    """Return the code of a day at a time, as a request finds it, or None."""
    hall.clock.jump(time)
    return await Days(hall.services).find(day, rules)


async def find(hall: GameServer, time: int, day: int = DAY, rules: str = "mini") -> DayRow:
    """Return the code of a day at a time, as a request finds it."""
    found = await look(hall, time, day, rules)
    assert found is not None
    return found


@pytest.mark.parametrize("rules", DAY_RULES)
async def test_a_code_is_drawn_from_the_random_numbers_of_secrets(idle_hall, rules):
    drawn = []
    for day, seed in enumerate((1, 1, 2), DAY):
        await idle_hall.restart(random=SeededRandom(seed))
        drawn.append(await find(idle_hall, find_day_start(day), day, rules))
    assert len({(row.code, row.nonce, row.key) for row in drawn[:2]}) == 1
    assert drawn[2].nonce != drawn[0].nonce
    assert len(drawn[0].code) == find_rules(rules).pegs
    assert drawn[0].commitment == commit(drawn[0].nonce, drawn[0].secret)
    assert drawn[0].epoch == idle_hall.store.epoch


async def test_a_code_is_drawn_once_on_its_day(hall):
    assert await look(hall, START - 10) is None
    drawn = await find(hall, START)
    assert await find(hall, NOON) == drawn
    assert await look(hall, NOON, DAY - 1) is None
    assert await look(hall, NOON, DAY + 1) is None
    assert (await find(hall, NOON, rules="eight")).nonce != drawn.nonce


async def test_nodes_that_draw_at_once_find_one_code(start_node):
    nodes = [await start_node(), await start_node()]
    found = await asyncio.gather(*(find(node, NOON) for node in nodes for _ in range(3)))
    assert len(set(found)) == 1


async def test_a_code_is_revealed_at_its_time_and_stays_revealed(hall):
    await hall.store.write(add_day, make_day("mini", epoch=hall.store.epoch))
    assert (await find(hall, REVEAL - 10)).state == "open"
    revealed = await find(hall, REVEAL)
    assert revealed.state == "closed"
    assert await find(hall, NOON) == revealed
    assert await hall.store.read(read_day, DAY, "mini") == revealed
