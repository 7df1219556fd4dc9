"""The attacked server: a process with metrics and a log file."""

from __future__ import annotations

import asyncio
import sys
import urllib.request
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from bench.processes import DATABASE, SERVE, SERVER, read_memory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PATIENCE = 60  # seconds for the metrics of a busy server
_COUNTED = {"mastermind_limited_total": "limit", "mastermind_refusals_total": "reason"}


@dataclass(frozen=True, slots=True)
class Server:
    """A listening server and its log file."""

    address: str
    metrics: str
    pid: int
    log: Path

    def reset_peak(self) -> float:
        """Return the memory in MiB, and reset the peak."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5", encoding="ascii")
        return read_memory(self.pid) / 2**20

    def read_peak(self) -> float:
        """Return the peak of the memory in MiB."""
        text = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(text.partition("VmHWM:")[2].split()[0]) / 2**10

    async def count_refusals(self) -> Counter[str]:
        """Return the counts of limits met and of refusals by reason."""
        text = await asyncio.to_thread(self._read_metrics)
        found = Counter[str]()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                if label := _COUNTED.get(sample.name):
                    found[sample.labels[label]] = int(sample.value)
        return found

    def _read_metrics(self) -> str:
        with urllib.request.urlopen(self.metrics, timeout=PATIENCE) as answer:  # noqa: S310 - ours
            text: str = answer.read().decode()
        return text


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Server]:
    """Run a server on the database in a folder."""
    log = folder / "log"
    with log.open("wb") as said:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SERVE, "--port", "0", "--metrics-port", "0"),
            *("--database", str(folder / DATABASE)),
            stdout=asyncio.subprocess.PIPE,
            stderr=said,
            env=SERVER.environment(),
        )
        try:
            assert child.stdout is not None
            lines = [(await child.stdout.readline()).decode().split() for _ in range(2)]
            assert all(lines), f"the server does not start: {log.read_text('utf-8')}"
            yield Server(lines[0][2], lines[1][2], child.pid, log)
        finally:
            child.terminate()
            await child.wait()
