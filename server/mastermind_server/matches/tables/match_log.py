"""The log of one match in memory: its rows, the match they make, and what a player sees of it."""

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
    """What has happened in a match so far, as it is stored, and the `state` that it is in by that.

    As they are stored, events take a third of the room. Rows are found by their requests when
    somebody is refused, which others must not have to wait for, however long the match is.
    """

    __slots__ = ("_asked", "_before", "_indexed", "_public", "_seen", "code", "rows", "state")

    def __init__(self, code: str, rows: list[LogRow], state: Match) -> None:
        self.code, self.rows, self.state = code, rows, state
        self._asked: dict[tuple[str | None, int], LogRow] = {}  # by player and request:
        self._indexed = 0  # so many rows, when it was last needed
        self._public: dict[
            int, Row
        ] = {}  # by version, as it is in a frame: msgspec copies it there
        self._seen: dict[str, tuple[int, Match]] = {}  # by bots and the advised, with the version
        self._before: dict[str, dict[int, Match]] = {}  # the same at earlier versions, at some

    @property
    def version(self) -> int:
        """The version of the last row."""
        return len(self.rows)

    def append(self, row: LogRow, after: Match) -> None:
        """Add a row that is on disk, and the state that the match is in after it."""
        self.rows.append(row)
        self.state = after

    def check_version(self, version: int | None) -> None:
        """Raise Refused unless this is the version of the last row; None is any."""
        if version is not None and version != self.version:
            raise Refused(Reason.STALE_VERSION, field="v", limit=self.version, given=version)

    def show_rows(self, after: int, most: int, viewer: str | None) -> tuple[Row, ...]:
        """Return the rows after a version, so many of them, as the player with this id sees them.

        Only of its own rows may a player see more than everybody, so the others are written once
        for all who come: a crowd of spectators is a copy each.
        """
        return tuple(
            Row(row.version, show(decode_events(row.events), viewer))
            if row.player == viewer
            else self._public.get(row.version) or self._write_public(row)
            for row in self.rows[after : after + most]
        )

    def find_request(self, player: str, stamp: RequestKey | None) -> LogRow | None:
        """Return the row that a request caused; raises ReusedId if it was another one's."""
        if stamp is None:
            return None
        for row in self.rows[self._indexed :]:
            if row.request is not None:
                self._asked[row.player, row.request] = row
        self._indexed = len(self.rows)
        found = self._asked.get((player, stamp.id))
        if found is not None:
            stamp.check(found.digest)
        return found

    async def seen_by(self, player: str, version: int | None = None) -> Match:
        """Return the match, at a version or as it is, as the player with this id may see it.

        Of what was seen something is kept here and there, so that whoever asks what was seen long
        ago has little made again.
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
    stamp: RequestKey | None,
) -> LogRow:
    """Return the row of what a player did, at a time in milliseconds since 1970."""
    return LogRow(match, version, at, encode_events(events), player, *(stamp or (None, None)))


async def read_rows(
    services: Services,
    code: str,
    version: int = 0,
    state: Match | None = None,
    *,
    piece: bool = False,
) -> AsyncIterator[tuple[LogRow, Decision]]:
    """Yield the rows after a version, at which the match is in `state`: each with what it tells.

    A long log comes in pieces, between which others have their turn, and a very long one at
    leisure; or only the first `piece`. Raises StorageFailed, also for a row that is damaged.
    """
    rows, quick = None, version + ROWS_READ_QUICKLY
    while rows is None or (len(rows) == ROWS_READ_AT_ONCE and not piece):
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
