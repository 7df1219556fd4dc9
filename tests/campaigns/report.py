"""The options and the report of a campaign."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence


def parse_options(
    name: str,
    description: str | None,
    arguments: Sequence[str],
    options: Mapping[str, tuple[float, str]],
    runs: Iterable[str] = (),
) -> argparse.Namespace:
    """Return the options, each given with its default and help, and `runs`, the chosen runs."""
    parser = argparse.ArgumentParser(
        prog=f"make {name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = list(runs)
    if known:
        parser.add_argument("runs", nargs="*", metavar="RUN", help=f"any of: {', '.join(known)}")
    for option, (default, meaning) in options.items():
        parser.add_argument(
            f"--{option}", type=type(default), default=default, help=f"{meaning} (%(default)s)"
        )
    given = parser.parse_args(arguments)
    if known:
        if unknown := sorted(set(given.runs) - set(known)):
            parser.error(f"unknown {unknown[0]!r}: choose from {', '.join(known)}")
        given.runs = given.runs or known
    return given


class Report:
    """Prints the figures and faults of each run; `status` is 1 if there was a fault.

    A run is a table of its own with the faults below it, or, with a `wide` heading, a row of one
    table, whose last cell begins with the faults.
    """

    def __init__(self, wide: str = "") -> None:
        self.status = 0
        self._heading = wide
        self._wide = bool(wide)

    def add(self, run: str, figures: Mapping[str, object], faults: Sequence[object]) -> None:
        """Print one run."""
        self.status |= bool(faults)
        if not self._wide:
            print(f"\n| {run} | |\n|---|---:|")
            print(*(f"| {figure} | {value} |" for figure, value in figures.items()), sep="\n")
            print(*faults, sep="\n", flush=True)
            return
        if self._heading:
            heads = [self._heading, *figures]
            print(f"| {' | '.join(heads)} |\n|---|{'---:|' * (len(heads) - 2)}---|")
            self._heading = ""
        *cells, last = map(str, figures.values())
        marked = [f"**{fault}**" for fault in faults]
        print(f"| {' | '.join([f'`{run}`', *cells, ', '.join([*marked, last])])} |", flush=True)
