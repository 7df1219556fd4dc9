"""The table of `make bench`: figures of all runs, with their spread, beside their reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bench.figures import Spread, find_ratios, find_spread
from bench.processes import ROOM, SERVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.rows.row import Measure


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of one subject: its runs, and what they come to."""

    row: str
    measure: str
    unit: str
    subject: str
    runs: tuple[float, ...]
    spread: Spread
    ratio: Spread | None = None
    most: float | None = None  # of the median
    most_ratio: float | None = None  # of the ratio's median

    @property
    def kept(self) -> bool | None:
        """Whether the target is kept; None where there is none."""
        if self.most is not None:
            return self.spread.median <= self.most
        if self.most_ratio is not None and self.ratio is not None:
            return self.ratio.median <= self.most_ratio
        return None

    @property
    def target(self) -> str:
        """What is to be reached, in words; nothing where there is no target."""
        if self.most is not None:
            return f"{write_figure(self.most)} {self.unit}"
        return f"{self.most_ratio:g} times" if self.most_ratio is not None else ""


Runs = dict[tuple[str, str], list[float]]  # by subject and measure


def summarise(
    row: str, measures: Sequence[Measure], runs: Runs, reference: str = ROOM.name
) -> list[Line]:
    """Return the lines of one row, each measure's subjects beside each other.

    Ratios are to the subject that is the reference.
    """
    lines = []
    for measure in measures:
        for (subject, name), values in runs.items():
            if name != measure.name:
                continue
            own = subject != reference
            found = (subject, measure.beside) if measure.beside else (reference, name)
            beside = runs.get(found) if own or measure.beside else None
            lines.append(
                Line(
                    row=row,
                    measure=name,
                    unit=measure.unit,
                    subject=subject,
                    runs=tuple(values),
                    spread=find_spread(values),
                    ratio=find_spread(find_ratios(values, beside)) if beside else None,
                    most=measure.most if subject == SERVER.name else None,
                    most_ratio=measure.ratio if subject == SERVER.name else None,
                )
            )
    return lines


COLUMNS = ("row", "measure", "of", "median", "spread", "unit", "ratio", "spread", "at most", "")


def tabulate(lines: Iterable[Line]) -> list[tuple[str, ...]]:
    """Return the cells of the table, its head first."""
    cells: list[tuple[str, ...]] = [COLUMNS]
    for line in lines:
        ratio = line.ratio
        kept = {True: "kept", False: "MISSED", None: ""}[line.kept]
        cells.append(
            (
                *(line.row, line.measure, line.subject),
                *(write_figure(line.spread.median), write_range(line.spread), line.unit),
                f"{ratio.median:.2f}" if ratio else "",
                write_range(ratio) if ratio else "",
                *(line.target, kept),
            )
        )
    return cells


def write_figure(value: float) -> str:
    """Return a figure with three digits that count, and whole where it has more."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def write_range(spread: Spread) -> str:
    """Return the least and the most."""
    return f"{write_figure(spread.least)}..{write_figure(spread.most)}"


def lay_out(cells: Sequence[Sequence[str]]) -> str:
    """Return a table for the terminal."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join(rows)
