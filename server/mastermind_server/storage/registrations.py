"""Those who are here for the first time: of a crowd many are kept by one write.

A commit of a few statements is some milliseconds in which no move is written, and moves come first.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.statements.identities import add_players
from mastermind_server.tuning import (
    OVERLOADED_RETRY_SECONDS,
    REGISTERED_AT_ONCE,
    REGISTRATION_SECONDS,
    STORE_QUEUE,
)

if TYPE_CHECKING:
    from mastermind_server.storage.statements.identities import NewPlayer
    from mastermind_server.storage.writer import Writer


@dataclass(slots=True, eq=False)
class _Registration:
    """Who waits, and the future that tells when it is kept."""

    new: NewPlayer
    future: asyncio.Future[None]


class Registrations:
    """Collects new players for a `writer`: a lone one waits for nobody. Made on a running loop."""

    def __init__(self, writer: Writer, pace: float = REGISTRATION_SECONDS) -> None:
        self._writer, self._pace = writer, pace
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Registration] = []
        self._earliest = self._loop.time()  # that the next group may be written
        self._next: asyncio.TimerHandle | None = None

    def add(self, new: NewPlayer) -> asyncio.Future[None]:
        """Keep a new player; to be awaited until it is on disk.

        Raises StorageFailed if it cannot be kept, or too many wait.
        """
        if len(self._waiting) >= STORE_QUEUE:
            again = OVERLOADED_RETRY_SECONDS
            raise StorageFailed(Reason.OVERLOADED, limit=STORE_QUEUE, retry_after=again)
        registration = _Registration(new, self._loop.create_future())
        self._waiting.append(registration)
        if self._next is None:
            self._plan()
        return registration.future

    def close(self) -> None:
        """Hand over to the writer whoever waits."""
        while self._waiting:
            self._write()
        if self._next is not None:
            self._next.cancel()

    def _plan(self) -> None:
        self._next = self._loop.call_at(self._earliest, self._write)

    def _write(self) -> None:
        self._earliest = self._loop.time() + self._pace
        group = self._waiting[:REGISTERED_AT_ONCE]
        self._waiting = self._waiting[REGISTERED_AT_ONCE:]
        self._next = None
        if self._waiting:
            self._plan()
        try:
            written = self._writer.write(
                lambda session: add_players(session, [each.new for each in group])
            )
        except StorageFailed as error:  # it is closed, or too much waits for it
            _fail(group, error.with_traceback(None))  # which would keep the group, and that it
        else:
            written.add_done_callback(lambda written: _tell(group, written))


def _tell(group: list[_Registration], written: asyncio.Future[None]) -> None:
    if error := written.exception():
        _fail(group, error)
        return
    for each in group:
        if not each.future.done():  # whoever asked may have gone
            each.future.set_result(None)


def _fail(group: list[_Registration], error: BaseException) -> None:
    for each in group:
        if not each.future.done():
            each.future.set_exception(error)
