"""Concurrent writes of two nodes with the same key. The log accepts exactly one of each pair."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from mastermind_server.storage.requests import Stamp
from mastermind_server.storage.store import LogRow, RowTaken, Store

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
    contest, random = Contest(rounds), Random(seed)  # noqa: S311 - reproducible
    stores = [await Store.open(url) for _ in range(2)]
    for first in range(0, rounds, BATCH):
        matches = [f"{n:06}" for n in range(first, min(first + BATCH, rounds))]
        asked = [
            [LogRow(match, 1, 0, b"\x90", f"node {n}", int(match), b"") for match in matches]
            for n in range(2)
        ]
        outcomes = await _append(stores, asked, random)
        for number, match in enumerate(matches):
            pair = outcomes[0][number], outcomes[1][number]
            contest.judge(f"match {match}", pair)
            kept = await stores[number % 2].read_log(match)
            if [row.player for row in kept] != [f"node {n}" for n in range(2) if pair[n] is None]:
                contest.faults.append(f"match {match}: the stored row is not the winner's")
    await asyncio.gather(*(store.close() for store in stores))
    return contest


async def repeat_requests(url: str, rounds: int, seed: int) -> Contest:
    """Perform the same requests on two nodes, each in its own matches.

    Both nodes must then find the request in the winner's match.
    """
    contest, random = Contest(rounds), Random(seed)  # noqa: S311
    stores = [await Store.open(url) for _ in range(2)]
    for first in range(0, rounds, BATCH):
        requests = range(first, min(first + BATCH, rounds))
        asked = [
            [LogRow(f"{n}{request:05}", 1, 0, b"\x90", "A", request, b"") for request in requests]
            for n in range(2)
        ]
        outcomes = await _append(stores, asked, random)
        for number, request in enumerate(requests):
            pair = outcomes[0][number], outcomes[1][number]
            contest.judge(f"request {request}", pair)
            answers = {await store.find_request("A", Stamp(request, b"")) for store in stores}
            done = {
                (rows[number].match, 1) for rows, won in zip(asked, pair, strict=True) if not won
            }
            if answers != done:
                contest.faults.append(f"request {request}: answered {answers}, done {done}")
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
