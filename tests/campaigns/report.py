"""The report of a campaign: a table of figures, and every fault."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping


def make_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return the parser of a campaign's options."""
    return argparse.ArgumentParser(
        prog=f"make {name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def print_report(title: str, figures: Mapping[str, object], faults: Iterable[object]) -> None:
    """Print a table of the figures, and each fault on a line."""
    print(f"\n| {title} | |\n|---|---:|")
    for figure, value in figures.items():
        print(f"| {figure} | {value} |")
    print(*faults, sep="\n", flush=True)
