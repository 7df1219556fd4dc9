"""Concurrent writes of two nodes with the same key. The log accepts exactly one of each pair."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from mastermind_server.storage.idempotency import RequestKey
from mastermind_server.storage.rows import LogRow, RowTaken
from mastermind_server.storage.statements.log import find_request, read_log
from mastermind_server.storage.store import Store

BATCH = 100  # concurrent writes of each node


@dataclass(slots=True)
class Contest:
    """The wins of each node, and the faults."""

    rounds: int
    wins: list[int] = field(default_factory=lambda: [0, 0])
    faults: list[str] = field(default_factory=list)

    def list_figures(self) -> Mapping[str, int]:
        """Return the figures of the report by name."""
        first, second = self.wins
        return {
            "conflicts": self.rounds,
            "won by the first node": first,
            "won by the second node": second,
        }

    def judge(self, what: str, outcomes: tuple[object, object]) -> None:
        """Count a win if one node succeeded and the other got RowTaken; otherwise add a fault."""
        winners = [n for n, outcome in enumerate(outcomes) if outcome is None]
        rejected = [outcome for outcome in outcomes if isinstance(outcome, RowTaken)]
        if len(winners) == len(rejected) == 1:
            self.wins[winners[0]] += 1
        else:
            self.faults.append(f"{what}: {outcomes!r}")


async def contend_for_versions(url: str, rounds: int, seed: int) -> Contest:
    """Append the first row of the same matches from two nodes, in random order."""

    def write(node: int, number: int) -> LogRow:
        return LogRow(f"{number:06}", 1, 0, b"\x90", f"node {node}", number, b"")

    async def find(stores: list[Store], number: int) -> list[LogRow]:
        return await stores[number % 2].read(read_log, f"{number:06}")

    return await _contend(url, rounds, seed, write, find)


async def repeat_requests(url: str, rounds: int, seed: int) -> Contest:
    """Perform the same requests on two nodes, each in its own matches.

    Both nodes must then find the request in the winner's match.
    """

    def write(node: int, number: int) -> LogRow:
        return LogRow(f"{node}{number:05}", 1, 0, b"\x90", "A", number, b"")

    async def find(stores: list[Store], number: int) -> list[LogRow]:
        answers = {await store.read(find_request, "A", RequestKey(number, b"")) for store in stores}
        (answer,) = answers if len(answers) == 1 else (None,)
        return await stores[0].read(read_log, answer[0]) if answer else []

    return await _contend(url, rounds, seed, write, find)


async def _contend(
    url: str,
    rounds: int,
    seed: int,
    write: Callable[[int, int], LogRow],
    find: Callable[[list[Store], int], Awaitable[list[LogRow]]],
) -> Contest:
    """Append the rows of `write` from two nodes; only the winner's may be found afterwards."""
    contest, random = Contest(rounds), Random(seed)  # noqa: S311 - reproducible
    stores = [await Store.open(url) for _ in range(2)]
    for first in range(0, rounds, BATCH):
        numbers = range(first, min(first + BATCH, rounds))
        asked = [[write(node, number) for number in numbers] for node in range(2)]
        outcomes = await _append(stores, asked, random)
        for place, number in enumerate(numbers):
            pair = outcomes[0][place], outcomes[1][place]
            contest.judge(f"conflict {number}", pair)
            won = [rows[place] for rows, lost in zip(asked, pair, strict=True) if not lost]
            if (found := await find(stores, number)) != won:
                contest.faults.append(f"conflict {number}: {won} won, and {found} is stored")
    await asyncio.gather(*(store.close() for store in stores))
    return contest


async def _append(
    stores: list[Store], asked: list[list[LogRow]], random: Random
) -> list[list[object]]:
    """Append all rows concurrently, in random order; return the exception or None of each row."""
    tasks: dict[tuple[int, int], asyncio.Future[object]] = {}
    order = [(n, number) for n in range(2) for number in range(len(asked[n]))]
    random.shuffle(order)
    for n, number in order:
        tasks[n, number] = asyncio.ensure_future(stores[n].append(asked[n][number]))
    await asyncio.wait(tasks.values())
    return [[tasks[n, number].exception() for number in range(len(asked[n]))] for n in range(2)]
