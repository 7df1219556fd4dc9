"""Rows of the archive."""

from __future__ import annotations

import random
from collections.abc import Sequence

from mastermind_protocol.events import Seat
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.records import ArchiveRow
from mastermind_server.storage.schema import archive
from mastermind_server.storage.store import Store

RULES = ("classic", "mini")
NAMES = ("Bob", "Eve", "hard")


def draw_rows(number: int) -> list[ArchiveRow]:
    """Return matches of the player A, the oldest first. Each two of them end at the same time."""
    draw = random.Random(number)  # noqa: S311 - test data
    return [
        ArchiveRow(
            player="A", match=f"M{n:05}", at=n // 2, rules=draw.choice(RULES),
            rounds=draw.choice((1, 2, 4)), rated=False, seat=draw.choice(list(Seat)),
            opponent=draw.choice(NAMES), bot=draw.random() < 0.5,
            won=draw.choice((True, True, False, None)), how=draw.choice(("played", "left")),
            guesses=draw.randrange(9), mine=6, theirs=4,
            tries=[draw.randrange(5) for _ in range(draw.randrange(2))],
        )
        for n in range(number)
    ]  # fmt: skip


async def store_rows(store: Store, rows: Sequence[ArchiveRow]) -> None:
    """Insert rows of the archive."""

    def insert(session: Session) -> None:
        values = [row._asdict() for row in rows]
        session.connection.execute(archive.insert(), values)

    await store.write(insert)
