"""The rows that matches are kept as: of the log, which is the truth, and of the chat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mastermind_server.storage.requests import Stamp

if TYPE_CHECKING:
    from mastermind_protocol.chat import Room


class RowTaken(Exception):
    """Somebody else's row has this number, or this very request was done already."""


class LogRow(NamedTuple):
    """One row of the log: one command's events. `at` is in milliseconds since 1970.

    `player`, `request` and `digest` tell whose request it was; a bot's move is nobody's. It is a
    tuple of its columns, for many at once are handed to the driver.
    """

    match: str
    version: int
    at: int
    events: bytes
    player: str | None = None
    request: int | None = None
    digest: bytes | None = None

    @property
    def stamp(self) -> Stamp | None:
        """The stamp of the request that caused it."""
        return None if self.request is None else Stamp(self.request, self.digest)


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One line that was said during a round, the `n`-th of its room. `at` is as in `LogRow`."""

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


class Newest(NamedTuple):
    """How far a match is: its log's last version, and the number of each room's last line."""

    match: str
    version: int
    players: int
    spectators: int
