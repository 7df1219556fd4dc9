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
from mastermind_client.messages.listings import (
    describe_suspended,
    describe_unfinished,
    format_opponent_or_invitation,
)
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.identities import OFFLINE_FOLDER, PLAYERS_FOLDER
from mastermind_client.network.identity import list_players
from mastermind_client.network.running import WhoseTurn, list_seats, sort_seats
from mastermind_client.screen.toolkit.status_bar import BackgroundTasks
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from pathlib import Path

    from mastermind_client.network.running import OwnSeat, UnfinishedMatch
    from mastermind_client.screen.app import App
    from mastermind_client.screen.servers.servers import Server

REFRESH_SECONDS = 10.0  # between two polls: soon enough for a move, seldom enough for a server
ANSWER_TIMEOUT_SECONDS = 5.0  # for a server to answer


class RunningMatches:
    """The matches to continue: as stored on this computer, and later as the servers report them."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._tasks = BackgroundTasks(lambda _error: False, app.terminal.fail, app.redraw)
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
        """Notify the player of matches that now wait for the player and that no screen follows."""
        kept = self._list_kept_servers()
        seen = (self._known, *(server.session.identity.stored for server in kept))
        if seen == self._seen:  # as after most updates
            return
        self._seen = seen
        seats = {(seat.server, seat.match.code): seat.match for seat in self._list_seats()}
        for key, match in seats.items():
            known = self._announced.get(key)
            needed = known is not None and _needs_player(known, match)
            if needed and not self._app.follows(match.code):
                self._app.set_title(_("Your turn - Mastermind"), ring=True)
                written = describe_unfinished(match, self._app.context.zone)
                self._app.notify(_("{match}: continue from the home screen.").format(match=written))
        self._announced = seats

    def describe_kept_matches(self) -> list[str]:
        """Return a line for each unfinished match of the open sessions, with its resume command.

        Files are read, which must have been written.
        """
        from mastermind_client.network.saved import is_saved  # late: the home page does not need it

        context = self._app.context
        return [
            describe_suspended(match, context.zone, saved=is_saved(context, identity, match.code))
            for identity in (server.session.identity for server in self._list_kept_servers())
            for match in identity.stored.matches
        ]

    @property
    def hosted_friend(self) -> str:
        """The name of a friend who plays on the server in this process, or an empty text."""
        for server in self._list_kept_servers():
            for match in server.session.identity.stored.matches:
                if server.address == HOSTED and match.opponent and not match.bot:
                    return format_opponent_or_invitation(match)
        return ""

    def _read_stored(self) -> dict[Path | None, list[OwnSeat]]:
        """Return the stored matches by identity file, including those of other running clients."""
        folder = self._app.context.folder
        stored = list_players(folder / PLAYERS_FOLDER, folder / OFFLINE_FOLDER)
        return {path: list_seats(player) for path, player in stored}

    async def _run(self) -> None:
        """Poll the files, and the servers too while the player has an unfinished match."""
        while True:
            self._wake.clear()
            if self._list_seats() or bool(await asyncio.to_thread(self._read_stored)):
                await self._poll()
            with suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_SECONDS):
                    await self._wake.wait()

    async def _poll(self) -> None:
        """Query the state of the matches on all servers."""
        # in a thread, while keys still work
        opening = await asyncio.to_thread(importlib.import_module, _OPENING_MODULE)
        for server in self._app.open_servers:
            try:
                if server.session.connected:
                    async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                        await server.session.list_unfinished()
            except (
                ServerUnreachable,
                Refused,
                TimeoutError,
            ):  # the banner of the server reports it
                continue
        self._known = await opening.query_seats(self._app.context)
        self.notify_of_turns()
        self._app.redraw()

    def _list_seats(self) -> list[OwnSeat]:
        """Return our seats in unfinished matches, for all our identities on this computer.

        Open sessions have the current seats. Other identities have the seats of the last poll.
        """
        known = dict(self._known)
        for server in self._list_kept_servers():
            identity, reached = server.session.identity, server.session.connected
            if identity.path is not None:
                known[identity.path] = list_seats(identity.stored, from_server=reached)
        return [*chain.from_iterable(known.values())]

    def _list_kept_servers(self) -> list[Server]:
        """Return the open servers whose unfinished matches this computer stores."""
        return [server for server in self._app.open_servers if server.kept]


_OPENING_MODULE = "mastermind_client.network.opening"


def _needs_player(before: UnfinishedMatch, after: UnfinishedMatch) -> bool:
    """Return whether the match has begun to wait for the player, or an opponent has joined."""
    mine = after.turn is WhoseTurn.MINE and before.turn is not WhoseTurn.MINE
    return mine or (not before.opponent and bool(after.opponent))
