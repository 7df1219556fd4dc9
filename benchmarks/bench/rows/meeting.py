"""*meeting*: the moves during which the two players are connected to different nodes.

Three nodes share one PostgreSQL. A proxy hashes the addresses of matches, and sends other
connections to any node. In each of the `WAYS`, two sessions of the client open or join a match and
play it to the end. The second player joins when the first one is at the node of the match. Without
a clock, the first move follows at once, faster than a person moves. All other moves wait until both
players are at the node of the match, at most SETTLE_SECONDS.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from random import Random
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from bench.clients import do_each
from bench.processes import migrate, running
from bench.rows.nodes import NO_DRIVER
from bench.rows.reconnecting import LIMITS_OF_ONE_ADDRESS, MANY
from bench.rows.row import Measure, Row, Run
from kit.people import end_session
from kit.proxy import MatchProxy
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_protocol.events import find_part
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bench.processes import Subject
    from mastermind_client.network.mirror import Mirror

NODES = 3
PAIRS, QUICK_PAIRS = 30, 10  # of each way
AT_ONCE = 10  # pairs
SETTLE_SECONDS = 2.0  # longer than a player has two connections
POLL_SECONDS = 0.001
ROUNDS = 2  # so each player moves
SECRET, WRONG = (0, 0, 1, 1), ((2, 2, 3, 3), (2, 3, 4, 5), (1, 4, 2, 3))
CLOCKS = {"": None, ", 5+3": "5+3"}  # with the ends of the measures' names
FIRST, LATER = "first moves across nodes", "later moves across nodes"
MOVED = "until players at two nodes are at one, p50"
LIMITS = {
    **LIMITS_OF_ONE_ADDRESS,
    **dict.fromkeys(("challenges_of_address", "rows_of_address", "query_ms_of_address"), MANY),
    "lobbies_of_address": "5000",
}
Pair: TypeAlias = "tuple[Player, Player]"


@dataclass
class Hall:
    """The proxy to the nodes, and the results: whether each move crossed nodes."""

    proxy: MatchProxy
    ports: list[int]
    random: Random
    first: list[bool] = field(default_factory=list)  # whether a first move crosses nodes
    later: list[bool] = field(default_factory=list)
    moving: list[float] = field(default_factory=list)  # seconds until a pair is at one node

    async def connect(self, stack: AsyncExitStack, match: str | None = None) -> Session:
        """Return the session of a new player, at any node or at that of a match."""
        self.proxy.restore(*self.random.sample(self.ports, NODES))
        connecting = Session.connect(self.proxy.address, Identity(), match=match)
        return await stack.enter_async_context(connecting)


@dataclass(eq=False)
class Player:
    """A player of a match. `updated` is set at each update of the session."""

    session: Session
    mirror: Mirror
    updated: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.session.updates.subscribe(lambda _: self.updated.set(), end_session)

    async def wait_for_version(self, version: int) -> None:
        """Wait until the session has received a row of the match."""
        while self.mirror.version < version:
            self.updated.clear()
            await self.updated.wait()

    def find_node(self, proxy: MatchProxy) -> object:
        """Return the node of the connection that the session uses."""
        line = self.session._exchange._link._line
        return proxy.reached[line._websocket.local_address[1]]

    async def settle(self, hall: Hall) -> bool:
        """Wait for at most SETTLE_SECONDS until the player is at the node of the match."""
        node = hall.ports[hall.proxy.find_target(f"/m/{find_part(self.mirror.code)}")]
        end = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < end:
            if self.find_node(hall.proxy) == node:
                return True
            await asyncio.sleep(POLL_SECONDS)
        return False

    async def move(self) -> None:
        """Set the secret, or make the next guess. The fourth one breaks the code."""
        match = self.mirror.state
        if match.phase is Phase.SETTING:
            await self.session.set_secret(self.mirror, SECRET)
        else:
            assert match.current is not None
            guesses = *WRONG, SECRET
            await self.session.guess(self.mirror, guesses[len(match.current.turns)])


async def _by_link(hall: Hall, stack: AsyncExitStack, rules: str, clock: str | None) -> Pair:
    session = await hall.connect(stack)
    mirror = await session.open(rules, maker="me", breaker="open", rounds=ROUNDS, clock=clock)
    await (ada := Player(session, mirror)).settle(hall)
    bob = await hall.connect(stack, mirror.code)
    return ada, Player(bob, await bob.join(mirror.code))


async def _by_matchmaking(hall: Hall, stack: AsyncExitStack, rules: str, clock: str | None) -> Pair:
    async def seek() -> Player:
        session = await hall.connect(stack)
        return Player(session, await session.seek(rules, rounds=ROUNDS, clock=clock))

    await (ada := await seek()).settle(hall)
    return ada, await seek()


async def _by_challenge(hall: Hall, stack: AsyncExitStack, rules: str, clock: str | None) -> Pair:
    session, bob = await hall.connect(stack), await hall.connect(stack)
    mirror = await session.challenge(bob.player.id, rules, rounds=ROUNDS, clock=clock)
    await (ada := Player(session, mirror)).settle(hall)
    return ada, Player(bob, await bob.join(mirror.code))


async def _by_rematch(hall: Hall, stack: AsyncExitStack, rules: str, clock: str | None) -> Pair:
    before = await _by_link(hall, stack, rules, clock)
    while before[0].mirror.state.phase is not Phase.FINISHED:
        await _move(before, hall.proxy)
    host, guest = (player.session for player in before)
    await (ada := Player(host, await host.rematch(before[0].mirror))).settle(hall)
    return ada, Player(guest, await guest.rematch(before[1].mirror))


WAYS: dict[str, Callable[[Hall, AsyncExitStack, str, str | None], Awaitable[Pair]]] = {
    "link": _by_link,
    "matchmaking": _by_matchmaking,
    "challenge": _by_challenge,
    "rematch": _by_rematch,
}


def _are_apart(pair: Pair, proxy: MatchProxy) -> bool:
    one, other = (player.find_node(proxy) for player in pair)
    return one != other


async def _move(pair: Pair, proxy: MatchProxy) -> bool:
    """Make the next move of a match. Return whether the players are at different nodes then."""
    version = max(player.mirror.version for player in pair)
    for player in pair:
        await player.wait_for_version(version)
    due = pair[0].mirror.state.to_move
    assert due is not None
    crosses = _are_apart(pair, proxy)
    await next(player for player in pair if player.session.player.id == due.id).move()
    for player in pair:
        await player.wait_for_version(version + 1)
    return crosses


async def _settle(pair: Pair, hall: Hall) -> None:
    """Wait until both players are at the node of the match, or stay elsewhere."""
    began, apart = time.monotonic(), _are_apart(pair, hall.proxy)
    if all([await player.settle(hall) for player in pair]) and apart:
        hall.moving.append(time.monotonic() - began)


async def _play(hall: Hall, way: str, clock: str | None, rules: str) -> None:
    async with AsyncExitStack() as stack:
        pair = await WAYS[way](hall, stack, rules, clock)
        settling = asyncio.create_task(_settle(pair, hall))
        if clock is not None:
            await settling  # a secret at once would keep them apart
        hall.first.append(await _move(pair, hall.proxy))
        await settling
        while pair[0].mirror.state.phase is not Phase.FINISHED:
            hall.later.append(await _move(pair, hall.proxy))


async def _run(subject: Subject, quick: bool) -> Run:
    if find_spec("psycopg") is None:
        return Run({}, [NO_DRIVER])
    from kit.postgres import NONE, find_databases  # late: psycopg is an extra

    figures: dict[str, float] = {}
    pairs = QUICK_PAIRS if quick else PAIRS
    with find_databases() as databases:
        if databases is None:
            return Run({}, [f"not measured: {NONE}"])
        shared = replace(subject, store=databases.make(), limits=LIMITS)
        await migrate(shared)
        async with AsyncExitStack() as stack:
            nodes = [await stack.enter_async_context(running(shared)) for _ in range(NODES)]
            ports = [node.port for node in nodes]
            proxy = await stack.enter_async_context(MatchProxy.to(*ports))
            for ending, clock in CLOCKS.items():
                for way in WAYS:
                    hall = Hall(proxy, ports, Random(way))  # noqa: S311 - which node connects
                    rules = [f"4x6/{8 + number}" for number in range(pairs)]  # each pair's own
                    await do_each(rules, partial(_play, hall, way, clock), AT_ONCE)
                    figures |= _summarise(hall, f"{way}{ending}")
    return Run(figures)


def _summarise(hall: Hall, name: str) -> dict[str, float]:
    figures = {f"{FIRST}, {name}": _percent(hall.first), f"{LATER}, {name}": _percent(hall.later)}
    return figures | ({f"{MOVED}, {name}": median(hall.moving) * 1e3} if hall.moving else {})


def _percent(found: list[bool]) -> float:
    return sum(found) / len(found) * 100


MEETING = Row(
    name="meeting",
    measures={
        f"{measure}, {way}{ending}": Measure(unit)
        for ending in CLOCKS
        for way in WAYS
        for measure, unit in ((FIRST, "%"), (LATER, "%"), (MOVED, "ms"))
    },
    run=_run,
    baselines=(),
)
