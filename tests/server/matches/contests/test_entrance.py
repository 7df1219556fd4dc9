"""A player's try at the code of today: who may begin it, once, and which tries can have a place."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from kit.client import RawClient
from kit.days import DAY, KEY, NOON, START, TRIES_END, begin_day, find_try, list_tries, withdraw
from kit.matches import events_of, state_of
from kit.server import PROXIED, GameServer, make_database
from mastermind_protocol.days import DAY_MS, find_day
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import SecretSet
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import OLD_SUBPROTOCOLS, Log
from mastermind_protocol.requests import EnterDay
from mastermind_server.app import run_embedded_server
from mastermind_server.limits import DEFAULT_LIMITS, Limits, Rate
from mastermind_server.matches.lobby.entrance import hash_address
from mastermind_server.matches.tables.row_charges import PREPAID_ROWS
from mastermind_server.storage.schema import players, tries
from mastermind_server.storage.statements.days import read_day
from mastermind_server.storage.statements.lobby import open_match
from mastermind_server.storage.statements.log import find_request
from mastermind_server.storage.store import Store


@pytest.fixture
async def day(hall: GameServer) -> int:
    """The number of a day that begins. Players of earlier fixtures of a test are older."""
    await begin_day(hall)
    return DAY


async def test_a_try_begins_with_the_first_guess_at_a_sealed_code(hall, ada, day):
    log = await ada.enter(day)
    match = state_of(log)
    assert match.phase is Phase.BREAKING
    assert match.to_move == ada.player
    assert match.opened.contest == f"day/{day}"
    row = await hall.store.read(read_day, day, "classic")
    (sealed,) = [event for event in events_of(log) if isinstance(event, SecretSet)]
    assert (sealed.commitment, sealed.code, sealed.nonce) == (row.commitment, None, None)
    own = await find_try(hall, ada.player)
    assert own == (ada.id, log.match, True, None, None, None, None, None, None)


async def test_the_first_player_of_a_day_draws_its_code(hall, ada, bob):
    hall.clock.jump(NOON)
    today = find_day(NOON)
    first, second = events_of(await ada.enter(today)), events_of(await bob.enter(today))
    assert isinstance(first[-1], SecretSet)
    assert first[-1] == second[-1]


async def test_each_of_the_rules_has_a_try_of_its_own(hall, ada, day):
    await begin_day(hall, "mini", "eight")
    codes = {(await ada.enter(day, rules)).match for rules in ("classic", "mini", "eight")}
    assert len(codes) == 3


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"day": DAY + 1}, "today's code is 2600"),
        ({"day": DAY - 1}, "today's code is 2600"),
        ({"rules": "super"}, "use classic, mini, eight"),
    ],
)
async def test_a_refusal_names_the_allowed_value(ada, day, fields, named):
    refused = await ada.refused(EnterDay, **{"rules": "classic", "day": day, **fields})
    assert refused.code == ErrorCode.CONTEST
    assert named in refused.message
    assert refused.field in fields


async def test_a_request_that_waits_over_midnight_is_refused_with_the_number_of_the_new_day(
    hall, ada, monkeypatch
):
    look_up = hall.store.look_up

    async def look_up_later(query: Any, *values: Any) -> Any:
        if query is find_request:
            hall.clock.seconds += 2
        return await look_up(query, *values)

    monkeypatch.setattr(hall.store, "look_up", look_up_later)
    hall.clock.jump(START + DAY_MS - 1000)
    refused = await ada.refused(EnterDay, rules="classic", day=DAY)
    assert f"today's code is {DAY + 1}" in refused.message


async def test_an_old_client_cannot_enter(hall, ada, day):
    old = await hall.connect(ada.ids, subprotocols=OLD_SUBPROTOCOLS)
    await old.hello(token=ada.token)
    assert (await old.refused(EnterDay, rules="classic", day=day)).code == ErrorCode.NEEDS_V3
    assert await list_tries(hall) == {}


@pytest.mark.parametrize("port", [None, 0], ids=["offline", "on the network"])
async def test_a_server_in_a_players_program_has_no_codes_of_days(tmp_path, port):
    make_database(tmp_path / "game.sqlite3")
    async with run_embedded_server(tmp_path / "game.sqlite3", port) as address:
        ada = await RawClient.connect(address)
        terms = (await ada.hello("Ada")).terms
        assert terms is not None
        assert {"day", "enter", "places", "days"}.isdisjoint(terms.can)
        refused = await ada.refused(EnterDay, rules="classic", day=DAY)
        await ada.close()
    assert "needs a server" in refused.message


# One try.


async def test_another_device_continues_the_running_try(hall, ada, day):
    match = (await ada.enter(day)).match
    await ada.guess(match, "1111")
    phone = await hall.connect_again(ada)
    log = await phone.enter(day)
    assert (log.match, len(log.rows)) == (match, 2)
    await phone.guess(match, "1234")
    assert len(await list_tries(hall)) == 1


async def test_a_try_that_has_ended_is_the_last(ada, day):
    first = ada.new(EnterDay, rules="classic", day=day)
    log = await ada.ask(first)
    assert isinstance(log, Log)
    await ada.guess(log.match, "1234")
    refused = await ada.refused(EnterDay, rules="classic", day=day)
    assert (refused.code, refused.field) == (ErrorCode.CONTEST, "day")
    assert "each player has one" in refused.message
    again = await ada.ask(first)
    assert isinstance(again, Log)
    assert again.match == log.match


async def test_a_running_try_of_yesterday_continues_until_half_past_midnight(hall, ada, bob, day):
    match = (await ada.enter(day)).match
    hall.clock.jump(START + DAY_MS)
    assert (await ada.enter(day)).match == match
    assert (
        f"today's code is {day + 1}"
        in (await bob.refused(EnterDay, rules="classic", day=day)).message
    )
    hall.clock.jump(TRIES_END)
    assert "each player has one" in (await ada.refused(EnterDay, rules="classic", day=day)).message


async def test_a_deleted_player_has_no_second_try_before_its_connection_ends(hall, ada, day):
    await ada.resign((await ada.enter(day)).match)
    for table in (tries, players):
        await hall.store.write(lambda session, t=table: session.connection.execute(sa.delete(t)))
    refused = await ada.refused(EnterDay, rules="classic", day=day)
    assert refused.code == ErrorCode.LOGGED_OUT
    assert await list_tries(hall) == {}


async def test_concurrent_requests_at_two_nodes_begin_one_try(start_node):
    nodes = [await start_node(), await start_node()]
    ada = await nodes[0].meet("Ada")
    devices = [await node.connect_again(ada) for node in nodes for _ in range(3)]
    for node in nodes:
        await begin_day(node)
    logs = await asyncio.gather(*(device.enter(DAY) for device in devices))
    assert len({log.match for log in logs}) == 1
    assert [own.match for own in (await list_tries(nodes[0])).values()] == [logs[0].match]


async def test_requests_to_enter_have_the_limit_of_openings(ada, day):
    for _ in range(DEFAULT_LIMITS.openings.burst):
        await ada.enter(day)
    assert (await ada.refused(EnterDay, rules="classic", day=day)).code == ErrorCode.RATE_LIMITED


async def test_a_try_is_charged_for_its_rows_when_it_begins(idle_hall):
    await idle_hall.start(limits=Limits(rows=Rate(burst=PREPAID_ROWS, per_second=0.01)))
    ada = await idle_hall.meet("Ada")
    await begin_day(idle_hall)
    await ada.enter(DAY)
    refused = await ada.refused(EnterDay, rules="mini", day=DAY)
    assert refused.details["reason"] == "too_many_rows"


class Withdrawing(Store):
    """A store that withdraws a day while a request to enter is handled."""

    async def write_locking(self, work: Any, *args: Any, **kwargs: Any) -> Any:
        if work is open_match:
            await self.write(withdraw)
        return await super().write_locking(work, *args, **kwargs)


async def test_a_try_does_not_begin_when_its_day_is_withdrawn_at_this_moment(idle_hall):
    await idle_hall.start(store=Withdrawing)
    ada = await idle_hall.meet("Ada")
    await begin_day(idle_hall)
    refused = await ada.refused(EnterDay, rules="classic", day=DAY)
    assert refused.details["reason"] == "day_withdrawn"
    assert refused.field == "day"
    assert await list_tries(idle_hall) == {}


# Which tries can have a place.


async def test_people_with_a_name_who_are_older_than_the_day_can_have_a_place(hall, ada):
    older = [ada, await hall.meet(), await hall.meet("Robot", program=True)]
    await begin_day(hall)
    for wire in (*older, await hall.meet("New")):
        await wire.enter(DAY)
    assert [own.counted for own in (await list_tries(hall)).values()] == [True, False, False, False]


@pytest.mark.parametrize(
    ("first", "second", "counted"),
    [
        ("9.9.9.9", "9.9.9.9", False),
        ("9.9.9.9", "9.9.9.8", True),
        ("2620:fe::1", "2620:fe:0:ff::1", False),  # of one /56, which a household has
        ("2620:fe::1", "2620:fe:0:100::1", True),
        ("192.168.0.7", "192.168.0.7", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("fd00::1", "fd00::1", True),
    ],
)
async def test_the_first_player_of_a_public_address_can_have_a_place(
    idle_hall, first, second, counted
):
    await idle_hall.start(access=PROXIED)
    wires = []
    for name, address in (("Ada", first), ("Bob", second)):
        wire = await idle_hall.connect(additional_headers={"X-Forwarded-For": address})
        await wire.hello(name)
        wires.append(wire)
    await begin_day(idle_hall)
    for wire in wires:
        await wire.enter(DAY)
    assert [own.counted for own in (await list_tries(idle_hall)).values()] == [True, counted]


async def test_one_of_two_players_at_one_address_who_enter_at_once_can_have_a_place(start_node):
    wires, nodes = [], [await start_node(access=PROXIED) for _ in range(2)]
    for name, node in zip(("Ada", "Bob"), nodes, strict=True):
        wire = await node.connect(additional_headers={"X-Forwarded-For": "9.9.9.9"})
        await wire.hello(name)
        await begin_day(node)
        wires.append(wire)
    await asyncio.gather(*(wire.enter(DAY) for wire in wires))
    assert sorted(own.counted for own in (await list_tries(node)).values()) == [False, True]


async def test_the_store_has_no_address_but_a_hash_with_the_key_of_the_day(idle_hall):
    await idle_hall.start(access=PROXIED)
    ada = await idle_hall.connect(additional_headers={"X-Forwarded-For": "9.9.9.9"})
    await ada.hello("Ada")
    await begin_day(idle_hall, "classic")
    await ada.enter(DAY)
    own = await find_try(idle_hall, ada.player)
    assert own.address == hash_address("9.9.9.9", KEY) != hash_address("9.9.9.9", bytes(16))
