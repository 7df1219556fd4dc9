"""A node whose store has gone back compares its matches, and drops those with lost rows."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest
import sqlalchemy as sa
from websockets.frames import CloseCode

from kit.client import PATIENCE, PeerStub, RawClient
from kit.clocked import BASE, MATCH, begin, pass_time
from kit.history import go_back, insist
from kit.matches import ADA, BOB, pegs, sit, state_of
from kit.postgres import find_socket
from kit.server import GameServer
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.messages import Challenged, ChallengeEnded, Happened, Log
from mastermind_protocol.requests import Challenge, Guess, Join, ListMatches, Say
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.bot_driver import BotDriver
from mastermind_server.matches.contests.days import Days
from mastermind_server.matches.tables import lost_rows
from mastermind_server.matches.tables.lost_rows import LostRows
from mastermind_server.matches.tables.match_log import MatchLog
from mastermind_server.network.sessions import LOGGED_OUT_CLOSE_REASON
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import read_chat, read_log
from mastermind_server.storage.store import Store
from mastermind_server.storage.threads import StorageFailed
from server.matches.tables.logs import long_log

DELETE_MATCHES = ("DELETE FROM log", "DELETE FROM matches", "DELETE FROM running")
DELETE_ROWS = "DELETE FROM log WHERE match = '{}' AND version > {}"


async def begin_round(node: GameServer) -> tuple[RawClient, RawClient, str]:
    """Return a codemaker, a codebreaker and their match after its first guess, the row 4."""
    ada, bob, match = await node.begin_match()
    await ada.set(match, "1234")
    await bob.guess(match, "1111")
    return ada, bob, match


async def list_versions(node: GameServer, match: str) -> list[int]:
    return [row.version for row in await node.store.read(read_log, match)]


def list_losses(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.name == lost_rows.__name__]


async def until_compared(
    hall: GameServer, wire: RawClient, caplog: pytest.LogCaptureFixture
) -> list[str]:
    """Return the lines about lost rows when the last one, the total, is there."""
    while not (lines := list_losses(caplog)) or "rows in memory" not in lines[-1]:
        await insist(hall, wire, wire.new(ListMatches, what="running"))
        hall.clock.skip(RETRY_SECONDS)
    return lines


async def test_after_a_promotion_matches_with_lost_rows_are_read_again_and_get_no_gap(
    postgres_standby, proxy, postgres_url, far_url, start_node, caplog
):
    node = await start_node(far_url)
    ada, bob, shorter = await begin_round(node)
    eve, dan, changed = await begin_round(node)
    cat, fay, kept = await begin_round(node)
    gil, before = await node.meet("Gil"), node.store.epoch
    await (days := Days(node.services)).find(days.find_today(), "mini")
    postgres_standby.fall_behind()
    await gil.follow(kept)
    for wire, match in ((bob, shorter), (dan, changed)):
        await wire.guess(match, "2222")
        await wire.guess(match, "3333")
    standby_url = postgres_standby.url(str(sa.make_url(postgres_url).database))
    with pytest.raises(DatabaseUnusable, match="recovery is in progress"):
        await Store.open(standby_url)
    proxy.cut()
    postgres_standby.promote()
    proxy.restore(find_socket(postgres_standby.url()))
    other = await start_node(standby_url)
    moved = await other.connect_again(dan)
    await moved.follow(changed)
    again = await moved.ask(moved.new(Guess, match=changed, v=4, code=pegs("4444")))
    assert isinstance(again, Happened)

    moves = fay.new(Guess, match=kept, code=pegs("2222"))
    assert isinstance(await insist(node, fay, moves), Happened)
    for wire in (ada, bob, eve, dan):
        assert (await wire.closed())[0] == CloseCode.SERVICE_RESTART
    assert (await cat.until(Happened, lambda row: row.v == 5)).match == kept
    back = await node.connect(bob.ids)
    welcome, log = await back.hello(token=bob.token), await back.follow(shorter)
    assert welcome.epoch == log.epoch == node.store.epoch == other.store.epoch != before
    await back.guess(shorter, "5555")
    async with asyncio.timeout(PATIENCE):
        while not (await moved.follow(kept)).spectators > 1:  # the lost presence is written again
            await moved.unfollow(kept)
    for match in (shorter, changed, kept):
        assert await list_versions(node, match) == [1, 2, 3, 4, 5]
    *each, total = await until_compared(node, back, caplog)
    assert sorted(each) == sorted(
        f"match {match}: the store has lost its rows 5 to 6" for match in (shorter, changed)
    )
    assert total == "the store has lost 4 of 16 rows in memory, of 2 of 3 matches"
    await node.server.lease.renew()
    today = await days.find(days.find_today(), "mini")
    assert today is not None
    assert today.state == "withdrawn"


async def test_a_match_without_lost_rows_continues_in_another_epoch(hall, caplog):
    ada, bob, match = await begin_round(hall)
    before = hall.store.epoch
    await go_back(hall)
    assert isinstance(
        await insist(hall, bob, bob.new(Guess, match=match, code=pegs("2222"))), Happened
    )
    assert (await ada.until(Happened, lambda row: row.v == 5)).match == match
    assert (await bob.follow(match)).epoch == hall.store.epoch != before
    assert list_losses(caplog) == ["the store has lost none of 4 rows in memory"]


async def test_a_table_that_was_not_compared_yet_neither_reads_nor_writes(hall):
    _, bob, match = await begin_round(hall)
    peer = PeerStub(bob)
    async with hall.server.tables.use(match) as table:
        table.follow(peer, 1, 0)
        table.log.epoch = "another"
        with pytest.raises(StorageFailed):
            await table.say(peer.call(Say(id=2, match=match, text="Hm.")))
        with pytest.raises(StorageFailed):
            await table.perform(GuessCode(pegs("2222")), bob.id)
        with pytest.raises(StorageFailed):
            await table.read_new_lines()
        table.stale = True
        with pytest.raises(StorageFailed):
            await table.read_new_rows()
        table.log.epoch = hall.store.epoch
        table.unfollow(peer)
    assert await hall.store.read(read_chat, match) == []
    assert await list_versions(hall, match) == [1, 2, 3, 4]


async def test_nobody_can_follow_a_table_with_lost_rows(hall):
    _, bob, match = await begin_round(hall)
    async with hall.server.tables.use(match) as table:
        await go_back(hall, DELETE_ROWS.format(match, 3))
        assert (await bob.closed())[0] == CloseCode.SERVICE_RESTART
        assert not table.followers
        with pytest.raises(StorageFailed):
            table.follow(PeerStub(bob.player), 1, 0)


async def test_a_follower_that_a_dropped_table_will_disconnect_cannot_follow_the_next_one(hall):
    """It would stay there for ever: its connection no longer knows that it follows the match."""
    _, bob, match = await begin_round(hall)
    peer = PeerStub(bob.player)
    async with hall.server.tables.use(match) as dropped:
        dropped.follow(peer, 1, 0)
        await go_back(hall, DELETE_ROWS.format(match, 3))
        await bob.closed()
    peer.followed.add(match)  # as before its turn to be disconnected
    async with hall.server.tables.use(match) as table:
        with pytest.raises(StorageFailed):
            table.follow(peer, 2, 0)
        peer.followed.discard(match)
        table.follow(peer, 3, 0)


async def test_a_row_without_its_predecessor_is_refused_and_its_match_is_read_again(hall, caplog):
    """Rows that are deleted under a running server leave the epoch as it is."""
    _, bob, match = await begin_round(hall)
    with closing(sqlite3.connect(hall.database, isolation_level=None)) as driver:
        driver.execute(DELETE_ROWS.format(match, 3))
    guess = bob.new(Guess, match=match, code=pegs("2222"))
    refusal = await bob.ask(guess)
    assert getattr(refusal, "code", None) == ErrorCode.STORAGE_FAILED
    with pytest.raises(StorageFailed):  # the repeated request would be of the lost rows
        async with hall.server.tables.use(match):
            pass
    assert (await bob.closed())[0] == CloseCode.SERVICE_RESTART
    assert list_losses(caplog) == [f"match {match}: the store has lost its rows 4 to 4"]
    back = await hall.connect_again(bob)
    await back.follow(match)
    assert (await back.guess(match, "2222")).v == 4


class FailingForBots(Store):
    """A store that does not store the moves of bots while it `fails`."""

    fails = True

    def append(self, *rows: LogRow, **more: Any) -> Awaitable[None]:
        if self.fails and rows[0].request is None:
            raise StorageFailed(Reason.NOT_SAVED, retry_after=RETRY_SECONDS)
        return super().append(*rows, **more)


async def test_a_bot_that_waits_for_the_store_moves_in_the_match_as_it_is_now(idle_hall):
    hall = idle_hall
    await hall.start(store=FailingForBots)
    ada = await hall.meet("Ada")
    match = (await ada.open(breaker="easy")).match
    await ada.set(match, "1234")
    version = ada.versions[match]
    await hall.clock.until(lambda timer: timer.seconds == RETRY_SECONDS)  # the bot waits
    await go_back(hall, DELETE_ROWS.format(match, version - 1))
    assert (await ada.closed())[0] == CloseCode.SERVICE_RESTART
    FailingForBots.fails = False
    hall.clock.skip(RETRY_SECONDS)
    back = await hall.connect_again(ada)
    await back.follow(match)
    await back.set(match, "1234")
    await back.until(Happened, lambda row: row.v > version)


async def test_a_bot_that_waits_for_bots_of_other_matches_ends_with_its_lost_match(
    hall, ada, monkeypatch
):
    may_move = asyncio.Event()

    @asynccontextmanager
    async def wait(_driver: BotDriver, _match: Match) -> AsyncIterator[None]:
        await may_move.wait()
        yield

    monkeypatch.setattr(BotDriver, "_limit_bot_matches", wait)
    match = (await ada.open(breaker="easy")).match
    await ada.set(match, "1234")
    (bots,) = [task for task in asyncio.all_tasks() if task.get_name() == f"bots of {match}"]
    await go_back(hall, *DELETE_MATCHES)
    await ada.closed()
    may_move.set()
    await bots


async def test_lost_lines_of_chat_are_read_again(hall):
    ada, bob, match = await begin_round(hall)
    await ada.say(match, "Hm.")
    await ada.say(match, "Hm!")
    await go_back(hall, "DELETE FROM chat WHERE n > 1")
    assert (await bob.closed())[0] == CloseCode.SERVICE_RESTART
    back = await hall.connect_again(bob)
    await back.follow(match)
    assert (await back.say(match, "Yes?")).line.n == 2


async def test_a_lost_challenge_ends_for_the_challenged_player(hall, ada, bob):
    opened = await ada.ask(ada.new(Challenge, player=bob.id, rules="mini"))
    await bob.until(Challenged)
    assert isinstance(opened, Log)
    await go_back(hall, *DELETE_MATCHES)
    await insist(hall, bob, bob.new(ListMatches, what="running"))
    assert (await bob.until(ChallengeEnded)).match == opened.match


async def test_a_player_whose_token_is_lost_is_logged_out(hall, ada, bob):
    await go_back(hall, f"DELETE FROM tokens WHERE player = '{bob.id}'")  # noqa: S608 - ours
    assert await bob.closed() == (CloseCode.POLICY_VIOLATION, LOGGED_OUT_CLOSE_REASON)
    await ada.list("running")


async def test_a_request_that_was_refused_in_the_lost_history_is_handled_anew(hall):
    _, bob, match = await begin_round(hall)
    eve = await hall.meet("Eve")
    join = eve.new(Join, match=match)
    assert getattr(await eve.ask(join), "code", None) == ErrorCode.SEAT_TAKEN
    await go_back(hall, DELETE_ROWS.format(match, 1))
    assert (await bob.closed())[0] == CloseCode.SERVICE_RESTART
    log = await insist(hall, eve, join)
    assert isinstance(log, Log)
    assert state_of(log).phase is Phase.SETTING


async def test_a_round_that_was_played_again_is_reviewed_again(hall):
    ada, bob, match = await begin_round(hall)
    await bob.guess(match, "1234")
    assert len((await ada.review(match)).turns) == 2
    await go_back(hall, DELETE_ROWS.format(match, 3), "DELETE FROM archive")
    await bob.closed()
    back = await hall.connect_again(bob)
    await back.follow(match)
    await back.guess(match, "1234")
    assert [turn.guess.code for turn in (await back.review(match)).turns] == [pegs("1234")]


async def test_a_flag_of_a_lost_match_is_forgotten(hall, ada, bob):
    await begin(hall, ada, bob)
    await ada.set(MATCH, "1234")
    await pass_time(hall, BASE - 5)  # the flag is scheduled
    assert MATCH in hall.server.flags._due._times
    await go_back(hall, *DELETE_MATCHES)
    assert (await ada.closed())[0] == CloseCode.SERVICE_RESTART
    await pass_time(hall, 10)
    eve = await hall.meet("Eve")
    await insist(hall, eve, eve.new(ListMatches, what="running"))
    assert MATCH not in hall.server.flags._due._times


def test_only_some_lost_matches_are_logged(caplog, monkeypatch):
    monkeypatch.setattr(lost_rows, "MATCHES_LOGGED", 1)
    rows = long_log("AAAAAA", 4, ADA, BOB)
    lost = LostRows()
    for kept in (2, 3, 4):
        lost.add(MatchLog("AAAAAA", rows, sit(), "epoch"), kept)
    lost.log_total()
    assert list_losses(caplog) == [
        "match AAAAAA: the store has lost its rows 3 to 4",
        "the store has lost 3 of 12 rows in memory, of 2 of 3 matches",
    ]
