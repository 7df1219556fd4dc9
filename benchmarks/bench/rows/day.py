"""*day*: a day with 100,000 tries at its code, while 2,000 tries end each minute."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import sqlalchemy as sa

from bench.clients import do_each, list_sources
from bench.processes import DATABASE, WIDE_LIMITS, read_family_cpu
from bench.rows.leaderboard import MANY
from bench.rows.row import Measure, Row, Run
from kit.client import RawClient
from kit.processes import Server, serving
from mastermind_protocol.days import DAY_MS
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.requests import EnterDay, Guess
from mastermind_server.storage.schema import days, players, tries

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bench.processes import Subject
    from mastermind_protocol.code import Code

T = TypeVar("T")

TRIES = 100_000  # of today, and as many of yesterday before the reveal
ENDINGS_PER_MINUTE = 2_000
ENDINGS, QUICK_ENDINGS = 300, 100  # measured ones
PAGES, QUICK_PAGES = 200, 50  # spread over the places
RULES = "classic"
WRONG = ((0, 0, 1, 1), (0, 2, 3, 3), (1, 4, 2, 3), (5, 4, 4, 0))  # three are tried before the code
LIMITS = {
    **WIDE_LIMITS,
    **dict.fromkeys(("request_cost", "request_cost_of_address", "frames"), MANY),
}


class Playing(NamedTuple):
    """A codebreaker before the guess that breaks the code of a match."""

    client: RawClient
    match: str
    code: Code

    async def end(self) -> None:
        """Break the code."""
        await self.client.ask(self.client.new(Guess, match=self.match, code=self.code))


async def _run(subject: Subject, quick: bool) -> Run:
    wide = replace(subject, limits=LIMITS)
    with TemporaryDirectory() as name:
        folder = Path(name)
        process = Server(wide.command(folder), folder / "errors", wide.environment())
        async with serving(process):
            return Run(await _measure(process, folder / DATABASE, quick))


async def _measure(process: Server, database: Path, quick: bool) -> dict[str, float]:
    async def measure(work: Awaitable[object]) -> float:
        """Return the CPU of the server in milliseconds until `work` is done."""
        before = read_family_cpu(process.pid)
        await work
        return (read_family_cpu(process.pid) - before) * 1e3

    endings, pages = (QUICK_ENDINGS, QUICK_PAGES) if quick else (ENDINGS, PAGES)
    clients = await _connect(process, 2 * endings)
    reader = clients[0]
    today = (await reader.day()).day
    code = _fill(database, today)
    pairs = list(zip(clients[::2], clients[1::2], strict=True))
    usual = await _prepare(pairs, partial(_begin_usual, code))
    figures = {"CPU of a last guess, usual": await measure(_end_each(usual)) / endings}
    own = await _prepare(clients[:endings], partial(_begin_try, today, code))
    figures["CPU of a last guess, day"] = await measure(_end_each(own)) / endings
    figures["CPU of the first places"] = await measure(reader.places(today))
    figures["CPU of a result"] = await measure(_show_each(own)) / endings
    figures["CPU of a page of places"] = await measure(_list_pages(reader, today, pages)) / pages
    enter = {"rules": RULES, "day": today - 1}  # which is refused, and reveals the code before
    revealing, refusing = [await measure(reader.refused(EnterDay, **enter)) for _ in range(2)]
    figures["CPU of the reveal"] = revealing - refusing
    await do_each(clients, RawClient.close)
    return figures


async def _connect(process: Server, wanted: int) -> list[RawClient]:
    """Return clients with a player each, from many addresses."""
    clients: list[RawClient] = []

    async def connect(source: str) -> None:
        client = await RawClient.connect(process.address, local_addr=(source, 0))
        await client.hello()
        clients.append(client)

    await do_each(islice(list_sources(), wanted), connect)
    return clients


async def _prepare(players: Sequence[T], begin: Callable[[T], Awaitable[Playing]]) -> list[Playing]:
    """Begin a match with each of `players`, and make its wrong guesses."""
    playing: list[Playing] = []

    async def prepare(each: T) -> None:
        begun = await begin(each)
        client, match, code = begun
        for wrong in [guess for guess in WRONG if guess != code][:3]:
            await client.wait_for_turn(match)
            await client.ask(client.new(Guess, match=match, code=wrong))
        playing.append(begun)

    await do_each(players, prepare)
    return playing


async def _begin_usual(code: Code, pair: tuple[RawClient, RawClient]) -> Playing:
    maker, breaker = pair
    match = (await maker.open(rules=RULES, rounds=1)).match
    await breaker.join(match)
    await maker.set(match, "".join(str(peg + 1) for peg in code))
    return Playing(breaker, match, code)


async def _begin_try(today: int, code: Code, client: RawClient) -> Playing:
    return Playing(client, (await client.enter(today, RULES)).match, code)


async def _end_each(playing: Sequence[Playing]) -> None:
    """Break each code, ENDINGS_PER_MINUTE, however late the answers are."""
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number, each in enumerate(playing):
            due = began + number * 60 / ENDINGS_PER_MINUTE
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            group.create_task(each.end())


async def _show_each(playing: Sequence[Playing]) -> None:
    for each in playing:
        assert (await each.client.day()).ended is not None


async def _list_pages(reader: RawClient, today: int, pages: int) -> None:
    for number in range(pages):
        assert (await reader.places(today, after=number * TRIES // 2 // pages)).places


def _fill(database: Path, today: int) -> Code:
    """Store TRIES tries of today and of yesterday, and yesterday's code. Return today's code.

    ENDINGS_PER_MINUTE have ended until now.
    """
    now = int(time.time() * 1000)
    engine = sa.create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        numbers = sa.select(sa.literal(0).label("n")).cte("numbers", recursive=True)
        numbers = numbers.union_all(sa.select(numbers.c.n + 1).where(numbers.c.n < TRIES - 1))
        n = numbers.c.n
        player = sa.literal("player-") + sa.cast(n, sa.String)
        account = {"name": player, "program": False, "created": 0, "challenges": True}
        connection.execute(_insert(players, {"id": player, **account}))
        row = connection.execute(sa.select(days).where(days.c.rules == RULES)).one()
        connection.execute(sa.insert(days).values({**row._mapping, "day": today - 1}))
        for day in (today, today - 1):
            ended = now - (today - day) * DAY_MS - n * (60_000 // ENDINGS_PER_MINUTE)
            guesses = 2 + n * 7919 % 12
            result = {
                "day": day,
                "rules": RULES,
                "player": player,
                "match": "AAAAAA",
                "started": ended - 300_000,
                "counted": n % 5 > 0,
                "ended": ended,
                "how": sa.case((guesses > 12, RoundEnd.EXHAUSTED), else_=RoundEnd.BROKEN),
                "guesses": guesses,
                "milliseconds": n * 104_729 % 3_600_000,
                "luck": 0.0,
            }
            connection.execute(_insert(tries, result))
    engine.dispose()
    return tuple(row.code)


def _insert(table: sa.Table, values: dict[str, Any]) -> sa.Insert:
    """Return the insertion of one row for each number."""
    columns = [
        (value if isinstance(value, sa.ColumnElement) else sa.literal(value)).label(name)
        for name, value in values.items()
    ]
    return sa.insert(table).from_select(list(values), sa.select(*columns))


DAY = Row(
    name="day",
    measures={
        "CPU of a last guess, usual": Measure("ms"),
        "CPU of a last guess, day": Measure("ms", most=5.0),
        "CPU of a result": Measure("ms", most=2.0),
        "CPU of a page of places": Measure("ms", most=3.0),
        "CPU of the first places": Measure("ms", most=1000.0),
        "CPU of the reveal": Measure("ms", most=5.0),
    },
    run=_run,
    baselines=(),
)
