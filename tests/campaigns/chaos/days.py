"""Try the code of a day while nodes are killed, through its close, and compare its tries.

Each player has one try, with the result of its log, and counted players have one place each.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import time_ns
from typing import Any

import psycopg
import sqlalchemy as sa

from campaigns.chaos.entrants import RULES, Entrant, Nodes, Plan
from campaigns.chaos.storms import Fleet, Storm, write_wide_limits
from campaigns.ledger import Fault, Flaw
from campaigns.traffic import Traffic
from kit.matches import SeededRandom
from kit.postgres import PostgresServer
from mastermind_protocol.code import Code
from mastermind_protocol.codec import decode_events
from mastermind_protocol.days import DAY_MS, find_day, find_day_start, find_reveal, find_tries_end
from mastermind_protocol.events import Left, RoundEnd
from mastermind_protocol.messages import Log, Places
from mastermind_protocol.requests import Follow, ListPlaces
from mastermind_protocol.rules import find_rules
from mastermind_protocol.transitions import fold
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import days, log, tries
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import SessionMode, open_session

LATEST_KILL_SECONDS = 0.5  # without the messages that a kill waits for
PHASES = 3  # of a storm: at noon, through the close, and after the reveal
SECONDS_PER_KILL = 1.0  # with the start of the node
SPARE_MS = 15_000  # before the end of tries, for the start of nodes and the first guesses
_OWN_CLOCK = """
    CREATE TABLE clock_shift (shift interval);
    INSERT INTO clock_shift VALUES ('0');
    CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        'SELECT pg_catalog.clock_timestamp() + shift FROM public.clock_shift';
    ALTER DATABASE postgres SET search_path = public, pg_catalog; -- so that nodes find it first
