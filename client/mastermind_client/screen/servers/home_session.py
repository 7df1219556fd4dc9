"""The session of the home screen, which shows the user as online to other players.

It belongs to the player of this computer on the server of the settings, without claiming the
player: another client that plays claims the player, and this session ends. A page that needs the
server takes the session over.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.players.identities import Identities, enter_in_thread
from mastermind_client.network.players.identity import is_locked
from mastermind_client.network.session import Session
from mastermind_protocol.errors import ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.context import ClientContext
    from mastermind_client.network.players.identity import Identity
    from mastermind_client.screen.servers.server import Server

_LOG = logging.getLogger(__name__)
# The server no longer knows this player: another attempt would fail too.
_REJECTIONS = {ErrorCode.UNKNOWN_TOKEN, ErrorCode.LOGGED_OUT, ErrorCode.BANNED}


class HomeSession:
    """Opens and closes the session.

    `identity` is the player, and is kept while the server cannot be reached. `server` is the Server
    of the open session. Both can be None. `make_server` returns the Server of a session, and
    `subscribe` receives it. `report` receives the address of a server that rejects the player, and
    its refusal.
    """

    def __init__(
        self,
        context: ClientContext,
        make_server: Callable[[str, Session], Server],
        subscribe: Callable[[Server], None],
        report: Callable[[str, Refused], object],
    ) -> None:
        self.identity: Identity | None = None
        self.server: Server | None = None
        self._context, self._make_server = context, make_server
        self._subscribe, self._report = subscribe, report
        self._address = ""
        self._rejected = False  # whether the server has rejected the player
        self._stack = AsyncExitStack()
        self._work: asyncio.Task[None] | None = None

    async def keep_open(self, address: str, name: str | None) -> None:
        """Open the session if it is not open. To keep it open, call this periodically.

        Closes the session if the address has changed, or if another client has claimed the player.
        Opens none while a page of this client plays as the player. Failures are only logged, but a
        rejection is passed to `report` and ends the attempts at this address. Returns early if
        `take` or `close` is called.
        """
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._update(address, name), name="home session")
        work = self._work
        await asyncio.wait({work})  # a cancelled caller does not cancel the attempt
        if not work.cancelled():
            work.result()

    async def take(self, address: str) -> tuple[Server | None, AsyncExitStack]:
        """Return the open session at the address or None, and the stack that closes it.

        From now on the caller owns the session. A running attempt to open it is cancelled.
        """
        await self._cancel_work()
        if address != self._address:
            return None, AsyncExitStack()
        server, self.server, self.identity = self.server, None, None
        self._rejected = False
        return server, self._stack.pop_all()

    async def close(self) -> None:
        """Close the session. The next `keep_open` tries a rejected player again."""
        await self._cancel_work()
        await self._end()
        self._rejected = False

    async def _cancel_work(self) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait({self._work})

    async def _end(self) -> None:
        self.server = self.identity = None
        await self._stack.aclose()

    async def _update(self, address: str, name: str | None) -> None:
        ended = None if self.server is None else self.server.connection.ended
        try:
            if address != self._address or ended is not None or await self._is_player_claimed():
                await self._end()
            if address != self._address:
                self._address, self._rejected = address, False
            if ended is not None:
                raise ended
            if self.server is None and not self._rejected:
                await self._open(address, name)
        except (ServerUnreachable, Refused, OSError) as failure:
            _LOG.info("no session of the home screen at %s: %s", address, failure)
            if isinstance(failure, Refused) and failure.code in _REJECTIONS:
                self._rejected = True
                self._report(address, failure)

    async def _is_player_claimed(self) -> bool:
        """Return whether a client plays as the player."""
        path = None if self.identity is None else self.identity.path
        return path is not None and await asyncio.to_thread(is_locked, path)

    async def _open(self, address: str, name: str | None) -> None:
        if self.identity is None:
            choosing = Identities.of(self._context).connect_home(address, name)
            self.identity = await enter_in_thread(self._stack, choosing)
        if self.identity is None:
            await self._end()
            return
        connecting = Session.connect(address, self.identity, network=self._context.network)
        session = await self._stack.enter_async_context(connecting)
        self._stack.callback(session.challenges.clear)  # closes a question about one
        self._stack.callback(session.updates.unsubscribe)
        self.server = self._make_server(address, session)
        self._subscribe(self.server)
