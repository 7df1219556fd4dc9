"""One's own archive, read page by page to its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from mastermind_client.net.session import Session
    from mastermind_protocol.messages import ArchivedMatch

MOST_READ = 1000  # matches: the latest of years, in fifty requests
PAUSE_SECONDS = 0.25  # between two pages that nobody waits for: moves have the server's patience


async def read_archive(
    session: Session, known: Container[str] = (), *, pause: float = 0
) -> tuple[ArchivedMatch, ...]:
    """Return one's own matches that are over, the newest first, up to the first known one.

    At most MOST_READ. After each page it pauses, in seconds. Raises Refused, ServerUnreachable.
    """
    found: list[ArchivedMatch] = []
    while True:
        page = await session.list_archive(found[-1].match if found else None)
        for match in page.matches:
            if match.match in known:
                return tuple(found)
            found.append(match)
        if not (page.more and page.matches) or len(found) >= MOST_READ:
            return tuple(found[:MOST_READ])
        await asyncio.sleep(pause)
