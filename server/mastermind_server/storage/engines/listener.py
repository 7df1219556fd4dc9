"""The listener of a node: a connection to PostgreSQL on which it receives notices.

**Channels.** The matches have parts, and each part has a channel. A node listens to the channels
of the parts in its `Interests`, so it does not wake up for moves of matches that it does not have.
One more channel is for the notices that all nodes need.

**Nothing is missed** while a node begins to listen to a part. Its tables are read when they are
used, and are read again when PostgreSQL has confirmed the channel. A notice is sent after the
commit of its rows: so each row is read, or its notice arrives.
"""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from mastermind_server.storage.notices import decode_notices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from psycopg import AsyncConnection, Notify
    from psycopg.rows import TupleRow

    from mastermind_server.storage.notices import Interests, Notice

CHANNEL = "mastermind"  # for notices to all nodes; that of a part ends with the part
LISTENER_CHECK_SECONDS = (
    5.0  # between two checks of the listening connection, and until a check fails
)


def name_channel(part: str) -> str:
    """Return the channel of a part of the matches, or that of all nodes for ""."""
    return f"{CHANNEL}_{part}" if part else CHANNEL


class Listener:
    """Calls `callback` with the notices that arrive on a connection."""

    def __init__(
        self,
        connection: AsyncConnection[TupleRow],
        interests: Interests,
        callback: Callable[[Sequence[Notice]], None],
    ) -> None:
        self._connection, self._interests, self._callback = connection, interests, callback
        self._failure: Exception | None = None
        connection.add_notify_handler(self._handle)  # of notices that come with an answer

    async def run(self, is_current: Callable[[], bool]) -> None:
        """Receive notices while the connection `is_current`, which is checked now and then.

        Raises psycopg.Error if it is lost.
        """
        await self._execute(f"LISTEN {CHANNEL}")
        listening = await self._change_channels(set())
        self._callback(())
        while is_current():
            await self._receive()
            before, listening = listening, await self._change_channels(listening)
            if new := listening - before:
                self._interests.report(new)

    async def _change_channels(self, listening: set[str]) -> set[str]:
        """Listen to the channels of the wanted parts only, and return these parts."""
        wanted = self._interests.take()
        changes = [f'LISTEN "{name_channel(part)}"' for part in wanted - listening]
        changes += [f'UNLISTEN "{name_channel(part)}"' for part in listening - wanted]
        await self._execute(";".join(changes) or "SELECT 1")  # detects a lost connection
        return wanted

    async def _receive(self) -> None:
        """Read notices until the interests change, for at most LISTENER_CHECK_SECONDS."""
        loop, descriptor = asyncio.get_running_loop(), self._connection.fileno()
        loop.add_reader(descriptor, self._read, descriptor)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._interests.changed.wait(), LISTENER_CHECK_SECONDS)
        finally:
            if self._failure is None:
                loop.remove_reader(descriptor)
        if self._failure is not None:
            raise self._failure

    def _read(self, descriptor: int) -> None:
        try:
            self._connection.pgconn.consume_input()
            while notice := self._connection.pgconn.notifies():
                self._callback(decode_notices(notice.extra.decode()))
        except Exception as error:
            # libpq has closed a lost connection: the next socket may get the same descriptor.
            asyncio.get_running_loop().remove_reader(descriptor)
            self._failure = error
            self._interests.changed.set()

    def _handle(self, notice: Notify) -> None:
        self._callback(decode_notices(notice.payload))

    async def _execute(self, statement: str) -> None:
        """Execute a statement on the connection.

        If it takes longer than LISTENER_CHECK_SECONDS or is cancelled, shut the connection down,
        so that psycopg does not ask PostgreSQL to cancel the statement and wait for the answer.
        """
        connection = self._connection
        execution = asyncio.ensure_future(connection.execute(statement))
        try:
            await asyncio.wait((execution,), timeout=LISTENER_CHECK_SECONDS)
        finally:
            if not execution.done():
                with socket.socket(fileno=os.dup(connection.fileno())) as copy, suppress(OSError):
                    copy.shutdown(socket.SHUT_RDWR)
            await asyncio.gather(execution, return_exceptions=True)
        execution.result()
