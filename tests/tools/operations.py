"""Write the tables of options and metrics in docs/OPERATIONS.md.

    make operations

The code gives names and defaults. The last column of a row is written by hand in the document and
kept; a new row has "?" there.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from prometheus_client.core import Metric

from kit.server import GameServer
from mastermind_server.commands import serve
from mastermind_server.operator_port.collector import make_registry

DOCUMENT = Path(__file__).parents[2] / "docs" / "OPERATIONS.md"
UNEXPLAINED = "?"
ROW = re.compile(r"\| `([\w-]+)")
ROW_WITH_EXPLANATION = re.compile(rf"(?m)^{ROW.pattern}.*\| (.*) \|$")
SUFFIXES = {"counter": "_total", "info": "_info"}


def list_options() -> Iterator[str]:
    """Yield the first cells of each option of the server: its name and its default."""
    parser = argparse.ArgumentParser(add_help=False)
    serve.add_serve_command(parser)
    for action in parser._actions:
        usual = action.default
        default = "" if usual in (None, (), argparse.SUPPRESS) else f"`{usual}`"
        value = action.metavar or action.dest.upper()
        yield f"| `{action.option_strings[0]} {value}` | {default} |"


async def read_metrics() -> list[Metric]:
    """Return the metrics of a server that has one client."""
    with TemporaryDirectory() as folder:
        hall = GameServer(Path(folder))
        await hall.start()
        await hall.meet("Ada")
        found = list(make_registry(hall.server).collect())
        await hall.close()
    return found


def list_metrics(metrics: list[Metric]) -> Iterator[str]:
    """Yield the first cell of each of the server's own metrics: its name."""
    for metric in metrics:
        if metric.name.startswith("mastermind_"):
            yield f"| `{metric.name}{SUFFIXES.get(metric.type, '')}` |"


def name_of(row: str) -> str:
    """Return the option or metric in the first cell of a row."""
    match = ROW.match(row)
    assert match, row
    return match[1]


def write_tables(document: str, metrics: list[Metric]) -> str:
    """Return the document with the rows that the code has, and the explanations it had."""
    explained = dict(ROW_WITH_EXPLANATION.findall(document))
    for table, rows in (
        ("options", list_options()),
        ("metrics", list_metrics(metrics)),
    ):
        lines = [f"{row} {explained.get(name_of(row), UNEXPLAINED)} |" for row in rows]
        begin, head, body = document.partition(f"<!-- {table}:")
        comment, _, body = body.partition("\n\n")
        header, rule, _ = body.split("\n", 2)
        _, mark, rest = body.partition("\n\n<!-- end -->")
        assert mark, f"the document has no table of {table}"
        body = "\n".join([header, rule, *lines])
        document = f"{begin}{head}{comment}\n\n{body}{mark}{rest}"
    return document


def main() -> None:
    """Write the tables."""
    metrics = asyncio.run(read_metrics())
    DOCUMENT.write_text(write_tables(DOCUMENT.read_text("utf-8"), metrics), "utf-8")


if __name__ == "__main__":
    main()
