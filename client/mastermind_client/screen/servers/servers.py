"""The servers in use, and their sessions, which are opened on demand."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.network.embedded import prepare_embedded
from mastermind_client.network.opening import open_session
from mastermind_client.network.players.identities import Identities
from mastermind_client.network.updates import MatchKept, Moved, SessionEnded
from mastermind_client.screen.servers.home_session import HomeSession
from mastermind_client.screen.servers.server import Server
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.context import ClientContext
    from mastermind_client.network.players.stored_player import StoredPlayer
    from mastermind_client.network.updates import Update
    from mastermind_protocol.errors import Refused

_SessionKey: TypeAlias = tuple[str, tuple[str, str | None] | None]
"""The key of a session: the address of the server, and the player of this computer.

None is the usual player at the address. Another player is identified by the match and the name with
which `connect` was called.
"""
_LOG = logging.getLogger(__name__)


class Servers:
    """Connects to servers, keeps the sessions open while the app runs, and passes on their updates.

    `home` opens the session of the home screen, which `connect` takes over.
    `notify` receives each update, and None when the server has answered about our statistics. If it
    raises an exception, the exception is passed to `fail`, and the session stays open. `report` is
    that of HomeSession.
    """

    def __init__(
        self,
        context: ClientContext,
        notify: Callable[[Server, Update | None], None],
        fail: Callable[[BaseException], None],
        report: Callable[[str, Refused], object],
    ) -> None:
        self._context, self._notify, self._fail = context, notify, fail
        make_idle = partial(Server, idle=True)
        self.home = HomeSession(context, make_idle, self._subscribe, report)
        self._servers: dict[_SessionKey, asyncio.Future[Server]] = {}
        self._keepers: set[asyncio.Task[None]] = set()

    async def connect(
        self, address: str, name: str | None, match: str | None = None, host: str = ""
    ) -> Server:
        """Return the server at `address`, after connecting to it if necessary.

        One computer can have several players on a server. If `match` is the code of a match, the
        session belongs to the player with a seat in it, preferably called `name`. `host` is that of
        `open_session`. Raises ServerUnreachable, Refused, OSError if an identity or a server in
        this process cannot be opened, and SeatOpenElsewhere if another client uses the seat.
        """
        unlocked: list[StoredPlayer] = []
        if match is not None and self._is_connected((address, None)):
            identities = Identities.of(self._context)
            list_unlocked = identities.list_unlocked_seated_players
            unlocked = await asyncio.to_thread(list_unlocked, address, match)
        key = self._find_key(address, match, name, unlocked)
        known = self._servers.get(key)
        if known is not None and not _is_usable(known):
            known = None
        if known is None:
            known = ready = asyncio.get_running_loop().create_future()
            self._servers[key] = ready
            known.add_done_callback(_retrieve_exception)
            keeping = self._keep_session_open(address, name, match, host, ready)
            keeper = asyncio.create_task(keeping, name=f"server {address}")
            self._keepers.add(keeper)
            keeper.add_done_callback(self._on_session_ended)
            keeper.add_done_callback(lambda _keeper: ready.cancel())  # wakes waiting callers
        await asyncio.wait({known})  # a cancelled caller does not cancel the connecting
        return known.result()

    @property
    def open(self) -> list[Server]:
        """The servers with an open session, also that of the home screen."""
        used = [
            ready.result() for ready in self._servers.values() if ready.done() and _is_usable(ready)
        ]
        home = self.home.server
        return used if home is None or home.connection.ended is not None else [*used, home]

    def _find_key(
        self, address: str, match: str | None, name: str | None, unlocked: Sequence[StoredPlayer]
    ) -> _SessionKey:
        """Return the key of the session to use. `connect` opens the session if there is none.

        `unlocked` are the stored players that have a seat in the match and that no client uses.
        """
        usual = (address, None)
        if match is None or not self._is_connected(usual):
            return usual
        here = {
            key: ready.result()
            for key, ready in self._servers.items()
            if key[0] == address
            and self._is_connected(key)
            and ready.result().has_seat(match, name)
        }
        by_name = (key for key, server in here.items() if server.session.player.name == name)
        if (found := next(by_name, None)) is not None:
            return found
        names = [said.name for said in unlocked if said.can_resume(match, name)]
        if name in names or (names and not here):
            return (address, (match, name))
        return next(iter(here), usual)

    def _is_connected(self, key: _SessionKey) -> bool:
        ready = self._servers.get(key)
        return ready is not None and ready.done() and _is_usable(ready)

    async def close(self) -> None:
        """End all sessions. `connect` opens new ones."""
        keepers = self._keepers
        self._servers, self._keepers = {}, set()
        for keeper in keepers:
            keeper.cancel()
        closing = asyncio.gather(*keepers, return_exceptions=True)
        await asyncio.gather(closing, self.home.close())

    def _on_session_ended(self, keeper: asyncio.Task[None]) -> None:
        self._keepers.discard(keeper)
        if not keeper.cancelled() and (error := keeper.exception()) is not None:
            self._fail(error)

    async def _keep_session_open(
        self,
        address: str,
        name: str | None,
        match: str | None,
        host: str,
        ready: asyncio.Future[Server],
    ) -> None:
        """Open a session, set the result of `ready`, and keep the session open.

        Returns when the session ends. If this task is cancelled, closes the session.
        """
        try:
            async with AsyncExitStack() as stack:
                if address in (OFFLINE, HOSTED):
                    await asyncio.to_thread(prepare_embedded)  # half a second, while keys work
                home, close_home = await self.home.take(address)
                stack.push_async_callback(close_home.aclose)
                known = None if home is None else home.session
                opening = open_session(self._context, address, name, match, home=known, host=host)
                session = await stack.enter_async_context(opening)
                if home is not None and session is known:
                    server, home.idle = home, False
                    ready.set_result(server)
                else:
                    server = Server(address, session, kept=session.identity.path is not None)
                    ready.set_result(server)
                    self._subscribe(server)
                    await close_home.aclose()  # last: others see the player online throughout
                reading = self._read_statistics(server)
                reader = asyncio.create_task(reading, name="statistics")
                try:
                    await server.session_ended.wait()
                finally:
                    reader.cancel()
                    await asyncio.wait({reader})
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)

    def _subscribe(self, server: Server) -> None:
        server.session.updates.subscribe(partial(self._receive, server), self._fail)

    def _receive(self, server: Server, update: Update) -> None:
        server.apply(update)
        if isinstance(update, Moved) and update.after.phase is Phase.FINISHED:
            server.has_new_match.set()
        if isinstance(update, MatchKept):
            for other in self.open:
                if other.address == OFFLINE:
                    other.has_new_match.set()
        if isinstance(update, SessionEnded):
            server.session_ended.set()
        self._notify(server, update)

    async def _read_statistics(self, server: Server) -> None:
        """Load our statistics, and load them again each time that `has_new_match` is set."""
        while True:
            server.has_new_match.clear()
            await server.load_statistics()
            if server.statistics is not None and server.address not in (OFFLINE, HOSTED):
                keep = partial(Identities.of(self._context).keep_names, server.statistics)
                self._context.writer.put(keep, _warn_of_lost_names)
            if server.uncounted is not None:
                _LOG.info("no statistics at %s: %s", server.address or "home", server.uncounted)
            if server.connection.ended is None:
                self._notify(server, None)
            await server.has_new_match.wait()


def _warn_of_lost_names(error: OSError) -> None:
    _LOG.warning("the names of opponents could not be stored: %s", error)


def _is_usable(connecting: asyncio.Future[Server]) -> bool:
    """Return whether the session is open or is being opened."""
    if not connecting.done():
        return True
    failed = connecting.cancelled() or connecting.exception() is not None
    return not failed and connecting.result().connection.ended is None


def _retrieve_exception(connecting: asyncio.Future[Server]) -> None:
    """Retrieve the exception of a failed connection, so that asyncio does not log it."""
    if not connecting.cancelled():
        connecting.exception()
