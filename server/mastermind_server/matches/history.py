"""The log of one match, read from the store: its rows in memory, and the match they make."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.codec import decode_events
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.match import fold
from mastermind_server.storage.writer import StorageFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match
    from mastermind_server.clock import Clock
    from mastermind_server.storage.requests import Stamp
    from mastermind_server.storage.store import LogRow, Store

_LOG = logging.getLogger(__name__)
READ_AT_ONCE = 64  # rows read and folded in one turn of the loop, in some 2 ms
READ_QUICKLY = 1024  # rows, a few evenings' match: beyond, most of the time is left to others,
LEISURE_SECONDS = 0.01  # by so long a pause between two pieces


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the log in memory: what happened, and whose request it was."""

    version: int
    events: tuple[AnyEvent, ...]
    player: str | None
    stamp: Stamp | None


async def read_entries(
    store: Store, clock: Clock, code: str, version: int = 0, state: Match | None = None
) -> AsyncIterator[tuple[Entry, Match]]:
    """Yield the entries after a version, at which the match is in `state`: each with what it makes.

    A long log comes in pieces, between which others have their turn, and a very long one at
    leisure. Raises StorageFailed, also for a row that is damaged.
    """
    rows, quick = None, version + READ_QUICKLY
    while rows is None or len(rows) == READ_AT_ONCE:
        if version >= quick:
            await clock.sleep(LEISURE_SECONDS)
        rows = await store.read_log(code, version, READ_AT_ONCE)
        for row in rows:
            version = row.version
            try:
                entry = _entry(row)
                state = fold(entry.events, state)
            except (MastermindError, ValueError, TypeError) as error:
                _LOG.error("match %s: row %d of its log is damaged: %s", code, version, error)
                raise StorageFailed(f"the log of match {code} is damaged") from error
            yield entry, state


def _entry(row: LogRow) -> Entry:
    return Entry(row.version, decode_events(row.events), row.player, row.stamp)
