"""*memory*: of an idle connection, of an open match, and of finished matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.processes import driving, running
from bench.rows.row import Measure, Row, Run
from kit.processes import read_memory

if TYPE_CHECKING:
    from bench.processes import Subject

CONNECTIONS = 2000
MATCHES, EACH = 3000, 30  # 30 is the limit on one player's open matches


async def _run(subject: Subject, quick: bool) -> Run:
    matches = MATCHES // 3 if quick else MATCHES
    async with running(subject) as process, driving(subject, process) as driver:

        async def measure(command: str, **options: float) -> float:
            await driver.do(command, **options)
            return read_memory(process.pid) / 1024

        start = await measure("connect", connections=CONNECTIONS // 20)  # caches are filled
        idle = await measure("connect", connections=CONNECTIONS + CONNECTIONS // 20)
        opened = await measure("open_matches", matches=matches, each=EACH)
        ended = await measure("end_matches")
        await measure("open_matches", matches=matches, each=EACH)
        again = await measure("end_matches")
    return Run(
        {
            "idle connection": (idle - start) / CONNECTIONS,
            "open match": (opened - idle) / matches,
            "finished match": (ended - idle) / matches,
            "another finished match": (again - ended) / matches,
        }
    )


MEMORY = Row(
    name="memory",
    measures={
        "idle connection": Measure("KiB", most=20),
        "open match": Measure("KiB", most=6),
        "finished match": Measure("KiB"),
        "another finished match": Measure("KiB"),
    },
    run=_run,
)
