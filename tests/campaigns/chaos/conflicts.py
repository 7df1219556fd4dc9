"""Two nodes that want the same at once: the log's keys let one of them have it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from mastermind_server.storage.requests import Stamp
from mastermind_server.storage.store import LogRow, RowTaken, Store

AT_ONCE = 100  # by each of the two


@dataclass(slots=True)
class Contest:
    """What came of it: how often each node won, and what must not be."""

    rounds: int
    wins: list[int] = field(default_factory=lambda: [0, 0])
    faults: list[str] = field(default_factory=list)

    def list_figures(self) -> Mapping[str, int]:
        """Return what a report tells, by its name."""
        won, others = self.wins
        return {"asked for by both": self.rounds, "won by one": won, "by the other": others}

    def judge(self, what: str, outcomes: tuple[object, object]) -> None:
        """Count who won, if one of the two has, and the other was told."""
        winners = [n for n, outcome in enumerate(outcomes) if outcome is None]
        told = [outcome for outcome in outcomes if isinstance(outcome, RowTaken)]
        if len(winners) == len(told) == 1:
            self.wins[winners[0]] += 1
        else:
            self.faults.append(f"{what}: {outcomes!r}")


async def contend_for_versions(url: str, rounds: int, seed: int) -> Contest:
    """Have two nodes append the next row of the same matches, each in an order of its own."""
    contest, random = Contest(rounds), Random(seed)  # noqa: S311 - to be the same again
    stores = [await Store.open(url) for _ in range(2)]
    for first in range(0, rounds, AT_ONCE):
        matches = [f"{n:06}" for n in range(first, min(first + AT_ONCE, rounds))]
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
                contest.faults.append(f"match {match}: another's row is there")
    await asyncio.gather(*(store.close() for store in stores))
    return contest


async def repeat_requests(url: str, rounds: int, seed: int) -> Contest:
    """Have two nodes do the same requests, each in a match of its own; all ask what was done."""
    contest, random = Contest(rounds), Random(seed)  # noqa: S311
    stores = [await Store.open(url) for _ in range(2)]
    for first in range(0, rounds, AT_ONCE):
        requests = range(first, min(first + AT_ONCE, rounds))
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
    """Append all rows at once, in any order; return what came of each, in theirs."""
    tasks: dict[tuple[int, int], asyncio.Future[object]] = {}
    order = [(n, number) for n in range(2) for number in range(len(asked[n]))]
    random.shuffle(order)
    for n, number in order:
        tasks[n, number] = asyncio.ensure_future(stores[n].append(asked[n][number]))
    await asyncio.wait(tasks.values())
    return [[tasks[n, number].exception() for number in range(len(asked[n]))] for n in range(2)]
