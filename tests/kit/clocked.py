"""Matches with clocks, stored as an earlier `open` would have stored them."""

from __future__ import annotations

import asyncio

from kit.client import PATIENCE, RawClient
from kit.server import GameServer
from mastermind_protocol.codec import decode_events
from mastermind_protocol.events import AnyEvent, Joined, Opened, Seat
from mastermind_protocol.messages import Happened
from mastermind_protocol.transitions import fold
from mastermind_server.matches.tables.match_log import make_log_row
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.statements.log import read_log

MATCH = "CKCKED"
BASE = 60  # seconds of the clock 1+0
ATTEMPT = "end the time of a player"  # the name of its task


async def begin(
    hall: GameServer,
    maker: RawClient,
    breaker: RawClient,
    clock: str = "1+0",
    rounds: int = 2,
    rules: str = "classic",
) -> None:
    """Store a match that waits for its first code, and let both players follow it."""
    assert maker.player
    assert breaker.player
    events = (
        Opened(rules=rules, rounds=rounds, clock=clock),
        Joined(player=maker.player, seat=Seat.MAKER),
        Joined(player=breaker.player, seat=Seat.BREAKER),
    )
    now = hall.services.clock.unix_milliseconds()
    row = make_log_row(MATCH, 1, now, events, maker.id, None)
    await hall.store.append(row, projections=[make_projection(MATCH, fold(events), 1, now)])
    for wire in (maker, breaker):
        await wire.follow(MATCH)
    await hall.server.flags.poll()


async def wait_for(wire: RawClient, kind: type[AnyEvent]) -> tuple[AnyEvent, ...]:
    """Return the events of the next row that has an event of this kind."""
    told = await wire.until(Happened, lambda told: any(isinstance(e, kind) for e in told.events))
    return told.events


async def read_events(hall: GameServer) -> list[AnyEvent]:
    """Return the stored events of the match."""
    rows = await hall.store.read(read_log, MATCH)
    return [event for row in rows for event in decode_events(row.events)]


async def poll(hall: GameServer) -> None:
    """Let the server read all that has come until now."""
    hall.services.pauses.record_poll()
    for _ in range(2):
        await asyncio.sleep(0)


async def pass_time(hall: GameServer, seconds: float) -> None:
    """Let the clock run, and look at the store as the server does."""
    hall.clock.skip(seconds)
    await hall.server.flags.poll()
    hall.clock.skip(0.01)


async def finish_attempts() -> None:
    """Wait until all attempts to end a time have ended, of all servers.

    Otherwise the time that the test skips meanwhile would count as a pause. No attempt may wait for
    the clock.
    """
    running = [task for task in asyncio.all_tasks() if task.get_name() == ATTEMPT]
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(*running)
