"""Servers poll the operator's commands in their store, and carry them out within seconds."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage

from kit.client import RawClient
from kit.clock import ManualTimer
from kit.faults import full_disk
from kit.history import go_back
from kit.server import GameServer, watching
from kit.store import WatchedStore
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import Finished, Left, MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Announcement, Error, Happened
from mastermind_protocol.requests import Hello
from mastermind_server.network import operator_commands
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import Store
from mastermind_server.storage.threads import StorageFailed


def is_poll(timer: ManualTimer) -> bool:
    return timer.seconds == operator_commands.POLL_SECONDS


@pytest.fixture
def _one_time_of_day(hall, monkeypatch):
    """Let operators' commands read the time of day of the server."""
    monkeypatch.setattr(time, "time", lambda: hall.clock.unix_milliseconds() / 1000)


async def carry_out(*halls: GameServer) -> None:
    """Skip time until every node has polled."""
    for hall in halls:
        await hall.clock.until(is_poll)
        hall.clock.skip(operator_commands.POLL_SECONDS)
        await hall.clock.until(is_poll)  # the next one: this one is over


async def expect_ban(wire: RawClient) -> Error:
    """Return the error that a connection received before it was closed for a ban."""
    told = await wire.until(Error)
    assert await wire.closed() == (1008, "banned")
    return told


@pytest.mark.promise("banned-player")
@pytest.mark.usefixtures("_one_time_of_day")
async def test_a_banned_player_is_disconnected_and_refused(hall, ada, bob):
    again = await hall.connect_again(ada)
    assert await hall.command("ban", "Ada", "--for", "2h", "--reason", "insults") == 0
    await carry_out(hall)
    for wire in (ada, again):
        told = await expect_ban(wire)
        assert (told.id, told.code) == (None, ErrorCode.BANNED)
        assert told.details is not None
        assert told.details["why"] == "insults"
    late = await hall.connect()
    refused = await late.ask(late.new(Hello, token=ada.token))
    assert isinstance(refused, Error)
    assert refused.code == ErrorCode.BANNED
    assert refused.retry_after is not None
    assert 7100 < refused.retry_after <= 7201
    await bob.open()
    assert await hall.command("unban", ada.id) == 0
    await carry_out(hall)
    await hall.connect_again(ada)


async def test_a_store_that_went_back_repeats_no_command_and_hides_no_new_one(hall, ada):
    assert await hall.command("announce", "first") == 0
    assert await hall.command("announce", "lost") == 0
    await carry_out(hall)
    assert [(await ada.until(Announcement)).text for _ in range(2)] == ["first", "lost"]
    await go_back(hall, "DELETE FROM orders WHERE n = 2")
    for text in ("lost", "new"):  # the operator repeats the lost command, whose number is 2 again
        assert await hall.command("announce", text) == 0
    await carry_out(hall)
    assert [(await ada.until(Announcement)).text for _ in range(2)] == ["lost", "new"]


class SlowStore(WatchedStore):
    """A store that never finishes reading the log of one match."""

    slow = ""

    async def before(self, statement: Callable[..., object], args: tuple[Any, ...]) -> None:
        if statement is read_log and args[0] == self.slow:
            await asyncio.Event().wait()


async def test_a_ban_does_not_wait_for_a_match_that_cannot_be_ended(idle_hall, monkeypatch):
    monkeypatch.setattr(operator_commands, "POLL_SECONDS", 0.1)
    await idle_hall.start(store=SlowStore)
    monkeypatch.setattr("mastermind_server.matches.tables.tables.TABLES_KEPT", 0)
    ada = await idle_hall.meet("Ada")
    match = (await ada.open()).match
    await ada.unfollow(match)
    monkeypatch.setattr(SlowStore, "slow", match)
    assert await idle_hall.command("end", match) == 0
    await carry_out(idle_hall)
    assert await idle_hall.command("ban", "Ada") == 0
    await carry_out(idle_hall)
    await expect_ban(ada)


@pytest.mark.usefixtures("_one_time_of_day")
async def test_a_ban_ends_by_itself(hall, ada):
    assert await hall.command("ban", ada.id, "--for", "1d") == 0
    await carry_out(hall)
    await expect_ban(ada)
    hall.clock.skip(86400)
    await hall.connect_again(ada)


@pytest.mark.promise("banned-network")
async def test_sockets_of_a_banned_address_are_not_accepted(hall, ada):
    assert await hall.command("ban", "127.0.0.1") == 0
    await carry_out(hall)
    told = await expect_ban(ada)
    assert told.retry_after is None
    with pytest.raises((ConnectionError, ConnectionClosed, InvalidMessage)):
        await hall.connect()
    async with watching(hall) as operator:
        metrics = await operator.metrics()
    assert metrics["mastermind_bans"] == metrics["mastermind_banned_sockets_total"] == 1
    assert await hall.command("unban", "127.0.0.1") == 0
    await carry_out(hall)
    await hall.connect_again(ada)


