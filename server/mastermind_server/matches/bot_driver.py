"""Makes the moves of bots, and re-chooses the codes of adaptive codemakers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import TYPE_CHECKING

from mastermind_protocol.commands import GuessCode, LeaveMatch, find_refusal
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Forfeit
from mastermind_protocol.match import Match, Phase
from mastermind_server.bots.worker_pool import NoWorker
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.monitoring.logs import with_context
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from mastermind_protocol.events import Player
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.idempotency import RequestKey

_LOG = logging.getLogger(__name__)
BOT_OVERDUE_SECONDS = 1.5  # until another node moves for a bot; a second move is harmless
BOTS_ONLY_AT_ONCE = 1  # moves in matches of two bots; another thread is left for people's matches


class BotDriver:
    """Makes the moves of bots in all tables of this node.

    If several nodes share the store, the node that wrote the last log row moves at once. If that
    row has a player's command, and this player follows the match at another node, that node moves
    at once, too. All other nodes move after BOT_OVERDUE_SECONDS. If two nodes make the same move,
    the log accepts only one.

    A match of two bots runs only while it is followed. Only one such match makes a move at a time,
    because people's moves have priority. If the store or a worker fails, the bot retries. If the
    bot itself fails, it forfeits.
    """

    def __init__(self, tables: Tables, services: Services) -> None:
        self._tables, self._clock, self._bots = tables, services.clock, services.bots
        self._shared = services.store.shared
        self._playing: dict[str, asyncio.Task[None]] = {}
        # Timers for bots' moves that another node should make, by match and version.
        self._overdue: dict[tuple[str, int], asyncio.TimerHandle] = {}
        self._bots_only = asyncio.Semaphore(BOTS_ONLY_AT_ONCE)
        tables.watchers.append(self._schedule_move)

    async def stop(self) -> None:
        """Cancel all pending moves. They are made when their matches are loaded again."""
        for timer in self._overdue.values():
            timer.cancel()
        for playing in self._playing.values():
            playing.cancel()
        await asyncio.gather(*self._playing.values(), return_exceptions=True)

    async def rechoose_code(
        self,
        table: Table,
        guess: GuessCode,
        by: str,
        version: int | None,
        key: RequestKey | None = None,
    ) -> GuessCode:
        """Return `guess` with `held` set to the adaptive codemaker's new secret.

        `by` is the codebreaker's id, and `version` the last version that the codebreaker knows. If
        the request with this `key` was stored before, `guess` is returned unchanged. Raises Refused
        if the guess is illegal, or if the bot fails and forfeits.
        """
        match, maker = table.log.state, table.log.state.maker
        if maker is None or table.log.find_request(by, key):
            return guess
        if refusal := find_refusal(match, guess, by):
            raise refusal
        table.log.check_is_current(version)
        try:
            seen = await table.log.view_of(maker.id, version)
            return GuessCode(guess.code, await self._bots.rechoose(seen, maker, guess.code))
        except NoWorker:
            raise  # not a failure of the bot
        except Exception as error:
            with_context(_LOG, match=table.log.code).exception(
                "the bot %s failed and forfeits", maker.name
            )
            await _forfeit(table, maker, Forfeit.FAILED)
            raise Refused(Reason.BOT_GONE, bot=maker.name) from error

    def _schedule_move(self, table: Table) -> None:
        match_code = table.log.code
        if match_code in self._playing or _find_bot_to_move(table) is None:
            return
        if (wait := self._find_delay(table)) == 0:
            self._tables.keep_table(match_code)
            self._playing[match_code] = asyncio.create_task(
                self._make_moves(match_code), name=f"bots of {match_code}"
            )
        elif (turn := (match_code, table.log.version)) not in self._overdue:
            wake = partial(self._move_if_overdue, *turn)
            self._overdue[turn] = self._clock.call_later(wait, wake)

    def _move_if_overdue(self, match_code: str, version: int) -> None:
        """Make the bot's move if the log still has `version` rows."""
        del self._overdue[match_code, version]
        table = self._tables.get_used(match_code)
        if table is not None and table.log.version == version:
            table.drives_bots = True
            self._schedule_move(table)

    def _schedule_next_move(self, match_code: str) -> None:
        if table := self._tables.get_used(match_code):
            self._schedule_move(table)

    def _find_delay(self, table: Table) -> float:
        """Return the seconds to wait for another node's move; 0 if this node moves at once."""
        last = table.log.rows[-1]
        if not self._shared or table.drives_bots or table.followers.has_player(last.player):
            return 0
        waited = (self._clock.unix_milliseconds() - last.at) / 1000
        return min(max(0, BOT_OVERDUE_SECONDS - waited), BOT_OVERDUE_SECONDS)

    def _find_own_bot(self, table: Table) -> Player | None:
        """Return the bot that must move now, or None if another node moves or no bot must move."""
        return _find_bot_to_move(table) if self._find_delay(table) == 0 else None

    async def _make_moves(self, match_code: str) -> None:
        """Make moves of bots until it is a person's or another node's turn.

        The table is used anew for each move, because another one may replace it.
        """
        logged = False
        try:
            while (last := self._tables.get(match_code)) and self._find_own_bot(last):
                async with self._limit_bot_matches(last.log.state):
                    try:
                        async with self._tables.use(match_code) as table:
                            if (mover := self._find_own_bot(table)) is None:
                                break
                            await self._make_move(table, mover)
                        continue
                    except Refused:  # the store has lost the match
                        break
                    except (StorageFailed, NoWorker) as failure:
                        if not logged:
                            with_context(_LOG, match=match_code).info("a bot waits: %s", failure)
                        logged = True
                await self._clock.sleep(RETRY_SECONDS)
        finally:
            del self._playing[match_code]
            self._tables.release_table(match_code)
        self._schedule_next_move(match_code)  # starts a timer if another node moves next

    def _limit_bot_matches(self, match: Match) -> AbstractAsyncContextManager[None]:
        """Return a context manager within which a bot in `match` makes one move.

        It waits while BOTS_ONLY_AT_ONCE other matches of two bots make moves. It does not wait in a
        match with a person.
        """
        return self._bots_only if match.is_bots_only else contextlib.nullcontext()

    async def _make_move(self, table: Table, bot: Player) -> None:
        match, version = table.log.state, table.log.version
        try:
            setting = match.phase is Phase.SETTING  # a fixed secret is given to the codemaker only
            fixed = await self._bots.find_fixed_secret(match, bot) if setting else None
            seen = await table.log.view_of(bot.id, version)
            command = await self._bots.choose_move(seen, bot, fixed)
            if isinstance(command, GuessCode) and has_adaptive_codemaker(match):
                command = await self.rechoose_code(table, command, bot.id, version)
            await table.perform(command, bot.id, version=version)
        except (StorageFailed, NoWorker):
            raise
        except Refused as refusal:
            if refusal.code != ErrorCode.STALE_VERSION and table.log.version == version:
                await _forfeit(table, bot, Forfeit.ILLEGAL)
        except Exception:
            with_context(_LOG, match=table.log.code).exception(
                "the bot %s failed and forfeits", bot.name
            )
            await _forfeit(table, bot, Forfeit.FAILED)


def has_adaptive_codemaker(match: Match) -> bool:
    """Return whether the codemaker of the current round re-chooses its code at each guess."""
    return (current := match.current) is not None and current.commitment is None


def _find_bot_to_move(table: Table) -> Player | None:
    """Return the bot of the server that must move now, or None."""
    match = table.log.state
    mover = match.to_move
    if mover is None or mover.bot is None or (match.is_bots_only and not table.followers):
        return None
    return mover


async def _forfeit(table: Table, bot: Player, why: Forfeit) -> None:
    with contextlib.suppress(Refused):  # the match has ended, or the bot has left it
        await table.perform(LeaveMatch(why), bot.id)
