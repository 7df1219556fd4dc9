"""Where sockets come in: who is not let in is turned away before anything is made for it.

Not by a server of asyncio, which makes a transport and a protocol for each first: that is most of
what a crowd costs which knocks again and again.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_server import tuning

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from mastermind_server.clock import Clock
    from mastermind_server.network.sockets.turns import Turns

_LOG = logging.getLogger(__name__)


class Entrance:
    """Accepts the sockets of a listener, which is its own. Made on a running event loop.

    `admits` tells by a peer's address whether its socket is let in; `connect` makes the protocol of
    one that is. In a turn of the loop sockets are accepted while it has time for newcomers, one at
    least, and let in tuning.LET_IN_PER_TURN at most.
    """

    def __init__(
        self,
        listener: socket.socket,
        admits: Callable[[str], bool],
        connect: Callable[[], asyncio.BaseProtocol],
        turns: Turns,
        clock: Clock,
    ) -> None:
        self._listener, self._admits, self._connect = listener, admits, connect
        self._turns, self._clock = turns, clock
        self._loop = asyncio.get_running_loop()
        self._entering = set[asyncio.Task[None]]()
        self._retry: asyncio.TimerHandle | None = None
        listener.setblocking(False)
        self._open()

    async def close(self) -> None:
        """Accept nobody further; whoever was let in has a connection by then."""
        self._loop.remove_reader(self._listener)
        if self._retry is not None:
            self._retry.cancel()
        self._listener.close()
        await asyncio.gather(*self._entering)

    def _open(self) -> None:
        self._retry = None
        self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Take those who have come; the rest, of whom the loop tells again, in its next turn."""
        let_in, spare = 0, self._turns.has_time_for_newcomers()  # which is counted from here on
        while True:
            try:
                accepted, name = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return  # there is nobody, or whoever came has gone
            except OSError as error:
                self._pause(error)
                return
            if self._admits(str(name[0]) if name else ""):
                entering = self._loop.create_task(self._let_in(accepted))
                self._entering.add(entering)
                entering.add_done_callback(self._entering.discard)
                let_in += 1
            else:
                accepted.close()
            spare = spare and self._turns.has_time_for_newcomers()
            if let_in == tuning.LET_IN_PER_TURN or not spare:
                return

    async def _let_in(self, accepted: socket.socket) -> None:
        accepted.setblocking(False)
        await self._loop.connect_accepted_socket(self._connect, accepted)

    def _pause(self, error: OSError) -> None:
        """Accept nobody for a while: the loop would tell of the same socket without an end."""
        _LOG.error("no socket can be accepted: %s", error.strerror)
        self._loop.remove_reader(self._listener)
        self._retry = self._clock.call_later(tuning.ACCEPT_RETRY_SECONDS, self._open)
