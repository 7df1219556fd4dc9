"""The player's unfinished matches on all servers.

The home screen lists `running.seats` in each drawing, and resumes the chosen match.
"""

from __future__ import annotations

import asyncio
import importlib
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

from mastermind_client.config.options import HOSTED
from mastermind_client.language import gettext as _
from mastermind_client.messages.listings import describe_suspended, format_opponent_or_invitation
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.players.identities import OFFLINE_FOLDER, PLAYERS_FOLDER
from mastermind_client.network.players.stored_player import list_players
from mastermind_client.network.running import WhoseTurn, sort_seats
from mastermind_client.screen.servers.days import HomeDays
from mastermind_client.screen.toolkit.status_bar import BackgroundTasks
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from pathlib import Path

    from mastermind_client.context import ClientContext
    from mastermind_client.network.players.identity import Identity
    from mastermind_client.network.running import OwnSeat, UnfinishedMatch
    from mastermind_client.screen.servers.server import Server

REFRESH_SECONDS = 10.0  # between two polls: soon enough for a move, seldom enough for a server
ANSWER_TIMEOUT_SECONDS = 5.0  # for a server to answer


class RunningMatches:
    """The matches to continue: as stored on this computer, and later as the servers report them.

    `list_servers` returns the servers with an open session. `keep_home_open` connects the home
    screen, and `find_home_player` returns its player or None. `on_turn` receives each match that
    begins to wait for the player. `changed` is called after a poll. An unexpected exception is
    passed to `fail`. `days` has today's codes, which are polled too.
    """

    def __init__(
        self,
        context: ClientContext,
        list_servers: Callable[[], Sequence[Server]],
        keep_home_open: Callable[[], Awaitable[None]],
        find_home_player: Callable[[], Identity | None],
        on_turn: Callable[[UnfinishedMatch], None],
        changed: Callable[[], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self._context, self._list_servers = context, list_servers
        self._keep_home_open, self._find_home_player = keep_home_open, find_home_player
        self._on_turn, self._changed = on_turn, changed
        self.days = HomeDays(list_servers)
        self._tasks = BackgroundTasks(lambda _error: False, fail, changed)
        self._known: dict[Path | None, list[OwnSeat]] = {}  # by identity file, as last read
        self._announced: dict[tuple[str, str], UnfinishedMatch] = {}  # by server and match code
        self._seen: tuple[object, ...] = ()  # the values from which `_announced` was made
        self._wake = asyncio.Event()  # ends the wait for the next poll

    @property
    def seats(self) -> list[OwnSeat]:
        """The matches to continue: first those on the player's turn, then the others.

        In both groups the match with the latest turn is first.
        """
        return sort_seats(self._list_seats())

    def begin(self) -> None:
        """Read the stored matches, and poll the files and the servers in the background.

        If polling has started but has found no match, poll again now.
        """
        if not self._tasks.busy:
            self._known = self._read_stored()
            self.notify_of_turns()  # as stored; later changes are notified
            self._tasks.spawn(self._run())
        elif not self._list_seats():
            self._wake.set()

    async def close(self) -> None:
        """Stop the polling."""
        await self._tasks.close(0)

    def notify_of_turns(self) -> None:
        """Pass matches that now wait for the player to `on_turn`."""
        kept = self._list_kept_servers()
        seen = (self._known, *(server.session.identity.stored for server in kept))
        if seen == self._seen:  # as after most updates
            return
        self._seen = seen
        seats = {(seat.server, seat.match.code): seat.match for seat in self._list_seats()}
        for key, match in seats.items():
            known = self._announced.get(key)
            if known is not None and _needs_player(known, match):
                self._on_turn(match)
        self._announced = seats

    def describe_kept_matches(self) -> list[str]:
        """Return a line for each unfinished match of the used sessions, with its resume command.

        Files are read, which must have been written.
        """
        from mastermind_client.network.opening import is_saved  # late: not for the home page

        context = self._context
        return [
            describe_suspended(match, context.zone, saved=is_saved(context, identity, match.code))
            for server in self._list_kept_servers()
            if not server.idle
            for identity in (server.session.identity,)
            for match in identity.stored.matches
        ]

    def describe_hosted_match(self) -> str:
        """Return a warning if a friend plays on the server in this process, otherwise ""."""
        for server in self._list_kept_servers():
            for match in server.session.identity.stored.matches:
                if server.address == HOSTED and match.opponent and not match.bot:
                    told = _("The match with {name} is saved for later.")
                    return told.format(name=format_opponent_or_invitation(match))
        return ""

    def _read_stored(self) -> dict[Path | None, list[OwnSeat]]:
        """Return the stored matches by identity file, including those of other running clients."""
        folder = self._context.folder
        stored = list_players(folder / PLAYERS_FOLDER, folder / OFFLINE_FOLDER)
        return {path: player.list_seats() for path, player in stored}

    async def _run(self) -> None:
        """Poll the files, and the servers too while the player has an unfinished match.

        Also keep the session of the home screen open, which the servers' polling uses.
        """
        while True:
            self._wake.clear()
            with suppress(TimeoutError):  # the attempt continues
                async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                    await self._keep_home_open()
                    if await self.days.refresh():
                        self._changed()
            if self._list_seats() or bool(await asyncio.to_thread(self._read_stored)):
                await self._poll()
            with suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_SECONDS):
                    await self._wake.wait()

    async def _poll(self) -> None:
        """Query the state of the matches on all servers."""
        # in a thread, while keys still work
        opening = await asyncio.to_thread(importlib.import_module, _OPENING_MODULE)
        for server in self._list_servers():
            try:
                if server.session.connected:
                    async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                        await opening.refresh_matches(server.session)
            except (
                ServerUnreachable,
                Refused,
                TimeoutError,
            ):  # the banner of the server reports it
                continue
        self._known = await opening.query_seats(self._context)
        self.notify_of_turns()
        self._changed()

    def _list_seats(self) -> list[OwnSeat]:
        """Return our seats in unfinished matches, for all our identities on this computer.

        Open sessions have the current seats. Other identities have the seats of the last poll.
        """
        known = dict(self._known)
        for identity, reached in self._list_identities():
            if identity.path is not None:
                known[identity.path] = identity.stored.list_seats(from_server=reached)
        return [*chain.from_iterable(known.values())]

    def _list_identities(self) -> Iterator[tuple[Identity, bool]]:
        """Yield the players of this app, and whether the server of each is connected.

        They include the player of the home screen, also while its server cannot be reached.
        """
        if (home := self._find_home_player()) is not None:
            yield home, False
        for server in self._list_kept_servers():
            yield server.session.identity, server.session.connected

    def _list_kept_servers(self) -> list[Server]:
        """Return the open servers whose unfinished matches this computer stores."""
        return [server for server in self._list_servers() if server.kept]


_OPENING_MODULE = "mastermind_client.network.opening"


def _needs_player(before: UnfinishedMatch, after: UnfinishedMatch) -> bool:
    """Return whether the match has begun to wait for the player, or an opponent has joined."""
    mine = after.turn is WhoseTurn.MINE and before.turn is not WhoseTurn.MINE
    return mine or (not before.opponent and bool(after.opponent))
