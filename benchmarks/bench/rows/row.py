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
STOLEN = 0.02  # cores given to other machines: who waits for one of ours waits some 5 ms
OTHERS = 0.3  # cores that other programs keep busy: times of the clock are theirs too

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


@dataclass(frozen=True, slots=True)
class Plot:
    """Some measures of a row by size, drawn; `file` is without its ending."""

    file: str
    title: str
    across: str  # what the sizes are
    points: Sequence[tuple[float, str]]  # sizes, and the measures' names


class Row(Protocol):
    """Some measures that are taken together."""

    name: ClassVar[str]
    measures: ClassVar[Sequence[Measure]]
    bare: ClassVar[Sequence[Subject]]  # the reference, and others that are told beside it
    others: ClassVar[bool]  # whether another checkout's server can be
    plots: ClassVar[Sequence[Plot]]

    async def run(self, subject: Subject, *, quick: bool) -> Run:
        """Measure a subject once, in processes of its own; `quick` for a short look."""


def find_faults(played: Played, what: str) -> list[str]:
    """Tell what was the limit but for what is measured: the driver, or other programs."""
    faults = []
    if played.driver > BUSY:
        faults.append(f"{what}: the driver took over {BUSY:.0%} of a core, and may be the limit")
    if played.behind > BEHIND:
        faults.append(f"{what}: the driver sent more than {BEHIND * 1e3:.0f} ms too late")
    if played.elsewhere > OTHERS:
        faults.append(
            "other programs had the machine at work: no time of the clock is to be believed"
        )
    if played.stolen > STOLEN:
        faults.append("other machines held up this one: the longest times of the clock are theirs")
    return faults
