"""A client of the operator port, which serves health and metrics."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.client import HTTPConnection

from prometheus_client.parser import text_string_to_metric_families

from kit.server import GameServer
from mastermind_server.app import listen
from mastermind_server.monitoring.operator_port import monitoring


class Operator:
    """A client of the operator port."""

    def __init__(self, address: str) -> None:
        self.authority = address.removeprefix("http://")

    async def get(self, path: str) -> tuple[int, str]:
        """Return the status and the text of the response for `path`."""
        return await asyncio.to_thread(self._get, path)

    async def metrics(self) -> dict[str, float]:
        """Return the values of all samples, by name and labels: `name{label=value}`."""
        status, text = await self.get("/metrics")
        assert status == 200
        found = {}
        for family in text_string_to_metric_families(text):
            assert family.documentation
            for sample in family.samples:
                labels = ",".join(f"{key}={value}" for key, value in sample.labels.items())
                found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
        return found

    def _get(self, path: str) -> tuple[int, str]:
        asker = HTTPConnection(self.authority, timeout=60)
        try:
            asker.request("GET", path)
            answer = asker.getresponse()
            return answer.status, answer.read().decode()
        finally:
            asker.close()


@asynccontextmanager
async def watching(hall: GameServer) -> AsyncIterator[Operator]:
    """Open the operator port of a server within the block, and yield a client."""
    async with monitoring(hall.server, listen("127.0.0.1", 0)) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", address)
        yield Operator(address)