@pytest.mark.promise("banned-network")
async def test_an_address_can_be_banned_by_its_hash_in_the_metrics(hall, ada, bob):
    ((hashed, _),) = hall.server.gateway.measure_traffic().costs
    assert await hall.command("ban", hashed, "--reason", "it costs too much") == 0
    assert await hall.command("ban", "0123456789ab") == 0  # no address of this node's
    with full_disk():
        await carry_out(hall)
    await carry_out(hall)  # which finds the address
    await carry_out(hall)
    for wire in (ada, bob):
        told = await expect_ban(wire)
        assert told.details is not None
        assert told.details["why"] == "it costs too much"
    assert await hall.command("unban", "127.0.0.1") == 0
    assert await hall.command("unban", "0123456789ab") == 0


async def test_an_ended_match_is_announced_to_all_who_follow_it(hall, ada, bob, eve, match, capsys):
    await eve.follow(match)
    assert await hall.command("end", match.lower(), "--reason", "its chat was abuse") == 0
    assert f"ends {match}" in capsys.readouterr().out
    await carry_out(hall)
    for wire in (ada, bob, eve):
        told = await wire.until(Announcement)
        assert (told.match, told.text) == (match, "its chat was abuse")
        left, finished = (await wire.until(Happened)).events
        assert isinstance(left, Left)
        assert left.player == ada.id  # it is her turn
        assert isinstance(finished, Finished)
        assert finished.how is MatchEnd.LEFT
    assert await hall.command("end", match) == 1


async def test_an_announcement_reaches_each_connected_player_once(hall, ada, bob):
    nobody = await hall.connect()
    assert await hall.command("announce", "down at midnight") == 0
    await carry_out(hall)
    for wire in (ada, bob):
        assert await wire.until(Announcement) == Announcement(text="down at midnight")
    assert await hall.command("announce", "up again") == 0
    await carry_out(hall)
    assert await ada.until(Announcement) == Announcement(text="up again")
    await nobody.hello("Late")  # and the first frame that it is sent is the answer
    await hall.restart()
    await carry_out(hall)
    late = await hall.meet("Later")
    await late.open()
    assert not any(isinstance(told, Announcement) for told in late.unread())


async def test_a_server_carries_out_earlier_commands_when_it_starts(hall, ada, bob, match):
    await hall.stop()
    assert await hall.command("ban", ada.id) == 0
    assert await hall.command("end", match) == 0
    await hall.start()
    late = await hall.connect()
    assert (await late.refused(Hello, token=ada.token)).code == ErrorCode.BANNED
    back = await hall.connect_again(bob)
    await back.follow(match)
    while back.matches[match].phase is not Phase.FINISHED:  # without a poll: the clock stops
        await back.next()


async def test_an_end_that_cannot_be_stored_is_announced_once_and_delays_no_other_command(
    hall, ada, bob, match
):
    assert await hall.command("end", match, "--reason", "its chat was abuse") == 0
    assert await hall.command("announce", "the disk is full") == 0
    with full_disk():
        await carry_out(hall)
        await carry_out(hall)
    await ada.open()  # announcements arrive before its answer
    told = [each.text for each in ada.unread() if isinstance(each, Announcement)]
    assert sorted(told) == ["its chat was abuse", "the disk is full"]
    await carry_out(hall)
    assert isinstance((await bob.until(Happened)).events[-1], Finished)


class ReadOnlyStore(Store):
    """A store with a full disk, from the start of the server."""

    async def append(self, *_: object, **__: object) -> None:
        raise StorageFailed(Reason.NOT_SAVED)


async def test_a_server_starts_when_an_earlier_end_cannot_be_stored(hall, bob, match):
    await hall.stop()
    assert await hall.command("end", match) == 0
    await hall.start(store=ReadOnlyStore)
    await carry_out(hall)
    back = await hall.connect_again(bob)
    assert not isinstance((await back.follow(match)).rows[-1].events[-1], Finished)


async def test_commands_reach_every_node(start_node):
    one, two = await start_node(), await start_node()
    ada, bob = await one.meet("Ada"), await two.meet("Bob")
    match = (await ada.open(maker="me", breaker="open")).match
    await bob.join(match)
    assert await one.command("announce", "hello to both") == 0
    assert await one.command("end", match) == 0
    await carry_out(one, two)
    for wire in (ada, bob):
        announced: list[str | None] = []
        while len(announced) < 2 or wire.matches[match].phase is not Phase.FINISHED:
            told = await wire.next()  # a notification may arrive before the poll
            if isinstance(told, Announcement):
                announced.append(told.match)
        assert announced == [None, match]
    assert await one.command("ban", bob.id) == 0
    await carry_out(one, two)
    await expect_ban(bob)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ban", "nobody"), "no player has the id or the name 'nobody'"),
        (("ban", "2001:db8::/32"), "the id or the name '2001:db8::/32'"),
        (("unban", "192.0.2.1"), "192.0.2.1 is not banned"),
        (("end", "222222"), "there is no running match 222222"),
    ],
)
async def test_the_error_of_an_impossible_command_has_the_reason(hall, capsys, words, says):
    assert await hall.command(*words) == 1
    assert says in capsys.readouterr().err
