"""Accepts sockets, and closes rejected ones before anything is allocated for them.

asyncio's own server makes a transport and a protocol for each socket first, which would be most of
the cost of a rejected socket.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from mastermind_server.clock import Clock
    from mastermind_server.network.sockets.scheduler import LoopScheduler

_LOG = logging.getLogger(__name__)
ACCEPTS_PER_ITERATION = 4  # sockets accepted in one iteration of the event loop, 0.1 ms each
ACCEPT_RETRY_SECONDS = 1.0  # after the system had no descriptor for a socket


class Acceptor:
    """Accepts the sockets of `listener` until `close`. Must be created on a running event loop.

    `admits` receives the IP address of a socket's peer, and returns whether to keep the socket.
    `connect` returns the protocol for a kept socket. An iteration of the event loop accepts at
    least one socket. It accepts no more after ACCEPTS_PER_ITERATION kept sockets, or when the
    scheduler has no time for pending connections.
    """

    def __init__(
        self,
        listener: socket.socket,
        admits: Callable[[str], bool],
        connect: Callable[[], asyncio.BaseProtocol],
        scheduler: LoopScheduler,
        clock: Clock,
    ) -> None:
        self._listener, self._admits, self._connect = listener, admits, connect
        self._scheduler, self._clock = scheduler, clock
        self._loop = asyncio.get_running_loop()
        self._connecting = set[asyncio.Task[None]]()
        self._retry: asyncio.TimerHandle | None = None
        listener.setblocking(False)
        self._start_accepting()

    async def close(self) -> None:
        """Close the listener, and wait until each accepted socket has its transport."""
        self._loop.remove_reader(self._listener)
        if self._retry is not None:
            self._retry.cancel()
        self._listener.close()
        await asyncio.gather(*self._connecting)

    def _start_accepting(self) -> None:
        self._retry = None
        self._loop.add_reader(self._listener, self._accept_sockets)

    def _accept_sockets(self) -> None:
        """Accept sockets. The event loop calls this again while sockets are waiting."""
        kept, has_time = 0, self._scheduler.has_time_for_pending()  # starts the time budget
        while True:
            try:
                accepted, name = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return  # no socket, or the client has closed it
            except OSError as error:
                self._pause_accepting(error)
                return
            if self._admits(str(name[0]) if name else ""):
                task = self._loop.create_task(self._connect_socket(accepted))
                self._connecting.add(task)
                task.add_done_callback(self._connecting.discard)
                kept += 1
            else:
                accepted.close()
            has_time = has_time and self._scheduler.has_time_for_pending()
            if kept == ACCEPTS_PER_ITERATION or not has_time:
                return

    async def _connect_socket(self, accepted: socket.socket) -> None:
        accepted.setblocking(False)
        await self._loop.connect_accepted_socket(self._connect, accepted)

    def _pause_accepting(self, error: OSError) -> None:
        """Log `error`, and accept again after ACCEPT_RETRY_SECONDS."""
        _LOG.error("cannot accept a socket: %s", error.strerror)
        self._loop.remove_reader(self._listener)
        self._retry = self._clock.call_later(ACCEPT_RETRY_SECONDS, self._start_accepting)
