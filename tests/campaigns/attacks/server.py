"""The attacked server: a node with its metrics and its log."""

from __future__ import annotations

import asyncio
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from kit.node import Node
from kit.processes import free_port

DATABASE = "matches.sqlite3"  # in the server's folder
PATIENCE = 60  # seconds for the metrics of a busy server
_COUNTED = {"mastermind_limited_total": "limit", "mastermind_refusals_total": "reason"}


class AttackedServer:
    """A node with measurements of its memory and refusals."""

    def __init__(self, node: Node, metrics_port: int) -> None:
        self.node = node
        self._metrics = f"http://127.0.0.1:{metrics_port}/metrics"

    def reset_peak(self) -> float:
        """Return the memory in MiB, and measure the peak from now on."""
        Path(f"/proc/{self.node.pid}/clear_refs").write_text("5", encoding="ascii")
        return self.node.read_memory() / 2**20

    def read_peak(self) -> float:
        """Return the peak of the memory in MiB."""
        return self.node.read_memory(peak=True) / 2**20

    async def count_refusals(self) -> Counter[str]:
        """Return the counts of reached limits and of refusals, by limit and by reason."""
        text = await asyncio.to_thread(self._read_metrics)
        found = Counter[str]()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                if label := _COUNTED.get(sample.name):
                    found[sample.labels[label]] = int(sample.value)
        return found

    def _read_metrics(self) -> str:
        with urllib.request.urlopen(self._metrics, timeout=PATIENCE) as answer:  # noqa: S310 - ours
            text: str = answer.read().decode()
        return text


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[AttackedServer]:
    """Run a server on the file in a folder."""
    metrics_port = free_port()
    database = f"--database={folder / DATABASE}"
    async with Node.running(database, folder / "log", f"--metrics-port={metrics_port}") as node:
        yield AttackedServer(node, metrics_port)
