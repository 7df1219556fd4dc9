"""The log of one match in memory: its rows, its state, and the views of players."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, cast

import msgspec

from mastermind_protocol.codec import decode_events, encode, encode_events
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import Decision, fold
from mastermind_server.logs import about
from mastermind_server.matches.tables.views import show
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.tuning import (
    LEISURE_SECONDS,
    RETRY_SECONDS,
    ROWS_READ_AT_ONCE,
    ROWS_READ_QUICKLY,
    SEEN_KEPT_EVERY,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match
    from mastermind_server.services import Services
    from mastermind_server.storage.idempotency import RequestKey

_LOG = logging.getLogger(__name__)


class MatchLog:
    """The stored rows of a match, and its current `state`.

    Stored events take a third of the memory of decoded ones. An index finds rows by request: each
    refusal needs that, and must not take longer in a long match.
    """

    __slots__ = ("_asked", "_before", "_indexed", "_public", "_seen", "code", "rows", "state")

    def __init__(self, code: str, rows: list[LogRow], state: Match) -> None:
        self.code, self.rows, self.state = code, rows, state
        self._asked: dict[tuple[str | None, int], LogRow] = {}  # by player and request
        self._indexed = 0  # number of rows in the index, at its last use
        self._public: dict[int, Row] = {}  # by version, encoded: msgspec copies the bytes
        self._seen: dict[str, tuple[int, Match]] = {}  # last version and view, by player
        self._before: dict[str, dict[int, Match]] = {}  # some earlier views, by version

    @property
    def version(self) -> int:
        """The version of the last row."""
        return len(self.rows)

    def append(self, row: LogRow, after: Match) -> None:
        """Add a stored row and the state after it."""
        self.rows.append(row)
        self.state = after

    def check_version(self, version: int | None) -> None:
        """Raise Refused unless this is the version of the last row. None is always accepted."""
        if version is not None and version != self.version:
            raise Refused(Reason.STALE_VERSION, field="v", limit=self.version, given=version)

    def show_rows(self, after: int, limit: int, viewer: str | None) -> tuple[Row, ...]:
        """Return up to `limit` rows after a version, in the view of a player.

        The view of a player differs from the public one only in its own rows. So the others are
        encoded once for all viewers.
        """
        return tuple(
            Row(row.version, show(decode_events(row.events), viewer))
            if row.player == viewer
            else self._public.get(row.version) or self._write_public(row)
            for row in self.rows[after : after + limit]
        )

    def find_request(self, player: str, key: RequestKey | None) -> LogRow | None:
        """Return the row of a request. Raises ReusedId if another request used its id."""
        if key is None:
            return None
        for row in self.rows[self._indexed :]:
            if row.request is not None:
                self._asked[row.player, row.request] = row
        self._indexed = len(self.rows)
        found = self._asked.get((player, key.id))
        if found is not None:
            key.check(found.digest)
        return found

    async def seen_by(self, player: str, version: int | None = None) -> Match:
        """Return a player's view of the match, at a version or now.

        Views of some earlier versions are kept, so that few rows are folded again for an old one.
        """
        end = self.version if version is None else version
        at, seen = self._seen.get(player, (0, None))
        if at > end:
            before = self._before.get(player, {})
            at = max((kept for kept in before if kept <= end), default=0)
            seen = before.get(at)
        for number, row in enumerate(self.rows[at:end], at + 1):
            seen = fold(show(decode_events(row.events), player), seen)
            if number % SEEN_KEPT_EVERY == 0:
                self._before.setdefault(player, {})[number] = seen
            if number % ROWS_READ_AT_ONCE == 0:
                await asyncio.sleep(0)
        if seen is None:
            raise ValueError(f"match {self.code} has no version {end}")
        if end >= self._seen.get(player, (0, None))[0]:
            self._seen[player] = (end, seen)
        return seen

    def _write_public(self, row: LogRow) -> Row:
        shown = Row(row.version, show(decode_events(row.events), None))
        written = self._public[row.version] = cast("Row", msgspec.Raw(encode(shown)))
        return written


def write_row(
    match: str,
    version: int,
    at: int,
    events: tuple[AnyEvent, ...],
    player: str,
    key: RequestKey | None,
) -> LogRow:
    """Return the row of events that a player caused, at a time in milliseconds since 1970."""
    return LogRow(match, version, at, encode_events(events), player, *(key or (None, None)))


async def read_rows(
    services: Services,
    code: str,
    version: int = 0,
    state: Match | None = None,
    *,
    first_batch: bool = False,
) -> AsyncIterator[tuple[LogRow, Decision]]:
    """Yield the rows after a version, with their decoded events; `state` is that of the version.

    Reads in batches, and yields to the event loop between them; a very long log is read with
    pauses. `first_batch` stops after one. Raises StorageFailed, also for a damaged row.
    """
    rows, quick = None, version + ROWS_READ_QUICKLY
    while rows is None or (len(rows) == ROWS_READ_AT_ONCE and not first_batch):
        if version >= quick:
            await services.clock.sleep(LEISURE_SECONDS)
        rows = await services.store.read(read_log, code, version, ROWS_READ_AT_ONCE)
        for row in rows:
            version = row.version
            try:
                events = decode_events(row.events)
                state = fold(events, state)
            except (MastermindError, ValueError, TypeError) as error:
                about(_LOG, match=code).error("row %d of its log is damaged: %s", version, error)
                raise StorageFailed(
                    Reason.LOG_DAMAGED, retry_after=RETRY_SECONDS, match=code
                ) from error
            yield row, Decision(events, state)
