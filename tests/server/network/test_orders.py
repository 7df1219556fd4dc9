"""Servers carry out the commands that an operator writes to their store, within seconds."""

import asyncio

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage

from kit.client import RawClient
from kit.clock import ManualTimer
from kit.faults import full_disk
from kit.operator_port import watching
from kit.server import GameServer
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import Finished, Left, MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Announcement, Error, Happened
from mastermind_protocol.requests import Hello
from mastermind_server import cli, tuning
from mastermind_server.network import orders as orders_module
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.store import LogRow, Store


async def order(hall: GameServer, *words: str, status: int = 0) -> None:
    """Give an order by the command line, while the server runs."""
    place = ("--database", str(hall.place)) if hall.place == hall.database else (
        "--store", str(hall.place),
    )  # fmt: skip
    command, *rest = words
    assert await asyncio.to_thread(cli.main, [command, *place, *rest]) == status


def is_look(timer: ManualTimer) -> bool:
    return timer.seconds == tuning.ORDERS_SECONDS


async def carry_out(*halls: GameServer) -> None:
    """Skip time until every node has polled."""
    for hall in halls:
        await hall.clock.until(is_look)
        hall.clock.skip(tuning.ORDERS_SECONDS)
        await hall.clock.until(is_look)  # the next one: this one is over


async def closed_as_banned(wire: RawClient) -> Error:
    """Return the error that a connection received before it was closed for a ban."""
    told = await wire.until(Error)
    assert await wire.closed() == (1008, "banned")
    return told


async def test_a_banned_player_is_sent_away_and_not_let_in(hall, ada, bob):
    again = await hall.again(ada)
    await order(hall, "ban", "Ada", "--for", "2h", "--reason", "insults")
    await carry_out(hall)
    for wire in (ada, again):
        told = await closed_as_banned(wire)
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
    await order(hall, "unban", ada.id)
    await carry_out(hall)
    await hall.again(ada)


class SlowStore(Store):
    """A store that never finishes reading the log of one match."""

    slow = ""

    async def read_log(self, match: str, after: int = 0, most: int | None = None) -> list[LogRow]:
        if match == self.slow:
            await asyncio.Event().wait()
        return await super().read_log(match, after, most)


async def test_a_ban_waits_for_no_match_that_is_to_end(idle_hall, monkeypatch):
    for module in (tuning, orders_module):
        monkeypatch.setattr(module, "ORDERS_SECONDS", 0.1)
    await idle_hall.start(store=SlowStore)
    monkeypatch.setattr(tuning, "TABLES_KEPT", 0)
    ada = await idle_hall.meet("Ada")
    match = (await ada.open()).match
    await ada.unfollow(match)
    monkeypatch.setattr(SlowStore, "slow", match)
    await order(idle_hall, "end", match)
    await carry_out(idle_hall)
    await order(idle_hall, "ban", "Ada")
    await carry_out(idle_hall)
    await closed_as_banned(ada)


async def test_a_ban_ends_by_itself(hall, ada):
    await order(hall, "ban", ada.id, "--for", "1d")
    await carry_out(hall)
    await closed_as_banned(ada)
    hall.clock.skip(86400)
    await hall.again(ada)


async def test_a_banned_address_finds_no_socket(hall, ada):
    await order(hall, "ban", "127.0.0.1")
    await carry_out(hall)
    told = await closed_as_banned(ada)
    assert told.retry_after is None
    with pytest.raises((ConnectionError, ConnectionClosed, InvalidMessage)):
        await hall.connect()
    async with watching(hall) as operator:
        metrics = await operator.metrics()
    assert metrics["mastermind_bans"] == metrics["mastermind_banned_sockets_total"] == 1
    await order(hall, "unban", "127.0.0.1")
    await carry_out(hall)
    await hall.again(ada)


