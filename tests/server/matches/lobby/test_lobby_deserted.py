"""Public lobbies and challenges close some time after their player disconnects, not earlier."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kit.client import PATIENCE, PeerStub, RawClient
from kit.faults import full_disk
from kit.matches import state_of
from kit.server import GameServer
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Finished, MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import ChallengeEnded, Happened, Log, Presence
from mastermind_protocol.requests import Challenge, Follow, Join
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.nodes import deadlines
from mastermind_server.matches.nodes.deadlines import DUE_POLL_SECONDS
from mastermind_server.matches.nodes.presence import LOBBY_GRACE_SECONDS
from mastermind_server.storage.records import CHALLENGE_SECONDS
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.matches import list_due
from mastermind_server.storage.store import Store
from mastermind_server.timekeeping.statements import list_outages


async def until_due(hall: GameServer, *matches: str) -> None:
    """Wait until exactly these lobbies are due after the grace period."""
    async with asyncio.timeout(PATIENCE):
        while True:
            after = hall.clock.unix_milliseconds() + int(1000 * LOBBY_GRACE_SECONDS)
            found = await hall.store.read(list_due, after, limit=9)
            if set(found) == set(matches):
                return


async def test_a_player_who_returns_at_the_last_moment_keeps_the_lobby(hall, ada, bob):
    match = (await ada.open(public=True)).match
    await ada.close()
    await until_due(hall, match)
    back = await hall.connect_again(ada)
    await back.follow(match)
    await hall.server.deadlines.end_if_due(match)  # the poll before found it due
    await until_due(hall)
    assert state_of(await bob.join(match)).phase is Phase.SETTING


async def test_a_player_who_returns_only_briefly_loses_the_lobby(hall, ada, eve):
    match = (await ada.open(public=True)).match
    await eve.follow(match)
    lobby, within = hall.server.lobby, PeerStub(ada)
    await lobby.follow(within.call(Follow(id=90, match=match, v=0)))
    await ada.unfollow(match)
    lobby.unfollow(within, match)  # now it is deserted
    await lobby.follow(within.call(Follow(id=91, match=match, v=0)))  # in the same turn of the loop
    lobby.unfollow(within, match)
    await until_due(hall, match)
    hall.clock.skip(LOBBY_GRACE_SECONDS)
    assert (await eve.until(Happened)).events[-1] == Finished(how=MatchEnd.CLOSED)


async def challenge(ada: RawClient, bob: RawClient) -> str:
    """Return the code of a challenge of Ada to Bob."""
    opened = await ada.ask(ada.new(Challenge, player=bob.id, rules="mini"))
    assert isinstance(opened, Log), opened
    return opened.match


async def test_a_challenge_ends_a_minute_after_its_sender_disconnects(hall, ada, bob):
    match = await challenge(ada, bob)
    await ada.close()
    await until_due(hall, match)
    hall.clock.skip(LOBBY_GRACE_SECONDS)
    await hall.server.deadlines.end_due_matches()
    assert await bob.until(ChallengeEnded) == ChallengeEnded(match=match, how="expired")


async def test_a_challenge_whose_sender_reloads_lasts_its_two_minutes(hall, ada, bob):
    match = await challenge(ada, bob)
    await ada.close()
    await until_due(hall, match)
    back = await hall.connect_again(ada)
    await back.follow(match)
    hall.clock.skip(LOBBY_GRACE_SECONDS)
    await hall.server.deadlines.end_if_due(match)  # a poll may have found it due
    hall.clock.skip(CHALLENGE_SECONDS - LOBBY_GRACE_SECONDS - 1)
    await hall.server.deadlines.end_due_matches()
    assert state_of(await back.follow(match)).phase is Phase.GATHERING
    hall.clock.skip(1)
    await hall.server.deadlines.end_due_matches()
    assert (await bob.until(ChallengeEnded)).how == "expired"


async def test_lobbies_of_the_last_run_are_closed_in_batches(idle_hall, monkeypatch):
    await idle_hall.start()
    ada = await idle_hall.meet("Ada")
    matches = [(await ada.open(public=True)).match for _ in range(3)]
    monkeypatch.setattr(deadlines, "ENDED_PER_POLL", 2)
    await idle_hall.restart()
    await until_due(idle_hall, *matches)
    idle_hall.clock.skip(LOBBY_GRACE_SECONDS)
    await idle_hall.server.deadlines.end_due_matches()
    await idle_hall.server.deadlines.end_due_matches()
    eve = await idle_hall.meet("Eve")
    for match in matches:
        assert state_of(await eve.follow(match)).outcome == Finished(how=MatchEnd.CLOSED)


async def test_a_lobby_that_its_player_left_is_not_closed_again(idle_hall):
    await idle_hall.start()
    ada = await idle_hall.meet("Ada")
    match = (await ada.seek()).match
    await idle_hall.restart()
    await until_due(idle_hall, match)
    back = await idle_hall.connect_again(ada)
    await back.leave(match)  # without following it
    idle_hall.clock.skip(LOBBY_GRACE_SECONDS)
    await idle_hall.server.deadlines.end_due_matches()
    await idle_hall.server.deadlines.end_if_due(match)  # as another node may have found
    assert len(await idle_hall.store.read(read_log, match)) == 2


async def test_a_lobby_that_cannot_be_closed_is_logged_and_closed_later(hall, ada, eve, caplog):
    match = (await ada.seek()).match
    await eve.follow(match)
    await ada.close()
    await until_due(hall, match)
    with full_disk():
        hall.clock.skip(LOBBY_GRACE_SECONDS)
        await hall.server.deadlines.end_due_matches()
        assert "cannot be ended: storage_failed" in caplog.text
    hall.clock.skip(DUE_POLL_SECONDS)
    await hall.server.deadlines.end_due_matches()
    assert (await eve.until(Happened)).events[-1] == Finished(how=MatchEnd.CLOSED)


async def test_a_full_disk_delays_the_deadline_of_a_deserted_lobby(hall, ada, eve, caplog):
    match = (await ada.seek()).match
    await eve.follow(match)
    with full_disk():
        await ada.close()
        await hall.clock.until(lambda timer: timer.seconds == RETRY_SECONDS)
    hall.clock.skip(RETRY_SECONDS)
    await until_due(hall, match)
    assert "store-writer: a group of 1 failed" in caplog.text


class Held(Store):
    """A store on which the second row of a match waits for a word.

    `looked_up` is set after the last lookup of the task "closing" before it ends a match.
    """

    reached = asyncio.Event()
    word = asyncio.Event()
    looked_up = asyncio.Event()

    async def look_up(self, query: Any, *args: Any, **more: Any) -> Any:
        found = await super().look_up(query, *args, **more)
        if query is list_outages and asyncio.current_task().get_name() == "closing":  # type: ignore[union-attr]
            self.looked_up.set()
        return found

    async def append(self, *rows: LogRow, **more: Any) -> None:
        if rows[0].version == 2:
            self.reached.set()
            await self.word.wait()
        await super().append(*rows, **more)


async def test_a_lobby_is_not_closed_while_its_seat_is_taken(idle_hall):
    Held.reached, Held.word, Held.looked_up = asyncio.Event(), asyncio.Event(), asyncio.Event()
    await idle_hall.start(store=Held)
    ada, bob, eve = [await idle_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open(public=True)).match
    await eve.follow(match)
    await bob.send(encode(bob.new(Join, match=match)))
    await Held.reached.wait()
    await ada.close()
    await eve.until(Presence)
    await until_due(idle_hall, match)
    idle_hall.clock.skip(LOBBY_GRACE_SECONDS)
    closing = asyncio.create_task(idle_hall.server.deadlines.end_if_due(match), name="closing")
    await Held.looked_up.wait()
    await eve.settle()  # it waits for its turn at the table
    Held.word.set()
    joined = state_of(await bob.until(Log))
    with pytest.raises(Refused):
        await closing
    assert joined.seat_of(bob.id) is not None
    assert state_of(await eve.follow(match)).phase is Phase.SETTING
