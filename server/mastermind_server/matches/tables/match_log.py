"""The log of one match in memory, with its state and the views of players."""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, cast

import msgspec

from mastermind_protocol.codec import decode_events, encode, encode_events
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.events import Resumed
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import Decision, fold
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.tables.views import show
from mastermind_server.monitoring.logs import with_context
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match
    from mastermind_server.services import Services
    from mastermind_server.storage.idempotency import RequestKey
    from mastermind_server.storage.store import Store

_LOG = logging.getLogger(__name__)
ROWS_PER_QUERY = 64  # and folded in one iteration of the event loop, in some 2 ms
ROWS_BEFORE_PAUSES = 1024  # a match of a few evenings; longer logs are read with pauses
ROWS_PER_SNAPSHOT = 512  # old advice is computed again from the snapshot before it
PAUSE_SECONDS = 0.01  # between two reads of a long log


class MatchLog:
    """The rows of a match, and the `state` after the last row.

    `version` is the number of rows, which is the version of the last row. `epoch` is the epoch of
    the store from which the rows were read.

    Events stay encoded, because decoded events take three times the memory. Before a request is
    refused, the log is searched for its row, because the request may be a repetition. Searching a
    long log is slow, so an index maps requests to rows.
    """

    __slots__ = (
        "_by_request", "_earlier_views", "_indexed", "_last_views", "_public_rows",
        "code", "epoch", "rows", "state", "version",
    )  # fmt: skip

    def __init__(self, match_code: str, rows: list[LogRow], state: Match, epoch: str = "") -> None:
        self.code, self.rows, self.state, self.epoch = match_code, rows, state, epoch
        self.version = len(rows)  # a move reads it six times, and a property would be a call
        self._by_request: dict[tuple[str | None, int], LogRow] = {}  # by player and request
        self._indexed = 0  # number of rows in `_by_request`
        self._public_rows: dict[int, Row] = {}  # by version, encoded once
        self._last_views: dict[str, tuple[int, Match]] = {}  # last version and view, by player
        self._earlier_views: dict[str, dict[int, Match]] = {}  # some earlier views, by version

    def elapsed_at(self, row: LogRow) -> int:
        """Return the milliseconds from the first row to `row`; 0 in a match without a clock."""
        return 0 if self.state.clock is None else row.elapsed_since(self.rows[0].at)

    def find_version_at(self, at: int) -> int:
        """Return the version of the match at the Unix time `at`, in milliseconds; at least 1."""
        return max(1, bisect_right(self.rows, at, key=attrgetter("at")))

    def append(self, row: LogRow, after: Match) -> None:
        """Add a stored row and the state after it."""
        self.rows.append(row)
        self.version = row.version
        self.state = after

    def check_is_current(self, version: int | None) -> None:
        """Raise Refused if `version`, the last one that a client knows, is out of date.

        None is accepted: the client's version is then unknown.
        """
        if version is not None and version != self.version:
            raise Refused(Reason.STALE_VERSION, field="v", limit=self.version, given=version)

    def is_position_current(self, version: int) -> bool:
        """Return whether the position of the match is unchanged since the row `version`.

        This is true if there are no later rows, or if all later rows only gave lost time back.
        """
        return 0 < version <= self.version and all(
            isinstance(event, Resumed)
            for number in range(version, self.version)
            for event in decode_events(self.rows[number].events)
        )

    def show_rows(self, after: int, limit: int, viewer: str | None) -> tuple[Row, ...]:
        """Return up to `limit` rows after the version `after`, in the view of `viewer`.

        `viewer` is a player id, or None for a spectator. Only a player's own rows differ from the
        spectators' view, so other rows are encoded once for all viewers.
        """
        return tuple(
            Row(row.version, show(decode_events(row.events), viewer), self.elapsed_at(row))
            if row.player == viewer
            else self._public_rows.get(row.version) or self._encode_public(row)
            for row in self.rows[after : after + limit]
        )

    def find_request(self, player: str, key: RequestKey | None) -> LogRow | None:
        """Return the row that the request `key` wrote, or None.

        `player` is the id of the request's player. Raises ReusedId if a different request of this
        player with the same request id wrote a row.
        """
        if key is None:
            return None
        for row in self.rows[self._indexed :]:
            if row.request is not None:
                self._by_request[row.player, row.request] = row
        self._indexed = len(self.rows)
        found = self._by_request.get((player, key.id))
        if found is not None:
            key.check_same_request(found.digest)
        return found

    async def view_of(self, player: str, version: int | None = None) -> Match:
        """Return the match at `version` in the view of the player with the id `player`.

        None means the last version. Some earlier states are cached, so that only a few rows are
        folded.
        """
        end = self.version if version is None else version
        at, seen = self._last_views.get(player, (0, None))
        if at > end:
            before = self._earlier_views.get(player, {})
            at = max((kept for kept in before if kept <= end), default=0)
            seen = before.get(at)
        for number, row in enumerate(self.rows[at:end], at + 1):
            seen = fold(show(decode_events(row.events), player), seen, self.elapsed_at(row))
            if number % ROWS_PER_SNAPSHOT == 0:
                self._earlier_views.setdefault(player, {})[number] = seen
            if number % ROWS_PER_QUERY == 0:
                await asyncio.sleep(0)
        if seen is None:
            raise ValueError(f"match {self.code} has no version {end}")
        if end >= self._last_views.get(player, (0, None))[0]:
            self._last_views[player] = (end, seen)
        return seen

    def _encode_public(self, row: LogRow) -> Row:
        shown = Row(row.version, show(decode_events(row.events), None), self.elapsed_at(row))
        written = self._public_rows[row.version] = cast("Row", msgspec.Raw(encode(shown)))
        return written


