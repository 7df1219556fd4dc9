"""Whoever moves for the bots in the seats of one table, while it is their turn."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from mastermind_protocol.commands import Leave
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Forfeit
from mastermind_protocol.match import Phase
from mastermind_server.bots.runner import find_fixed
from mastermind_server.bots.worker_pool import CannotThink
from mastermind_server.storage.writer import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from mastermind_protocol.events import Player
    from mastermind_server.matches.table import Table
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)
RETRY_SECONDS = 1.0  # a full disk or a crowded machine is not helped by asking more often


class Driver:
    """Plays for the bots of a table. `done` is called when there is nothing more to play.

    Two bots play only while somebody looks on, and all such matches take turns: people's moves
    come first. What is the server's own trouble makes a bot wait; a bot's own fault is a forfeit.
    """

    def __init__(self, table: Table, services: Services, done: Callable[[str], None]) -> None:
        self._table, self._services, self._done = table, services, done
        self._task: asyncio.Task[None] | None = None

    @property
    def at_work(self) -> bool:
        """Whether a bot is about to move."""
        return self._task is not None

    def wake(self) -> None:
        """See to it that a bot whose turn it is plays."""
        if self._task is None and self._find_mover() is not None:
            name = f"bots of {self._table.code}"
            self._task = asyncio.create_task(self._play(), name=name)

    def stop(self) -> None:
        """Interrupt the bots; their turn is still theirs when the match is next loaded."""
        if self._task is not None:
            self._task.cancel()

    async def forfeit(self, bot: Player, why: Forfeit) -> None:
        """Let a bot leave the match."""
        with contextlib.suppress(Refused):  # the match is over, or the bot has left it
            await self._table.command(Leave(why), bot.id)

    def _find_mover(self) -> Player | None:
        """Return the bot that is to move now, if one is."""
        mover = self._table.state.to_move
        if mover is None or mover.bot is None or (self._table.is_show and not self._table.followed):
            return None
        return mover

    async def _play(self) -> None:
        """Play until it is a person's turn, nobody looks on, or the match is over."""
        told = False
        try:
            while self._find_mover() is not None:
                async with self._take_place():
                    if (mover := self._find_mover()) is None:
                        break
                    try:
                        await self._move(mover)
                        continue
                    except (StorageFailed, CannotThink) as trouble:
                        if not told:
                            _LOG.info("match %s: a bot waits: %s", self._table.code, trouble)
                        told = True
                await self._services.clock.sleep(RETRY_SECONDS)
        finally:
            self._task = None
            self._done(self._table.code)

    def _take_place(self) -> AbstractAsyncContextManager[None]:
        """Wait until it is this match's turn, if two bots are shown in it."""
        return self._services.bots.shows if self._table.is_show else contextlib.nullcontext()

    async def _move(self, bot: Player) -> None:
        table = self._table
        state, version = table.state, table.version
        try:
            setting = state.phase is Phase.SETTING  # nobody else is to have what is fixed
            fixed = find_fixed(state, bot) if setting else None
            seen = await table.seen_by(bot.id, version)
            command = await self._services.bots.choose_move(seen, bot, fixed)
            await table.command(command, bot.id, version=version)
        except (StorageFailed, CannotThink):
            raise
        except Refused as refusal:
            if refusal.code != ErrorCode.STALE_VERSION and table.version == version:
                await self.forfeit(bot, Forfeit.ILLEGAL)
        except Exception:
            _LOG.exception("match %s: the bot %s failed and forfeits", table.code, bot.name)
            await self.forfeit(bot, Forfeit.FAILED)
