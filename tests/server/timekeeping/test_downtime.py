"""Time in which the server kept a player out never counts against that player."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from websockets.frames import CloseCode

from kit.client import PATIENCE, RawClient
from kit.clock import ManualClock, near
from kit.clocked import BASE, MATCH, begin, pass_time, read_events, wait_for
from kit.matches import events_of, state_of
from kit.server import GameServer
from kit.store import WatchedStore
from mastermind_protocol.clock import DAY, SECOND
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Left,
    MatchEnd,
    Resumed,
    RoundEnd,
    RoundEnded,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import Guess
from mastermind_server.matches.tables.tables import Tables
from mastermind_server.storage.records import ABANDONED_DAYS
from mastermind_server.storage.statements.presence import renew_lease
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.timekeeping.lease import IDLE_WRITE_SECONDS
from mastermind_server.timekeeping.lost_time import RETURN_MS
from mastermind_server.timekeeping.statements import list_outages, record_outages

RETURN_SECONDS = RETURN_MS / SECOND
DAY_SECONDS = DAY // SECOND


async def play(hall: GameServer, clock: str = "1+0") -> tuple[RawClient, RawClient]:
    """Start a server, and return Ada, who has set a code, and Bob, who has to guess."""
    await hall.start()
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob, clock)
    await ada.set(MATCH, "2345")
    await bob.wait_for_turn(MATCH)
    return ada, bob


async def read_given_back(hall: GameServer) -> list[int]:
    """Return the milliseconds of each row that gave time back."""
    return [event.lost for event in await read_events(hall) if isinstance(event, Resumed)]


async def wait_for_given_back(hall: GameServer) -> list[int]:
    """Return the milliseconds of each row that gave time back, of which there must be one."""
    async with asyncio.timeout(PATIENCE):
        while not (given_back := await read_given_back(hall)):
            pass
    return given_back


async def restart(hall: GameServer, how: str, seconds: float) -> None:
    """Stop or kill a server, and start it again after some seconds."""
    await (hall.kill() if how == "kill" else hall.stop())
    hall.clock.skip(seconds)
    await hall.start()


async def test_no_flag_falls_while_the_server_stops_and_the_time_is_given_back(idle_hall):
    _, bob = await play(idle_hall)
    idle_hall.clock.skip(BASE - 1)
    idle_hall.server.downtime.begin_stop()
    await pass_time(idle_hall, 11.3)
    await bob.settle()  # the server has read all messages that were sent in time
    idle_hall.clock.skip(1)  # more than a busy machine needs to read the guess
    refused = await bob.ask(bob.new(Guess, match=MATCH, code=(1, 1, 1, 1)))
    assert isinstance(refused, Error)
    assert refused.details == {"reason": Reason.CLOCK_ELSEWHERE.key}
    await idle_hall.restart()
    bob = await idle_hall.connect_again(bob)
    await bob.follow(MATCH)
    assert isinstance((await bob.guess(MATCH, "2222")).events[0], Guessed)
    assert await read_given_back(idle_hall) == [near(12_300)]


async def test_the_player_whose_clock_runs_is_the_first_who_may_return(idle_hall):
    _, bob = await play(idle_hall)
    for name in ("Eve", "Dan", "Joe"):
        await idle_hall.meet(name)
    await idle_hall.stop()
    assert await bob.closed() == (CloseCode.SERVICE_RESTART, "restarting; retry_after=0.000")


@pytest.mark.parametrize(("how", "clock"), [("kill", "1+0"), ("stop", "1+0"), ("stop", "3d/move")])
async def test_the_time_that_a_server_was_down_is_given_back(idle_hall, how, clock):
    _, bob = await play(idle_hall, clock)
    await restart(idle_hall, how, 3600)
    bob = await idle_hall.connect_again(bob)
    await bob.follow(MATCH)
    assert isinstance((await bob.guess(MATCH, "2222")).events[0], Guessed)
    assert await read_given_back(idle_hall) == [near(3600 * SECOND)]


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_after_an_outage_a_player_has_time_to_return(idle_hall, how):
    hall = idle_hall
    ada, bob = await play(hall)
    hall.clock.skip(BASE - 2.5)
    await hall.server.lease.write_alive_if_due()
    await restart(hall, how, 0.5)
    ada = await hall.connect_again(ada)
    await ada.follow(MATCH)
    await pass_time(hall, RETURN_SECONDS - 1)
    assert await read_given_back(hall) == []
    bob = await hall.connect_again(bob)
    await bob.follow(MATCH)
    assert await read_given_back(hall) == [near((RETURN_SECONDS - 0.5) * SECOND)]
    await pass_time(hall, 0.5)
    assert isinstance((await bob.guess(MATCH, "2222")).events[0], Guessed)


async def test_a_player_who_does_not_return_gets_that_time_once(idle_hall):
    hall = idle_hall
    ada, _ = await play(hall)
    hall.clock.skip(BASE - 1.5)
    await restart(hall, "stop", 0.5)
    ada = await hall.connect_again(ada)
    await ada.follow(MATCH)
    await pass_time(hall, RETURN_SECONDS)
    await wait_for_given_back(hall)
    assert not [event for event in await read_events(hall) if isinstance(event, RoundEnded)]
    await pass_time(hall, 1.6)
    (ended,) = await wait_for(ada, RoundEnded)
    assert isinstance(ended, RoundEnded)
    assert ended.how is RoundEnd.TIME
    assert await read_given_back(hall) == [near((0.5 + RETURN_SECONDS) * SECOND)]


async def test_an_outage_is_no_time_of_absence(idle_hall):
    """A player who was away for 20 s, and whose server did not run for 20 s, loses a round."""
    hall, loop_clock = idle_hall, ManualClock()
    await hall.start(lag_clock=loop_clock)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob)
    await ada.set(MATCH, "2345")
    hall.clock.skip(BASE - 20)
    await bob.close()
    await hall.until_connections(1)
    for clock in (loop_clock, hall.clock):
        clock.seconds += 20
    hall.services.pauses.record_pause_if_late()
    await pass_time(hall, 0)
    await pass_time(hall, 20.1)
    (ended,) = await wait_for(ada, RoundEnded)
    assert isinstance(ended, RoundEnded)
    assert ended.how is RoundEnd.TIME


@pytest.mark.parametrize("followed", [True, False])
async def test_a_draining_server_that_lets_nobody_in_takes_no_time(idle_hall, followed):
    hall = idle_hall
    ada, bob = await play(hall)
    hall.clock.skip(BASE - 9)
    hall.server.downtime.begin_drain()
    hall.clock.skip(1)
    await bob.close()  # the connection is lost, and the next handshake gets 503
    if not followed:
        await ada.close()
    await hall.until_connections(followed)
    await pass_time(hall, 30)
    assert not [event for event in await read_events(hall) if isinstance(event, RoundEnded)]
    await restart(hall, "stop", 1)
    bob = await hall.connect_again(bob)
    await bob.follow(MATCH)
    timer = bob.matches[MATCH].timer
    assert timer is not None
    assert await read_given_back(hall) == [near(31 * SECOND)]


async def test_a_player_who_is_connected_plays_on_while_the_server_drains(idle_hall):
    ada, _ = await play(idle_hall)
    idle_hall.server.downtime.begin_drain()
    await pass_time(idle_hall, BASE + 0.1)
    assert await wait_for(ada, RoundEnded)


async def test_with_days_the_player_to_move_does_not_lose_at_the_start(idle_hall):
    hall = idle_hall
    _, bob = await play(hall, "1d/move")
    await bob.guess(MATCH, "1111")
    await restart(hall, "kill", 30 * 3600)
    await pass_time(hall, 0)
    await pass_time(hall, RETURN_SECONDS)
    assert await wait_for_given_back(hall) == [near(30 * 3600 * SECOND, 15 * SECOND)]
    bob = await hall.connect_again(bob)
    await bob.follow(MATCH)
    assert isinstance((await bob.guess(MATCH, "2222")).events[0], Guessed)
    await pass_time(hall, DAY_SECONDS + 1)
    assert Left(player=bob.id, absent=True) in await wait_for(bob, Left)


async def test_the_only_server_of_a_store_stores_that_it_runs_at_least_every_minute(idle_hall):
    """Also without any match with a clock."""
    hall = idle_hall
    await hall.start()
    hall.clock.skip(IDLE_WRITE_SECONDS)
    await hall.server.lease.write_alive_if_due()
    began = hall.clock.unix_milliseconds()
    await restart(hall, "kill", 3600)
    (outage,) = await hall.store.read(list_outages, MATCH, 0)
    assert outage.of_all
    assert outage.began == near(began)
    assert outage.ended - outage.began == near(3600 * SECOND)


@pytest.mark.parametrize("lobby", ["private", "public", None])
async def test_without_a_clock_a_match_is_not_ended_for_the_time_of_an_outage(idle_hall, lobby):
    hall = idle_hall
    await hall.start()
    if lobby:
        ada = await hall.meet("Ada")
        match = (await ada.open(public=lobby == "public")).match
    else:
        ada, _, match = await hall.begin_match()
    waited = 0 if lobby == "public" else DAY_SECONDS
    hall.clock.skip(waited)
    await restart(hall, "stop", (ABANDONED_DAYS + 1) * DAY_SECONDS)
    await hall.server.deadlines.end_due_matches()
    eve = await hall.connect_again(ada)
    phase = Phase.GATHERING if lobby else Phase.SETTING
    assert state_of(await eve.follow(match)).phase is phase
    await eve.close()
    await hall.until_connections()
    hall.clock.skip(ABANDONED_DAYS * DAY_SECONDS - waited + 60)
    await hall.server.deadlines.end_due_matches()
    ended = events_of(await (await hall.connect_again(ada)).follow(match))[-1]
    assert isinstance(ended, Finished)
    assert ended.how is (MatchEnd.CLOSED if lobby else MatchEnd.LEFT)


class Sleeping(WatchedStore):
    """A store that uses the match while a sleep is recorded, as a player who returns does."""

    tables: Tables | None = None

    async def after(self, statement: Callable[..., object], _: Any) -> None:
        if statement is record_outages and self.tables is not None:
            await self.tables.use(MATCH).__aenter__()


@pytest.mark.parametrize("used", [False, True])
async def test_a_machine_that_slept_while_nobody_played_takes_no_time(idle_hall, monkeypatch, used):
    hall = idle_hall
    await hall.start(store=Sleeping)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob, "1d/move")
    await ada.set(MATCH, "2345")
    hall.clock.skip(60)
    awake = hall.clock.unix_milliseconds() + 30 * 3600 * SECOND  # no monotonic clock ran
    monkeypatch.setattr(hall.clock, "system_milliseconds", lambda: awake)
    set_time, before = hall.clock.set_time, hall.clock.unix_milliseconds()
    monkeypatch.setattr(
        hall.clock, "set_time", lambda at: (set_time(at), hall.clock.skip((at - before) / SECOND))
    )
    await hall.server.lease.write_alive_if_due()
    assert hall.clock.unix_milliseconds() == near(before)  # they follow the match
    for wire in (ada, bob):
        await wire.close()
    await hall.until_connections()
    if used:
        assert isinstance(hall.store, Sleeping)
        hall.store.tables = hall.server.tables
    await hall.server.lease.write_alive_if_due()
    await pass_time(hall, RETURN_SECONDS)
    assert await wait_for_given_back(hall) == [near(30 * 3600 * SECOND, 75 * SECOND)]


async def test_a_player_whose_connection_survived_a_stop_of_the_process_gains_no_time(idle_hall):
    hall, loop_clock = idle_hall, ManualClock()
    await hall.start(lag_clock=loop_clock)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob, "5+3")
    await ada.set(MATCH, "2345")
    hall.clock.skip(60)
    for clock in (loop_clock, hall.clock):
        clock.seconds += 50
    await hall.server.downtime.check_suspension()
    hall.clock.skip(RETURN_SECONDS + 20)
    await bob.close()
    await hall.until_connections(1)
    bob = await hall.connect_again(bob)
    await bob.follow(MATCH)
    assert sum(await read_given_back(hall)) == near(50 * SECOND)


class Full(WatchedStore):
    """A store that can write nothing while it is `full`."""

    full = False

    async def before(self, statement: Callable[..., object], _: Any) -> None:
        if self.full and statement is renew_lease:
            raise StorageFailed(Reason.NOT_SAVED, retry_after=1.0)


async def test_the_time_in_which_a_store_failed_is_no_time_of_days(idle_hall):
    hall = idle_hall
    await hall.start(store=Full)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob, "1d/move")
    await ada.set(MATCH, "2345")
    store = hall.store
    assert isinstance(store, Full)
    hall.clock.skip(60)
    store.full = True
    with pytest.raises(StorageFailed):
        await hall.server.lease.write_alive_if_due()
    hall.clock.seconds += 30 * 3600
    store.full = False
    await hall.server.lease.write_alive_if_due()
    await pass_time(hall, 0)
    assert await wait_for_given_back(hall) == [near(30 * 3600 * SECOND, 75 * SECOND)]


@pytest.mark.parametrize(("minutes", "shown"), [(9, False), (11, True)])
async def test_with_days_ten_minutes_are_given_back_at_once(idle_hall, minutes, shown):
    _, bob = await play(idle_hall, "1d/move")
    await restart(idle_hall, "stop", 60 * minutes)
    bob = await idle_hall.connect_again(bob)
    await bob.follow(MATCH)
    assert bool(await read_given_back(idle_hall)) is shown


async def test_a_process_that_was_stopped_takes_no_time_of_days(idle_hall):
    hall, loop_clock = idle_hall, ManualClock()
    await hall.start(lag_clock=loop_clock)
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    await begin(hall, ada, bob, "1d/move")
    await ada.set(MATCH, "2345")
    hall.clock.skip(60)
    for clock in (loop_clock, hall.clock):
        clock.seconds += 30 * 3600
    await pass_time(hall, 0)
    assert await wait_for_given_back(hall) == [near(30 * 3600 * SECOND, 15 * SECOND)]