def make_log_row(
    match: str,
    version: int,
    at: int,
    events: tuple[AnyEvent, ...],
    player: str | None,
    key: RequestKey | None,
) -> LogRow:
    """Return a row with `events`, which the player with the id `player` caused.

    `at` is in milliseconds since 1970. `player` is None if the clock of the match caused the
    events: it ended the time of a player, or gave lost time back. `key` is the key of the request
    that caused the events, or None.
    """
    return LogRow(match, version, at, encode_events(events), player, *(key or (None, None)))


async def count_kept_rows(store: Store, log: MatchLog, epoch: str) -> int:
    """Return the number of rows of `log` until the first one that the store does not have.

    Raises StorageFailed, also if the epoch of the store is not `epoch`.
    """
    for start in range(0, log.version, ROWS_PER_QUERY):
        store.check_epoch(epoch)
        stored = await store.look_up(read_log, log.code, start, ROWS_PER_QUERY)
        for row, kept in zip_longest(log.rows[start : start + ROWS_PER_QUERY], stored):
            if row is not None and row != kept:
                return row.version - 1
    return log.version


async def read_rows(
    services: Services,
    match_code: str,
    epoch: str,
    version: int = 0,
    state: Match | None = None,
    started: int | None = None,
    *,
    first_batch: bool = False,
) -> AsyncIterator[tuple[LogRow, Decision]]:
    """Yield each stored row after `version`, with its events and the state after it.

    `state` is the state at `version`, and `started` is the time of the first row in milliseconds
    since 1970. Both are None at version 0. Rows are read in batches. If `first_batch` is set, only
    one batch is read. Raises StorageFailed, also for a damaged row, and if the epoch of the store
    is not `epoch`.
    """
    rows, quick = None, version + ROWS_BEFORE_PAUSES
    while rows is None or (len(rows) == ROWS_PER_QUERY and not first_batch):
        if version >= quick:
            await services.clock.sleep(PAUSE_SECONDS)
        services.store.check_epoch(epoch)
        rows = await services.store.look_up(read_log, match_code, version, ROWS_PER_QUERY)
        for row in rows:
            started = row.at if started is None else started
            try:
                decision = fold_row(row, version + 1, state, started)
            except (MastermindError, ValueError, TypeError) as error:
                with_context(_LOG, match=match_code).error(
                    "row %d of its log is damaged: %s", row.version, error
                )
                raise StorageFailed(
                    Reason.LOG_DAMAGED, retry_after=RETRY_SECONDS, match=match_code
                ) from error
            version, state = row.version, decision.after
            yield row, decision


def fold_row(row: LogRow, version: int, state: Match | None, started: int) -> Decision:
    """Return the events of the stored row `version`, and the state after it.

    `state` is the state before it, and `started` the time of the first row. Raises MastermindError,
    ValueError or TypeError if the row is damaged, or has a later version.
    """
    if row.version != version:
        raise ValueError(f"row {version} is missing")
    events = decode_events(row.events)
    return Decision(events, fold(events, state, row.elapsed_since(started)))
