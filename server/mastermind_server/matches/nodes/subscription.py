"""This node's subscription to what others write: tables in use read on from the log, and tell.

The news is only that there is more of a match; what there is, the log tells. Notices may be lost
with a connection, so now and then all tables in use are looked after by one query.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from mastermind_protocol.errors import MastermindError
from mastermind_server import tuning
from mastermind_server.storage.notices import LOGGED_OUT, REWRITTEN, Notice
from mastermind_server.storage.statements.log import read_heads
from mastermind_server.tuning import LOOK_SECONDS, LOOKED_AT_ONCE, TOKENS_SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


class Subscription:
    """Hears of what is written to a store that other nodes have too; to one's own it does nothing.

    Tables that nobody uses are left alone: they read on when they are used again. `check_tokens`
    sends away whose token is void: of one player, or of all.
    """

    def __init__(
        self,
        tables: Tables,
        presence: Presence,
        services: Services,
        check_tokens: Callable[[str | None], Awaitable[None]],
    ) -> None:
        self._tables, self._presence = tables, presence
        self._check_tokens = check_tokens
        self._store, self._clock = services.store, services.clock
        self._hearing = False
        self._deafen: Callable[[], None] = lambda: None
        self._tasks: set[asyncio.Task[None]] = set()
        self._failing = False  # and it was told

    def start(self) -> None:
        """Begin to hear and to look."""
        if self._store.shared:
            self._hearing = True
            self._deafen = self._store.subscribe(self._hear)
            self._begin(self._keep(LOOK_SECONDS, self._look))
            self._begin(self._keep(TOKENS_SECONDS, partial(self._check_tokens, None)))

    async def stop(self) -> None:
        """Hear and look no more."""
        self._hearing = False  # what was heard before may still come
        self._deafen()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _hear(self, news: Sequence[Notice]) -> None:
        """Begin to read what is new; where there is no room for more, the next look finds it."""
        if not self._hearing:
            return
        if not news:  # what was told before was not heard
            self._tables.drop_all()
            self._begin(self._try(self._look))
            self._begin(self._try(partial(self._check_tokens, None)))
        for match, version in news:
            if version == LOGGED_OUT:
                self._begin(self._try(partial(self._check_tokens, match)))
            elif version == REWRITTEN:
                self._tables.drop(match)
            elif len(self._tasks) < tuning.NEWS_QUEUE and self._tables.lacks(match, version):
                self._begin(self._try(partial(self._read_on, match, version)))

    async def _keep(self, seconds: float, look: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self._clock.sleep(seconds)
            await self._try(look)

    async def _look(self) -> None:
        """Come upon what was not heard."""
        used = [table.log.code for table in self._tables.list_used()]
        for start in range(0, len(used), LOOKED_AT_ONCE):
            some = used[start : start + LOOKED_AT_ONCE]
            for newest in await self._store.read(read_heads, some):
                news = [Notice(newest.match, newest.version)]
                table = self._tables.get_used(newest.match)
                if table is not None and table.chat.lacks(newest):
                    news.append(Notice(newest.match))
                self._hear(news)
            await self._presence.look(*some)
        self._failing = False

    async def _read_on(self, match: str, version: int | None) -> None:
        async with self._tables.at(match, version or 0) as table:
            if version is None:
                await table.read_beside()
                await self._presence.look(match)

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        """Let it be if it fails: at the next look it is tried again."""
        try:
            await work()
        except MastermindError as failure:
            if not self._failing:
                _LOG.warning("what other nodes wrote is told later: %s", failure)
            self._failing = True
        except Exception:
            _LOG.exception("what other nodes wrote could not be told")

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
