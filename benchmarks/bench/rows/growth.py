"""*growth*: what a move costs among ever more matches, and ever later in one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ClassVar

from bench.commands import Advance, Done, End, OpenMatches, Played, Rally
from bench.processes import ROOM, driving, running
from bench.rows.row import Measure, Plot, Run, find_faults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bench.processes import Process, Subject

SIZES = (10, 100, 1000, 10_000)
ALONE = 100  # so many matches have two connections each; of the others, many share two
EACH = 30  # as many as one player may open at once
AT_ONCE = 10  # guesses under way, one in each of ten matches
MOVES = 500  # of ten players, each asks no more than it may at once
MATCHES, GUESSES = 40, (5, 50, 500)  # the longest match has 999
REST_SECONDS = 1.0  # in which players may ask at once again: else each guess waits for its turn
WARM_UP_MATCHES, WARM_UP_GUESSES = 50, 40
AROUND = 4  # guesses before and after these, which are measured with them


def _name_matches(size: int) -> str:
    return f"CPU, {size:,} matches"


def _name_guess(number: int) -> str:
    return f"CPU, guess {number}"


def _list_measures(names: Sequence[str]) -> list[Measure]:
    """Return the costs by these names, all but the first to be no more than a fifth above it."""
    first = names[0]
    return [
        Measure(name, "us a move", ratio=None if name == first else 1.2, beside=first)
        for name in names
    ]


class Growth:
    """Ten guesses at a time, whatever else is open: the cost is to stay what it was with ten."""

    name: ClassVar[str] = "growth"
    bare: ClassVar[Sequence[Subject]] = (ROOM,)
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = (
        Plot(
            "growth-matches",
            "CPU a move, us",
            "matches open",
            [(size, _name_matches(size)) for size in SIZES],
        ),
        Plot(
            "growth-guesses",
            "CPU a move, us",
            "guesses in the match",
            [(number, _name_guess(number)) for number in GUESSES],
        ),
    )
    measures: ClassVar[Sequence[Measure]] = (
        *_list_measures([_name_matches(size) for size in SIZES]),
        *_list_measures([_name_guess(number) for number in GUESSES]),
    )

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Open ever more matches in one process, and let few grow long in another."""
        figures: dict[str, float] = {}
        faults: list[str] = []
        async with (
            _running_warm(subject) as process,
            driving(subject, process) as driver,
        ):
            for size in SIZES[:3] if quick else SIZES:
                await driver.tell(OpenMatches(size, 1 if size <= ALONE else EACH), Done)
                played = await driver.tell(Rally(MOVES, AT_ONCE), Played)
                figures[_name_matches(size)] = played.cpu / played.moves * 1e6
                faults += find_faults(played, _name_matches(size))
        async with (
            _running_warm(subject) as process,
            driving(subject, process) as driver,
        ):
            await driver.tell(OpenMatches(MATCHES), Done)
            for number in GUESSES[:2] if quick else GUESSES:
                await driver.tell(Advance(number - AROUND - 1), Done)
                await asyncio.sleep(REST_SECONDS)
                played = await driver.tell(Rally(MATCHES * (2 * AROUND + 1), AT_ONCE), Played)
                figures[_name_guess(number)] = played.cpu / played.moves * 1e6
                faults += find_faults(played, _name_guess(number))
        return Run(figures, faults)


@asynccontextmanager
async def _running_warm(subject: Subject) -> AsyncIterator[Process]:
    """Run a subject that has played already: Python makes what runs often faster meanwhile."""
    async with running(subject) as process:
        async with driving(subject, process) as others:
            await others.tell(OpenMatches(WARM_UP_MATCHES), Done)
            await others.tell(Rally(WARM_UP_MATCHES * WARM_UP_GUESSES, AT_ONCE), Played)
            await others.tell(End(), Done)
        yield process