async def test_an_address_is_banned_by_the_hash_that_the_metrics_tell(hall, ada, bob):
    ((hashed, _),) = hall.server.gateway.measure().costs
    await order(hall, "ban", hashed, "--reason", "it costs too much")
    await order(hall, "ban", "0123456789ab")  # no address of this node's
    with full_disk():
        await carry_out(hall)
    await carry_out(hall)  # which finds the address
    await carry_out(hall)
    for wire in (ada, bob):
        told = await closed_as_banned(wire)
        assert told.details is not None
        assert told.details["why"] == "it costs too much"
    await order(hall, "unban", "127.0.0.1")
    await order(hall, "unban", "0123456789ab")


async def test_a_match_is_ended_and_all_who_follow_it_know_why(hall, ada, bob, eve, match):
    await eve.follow(match)
    await order(hall, "end", match.lower(), "--reason", "its chat was abuse")
    await carry_out(hall)
    for wire in (ada, bob, eve):
        told = await wire.until(Announcement)
        assert (told.match, told.text) == (match, "its chat was abuse")
        left, finished = (await wire.until(Happened)).events
        assert isinstance(left, Left)
        assert left.player == ada.id  # it is her turn
        assert isinstance(finished, Finished)
        assert finished.how is MatchEnd.LEFT
    await order(hall, "end", match, status=1)


async def test_an_announcement_is_told_to_whoever_has_said_hello_and_once(hall, ada, bob):
    nobody = await hall.connect()
    await order(hall, "announce", "down at midnight")
    await carry_out(hall)
    for wire in (ada, bob):
        assert await wire.until(Announcement) == Announcement(text="down at midnight")
    await order(hall, "announce", "up again")
    await carry_out(hall)
    assert await ada.until(Announcement) == Announcement(text="up again")
    await nobody.hello("Late")  # and the first frame that it is sent is the answer
    await hall.restart()
    await carry_out(hall)
    late = await hall.meet("Later")
    await late.open()
    assert not any(isinstance(told, Announcement) for told in late.unread())


async def test_commands_given_while_no_server_runs_are_done_by_the_next(hall, ada, bob, match):
    await hall.stop()
    await order(hall, "ban", ada.id)
    await order(hall, "end", match)
    await hall.start()
    late = await hall.connect()
    assert (await late.refused(Hello, token=ada.token)).code == ErrorCode.BANNED
    await hall.clock.until(is_look)
    back = await hall.again(bob)
    assert isinstance((await back.follow(match)).rows[-1].events[-1], Finished)


async def test_an_end_that_cannot_be_written_is_told_once_and_holds_nothing_up(
    hall, ada, bob, match
):
    await order(hall, "end", match, "--reason", "its chat was abuse")
    await order(hall, "announce", "the disk is full")
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


async def test_an_end_that_cannot_be_written_lets_a_server_start(hall, bob, match):
    await hall.stop()
    await order(hall, "end", match)
    await hall.start(store=ReadOnlyStore)
    await carry_out(hall)
    back = await hall.again(bob)
    assert not isinstance((await back.follow(match)).rows[-1].events[-1], Finished)


async def test_every_node_obeys(start_node):
    one, two = await start_node(), await start_node()
    ada, bob = await one.meet("Ada"), await two.meet("Bob")
    match = (await ada.open(maker="me", breaker="open")).match
    await bob.join(match)
    await order(one, "announce", "hello to both")
    await order(one, "end", match)
    await carry_out(one, two)
    for wire in (ada, bob):
        announced: list[str | None] = []
        while len(announced) < 2 or wire.matches[match].phase is not Phase.FINISHED:
            told = await wire.next()  # a notification may arrive before the poll
            if isinstance(told, Announcement):
                announced.append(told.match)
        assert announced == [None, match]
    await order(one, "ban", bob.id)
    await carry_out(one, two)
    await closed_as_banned(bob)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ban", "nobody"), "nobody here has the id or the name 'nobody'"),
        (("ban", "2001:db8::/32"), "the id or the name '2001:db8::/32'"),
        (("unban", "192.0.2.1"), "192.0.2.1 is not banned"),
        (("end", "222222"), "there is no match 222222"),
    ],
)
async def test_a_command_that_cannot_be_done_says_why(hall, capsys, words, says):
    await order(hall, *words, status=1)
    assert says in capsys.readouterr().err
