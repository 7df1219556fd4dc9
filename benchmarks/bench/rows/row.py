"""What a row of `make bench` is: some measures, and how one run of them is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from bench.commands import Played
    from bench.processes import Subject

BUSY = 0.9  # of a core: a driver that takes so much may have been the limit
BEHIND = 0.02  # seconds: a driver that sends so much too late was

Figures = Mapping[str, float]  # by the measure's name


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table.

    `most` is the figure it may reach, `ratio` how many times the reference: that is the same
    measure of what is bare, or the measure named `beside` of the same subject.
    """

    name: str
    unit: str
    most: float | None = None
    ratio: float | None = None
    beside: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """The figures of one run of one subject, and what must be said beside them."""

    figures: Figures
    notes: Sequence[str] = ()


class Row(Protocol):
    """Some measures that are taken together."""

    name: ClassVar[str]
    measures: ClassVar[Sequence[Measure]]
    bare: ClassVar[bool]  # whether something bare is measured too
    others: ClassVar[bool]  # whether another checkout's server can be

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Measure a subject once, in processes of its own; `quick` for a short look."""


def find_faults(played: Played, what: str) -> list[str]:
    """Tell whether it was the driver, and not what is measured, that was the limit."""
    if played.driver > BUSY:
        return [
            f"{what}: the driver took {played.driver:.0%} of a core: it may have been the limit"
        ]
    if played.behind > BEHIND:
        return [f"{what}: the driver sent up to {played.behind * 1e3:.0f} ms too late"]
    return []
