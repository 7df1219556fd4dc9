"""Rows of the log and of the chat. Times are in milliseconds since 1970."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mastermind_server.storage.idempotency import RequestKey

if TYPE_CHECKING:
    from mastermind_protocol.chat import Room


class WriteRejected(Exception):
    """A write has changed nothing, because another one was first. Callers expect and handle it."""


class RowTaken(WriteRejected):
    """A row cannot be stored: a stored row has its version, its line number or its request."""


class PredecessorMissing(WriteRejected):
    """A row cannot be stored: the log does not have the version before it.

    The store has gone back to an earlier state, so the row was decided on rows that are lost.
    """


class LogRow(NamedTuple):
    """A row of the log: the encoded events of one command, which was executed at `at`.

    `player`, `request` and `digest` identify the request. A row without a request, such as a bot's
    move, has None as `request` and `digest`. If the clock of the match caused the events, the row
    also has None as `player`. The class is a tuple of columns, because the driver inserts many rows
    at once.
    """

    match: str
    version: int
    at: int
    events: bytes
    player: str | None = None
    request: int | None = None
    digest: bytes | None = None

    def elapsed_since(self, started: int) -> int:
        """Return the milliseconds from the time `started` to this row; 0 if the row is earlier."""
        return max(0, self.at - started)

    @property
    def key(self) -> RequestKey | None:
        """The key of the request that wrote the row, or None, for example for a bot's move."""
        return None if self.request is None else RequestKey(self.request, self.digest)


@dataclass(frozen=True, slots=True)
class ChatRow:
    """Line number `n` of a chat room, written at the time `at` in the round number `round`.

    The line has either `text` or the number of a `phrase`.
    """

    match: str
    room: Room
    n: int
    round: int
    at: int
    player: str
    name: str
    text: str | None
    phrase: int | None
    request: int
    digest: bytes | None = None


class LogHead(NamedTuple):
    """The last version of a match's log, and the last line number in each of its chat rooms.

    `players` and `spectators` are the line numbers in the rooms of the players and the spectators.
    """

    match: str
    version: int
    players: int
    spectators: int
