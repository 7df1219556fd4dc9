"""Rows of the log and of the chat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mastermind_server.storage.idempotency import RequestKey

if TYPE_CHECKING:
    from mastermind_protocol.chat import Room


class RowTaken(Exception):
    """A stored row has the same version or line number, or belongs to the same request."""


class LogRow(NamedTuple):
    """A row of the log: the encoded events of one command. `at` is in milliseconds since 1970.

    `player`, `request` and `digest` identify the request. They are None for a bot's move. The row
    is a tuple of columns, because the driver inserts many rows at once.
    """

    match: str
    version: int
    at: int
    events: bytes
    player: str | None = None
    request: int | None = None
    digest: bytes | None = None

    def elapsed_since(self, started: int) -> int:
        """Return the milliseconds from `started` to the time of this row; 0 if it is earlier."""
        return max(0, self.at - started)

    @property
    def key(self) -> RequestKey | None:
        """The key of the request that caused the row, or None."""
        return None if self.request is None else RequestKey(self.request, self.digest)


@dataclass(frozen=True, slots=True)
class ChatRow:
    """Line number `n` of a chat room, written in the round `round`.

    `at` is in milliseconds since 1970.
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
    """The last version of a match's log, and the numbers of the last lines of its chat rooms."""

    match: str
    version: int
    players: int
    spectators: int
