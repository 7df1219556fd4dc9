"""Subscription of this node to the rows that other nodes write.

A notice names a match. Its table then reads the log, unless it could add the copy of the row that
came before the notice. Notices of a match arrive while the node has a table in its part in use.
When the first are due, and after the end of a connection, notices may have been lost, so the tables
are polled. All tables in use are polled from time to time, too.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, assert_never

from mastermind_protocol.events import find_part
from mastermind_server.clock import RETRY_SECONDS
from mastermind_server.matches.tables.lost_rows import LostRows
from mastermind_server.storage.notices import (
    ChallengeOpened,
    LogReplaced,
    MatchChanged,
    RenewalWanted,
    RowCopied,
    RowWritten,
    TokensRevoked,
)
from mastermind_server.storage.statements.log import read_heads
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mastermind_server.background import BackgroundTasks
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services
    from mastermind_server.storage.notices import Notice

TOKEN_POLL_SECONDS = 30.0  # between two polls for revoked tokens, in case a notice was lost
POLL_SECONDS = 3.0  # between two polls for writes of other nodes, in case a notice was lost
PART_SECONDS = 60.0  # until notices of a part without tables end: it is often used again
MAX_PENDING_READS = 4096  # of notified matches; the next poll finds the others
MATCHES_PER_QUERY = 200  # other reads wait for its 8 ms

_CONFIRM_TASK = "compare the matches in memory with the store"
_LISTEN_TASK = "receive notices from other nodes"
_POLL_TASK = "poll the matches in use"
_DROP_TASK = "receive no more notices of unused parts"
_CHECK_TASK = "check the tokens of clients"
_RENEW_TASK = "renew the lease, because another node asks for it"
_CHALLENGE_TASK = "notify a challenged player"


class Subscription:
    """Updates the tables in use after writes of other nodes.

    Does nothing if no other node uses the store.

    `check_tokens` receives a player id, or None for all players, and disconnects clients with a
    revoked token. `handle_challenge` receives the match code of a challenge. `renew_lease` is
    called when another node asks for a renewal.
    """

    def __init__(
        self,
        tables: Tables,
        presence: Presence,
        services: Services,
        background: BackgroundTasks,
        check_tokens: Callable[[str | None], Awaitable[None]],
        handle_challenge: Callable[[str], Awaitable[None]],
        renew_lease: Callable[[], Awaitable[None]],
    ) -> None:
        self._tables, self._presence = tables, presence
        self._background, self._check_tokens = background, check_tokens
        self._handle_challenge, self._renew_lease = handle_challenge, renew_lease
        self._store = services.store
        self._reads = 0  # number of notices that are being handled
        self._clock, self._confirming = services.clock, False
        self._store.epochs.watchers.append(self._on_new_epoch)
        self._store.interests.watcher = self._on_new_parts

    def start(self) -> None:
        """Start to listen to notices and to poll, in background tasks."""
        if self._store.shared:
            self._background.run(partial(self._store.listen, self._on_notices), _LISTEN_TASK)
            self._background.run_every(POLL_SECONDS, self._poll, _POLL_TASK)
            self._background.run_every(PART_SECONDS, self._drop_parts, _DROP_TASK)
            self._background.run_every(
                TOKEN_POLL_SECONDS, partial(self._check_tokens, None), _CHECK_TASK
            )

    def _on_new_epoch(self) -> None:
        """Compare the tables with the store, whose history has changed.

        The store may also have lost the presence at this node, and tokens of connected players.
        """
        self._presence.write_all()
        self._background.run(partial(self._check_tokens, None), _CHECK_TASK)
        if not self._confirming:
            self._confirming = True
            self._background.run(self._confirm_tables, _CONFIRM_TASK)

    async def _confirm_tables(self) -> None:
        """Confirm all tables, one after another, and log the number of lost rows."""
        try:
            while unconfirmed := [t for t in self._tables.list_loaded() if not t.confirmed]:
                try:
                    for table in unconfirmed:
                        await self._tables.confirm(table)
                except StorageFailed:
                    await self._clock.sleep(RETRY_SECONDS)
        finally:
            self._confirming = False
        self._tables.lost.log_total()
        self._tables.lost = LostRows()

    def _on_notices(self, notices: Sequence[Notice]) -> None:
        """Start to handle a batch of notices. An empty batch means that notices may have been lost.

        Above MAX_PENDING_READS pending reads, notices are dropped. The next poll finds their rows.
        """
        if not notices:
            self._tables.evict_all()
            self._background.run(self._poll, _POLL_TASK)
            self._background.run(partial(self._check_tokens, None), _CHECK_TASK)
        for notice in notices:
            self._handle_notice(notice)

    def _handle_notice(self, notice: Notice) -> None:
        match notice:
            case RowWritten(match, version):
                self._read_if_used(match, version)
            case RowCopied(row, epoch):
                if (table := self._tables.get_used(row.match)) is not None:
                    table.add_row(row, epoch)
            case MatchChanged(match):
                self._read_if_used(match, None)
            case LogReplaced(match):
                self._tables.evict_rewritten(match)
            case TokensRevoked(player):
                self._background.run(partial(self._check_tokens, player), _CHECK_TASK)
            case ChallengeOpened(match):
                self._background.run(partial(self._handle_challenge, match), _CHALLENGE_TASK)
            case RenewalWanted():
                self._background.run(self._renew_lease, _RENEW_TASK)
            case _:
                assert_never(notice)

    def _read_if_used(self, match: str, version: int | None) -> None:
        """Start to read the changes of a match, if it is in use and lacks the row `version`.

        None means chat, presence and outages.
        """
        if self._reads < MAX_PENDING_READS and self._tables.lacks_version(match, version):
            self._reads += 1
            what = "chat and presence" if version is None else "rows"
            read = partial(self._read_changes, match, version)
            self._background.run(read, f"read {what} that other nodes wrote")

    def _on_new_parts(self, parts: set[str]) -> None:
        """Poll the matches of parts whose notices arrive from now on."""
        self._background.run(partial(self._poll, parts), _POLL_TASK)

    async def _drop_parts(self) -> None:
        """End the notices of parts without tables in use."""
        self._store.interests.keep(self._tables.list_codes())

    async def _poll(self, parts: set[str] | None = None) -> None:
        """Read new rows, chat lines and presence of the tables in use. Raises StorageFailed.

        With `parts`, only those of matches in these parts. A table that is being loaded may have
        read its rows already, and gets the new ones when it is loaded.
        """
        used = list(set(self._tables.list_codes()))
        if parts is not None:
            used = [code for code in used if find_part(code) in parts]
        for start in range(0, len(used), MATCHES_PER_QUERY):
            batch = used[start : start + MATCHES_PER_QUERY]
            for newest in await self._store.look_up(read_heads, batch):
                self._read_if_used(newest.match, newest.version)
                table = self._tables.get_used(newest.match)
                if table is None or table.chat.lacks_lines(newest):
                    self._read_if_used(newest.match, None)
            await self._presence.read_elsewhere(*batch)

    async def _read_changes(self, match: str, version: int | None) -> None:
        try:
            async with self._tables.use(match, version or 0) as table:
                if version is None:
                    await table.read_outages()
                    await table.read_new_lines()
                    await self._presence.read_elsewhere(match)
                    self._tables.call_watchers(table)  # the end of time may have waited for this
        finally:
            self._reads -= 1