"""
_SHIFT = (
    "UPDATE clock_shift SET"
    " shift = to_timestamp(%s::bigint / 1000.0) - pg_catalog.clock_timestamp()"
)


class NodesOfFleet:
    """The nodes of a fleet on a database with a clock of the campaign."""

    def __init__(self, fleet: Fleet) -> None:
        self.url, self._fleet = fleet.store.url(), fleet
        with psycopg.connect(self.url) as connection:
            connection.execute(_OWN_CLOCK)

    def choose(self, dice: SeededRandom) -> str:
        """Return the URL behind which all nodes are."""
        del dice
        return self._fleet.address

    async def kill_one(self, dice: SeededRandom) -> None:
        """Kill a node and restart it."""
        await self._fleet.kill_a_node(dice)

    async def set_time(self, time: int) -> None:
        """Kill all nodes, which keep their time of day otherwise, and restart them later."""
        for node in self._fleet.nodes:
            node.kill()
        with psycopg.connect(self.url) as connection:
            connection.execute(_SHIFT, [time])
        for node in self._fleet.nodes:
            node.start()
        for node in self._fleet.nodes:
            await node.listening()


class DayStorm:
    """Players who try the code of `day` at nodes that are killed.

    They wait for at most `pace` seconds before a request.
    """

    def __init__(
        self,
        nodes: Nodes,
        traffic: Traffic,
        day: int,
        *,
        seed: int,
        players: int,
        kills: int,
        pace: float = 0.0,
    ) -> None:
        self._nodes, self._traffic, self._day = nodes, traffic, day
        self._dice, self._kills = SeededRandom(seed), kills
        plans = list(Plan)
        self._entrants = [
            Entrant(
                plans[number % len(plans)], nodes, traffic, SeededRandom(f"{seed} {number}"), pace
            )
            for number in range(players)
        ]
        self.killed = 0
        self.log: list[LogRow] = []  # of the store, at the end

    @property
    def closed(self) -> list[Plan]:
        """The plans of the players with a try that had not ended at the close."""
        return [one.plan for one in self._entrants if one.closed]

    async def run(self) -> list[Fault]:
        """Try the code of the day from noon until after its close. Return the faults."""
        named = enumerate(self._entrants)
        await asyncio.gather(*(one.arrive(f"Entrant {number}") for number, one in named))
        await self._nodes.set_time(find_day_start(self._day) + DAY_MS // 2)
        await self._under_fire(self._begin, PHASES)
        await self._nodes.set_time(find_tries_end(self._day) - SPARE_MS)
        await self._under_fire(self._continue, PHASES - 1)
        await self._nodes.set_time(find_reveal(self._day))
        await self._under_fire(self._return, 1)
        placed = await self._read_places()
        for device in (device for one in self._entrants for device in one.devices):
            await device.close()
        with open_session(self._nodes.url, SessionMode.READ) as session:
            rows = session.connection.execute(sa.select(log).order_by(log.c.match, log.c.version))
            self.log = list(map(LogRow._make, rows))
            return [*self._find_faults(session), *self._find_misplaced(session, placed)]

    async def _under_fire(
        self, act: Callable[[Entrant], Coroutine[object, object, None]], phases: int
    ) -> None:
        """Call `act` for each entrant, and kill nodes: a share of the kills if `phases` remain."""
        async with asyncio.TaskGroup() as group:
            for entrant in self._entrants:
                group.create_task(act(entrant))
            for _ in range((self._kills - self.killed) // phases):
                messages = self._dice.randrange(1 + 8 * len(self._entrants))
                with suppress(TimeoutError):
                    async with asyncio.timeout(LATEST_KILL_SECONDS):
                        await self._traffic.after(messages)
                await self._nodes.kill_one(self._dice)
                self.killed += 1

    async def _begin(self, one: Entrant) -> None:
        assert await one.enter(self._day) is None
        wrong, code = self._draw_wrong_codes(one)
        match one.plan:
            case Plan.BREAKS:
                await one.guess(*wrong[:2], code)
            case Plan.EXHAUSTS:
                await one.guess(*wrong)
            case Plan.RESIGNS:
                await one.guess(wrong[0])
                await one.resign()
            case Plan.CONTINUES | Plan.IS_LATE:
                await one.guess(wrong[0])

    async def _continue(self, one: Entrant) -> None:
        refused = await one.enter(self._day)
        if one.plan not in (Plan.CONTINUES, Plan.IS_LATE):
            assert refused is not None
        elif refused is not None:
            one.closed = True
        elif one.plan is Plan.CONTINUES:
            await one.guess(self._draw_wrong_codes(one)[1])

    async def _return(self, one: Entrant) -> None:
        assert await one.enter(self._day) is not None
        if one.plan is Plan.IS_LATE:
            await one.guess(self._draw_wrong_codes(one)[1])
        first = one.devices[0]
        assert isinstance(await first.ask(Follow(id=next(first.ids), match=first.match or "")), Log)

    def _draw_wrong_codes(self, one: Entrant) -> tuple[list[Code], Code]:
        """Return as many wrong codes as a round has guesses, and the code of the day."""
        rules = find_rules(RULES)
        with open_session(self._nodes.url, SessionMode.READ) as session:
            query = sa.select(days.c.code).where(days.c.day == self._day, days.c.rules == RULES)
            code = tuple(session.connection.execute(query).scalar_one())
        wrong: list[Code] = []
        while len(wrong) < rules.guess_limit:
            drawn = tuple(one.dice.randrange(rules.colours) for _ in range(rules.pegs))
            wrong += [drawn] * (drawn != code)
        return wrong, code

    async def _read_places(self) -> list[tuple[str, int]]:
        """Return the players of the day in the order of their places, with these."""
        device, placed, more = self._entrants[0].devices[0], list[tuple[str, int]](), True
        while more:
            request = ListPlaces(id=next(device.ids), rules=RULES, day=self._day, after=len(placed))
            page = await device.ask(request)
            assert isinstance(page, Places)
            placed += [(each.player, each.place) for each in page.places]
            more = page.more
        return placed

    def _find_faults(self, session: Session) -> Iterator[Fault]:
        """Compare the stored tries with the logs of their matches, and with the players' record."""
        stored = _list_tries(session, self._day)
        for one in self._entrants:
            own = [row for row in stored if row.player == one.player]
            if {row.match for row in own} != one.matches or len(own) != 1:
                yield Fault(Flaw.DOUBLED, "", f"tries of {one.player}: {own}, {one.matches}")
                continue
            (row,) = own
            if (row.how, row.guesses) != _read_result(session, row.match):
                yield Fault(Flaw.CHANGED, row.match, f"its try differs from its log: {row}")
            if (row.ended is None) is not one.closed:
                yield Fault(Flaw.CHANGED, row.match, f"{one.plan}, but its try is {row}")

    def _find_misplaced(
        self, session: Session, placed: Sequence[tuple[str, int]]
    ) -> Iterator[Fault]:
        """Compare the list of places with the results of the stored tries."""
        limit = find_rules(RULES).guess_limit
        results = {
            row.player: (row.guesses, row.milliseconds)
            if row.how == RoundEnd.BROKEN
            else (limit + 1, 0)
            for row in _list_tries(session, self._day)
            if row.counted
        }
        places = {
            player: 1 + sum(other < result for other in results.values())
            for player, result in results.items()
        }
        if len(placed) != len(results) or dict(placed) != places:
            yield Fault(Flaw.CHANGED, "", f"the places are {placed}, but should be {places}")
        if [place for _, place in placed] != sorted(places.values()):
            yield Fault(Flaw.DISORDERED, "", f"the places are {placed}")


def _list_tries(session: Session, day: int) -> Sequence[sa.Row[Any]]:
    query = sa.select(tries).where(tries.c.day == day, tries.c.rules == RULES)
    return session.connection.execute(query).all()


def _read_result(session: Session, match: str) -> tuple[str | None, int | None]:
    """Return how a try ended and the number of its guesses by its log; None if not in time."""
    rows = read_log(session, match)
    events = [event for row in rows for event in decode_events(row.events)]
    state = fold(events)
    if any(isinstance(event, Left) and event.absent for event in events) or not state.played:
        return None, None
    (played,) = state.played
    broken = played.how is RoundEnd.BROKEN
    return str(played.how), len(played.turns) if broken else state.rules.guess_limit + 1


async def strike_the_close_of_a_day(
    folder: Path, store: PostgresServer, storm: Storm, *, seed: int, nodes: int, kills: int
) -> None:
    """Kill nodes on PostgreSQL while `storm.matches` players try the code of a day."""
    traffic = Traffic(storm.ledger)
    async with Fleet.running(folder, store, nodes, write_wide_limits(folder)) as fleet:
        tomorrow = find_day(time_ns() // 1_000_000) + 1
        fleet_nodes = NodesOfFleet(fleet)
        day = DayStorm(
            fleet_nodes, traffic, tomorrow, seed=seed, players=storm.matches, kills=kills,
            pace=kills * SECONDS_PER_KILL / PHASES / 3,
        )  # fmt: skip
        faults = await day.run()
    storm.check(day.log, fleet.nodes)
    storm.faults += faults
    storm.done |= {"SIGKILL of a node": day.killed, "tries ended by the close": len(day.closed)}
