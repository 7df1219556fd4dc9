"""Simulate many nodes on one PostgreSQL: what the notices of a move cost (`make simulate-nodes`).

A *light node* has what a real node has for notices: a connection that listens to its parts, and
it commits rows and notifies. It has no clients. The parts are divided among the nodes,
as a proxy divides the addresses of matches, except that a share of the rows is *stray*: of a part
of another node, as moves of players who have several matches or a running clock.

Each node writes at the same rate, so the rows grow with the nodes. If the deliveries and the CPU
time of a row do not, the nodes can grow too. For comparison, each node also listens to all parts.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from psycopg import AsyncConnection

from bench.processes import read_family_cpu
from kit.postgres import NONE, find_databases
from mastermind_protocol.events import MATCH_CODE_ALPHABET
from mastermind_server.storage.engines.listener import Listener, name_channel
from mastermind_server.storage.notices import Interests, RowCopied, RowWritten, encode_notices
from mastermind_server.storage.rows import LogRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_server.storage.notices import Notice

NODES = (3, 10, 25, 50)
MAX_WRITERS = 10  # connections that write, shared by the nodes: a PostgreSQL has 100 as usual
ROWS_PER_SECOND = 10.0  # of each node: little for a node, and much for 50 on one machine
SECONDS = 5.0
STRAY = 0.05  # the share of rows of a part of another node
SEED = 50
PARTS = [first + second for first in MATCH_CODE_ALPHABET for second in MATCH_CODE_ALPHABET]
EPOCH = "0123456789abcdef"
GUESS = LogRow("", 1, 1_700_000_000_000, bytes(40), 10 * "p", 1, bytes(8))
_NOTIFY = "SELECT pg_notify(%s, %s)"


class Cost(NamedTuple):
    """The cost of a row: notices that nodes received, and CPU time in microseconds."""

    deliveries: float
    nodes: float
    database: float


@dataclass(eq=False)
class LightNode:
    """A node that writes rows and counts the notices that it receives.

    `ready` is set when the node listens to all its parts.
    """

    writer: AsyncConnection
    listener: AsyncConnection
    parts: Sequence[str]
    heard: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    interests: Interests = field(default_factory=Interests)

    async def listen(self) -> None:
        """Receive the notices of the node's parts until cancelled."""
        for part in self.parts:
            self.interests.add(part)
        await Listener(self.listener, self.interests, self._count).run(lambda: True)

    def _count(self, notices: Sequence[Notice]) -> None:
        self.ready.set()  # the first call has no notices: the channels are there
        self.heard += sum(isinstance(notice, RowWritten) for notice in notices)

    async def write(self, random: Random, seconds: float) -> int:
        """Commit rows for some seconds, and notify their nodes. Return the number of rows."""
        rows, end = 0, time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            stray = random.random() < STRAY
            part = random.choice(PARTS if stray else self.parts)
            match = "".join(random.choices(MATCH_CODE_ALPHABET, k=4)) + part
            await self.writer.execute("INSERT INTO simulated VALUES (%s)", (match,))
            copy = RowCopied(GUESS._replace(match=match), EPOCH)
            for channel, text in encode_notices([copy, RowWritten(match, 1)]):
                await self.writer.execute(_NOTIFY, (name_channel(channel), text))
            rows += 1
            pause = random.expovariate(ROWS_PER_SECOND) - (time.monotonic() - now)
            await asyncio.sleep(max(0.0, pause))
        return rows


async def simulate(url: str, database: int, nodes: int, *, by_part: bool) -> Cost:
    """Return the cost of a row with a number of nodes. `database` is PostgreSQL's process id.

    If not `by_part`, each node listens to all parts.
    """
    random = Random(SEED)  # noqa: S311 - a simulation
    async with AsyncExitStack() as stack:

        async def connect() -> AsyncConnection:
            connection = await AsyncConnection.connect(url, autocommit=True)
            return await stack.enter_async_context(connection)

        writers = [await connect() for _ in range(min(nodes, MAX_WRITERS))]
        light = [
            LightNode(
                writers[number % MAX_WRITERS],
                await connect(),
                PARTS[number::nodes] if by_part else PARTS,
            )
            for number in range(nodes)
        ]
        async with asyncio.TaskGroup() as group:
            listening = [group.create_task(node.listen()) for node in light]
            await asyncio.gather(*(node.ready.wait() for node in light))
            before = read_family_cpu(database), _read_own_cpu()
            rows = sum(await asyncio.gather(*(node.write(random, SECONDS) for node in light)))
            used = read_family_cpu(database) - before[0], _read_own_cpu() - before[1]
            for task in listening:
                task.cancel()
        heard = sum(node.heard for node in light)
    return Cost(heard / rows, used[1] / rows * 1e6, used[0] / rows * 1e6)


def _read_own_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main() -> None:
    """Print the cost of a row for each number of nodes."""
    parser = argparse.ArgumentParser(prog="make simulate-nodes", description=__doc__)
    parser.add_argument("nodes", type=int, nargs="*", default=NODES, help="numbers of nodes")
    with find_databases() as databases:
        if databases is None or (pid := databases.find_process()) is None:
            raise SystemExit(NONE)
        url = databases.make()
        async with await AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute("CREATE TABLE simulated (match varchar)")
        print("| nodes | channels | notices for a row | CPU of nodes, us | of PostgreSQL, us |")
        print("| ---: | --- | ---: | ---: | ---: |")
        for nodes in parser.parse_args().nodes:
            for by_part in (True, False):
                cost = await simulate(url, pid, nodes, by_part=by_part)
                kind = "by part" if by_part else "all parts"
                print(f"| {nodes} | {kind} | {cost.deliveries:.2f} | ", end="")
                print(f"{cost.nodes:.0f} | {cost.database:.0f} |", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
